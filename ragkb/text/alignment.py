"""Finding the chunks of an old file again in the text that they were cut from."""

from collections.abc import Sequence


def align(chunks: Sequence[str], content: str) -> list[tuple[int, int] | None]:
    """The span of each chunk in `content`, ignoring white space; None where it is not to be found.

    Old chunks were glued from pieces with their white space changed, and may overlap: each is
    looked for from where the chunk before it began, so that repeated text keeps its order.
    """
    places = [index for index, character in enumerate(content) if not character.isspace()]
    solid = "".join(content[index] for index in places)
    spans: list[tuple[int, int] | None] = []
    search_from = 0
    for chunk in chunks:
        wanted = "".join(chunk.split())
        found = solid.find(wanted, search_from) if wanted else -1
        if found < 0:
            spans.append(None)
            continue
        spans.append((places[found], places[found + len(wanted) - 1] + 1))
        search_from = found + 1
    return spans
