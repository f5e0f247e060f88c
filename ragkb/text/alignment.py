"""Finding the chunks of an old file again in the text that they were cut from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def align(chunks: Sequence[str], content: str) -> list[tuple[int, int] | None]:
    """The span of each chunk in `content`, ignoring white space; None where it is not to be found.

    Old chunks were glued from pieces with their white space changed, and may overlap: each is
    looked for from where the chunk before it began, so that repeated text keeps its order.
    """
    places, solid = places_of_visible(content), "".join(content.split())
    spans: list[tuple[int, int] | None] = []
    search_from = 0
    for chunk in chunks:
        wanted = "".join(chunk.split())
        found = solid.find(wanted, search_from) if wanted else -1
        if found < 0:
            spans.append(None)
            continue
        spans.append((int(places[found]), int(places[found + len(wanted) - 1]) + 1))
        search_from = found + 1
    return spans


def places_of_visible(content: str) -> "NDArray[np.intp]":
    """Where the characters stand that are no white space."""
    import numpy as np

    codes = np.frombuffer(content.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    spaces = [ord(character) for character in set(content) if character.isspace()]
    return np.flatnonzero(~np.isin(codes, np.array(spaces, dtype="<u4")))
