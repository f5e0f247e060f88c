"""Making the vectors that are missing, batch by batch, each kept as it arrives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ragkb.embeddings.embedder import Embedder
from ragkb.errors import EmbeddingFailed, PartlyEmbedded, VectorsDiffer, WrongDimension
from ragkb.log import log
from ragkb.models import now
from ragkb.repositories.embeddings import ChunkToEmbed, EmbeddingRepository
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services.embedders import Embedders, ModelChoice
from ragkb.services.knowledge_bases import BaseInfo, model_of
from ragkb.services.leases import LEASE, claim, new_owner
from ragkb.services.vectors import Vector, pack
from ragkb.text.windows import windows

# Its vector is kept with the base and tells later whether a model is still the same.
PROBE = "The quick brown fox jumps over the lazy dog. 天地玄黄，宇宙洪荒。0123456789"
SAME_MODEL = 0.99  # cosine of the probe text; quantised replicas of one model reach 0.997
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
            for failed in self._embed_batch(batch):
                del missing[failed]
            log.debug("batch", base=self.base.name, chunks=len(batch))
            on_batch(len(batch))
            self._settle(batch, missing, owner)

    def _embed_batch(self, batch: Sequence[ChunkToEmbed]) -> set[str]:
        """Embed and keep one batch; the documents that failed in it."""
        try:
            _ = self._probe  # first: an endpoint that fails a part of the batch rests afterwards
            made = make_vectors(self.embedder, batch, with_windows=self.base.windows)
            if made.packed:
                self._keep(made.packed, made.dimension)
        except EmbeddingFailed as error:
            made = MadeVectors({}, 0, error)
        failed = {chunk.doc_id for chunk in batch if chunk.id not in made.packed}
        if made.failure is not None and failed:
            self._fail(failed, made.failure)
        return failed

    def _keep(self, packed: Mapping[int, bytes], dimension: int) -> None:
        probe = self._probe
        with self.store.write() as work:
            base = work.bases.get(self.base.id)
            if base is None:
                return
            if base.embedding_dim is None:
                base.embedding_model = self.choice.model
                base.embedding_endpoint = self.choice.endpoint
                base.windows = self.base.windows
                base.embedding_dim = dimension
                base.embedding_probe = probe.astype("<f4").tobytes()
            if base.embedding_dim != dimension:
                raise WrongDimension(self.choice.model, base.embedding_dim or 0, dimension)
            self.report.embedded += self._rows(work).store(dimension, packed)

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

    def _settle(self, batch: Sequence[ChunkToEmbed], missing: dict[str, int], owner: str) -> None:
        """Count a batch off `missing`, mark documents that are complete, keep our claims."""
        for chunk in batch:
            if chunk.doc_id in missing:
                missing[chunk.doc_id] -= 1
        complete = [doc_id for doc_id, count in missing.items() if count <= 0]
        for doc_id in complete:
            del missing[doc_id]
        with self.store.write() as work:
            self._rows(work).settle(complete)
            work.leases(owner).prolong(now() + LEASE)

    def _fail(self, doc_ids: set[str], reason: EmbeddingFailed) -> None:
        for doc_id in doc_ids:
            self.report.failed.setdefault(doc_id, reason)
        with self.store.write() as work:
            self._rows(work).fail(sorted(doc_ids), reason.as_note().to_json())

    def _rows(self, work: UnitOfWork) -> EmbeddingRepository:
        return work.embeddings(self.base.id, self.choice.model)


@dataclass(frozen=True)
class MadeVectors:
    """The BLOB of each chunk that got its vectors, and what kept the others from theirs."""

    packed: dict[int, bytes]
    dimension: int
    failure: EmbeddingFailed | None


def make_vectors(
    embedder: Embedder, batch: Sequence[ChunkToEmbed], *, with_windows: bool
) -> MadeVectors:
    """Embed chunks, each whole and, if wanted, window by window."""
    texts = [texts_of(chunk.content, with_windows=with_windows) for chunk in batch]
    failure: EmbeddingFailed | None = None
    try:
        found = dict(enumerate(embedder.embed_passages([t for each in texts for t in each])))
    except PartlyEmbedded as error:
        found, failure = error.vectors, error.reason
    except EmbeddingFailed as error:
        found, failure = {}, error
    dimension = len(next(iter(found.values()))) if found else 0
    return MadeVectors(pack_chunks(batch, texts, found), dimension, failure)


def check_same_model(kb_name: str, model: str, before: bytes, probe: Vector) -> None:
    """Compare the probe text's vector with the one kept when the base was first embedded.

    WrongDimension or VectorsDiffer when another model made it, whatever its name.
    """
    kept = np.frombuffer(before, "<f4")
    if len(kept) != len(probe):
        raise WrongDimension(model, len(kept), len(probe))
    likeness = float(kept @ probe)
    if likeness < SAME_MODEL:
        raise VectorsDiffer(kb_name, model, likeness)


def texts_of(content: str, *, with_windows: bool) -> list[str]:
    """What is embedded of a chunk: its whole text, then its windows when there are several."""
    spans = windows(content) if with_windows else []
    return [content, *(content[start:end] for start, end in spans if len(spans) > 1)]


def pack_chunks(
    batch: Sequence[ChunkToEmbed], texts: Sequence[Sequence[str]], found: Mapping[int, Vector]
) -> dict[int, bytes]:
    """The BLOB of each chunk all of whose texts have a vector; `found` is by position in a row."""
    packed: dict[int, bytes] = {}
    first = 0
    for chunk, own in zip(batch, texts, strict=True):
        places = range(first, first + len(own))
        first += len(own)
        if all(place in found for place in places):
            whole, *rest = (found[place] for place in places)
            packed[chunk.id] = pack(whole, rest)
    return packed
