"""An embedder for tests of everything that is not about embedding."""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from ragkb.embeddings.embedder import Vector, Vectors
from ragkb.errors import EmbeddingFailed


class FakeEmbedder:
    """The same text has the same vector always, similar texts have near ones: hashed bigrams.

    `embedded` lists every passage in the order it came; `fail_next` queues what becomes of the
    following calls: a failure, or None for none.
    """

    def __init__(self, dimension: int = 8, *, model: str = "fake", batch_size: int = 16) -> None:
        self.model = model
        self.batch_size = batch_size
        self.dimension = dimension
        self.embedded: list[str] = []
        self.queries: list[str] = []
        self.closed = False
        self._failures: deque[EmbeddingFailed | None] = deque()

    def fail_next(self, *failures: EmbeddingFailed | None) -> None:
        """Queue failures."""
        self._failures.extend(failures)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any(not text.strip() for text in texts):
            raise ValueError("a blank text")
        self._maybe_fail()
        self.embedded.extend(texts)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([bigram_vector(text, self.dimension) for text in texts])

    def embed_query(self, text: str) -> Vector:
        self._maybe_fail()
        self.queries.append(text)
        return bigram_vector(text, self.dimension)

    def close(self) -> None:
        self.closed = True

    def _maybe_fail(self) -> None:
        failure = self._failures.popleft() if self._failures else None
        if failure is not None:
            raise failure


class OppositeEmbedder(FakeEmbedder):
    """Another model of the same dimension."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return -super().embed_passages(texts)


def bigram_vector(text: str, dimension: int) -> Vector:
    """Count hashed character bigrams with a hashed sign; unit length, never all zeros."""
    counts = np.zeros(dimension)
    padded = f" {text.casefold()} "
    for first, second in pairwise(padded):
        code = crc32((first + second).encode("utf-8", "replace"))
        counts[code % dimension] += 1 if code & 0x10000 else -1
    if not counts.any():
        counts[crc32(text.encode("utf-8", "replace")) % dimension] = 1
    return (counts / np.linalg.norm(counts)).astype(np.float32)
