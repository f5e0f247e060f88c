"""Vectors of an old file whose model is not known: taken over when the model in use made them."""

from dataclasses import dataclass, replace

import numpy as np

from ragkb.messages import Note
from ragkb.models import UNKNOWN_MODEL
from ragkb.repositories.embeddings import EmbeddingRepository
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services.embedders import Embedders
from ragkb.services.knowledge_bases import BaseInfo, model_of
from ragkb.services.vector_making import PROBE, SAME_MODEL
from ragkb.services.vectors import Vector

SAMPLES = 3
ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Adoption:
    """What came of it: the base as it is now, how many vectors were adopted, what to say."""

    base: BaseInfo
    adopted: int = 0
    notes: tuple[Note, ...] = ()


class Adopting:
    """Tries the model that a base uses on vectors that an old file brought."""

    def __init__(self, store: Store, embedders: Embedders) -> None:
        self._store = store
        self._embedders = embedders

    def adopt(self, base: BaseInfo) -> Adoption:
        """Embed three chunks; if their old vectors are the same, use the old ones of all chunks.

        Nothing is sent when there are none. EmbeddingFailed when the model does not answer.
        """
        with self._store.read() as work:
            found = self._old(work, base).spread(SAMPLES)
        samples = [sample for sample in found if sample.content.strip()]
        if not samples:
            return Adoption(base)
        choice = model_of(base, self._embedders)
        embedder = self._embedders.embedder(base.id, choice)
        new = embedder.embed_passages([PROBE, *(sample.content for sample in samples)])
        alike = min(
            likeness(np.frombuffer(sample.vectors, "<f4"), vector)
            for sample, vector in zip(samples, new[1:], strict=True)
        )
        values = {"kb_name": base.name, "model": choice.model, "cosine": f"{alike:.2f}"}
        dimension = len(new[0])
        fits = base.embedding_dim in (None, dimension)
        if alike < SAME_MODEL or not fits:
            return Adoption(base, notes=(Note("note.not_adopted", values),))
        with self._store.write() as work:
            row = work.bases.get(base.id)
            if row is None:
                return Adoption(base)
            if row.embedding_dim is None:
                row.embedding_model, row.embedding_endpoint = choice.model, choice.endpoint
                row.windows = False  # old vectors are of whole chunks, and so will the new ones be
                row.embedding_dim = dimension
                row.embedding_probe = new[0].astype("<f4").tobytes()
            adopted = self._take_over(work, base, choice.model, dimension)
        changed = replace(
            base,
            embedding_model=choice.model,
            embedding_endpoint=choice.endpoint,
            embedding_dim=dimension,
            windows=False if base.embedding_dim is None else base.windows,
        )
        note = Note("note.adopted", {**values, "count": adopted})
        return Adoption(changed, adopted, (note,))

    def _take_over(self, work: UnitOfWork, base: BaseInfo, model: str, dimension: int) -> int:
        """Rename, cut to the dimension and normalise; how many vectors that were."""
        old, own = self._old(work, base), work.embeddings(base.id, model)
        adopted = 0
        while portion := old.first(ROWS_AT_ONCE):
            missing = set(portion) - set(own.of([*portion]))
            fitted = {each: fit(portion[each], dimension) for each in missing}
            adopted += own.store(dimension, fitted)
            old.remove([*portion])
        return adopted

    def _old(self, work: UnitOfWork, base: BaseInfo) -> EmbeddingRepository:
        return work.embeddings(base.id, UNKNOWN_MODEL)


def likeness(old: Vector, new: Vector) -> float:
    """Cosine of two vectors; the shorter one is taken to end in zeros, as padding left it."""
    length = max(len(old), len(new))
    first = np.pad(old.astype(np.float64), (0, length - len(old)))
    second = np.pad(new.astype(np.float64), (0, length - len(new)))
    norms = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / norms if norms else 0.0


def fit(vectors: bytes, dimension: int) -> bytes:
    """An old vector in a dimension, of length 1."""
    old = np.frombuffer(vectors, "<f4")[:dimension]
    vector = np.pad(old, (0, dimension - len(old)))
    norm = float(np.linalg.norm(vector))
    return (vector / norm if norm else vector).astype("<f4").tobytes()
