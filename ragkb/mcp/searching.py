"""The tool search."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired
from urllib.parse import quote

from mcp.types import CallToolResult
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ragkb.mcp.answers import MOST_CHARACTERS, answer, largest, size
from ragkb.mcp.arguments import OptionalNeighbors, OptionalText, OptionalWhole
from ragkb.mcp.backend import Backend
from ragkb.mcp.wording import refusal, remark, worded
from ragkb.messages import Language
from ragkb.services import validation

if TYPE_CHECKING:
    from ragkb.services.knowledge_bases import BaseInfo
    from ragkb.services.searching import Channel, Hit, SearchResult

LEAST_SHOWN = 200  # characters of a chunk; rather fewer chunks than less of each


class NeighborChunk(TypedDict):
    """A chunk beside a hit."""

    chunk_index: int
    content: str


class Chunk(TypedDict):
    """A hit."""

    id: int
    doc_id: str
    content: str
    tokens: int
    chunk_index: int
    doc_name: str
    score: float
    file_path: str | None
    page: int | None
    heading: str
    start: int | None
    end: int | None
    passage: str
    keyword_score: float
    vector_score: float | None
    neighbors: NotRequired[list[NeighborChunk]]


class ChannelState(TypedDict):
    """Whether a channel answered, and why not."""

    answered: bool
    reason: str


class Found(TypedDict):
    """The answer to a query."""

    kb_name: str
    chunks: list[Chunk]
    count: int
    channels: dict[str, ChannelState]
    notes: list[str]


class SearchTools:
    """The tool search."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def search(
        self,
        query: str,
        top_k: OptionalWhole = None,
        neighbors: OptionalNeighbors = None,
        kb_name: OptionalText = None,
    ) -> Annotated[CallToolResult, Found]:
        backend = self._backend
        beside = 0 if neighbors is None else validation.neighbors(neighbors)
        base = backend.base(kb_name)
        wanted = backend.settings.top_k if top_k is None else top_k
        result = backend.app.searching.search(base, query, wanted)
        chunks = [vars(hit) | self._around(base, hit, beside) for hit in result.hits]
        return answer(bounded(result, chunks, backend.language))

    def _around(self, base: "BaseInfo", hit: "Hit", count: int) -> dict[str, Any]:
        around = self._backend.app.searching.neighbors(base, hit, count)
        named = [{"chunk_index": index, "content": content} for index, content in around]
        return {"neighbors": named} if count else {}


def bounded(
    result: "SearchResult", chunks: Sequence[dict[str, Any]], language: Language
) -> dict[str, Any]:
    """The answer with every text cut to one length so that it fits; fewer chunks if it must be."""
    longest = max((len(text) for chunk in chunks for text in texts_of(chunk)), default=0)
    kept = len(chunks)
    while kept > 1 and size(found(result, chunks, kept, LEAST_SHOWN, language)) > MOST_CHARACTERS:
        kept -= 1
    return largest(lambda length: found(result, chunks, kept, length, language), longest)


def found(
    result: "SearchResult",
    chunks: Sequence[dict[str, Any]],
    kept: int,
    length: int,
    language: Language,
) -> dict[str, Any]:
    """The answer with the first `kept` chunks, whose texts have at most `length` characters."""
    notes = [remark(note, language) for note in result.notes]
    if kept < len(chunks):
        notes.append(worded("answer.fewer_chunks", {"left": len(chunks) - kept}, language))
    return {
        "kb_name": result.kb_name,
        "chunks": [cut(chunk, result.kb_name, length, language) for chunk in chunks[:kept]],
        "count": kept,
        "channels": {each.name: state_of(each, language) for each in result.channels},
        "notes": notes,
    }


def cut(chunk: dict[str, Any], kb_name: str, length: int, language: Language) -> dict[str, Any]:
    """A chunk whose long texts end in a mark that says how to get the rest."""
    uri = document_uri(kb_name, chunk["doc_name"])

    def brief(text: str) -> str:
        if len(text) <= length:
            return text
        values = {"left": len(text) - length, "uri": uri}
        return text[:length] + worded("answer.cut", values, language).replace("\n", " ")

    shown = chunk | {"content": brief(chunk["content"]), "passage": brief(chunk["passage"])}
    if "neighbors" not in chunk:
        return shown
    around = [each | {"content": brief(each["content"])} for each in chunk["neighbors"]]
    return shown | {"neighbors": around}


def texts_of(chunk: dict[str, Any]) -> list[str]:
    """The texts of a chunk that may be long."""
    around = [each["content"] for each in chunk.get("neighbors", ())]
    return [chunk["content"], chunk["passage"], *around]


def state_of(channel: "Channel", language: Language) -> dict[str, Any]:
    """Whether a channel answered, and why not."""
    reason = refusal(channel.problem, language) if channel.problem else ""
    return {"answered": channel.answered, "reason": reason}


def document_uri(kb_name: str, doc_name: str) -> str:
    """The resource that holds a document's whole text."""
    return f"kb://{quote(kb_name, safe='')}/documents/{quote(doc_name, safe='')}"
