"""Importing files: read in child processes, stored one by one, embedded as they come."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Literal

from ragkb.document_text import DocumentText
from ragkb.errors import EmbeddingFailed, FileRefused, RagError
from ragkb.log import log
from ragkb.messages import Note
from ragkb.readers import Readers
from ragkb.repositories.store import Store
from ragkb.services import validation
from ragkb.services.access import Admit, anything
from ragkb.services.embedding import Embedding, EmbeddingReport
from ragkb.services.files import SourceFile, check, distinct_files, fingerprint, path_of
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.storing import Status, StoredDocument, Storing

MOST_READERS = 4
# Documents are embedded once so many chunks wait, so that batches are full and memory is bounded.
CHUNKS_PER_ROUND = 256
MOST_ROUNDS = 2  # that wait or run while files are read; then reading waits


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


class Importing:
    """Imports files into knowledge bases; `admit` decides which paths may be read at all."""

    def __init__(
        self,
        store: Store,
        readers: Readers,
        embedding: Embedding,
        max_file_mb: int,
        admit: Admit = anything,
    ) -> None:
        self._store = store
        self._readers = readers
        self._embedding = embedding
        self._max_file_mb = max_file_mb
        self._admit = admit

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
        files = distinct_files(paths, self._admit)
        storing = Storing(self._store, base, size, self._embedding.owner)
        run = _Run(self._embedding, base, on_progress)
        try:
            for number, (path, outcome) in enumerate(self._outcomes(storing, files), start=1):
                run.take(path, outcome)
                on_progress(Progress("files", number, len(files), path, run.report))
            return run.finish()
        finally:
            run.close()

    def _outcomes(
        self, storing: Storing, files: Sequence[SourceFile | FileRefused]
    ) -> Iterator[tuple[str, "StoredDocument | FileRefused"]]:
        """Stored documents or refusals, in order; reading runs a few files ahead."""
        workers = min(MOST_READERS, os.cpu_count() or 1)
        with reading_threads(workers) as pool:
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
            return path_of(job), job
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


@contextmanager
def reading_threads(workers: int) -> Generator[ThreadPoolExecutor]:
    """Threads that at the end finish what they have begun and drop what still waits."""
    with ThreadPoolExecutor(workers, thread_name_prefix="reading") as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class _Fresh:
    text: DocumentText
    sha256: str


_Reading = StoredDocument | _Fresh


class _Run:
    """Collects outcomes; embeds in rounds on a thread of its own while the next files are read.

    Progress is reported on the caller's thread only.
    """

    def __init__(self, embedding: Embedding, base: BaseInfo, on_progress: OnProgress) -> None:
        self._embedding = embedding
        self._base = base
        self._on_progress = on_progress
        self.report = ImportReport(base.name)
        self._waiting: list[StoredDocument] = []
        self._chunks_waiting = self._chunks_known = self._chunks_done = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="embedding")
        self._rounds: deque[tuple[list[StoredDocument], Future[EmbeddingReport]]] = deque()
        self._events: SimpleQueue[int | None] = SimpleQueue()
        self._stopped = False

    def take(self, path: str, outcome: "StoredDocument | FileRefused") -> None:
        """Note a file's outcome; embed when enough has come together."""
        if isinstance(outcome, FileRefused):
            log.info("file", path=path, status="failed", reason=type(outcome).__name__)
            self.report.failed_files.append(FailedFile(path, outcome))
            return
        self._waiting.append(outcome)
        self._chunks_waiting += outcome.chunks_to_embed
        self._chunks_known += outcome.chunks_to_embed
        if self._chunks_waiting >= CHUNKS_PER_ROUND:
            self._begin_round()
        while not self._events.empty() or len(self._rounds) > MOST_ROUNDS:
            self._next_event()

    def finish(self) -> ImportReport:
        """Embed the rest, wait for it, and give the report."""
        self._begin_round()
        while self._rounds:
            self._next_event()
        return self.report

    def close(self) -> None:
        """Stop after the batch under way, which is kept; the rounds behind it are not begun."""
        self._stopped = True
        self._pool.shutdown(cancel_futures=True)

    def _begin_round(self) -> None:
        documents, self._waiting, self._chunks_waiting = self._waiting, [], 0
        if documents:
            self._rounds.append((documents, self._pool.submit(self._embed, documents)))

    def _embed(self, documents: Sequence[StoredDocument]) -> EmbeddingReport:
        unfinished = [each.doc_id for each in documents if each.chunks_to_embed]
        try:
            if not unfinished:
                return EmbeddingReport()
            return self._embedding.complete(self._base, unfinished, self._count)
        finally:
            self._events.put(None)

    def _count(self, chunks: int) -> None:
        if self._stopped:
            raise _Stopped
        self._events.put(chunks)

    def _next_event(self) -> None:
        """Count a batch, or settle the documents of a round that has ended."""
        chunks = self._events.get()
        if chunks is not None:
            self._chunks_done += chunks
            done, known = self._chunks_done, self._chunks_known
            self._on_progress(Progress("chunks", done, known, "", self.report))
            return
        documents, embedded = self._rounds.popleft()
        done = embedded.result()
        for each in documents:
            self._settle(each, done.failed.get(each.doc_id), each.doc_id in done.claimed_elsewhere)

    def _settle(
        self, stored: StoredDocument, failure: EmbeddingFailed | None, elsewhere: bool
    ) -> None:
        log.info("file", path=stored.file_path, status=stored.status, chunks=stored.chunk_count)
        if failure is not None:
            log.info("not embedded", path=stored.file_path, reason=type(failure).__name__)
            self.report.failed_files.append(FailedFile(stored.file_path, failure, stored=True))
        elif elsewhere:
            self.report.pending_files.append(stored.file_path)
        else:
            self.report.success_files.append(imported(stored))


class _Stopped(Exception):
    """Ends a round whose caller has gone."""


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
