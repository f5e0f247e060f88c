"""Tools on whole databases: export, import."""

from typing import Annotated

from mcp.types import CallToolResult
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ragkb.mcp.answers import answer
from ragkb.mcp.backend import Backend
from ragkb.mcp.wording import remark


class Exported(TypedDict):
    """A file that was written."""

    source_path: str
    export_path: str


class Merged(TypedDict):
    """What came from a source."""

    source_path: str
    imported_kb_count: int
    imported_doc_count: int
    renamed: dict[str, str]
    notes: list[str]


class TransferTools:
    """Tools on whole databases."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def export_database(self, export_path: str) -> Annotated[CallToolResult, Exported]:
        self._backend.access.admit(export_path)
        exported = self._backend.app.transfer.export(export_path)
        paths = {"source_path": exported.source_path, "export_path": exported.export_path}
        return answer(paths)

    def import_database(self, source_db_path: str) -> Annotated[CallToolResult, Merged]:
        self._backend.access.admit(source_db_path)
        merged = self._backend.app.transfer.merge(source_db_path)
        return answer(
            {
                "source_path": merged.source_path,
                "imported_kb_count": len(merged.bases),
                "imported_doc_count": merged.document_count,
                "renamed": merged.renamed,
                "notes": [remark(note, self._backend.language) for note in merged.notes],
            }
        )
