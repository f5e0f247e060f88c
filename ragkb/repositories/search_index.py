"""What a storage engine does to find chunks by their terms and by their vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class KeywordHits:
    """Chunks that share terms with a query.

    `scores` maps chunk ids to BM25 (positive, higher is better), best first. `upper_bound` is what
    BM25 could reach for this query at most: the sum of 2.2 * idf over its terms.
    """

    scores: dict[int, float] = field(default_factory=dict[int, float])
    upper_bound: float = 0.0


class SearchIndex(Protocol):
    """A derived index, one for each knowledge base: the rows it is made of are the truth."""

    def create(self, kb_id: str) -> None:
        """Make the empty index of a new base."""
        ...

    def drop(self, kb_id: str) -> None:
        """Remove the index of a base."""
        ...

    def rebuild(self, kb_id: str) -> None:
        """Make the index of a base anew from its chunks and the vectors of its model."""
        ...

    def rebuild_vectors(self, kb_id: str) -> None:
        """Make only the vector index of a base anew, after its model has changed."""
        ...

    def add_chunks(self, kb_id: str, chunks: Iterable[tuple[int, str]]) -> None:
        """Make chunks (id, text) findable by their terms."""
        ...

    def add_vectors(self, kb_id: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Make chunks findable by their vectors (float32, length 1), all of one dimension."""
        ...

    def refresh_vectors(self, kb_id: str, chunk_ids: Sequence[int]) -> None:
        """Make those of the chunks findable that have vectors of the base's model."""
        ...

    def remove(self, kb_id: str, chunk_ids: Sequence[int]) -> None:
        """Take chunks out of both indexes."""
        ...

    def by_terms(self, kb_id: str, terms: Sequence[str], limit: int) -> KeywordHits:
        """The chunks that match any of the terms best."""
        ...

    def by_vector(self, kb_id: str, vector: bytes, limit: int) -> list[int]:
        """The chunks whose vectors are nearest to `vector` (float32, length 1), nearest first."""
        ...
