"""What every source of vectors offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""One embedding, shape (dimension,), L2-normalised."""

Vectors: TypeAlias = "NDArray[np.float32]"
"""One embedding for each text, shape (n, dimension), rows L2-normalised."""


class Embedder(Protocol):
    """Turns texts into vectors; may be used from several threads at once."""

    @property
    def model(self) -> str:
        """`builtin:...`, or the remote model's name."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts to hand over at once; it may shrink as an endpoint shows its limits."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in order.

        A blank text is the caller's mistake (ValueError, nothing is sent). Raises EmbeddingFailed:
        PartlyEmbedded, with what was done, when some texts have their vectors and others do not.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, to be compared with those of passages.

        Gives up within seconds: somebody waits. Raises EmbeddingFailed.
        """
        ...

    def close(self) -> None:
        """Let go of connections; the embedder is not used afterwards."""
        ...
