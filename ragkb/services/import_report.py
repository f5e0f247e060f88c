"""What an import tells: how far it is, and one outcome for each file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ragkb.errors import RagError
from ragkb.messages import Note
from ragkb.services.storing import Status, StoredDocument


@dataclass(frozen=True)
class ImportedFile:
    """A file that is in the base now, with what was read of it."""

    file_path: str
    doc_name: str
    chunk_count: int
    status: Status
    file_type: str = ""
    characters: int = 0
    pages: int = 0
    encoding: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class FailedFile:
    """A file that is not in the base, or whose vectors could not be made (`stored`)."""

    file_path: str
    error: RagError
    stored: bool = False


@dataclass
class ImportReport:
    """One outcome for each distinct file: total = success + failed + pending.

    `pending_files` are stored and searchable by keyword while another program embeds them.
    """

    kb_name: str
    success_files: list[ImportedFile] = field(default_factory=list["ImportedFile"])
    failed_files: list[FailedFile] = field(default_factory=list["FailedFile"])
    pending_files: list[str] = field(default_factory=list[str])

    @property
    def total(self) -> int:
        """How many distinct files were asked for."""
        return len(self.success_files) + len(self.failed_files) + len(self.pending_files)


@dataclass(frozen=True)
class Progress:
    """How far an import is: files looked at, or chunks embedded of those known so far.

    `report` holds the outcomes until now and goes on growing.
    """

    stage: Literal["files", "chunks"]
    done: int
    total: int
    name: str
    report: ImportReport


# May raise to stop the import: what was stored stays, and importing the same files goes on.
OnProgress = Callable[[Progress], None]


def imported(stored: StoredDocument) -> ImportedFile:
    """A stored document as a file's outcome."""
    return ImportedFile(
        file_path=stored.file_path,
        doc_name=stored.doc_name,
        chunk_count=stored.chunk_count,
        status=stored.status,
        file_type=stored.file_type,
        characters=stored.characters,
        pages=stored.pages,
        encoding=stored.encoding,
        notes=stored.notes,
    )
