"""Tools on documents: list, delete, split anew."""

from typing import TYPE_CHECKING, Annotated, Any, NotRequired

import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ragkb.mcp.answers import MOST_CHARACTERS, answer, fitting, size
from ragkb.mcp.arguments import ChunkSize, OptionalText, OptionalWhole
from ragkb.mcp.backend import Backend
from ragkb.mcp.progress import Meter
from ragkb.mcp.wording import refusal, remark, worded
from ragkb.messages import Language, say
from ragkb.services import validation

if TYPE_CHECKING:
    from ragkb.services.documents import DocumentInfo, DocumentPage, SplitDocument
    from ragkb.services.embedding import EmbeddingReport
    from ragkb.services.knowledge_bases import BaseInfo

PAGE = 100
MOST_OFFSET = 1_000_000_000


class ListedDocument(TypedDict):
    """A document as it is listed; `state` says in words what an unfinished one lacks."""

    id: str
    name: str
    file_path: str | None
    file_type: str
    chunk_size: int
    chunk_count: int
    created_at: str
    updated_at: str
    status: str
    state: NotRequired[str]


class DocumentList(TypedDict):
    """A page of documents."""

    kb_name: str
    documents: list[ListedDocument]
    count: int
    total: int
    has_more: bool
    next_offset: NotRequired[int]


class Deleted(TypedDict):
    """A document that is gone."""

    kb_name: str
    doc_name: str


class Updated(TypedDict):
    """A document that was split anew."""

    kb_name: str
    doc_id: str
    doc_name: str
    chunk_count: int
    chunk_size: int
    pending_count: int
    notes: list[str]


class DocumentTools:
    """Tools on documents."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list_documents(
        self,
        limit: OptionalWhole = None,
        offset: OptionalWhole = None,
        kb_name: OptionalText = None,
    ) -> Annotated[CallToolResult, DocumentList]:
        most = PAGE if limit is None else validation.within("limit", limit, 1, PAGE)
        start = 0 if offset is None else validation.within("offset", offset, 0, MOST_OFFSET)
        base = self._backend.base(kb_name)
        page = self._backend.app.documents.page(base, most, start)
        return answer(page_data(base, page, start, self._backend.language))

    def delete_document(
        self, doc_name: str, kb_name: OptionalText = None
    ) -> Annotated[CallToolResult, Deleted]:
        base = self._backend.base(kb_name)
        name = self._backend.app.documents.delete(base, doc_name)
        return answer({"kb_name": base.name, "doc_name": name})

    async def update_document(
        self,
        doc_name: str,
        chunk_size: ChunkSize,
        context: Context[Any, Any],
        kb_name: OptionalText = None,
    ) -> Annotated[CallToolResult, Updated]:
        backend = self._backend

        def split() -> "tuple[BaseInfo, SplitDocument]":
            base = backend.base(kb_name)
            return base, backend.app.documents.split(base, doc_name, chunk_size)

        def embed(meter: Meter) -> "EmbeddingReport":
            meter.chunks_known = document.chunk_count
            return backend.app.embedding.complete(base, [document.doc_id], meter.batch)

        base, document = await anyio.to_thread.run_sync(split)
        seconds = backend.settings.mcp_call_seconds
        key = ("document", document.doc_id, chunk_size)
        work = await backend.works.within(key, base.id, embed, seconds, context)
        pending = 0 if work.result else document.chunk_count - work.meter.chunks_done
        failed = work.result.failed.values() if work.result else ()
        notes = [refusal(each, backend.language) for each in failed]
        if pending:
            notes.append(worded("answer.still_embedding", {"left": pending}, backend.language))
        return answer(
            {
                "kb_name": base.name,
                "doc_id": document.doc_id,
                "doc_name": document.doc_name,
                "chunk_count": document.chunk_count,
                "chunk_size": chunk_size,
                "pending_count": pending,
                "notes": notes,
            }
        )


def page_data(
    base: "BaseInfo", page: "DocumentPage", start: int, language: Language
) -> dict[str, Any]:
    """A page of the list, ended early where the answer would become too long."""
    head = {"kb_name": base.name, "total": page.total}
    rest = {"documents": "", "count": page.total, "has_more": False, "next_offset": page.total}
    listed = [as_data(each, language) for each in page.documents]
    documents = fitting(listed, MOST_CHARACTERS - size(head | rest))
    end = start + len(documents)
    has_more = bool(documents) and end < page.total
    shown = {"documents": documents, "count": len(documents), "has_more": has_more}
    return head | shown | ({"next_offset": end} if has_more else {})


def as_data(document: "DocumentInfo", language: Language) -> dict[str, Any]:
    """A document as it is listed."""
    return {
        "id": document.id,
        "name": document.name,
        "file_path": document.file_path,
        "file_type": document.file_type,
        "chunk_size": document.chunk_size,
        "chunk_count": document.chunk_count,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "status": document.status,
    } | ({} if document.status == "ready" else {"state": state_of(document, language)})


def state_of(document: "DocumentInfo", language: Language) -> str:
    """The state of an unfinished document: how many chunks have a vector, or why it failed."""
    if document.reason is not None:
        return say("state.failed", language, reason=remark(document.reason, language))
    done = document.chunk_count - document.missing_vectors
    return say("state.pending", language, done=done, total=document.chunk_count)
