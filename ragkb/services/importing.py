"""Importing files: read in child processes, stored one by one, embedded as they come."""

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from ragkb.document_text import DocumentText
from ragkb.errors import FileRefused
from ragkb.readers import Readers
from ragkb.repositories.store import Store
from ragkb.services import validation
from ragkb.services.access import Admit, anything
from ragkb.services.embedding import Embedding
from ragkb.services.embedding_rounds import EmbeddingRounds
from ragkb.services.files import SourceFile, check, distinct_files, fingerprint, path_of
from ragkb.services.import_report import ImportReport, OnProgress, Progress
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.storing import StoredDocument, Storing

MOST_READERS = 4


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
        run = EmbeddingRounds(self._embedding, base, on_progress)
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
