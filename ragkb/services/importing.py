"""Importing files: read in child processes, stored one by one, embedded as they come."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from ragkb.document_text import DocumentText
from ragkb.errors import EmbeddingFailed, FileRefused, RagError
from ragkb.log import log
from ragkb.messages import Note
from ragkb.readers import Readers
from ragkb.repositories.store import Store
from ragkb.services import validation
from ragkb.services.embedding import Embedding, EmbeddingReport
from ragkb.services.files import SourceFile, check, distinct_files, fingerprint
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.storing import Status, StoredDocument, Storing

MOST_READERS = 4
# Documents are embedded once so many chunks wait, so that batches are full and memory is bounded.
CHUNKS_PER_ROUND = 256


@dataclass(frozen=True)
class Progress:
    """How far an import is: files looked at, or chunks embedded of those known so far."""

    stage: Literal["files", "chunks"]
    done: int
    total: int
    name: str


OnProgress = Callable[[Progress], None]


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


class Importing:
    """Imports files into knowledge bases."""

    def __init__(
        self, store: Store, readers: Readers, embedding: Embedding, max_file_mb: int
    ) -> None:
        self._store = store
        self._readers = readers
        self._embedding = embedding
        self._max_file_mb = max_file_mb

    def import_files(
        self,
        base: BaseInfo,
        paths: Sequence[str],
        on_progress: OnProgress,
        chunk_size: object | None = None,
    ) -> ImportReport:
        """Import files; each fails or succeeds by itself, in the order given.

        A file with the same content and chunk size as before is `unchanged`; a changed one replaces
        its document in one step. `chunk_size` in tokens overrides the base's for these files.
        """
        size = None if chunk_size is None else validation.chunk_size(chunk_size)
        files = distinct_files(paths)
        storing = Storing(self._store, base, size, self._embedding.owner)
        run = _Run(self._embedding, base, on_progress)
        for number, (path, outcome) in enumerate(self._outcomes(storing, files), start=1):
            run.take(path, outcome)
            on_progress(Progress("files", number, len(files), path))
        return run.finish()

    def _outcomes(
        self, storing: Storing, files: Sequence[SourceFile | FileRefused]
    ) -> Iterator[tuple[str, "StoredDocument | FileRefused"]]:
        """Stored documents or refusals, in order; reading runs a few files ahead."""
        workers = min(MOST_READERS, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers, thread_name_prefix="reading") as pool:
            ahead: deque[tuple[SourceFile, Future[_Reading]] | FileRefused] = deque()
            waiting = iter(files)
            while True:
                while len(ahead) < 2 * workers and (each := next(waiting, None)) is not None:
                    if isinstance(each, FileRefused):
                        ahead.append(each)
                    else:
                        ahead.append((each, pool.submit(self._read, storing, each)))
                if not ahead:
                    return
                yield self._outcome(storing, ahead.popleft())

    def _outcome(
        self, storing: Storing, job: "tuple[SourceFile, Future[_Reading]] | FileRefused"
    ) -> "tuple[str, StoredDocument | FileRefused]":
        if isinstance(job, FileRefused):
            return str(job.values()["path"]), job
        source, future = job
        try:
            reading = future.result()
            if isinstance(reading, StoredDocument):
                return source.path, reading
            return source.path, storing.store(source, reading.text, reading.sha256)
        except FileRefused as error:
            return source.path, error

    def _read(self, storing: Storing, source: SourceFile) -> "_Reading":
        check(source, self._max_file_mb)
        sha256 = fingerprint(source)
        unchanged = storing.unchanged(source, sha256)
        if unchanged is not None:
            return unchanged
        return _Fresh(self._readers.read(source.location), sha256)


@dataclass(frozen=True)
class _Fresh:
    text: DocumentText
    sha256: str


_Reading = StoredDocument | _Fresh


class _Run:
    """Collects outcomes and embeds in rounds."""

    def __init__(self, embedding: Embedding, base: BaseInfo, on_progress: OnProgress) -> None:
        self._embedding = embedding
        self._base = base
        self._on_progress = on_progress
        self._report = ImportReport(base.name)
        self._waiting: list[StoredDocument] = []
        self._chunks_known = 0
        self._chunks_done = 0

    def take(self, path: str, outcome: "StoredDocument | FileRefused") -> None:
        """Note a file's outcome; embed when enough has come together."""
        if isinstance(outcome, FileRefused):
            log.info("file", path=path, status="failed", reason=type(outcome).__name__)
            self._report.failed_files.append(FailedFile(path, outcome))
            return
        self._waiting.append(outcome)
        self._chunks_known += outcome.chunks_to_embed
        if self._chunks_known - self._chunks_done >= CHUNKS_PER_ROUND:
            self._embed()

    def finish(self) -> ImportReport:
        """Embed the rest and give the report."""
        self._embed()
        return self._report

    def _embed(self) -> None:
        unfinished = [each.doc_id for each in self._waiting if each.chunks_to_embed]
        done = EmbeddingReport()
        if unfinished:
            done = self._embedding.complete(self._base, unfinished, self._count)
        for each in self._waiting:
            self._settle(each, done.failed.get(each.doc_id), each.doc_id in done.claimed_elsewhere)
        self._waiting.clear()
        self._chunks_done = self._chunks_known

    def _settle(
        self, stored: StoredDocument, failure: EmbeddingFailed | None, elsewhere: bool
    ) -> None:
        log.info("file", path=stored.file_path, status=stored.status, chunks=stored.chunk_count)
        if failure is not None:
            log.info("not embedded", path=stored.file_path, reason=type(failure).__name__)
            self._report.failed_files.append(FailedFile(stored.file_path, failure, stored=True))
        elif elsewhere:
            self._report.pending_files.append(stored.file_path)
        else:
            self._report.success_files.append(
                ImportedFile(
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
            )

    def _count(self, chunks: int) -> None:
        self._chunks_done += chunks
        self._on_progress(Progress("chunks", self._chunks_done, self._chunks_known, ""))
