"""Vectors from an OpenAI-compatible endpoint, whatever its limits and moods."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from ragkb.embeddings.adapting import AdaptingRequests, Call, Outcome
from ragkb.embeddings.batches import BatchLimits, Items
from ragkb.embeddings.circuit import Circuit
from ragkb.embeddings.inputs import sendable
from ragkb.embeddings.lanes import Lanes
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.post import EmbeddingsResource
from ragkb.errors import EmbeddingFailed, PartlyEmbedded
from ragkb.secret import Secret

if TYPE_CHECKING:
    from ragkb.embeddings.embedder import Vector, Vectors

_LANES = 4
# Below the limits of the large providers (OpenAI: 300,000 tokens in a request), about a token for
# each Chinese character; smaller limits are learned.
_REQUEST_CHARACTERS = 100_000


class RemoteEmbedder:
    """Embeds with the model of that name at the endpoint `url`.

    Batches adapt to the endpoint's limits, which this object remembers, as it does the dimension of
    its vectors and failures in a row. Requests run side by side as long as the endpoint agrees. A
    text that is too long for the model is cut; its vector is the mean of its pieces' vectors by
    length. A text that is refused does not keep the others from their vectors.
    """

    def __init__(
        self,
        model: str,
        url: str,
        key: Secret | None,
        *,
        batch_size: int = 10,
        patience: Patience | None = None,
    ) -> None:
        self.model = model
        self._patience = patience or Patience()
        self._limits = BatchLimits(batch_size, _REQUEST_CHARACTERS)
        self._lanes = Lanes(_LANES)
        self._resource = EmbeddingsResource(url, model, key, self._patience, self._lanes)
        self._requests = AdaptingRequests(self._resource, model, self._limits, self._lanes)
        self._passages = Circuit(self._patience.rest)
        self._queries = Circuit(self._patience.rest)
        self._workers = ThreadPoolExecutor(_LANES, thread_name_prefix="embedding")

    @property
    def batch_size(self) -> int:
        """As many texts as keep all lanes busy."""
        return self._limits.texts * _LANES

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`; gives up after `Patience.batch` seconds in which nothing gets through."""
        items = list(enumerate(sendable(texts)))
        if not items:
            return np.empty((0, 0), dtype=np.float32)
        call = Call(self._patience.batch, self._passages, Event())
        futures = [
            self._workers.submit(self._in_lane, batch, call) for batch in self._batches(items)
        ]
        outcome: Outcome = {}
        try:
            for future in futures:
                outcome |= future.result()
        finally:  # on Ctrl-C nobody goes on retrying for a caller that has left
            call.cancelled.set()
            for future in futures:
                future.cancel()
        return _in_order(outcome)

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`; queries do not queue behind passages and have their own circuit."""
        call = Call(self._patience.query, self._queries, Event())
        vector = self._requests.embed([(0, sendable([text])[0])], call)[0]
        if isinstance(vector, EmbeddingFailed):
            raise vector
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._workers.shutdown(cancel_futures=True)
        self._resource.close()

    def _batches(self, items: Items) -> list[Items]:
        batches: list[Items] = []
        while items:
            batches.append(self._limits.next_batch(items))
            items = items[len(batches[-1]) :]
        return batches

    def _in_lane(self, batch: Items, call: Call) -> Outcome:
        with self._lanes.lane():
            return self._requests.embed(batch, call)


def _in_order(outcome: Outcome) -> Vectors:
    """Return all vectors, or raise what is missing."""
    vectors: dict[int, Vector] = {}
    failures: list[EmbeddingFailed] = []
    for position in range(len(outcome)):
        result = outcome[position]
        if isinstance(result, EmbeddingFailed):
            failures.append(result)
        else:
            vectors[position] = result
    if not failures:
        return np.stack(list(vectors.values()))
    if not vectors:
        raise failures[0]
    raise PartlyEmbedded(failures[0], vectors, len(outcome))
