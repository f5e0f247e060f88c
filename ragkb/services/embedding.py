"""Making the vectors that are missing, batch by batch, each kept as it arrives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ragkb.embeddings.embedder import Embedder
from ragkb.errors import EmbeddingFailed, WrongDimension
from ragkb.log import log
from ragkb.models import now
from ragkb.repositories.embeddings import ChunkToEmbed, EmbeddingRepository
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services.embedders import Embedders, ModelChoice
from ragkb.services.knowledge_bases import BaseInfo, model_of
from ragkb.services.leases import LEASE, claim, new_owner
from ragkb.services.vector_making import PROBE, MadeVectors, check_same_model, make_vectors
from ragkb.services.vectors import Vector

DOCUMENTS_AT_ONCE = 200

OnBatch = Callable[[int], None]


@dataclass
class EmbeddingReport:
    """What came of embedding: chunks that got vectors, documents that failed, documents of others.

    `claimed_elsewhere` are documents that another program is embedding right now.
    """

    embedded: int = 0
    failed: dict[str, EmbeddingFailed] = field(default_factory=dict[str, EmbeddingFailed])
    claimed_elsewhere: list[str] = field(default_factory=list[str])


class Embedding:
    """Completes the vectors of documents."""

    def __init__(self, store: Store, embedders: Embedders) -> None:
        self._store = store
        self._embedders = embedders
        self.owner = new_owner()

    def complete_base(self, base: BaseInfo, on_batch: OnBatch) -> EmbeddingReport:
        """Embed everything of a base that has no vector yet."""
        with self._store.read() as work:
            doc_ids = work.documents(base.id).unfinished()
        return self.complete(base, doc_ids, on_batch)

    def count_missing(self, base: BaseInfo) -> int:
        """How many chunks of the base have no vector under its model."""
        model = model_of(base, self._embedders).model
        with self._store.read() as work:
            return work.embeddings(base.id, model).count_missing()

    def complete(
        self, base: BaseInfo, doc_ids: Sequence[str], on_batch: OnBatch
    ) -> EmbeddingReport:
        """Embed what these documents lack; `on_batch` is told how many chunks each batch had.

        A document that fails keeps its text and the vectors it has; its status says why.
        """
        report = EmbeddingReport()
        for begin in range(0, len(doc_ids), DOCUMENTS_AT_ONCE):
            self._complete_some(base, doc_ids[begin : begin + DOCUMENTS_AT_ONCE], report, on_batch)
        return report

    def _complete_some(
        self, base: BaseInfo, doc_ids: Sequence[str], report: EmbeddingReport, on_batch: OnBatch
    ) -> None:
        with self._store.write() as work:
            ours = claim(work, self.owner, doc_ids)
        report.claimed_elsewhere += [each for each in doc_ids if each not in ours]
        try:
            choice = model_of(base, self._embedders)
            if base.embedding_model is None:  # an old base, whose model is chosen now
                base = replace(base, windows=choice.is_builtin)
            embedder = self._embedders.embedder(base.id, choice)
            _Run(self._store, base, embedder, choice, report).embed(ours, on_batch, self.owner)
        finally:
            with self._store.write() as work:
                work.leases(self.owner).release(ours)


@dataclass(frozen=True)
class _Run:
    store: Store
    base: BaseInfo
    embedder: Embedder
    choice: ModelChoice
    report: EmbeddingReport

    def embed(self, doc_ids: Sequence[str], on_batch: OnBatch, owner: str) -> None:
        """Batch after batch until nothing is missing, leaving out documents that failed."""
        with self.store.write() as work:
            self._rows(work).settle(doc_ids)
            missing = self._rows(work).count_missing_by_document(doc_ids)
        last = 0
        while missing:
            with self.store.read() as work:
                batch = self._rows(work).missing(list(missing), last, self.embedder.batch_size)
            if not batch:  # what is left was deleted or replaced while we worked
                return
            last = batch[-1].id
            made = self._make(batch)
            with self.store.write() as work:
                self._keep(work, batch, made, missing)
                work.leases(owner).prolong(now() + LEASE)
            log.debug("batch", base=self.base.name, chunks=len(batch))
            on_batch(len(batch))

    def _make(self, batch: Sequence[ChunkToEmbed]) -> MadeVectors:
        try:
            _ = self._probe  # first: an endpoint that fails a part of the batch rests afterwards
            return make_vectors(self.embedder, batch, with_windows=self.base.windows)
        except EmbeddingFailed as error:
            return MadeVectors({}, 0, error)

    def _keep(
        self,
        work: UnitOfWork,
        batch: Sequence[ChunkToEmbed],
        made: MadeVectors,
        missing: dict[str, int],
    ) -> None:
        """Store what was made, mark documents as failed or complete, and count them off."""
        rows = self._rows(work)
        made = self._of_right_dimension(work, made)
        if made.packed:
            self.report.embedded += rows.store(made.dimension, made.packed)
        failed = {chunk.doc_id for chunk in batch if chunk.id not in made.packed}
        if made.failure is not None and failed:
            rows.fail(sorted(failed), made.failure.as_note().to_json())
            for doc_id in failed:
                self.report.failed.setdefault(doc_id, made.failure)
        for chunk in batch:
            if chunk.doc_id in missing:
                missing[chunk.doc_id] -= 1
        complete = [doc_id for doc_id, count in missing.items() if count <= 0]
        rows.settle([doc_id for doc_id in complete if doc_id not in failed])
        for doc_id in failed.union(complete):
            missing.pop(doc_id, None)

    def _of_right_dimension(self, work: UnitOfWork, made: MadeVectors) -> MadeVectors:
        """What was made, or a failure if the base holds vectors of another dimension by now."""
        base = work.bases.get(self.base.id)
        if not made.packed or base is None:
            return MadeVectors({}, 0, made.failure)
        if base.embedding_dim is None:
            base.embedding_model = self.choice.model
            base.embedding_endpoint = self.choice.endpoint
            base.windows = self.base.windows
            base.embedding_dim = made.dimension
            base.embedding_probe = self._probe.astype("<f4").tobytes()
        if base.embedding_dim == made.dimension:
            return made
        wrong = WrongDimension(self.choice.model, base.embedding_dim, made.dimension)
        return MadeVectors({}, 0, wrong)

    @cached_property
    def _probe(self) -> Vector:
        """The probe text's vector, asked for once, and the same as when the base was begun."""
        probe = self.embedder.embed_passages([PROBE])[0]
        with self.store.read() as work:
            base = work.bases.get(self.base.id)
            before = base.embedding_probe if base else None
        if before is not None:
            check_same_model(self.base.name, self.choice.model, before, probe)
        return probe

    def _rows(self, work: UnitOfWork) -> EmbeddingRepository:
        return work.embeddings(self.base.id, self.choice.model)
