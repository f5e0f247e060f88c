"""Tools on knowledge bases: create, delete, list, select."""

from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from mcp.types import CallToolResult
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ragkb.mcp.answers import answer, shortened_lists
from ragkb.mcp.arguments import ChunkSize, OptionalText
from ragkb.mcp.backend import Backend
from ragkb.mcp.wording import remark

if TYPE_CHECKING:
    from ragkb.services.knowledge_bases import BaseInfo


class Created(TypedDict):
    """A base that was made."""

    kb_id: str
    kb_name: str
    chunk_size: int
    notes: NotRequired[list[str]]


class Named(TypedDict):
    """The name of a base that is gone."""

    kb_name: str


class Base(TypedDict):
    """A base as it is listed."""

    id: str
    name: str
    chunk_size: int
    embedding_model: str | None
    document_count: int
    created_at: str
    is_current: bool


class Bases(TypedDict):
    """All bases."""

    knowledge_bases: list[Base]
    count: int
    current_kb_id: str | None
    notes: NotRequired[list[str]]


class Selected(TypedDict):
    """The base that is the default now."""

    kb_id: str
    kb_name: str
    document_count: int


class KnowledgeBaseTools:
    """Tools on knowledge bases."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def create_knowledge_base(
        self,
        kb_name: str,
        chunk_size: ChunkSize,
        embedding_model: OptionalText = None,
        embedding_endpoint: OptionalText = None,
        embedding_api_key: OptionalText = None,
    ) -> Annotated[CallToolResult, Created]:
        access = self._backend.access
        if embedding_endpoint:
            access.check_endpoint(embedding_endpoint)
        if embedding_api_key:
            access.check_key(embedding_api_key)
        base = self._backend.app.bases.create(
            kb_name,
            chunk_size,
            embedding_model=embedding_model,
            embedding_endpoint=embedding_endpoint,
            embedding_api_key=embedding_api_key,
        )
        created = {"kb_id": base.id, "kb_name": base.name, "chunk_size": base.chunk_size}
        notes = [remark(note, self._backend.language) for note in base.notes]
        return answer(created | ({"notes": notes} if notes else {}))

    def delete_knowledge_base(self, kb_name: str) -> Annotated[CallToolResult, Named]:
        return answer({"kb_name": self._backend.app.bases.delete(kb_name)})

    def list_knowledge_bases(self) -> Annotated[CallToolResult, Bases]:
        bases = self._backend.app.bases.list_all()
        listed = {
            "knowledge_bases": [as_data(base) for base in bases],
            "count": len(bases),
            "current_kb_id": next((base.id for base in bases if base.is_current), None),
        }
        return answer(shortened_lists(listed, ["knowledge_bases"], self._backend.language))

    def select_knowledge_base(self, kb_name: str) -> Annotated[CallToolResult, Selected]:
        base = self._backend.app.bases.select(kb_name)
        return answer(
            {"kb_id": base.id, "kb_name": base.name, "document_count": base.document_count}
        )


def as_data(base: "BaseInfo") -> dict[str, Any]:
    """A base as it is listed."""
    return {
        "id": base.id,
        "name": base.name,
        "chunk_size": base.chunk_size,
        "embedding_model": base.embedding_model,
        "document_count": base.document_count,
        "created_at": base.created_at,
        "is_current": base.is_current,
    }
