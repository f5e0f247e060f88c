"""Embedding an import's documents in rounds, while its next files are read."""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from ragkb.errors import EmbeddingFailed, FileRefused
from ragkb.log import log
from ragkb.services.embedding import Embedding, EmbeddingReport
from ragkb.services.import_report import FailedFile, ImportReport, OnProgress, Progress, imported
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.storing import StoredDocument

# Documents are embedded once so many chunks wait, so that batches are full and memory is bounded.
CHUNKS_PER_ROUND = 256
MOST_ROUNDS = 2  # that wait or run while files are read; then reading waits


class EmbeddingRounds:
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
