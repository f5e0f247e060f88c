"""An embedder that waits, so that a test decides how long an import takes."""

import os
import threading
from collections.abc import Sequence

from fake_embedder import FakeEmbedder

from ragkb.embeddings.embedder import Vectors

PATIENCE = 200 if os.environ.get("RAGKB_SOAK") else 20  # seconds; only a hang needs them


class GatedEmbedder(FakeEmbedder):
    """Each batch of passages needs a permit: `let(3)` lets three pass, `open()` all.

    `reached` is set whenever a batch waits.
    """

    def __init__(self) -> None:
        super().__init__(batch_size=4)
        self.reached = threading.Event()
        self._permits = threading.Semaphore(0)
        self._open = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not self._open.is_set():
            self.reached.set()
            assert self._permits.acquire(timeout=PATIENCE)
        return super().embed_passages(texts)

    def let(self, batches: int) -> None:
        """Let some batches pass."""
        self.reached.clear()
        self._permits.release(batches)

    def open(self) -> None:
        """Let everything pass from now on."""
        self._open.set()
        self._permits.release(1000)

    def shut(self) -> None:
        """Let nothing pass from now on."""
        self._open.clear()
        self.reached.clear()
        self._permits = threading.Semaphore(0)
