"""The command search."""

from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.output import Output, Reply
from ragkb.cli.parsing import Argument

if TYPE_CHECKING:
    from ragkb.services.searching import Channel, Hit, SearchResult

SHOWN_CHARACTERS = 300


def search(context: Context) -> Reply:
    """Search a base."""
    base, values, output = context.base(), context.values, context.output
    wanted = values["top_k"] if values["top_k"] is not None else context.app.settings.top_k
    result = context.app.searching.search(base, values["query"], wanted)
    body = "\n\n".join(show(output, number, hit) for number, hit in enumerate(result.hits, start=1))
    message = output.say(
        "result.search" if result.hits else "result.search.none",
        kb_name=result.kb_name,
        count=len(result.hits),
    )
    problems = [
        output.say("search.channel", problem=each.problem.text(output.language))
        for each in result.channels
        if each.problem is not None
    ]
    return Reply("\n".join([message, *problems]), as_data(output, result), body, result.notes)


def show(output: Output, number: int, hit: "Hit") -> str:
    """A hit for a person: where it stands, how sure, the passage."""
    place = [hit.doc_name]
    if hit.page:
        place.append(output.say("search.page", page=hit.page))
    if hit.heading:
        place.append(hit.heading)
    scores = output.say(
        "search.scores",
        score=f"{hit.score:.2f}",
        keyword=f"{hit.keyword_score:.2f}",
        vector="-" if hit.vector_score is None else f"{hit.vector_score:.2f}",
    )
    text = " ".join(around_passage(hit).split())
    return f"{number}. {' · '.join(place)}  [{scores}]\n   {text}"


def around_passage(hit: "Hit") -> str:
    """The chunk, or for a long one the part that begins with its best passage."""
    if len(hit.content) <= SHOWN_CHARACTERS:
        return hit.content
    start = max(0, hit.content.find(hit.passage))
    part = hit.content[start : start + SHOWN_CHARACTERS]
    end = start + SHOWN_CHARACTERS < len(hit.content)
    return ("… " if start else "") + part + (" …" if end else "")


def as_data(output: Output, result: "SearchResult") -> dict[str, Any]:
    """A search's result for programs."""
    return {
        "kb_name": result.kb_name,
        "chunks": [vars(hit) for hit in result.hits],
        "count": len(result.hits),
        "channels": {each.name: _state(output, each) for each in result.channels},
    }


def _state(output: Output, channel: "Channel") -> dict[str, Any]:
    reason = channel.problem.text(output.language) if channel.problem else ""
    return {"answered": channel.answered, "reason": reason}


COMMANDS = (
    command("search", search, Argument("query", required=True), Argument("top_k"), in_base=True),
)
