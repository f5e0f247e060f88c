"""Getting vectors for a batch although the endpoint refuses it: smaller, one by one, in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np

from ragkb.embeddings.batches import BatchLimits, Items, halves
from ragkb.embeddings.circuit import Circuit
from ragkb.embeddings.inputs import pieces, weighted_mean
from ragkb.embeddings.lanes import Lanes
from ragkb.embeddings.post import EmbeddingsResource, Refused
from ragkb.embeddings.refusal import Kind, Refusal
from ragkb.errors import BadAnswer, EmbeddingFailed, EndpointRefused, WrongDimension
from ragkb.log import log

if TYPE_CHECKING:
    from ragkb.embeddings.answer import Answer
    from ragkb.embeddings.embedder import Vector

Outcome: TypeAlias = dict[int, Union["Vector", EmbeddingFailed]]
"""What became of each text, by position."""

_SHORTEST_CUT = 64
_PROBE = "ragkb"


@dataclass(frozen=True)
class Call:
    """What belongs to one call: its patience, its circuit, and whether its caller has left."""

    seconds: float
    circuit: Circuit
    cancelled: Event


class AdaptingRequests:
    """Sends texts within the known limits, and learns from what is refused.

    A whole-batch failure is the outcome of each of its texts; a text that alone is refused fails
    alone. All vectors of one object have one dimension.
    """

    def __init__(
        self, resource: EmbeddingsResource, model: str, limits: BatchLimits, lanes: Lanes
    ) -> None:
        self._resource = resource
        self._model = model
        self._limits = limits
        self._lanes = lanes
        self._dimension = 0  # that of the first answer

    def embed(self, items: Items, call: Call) -> Outcome:
        """Embed texts in as few requests, one after another, as the endpoint allows."""
        outcome: Outcome = {}
        while items:
            batch = self._limits.next_batch(items)
            outcome |= self._adapted(batch, self._post(batch, call), call)
            items = items[len(batch) :]
        return outcome

    def _post(self, batch: Items, call: Call) -> Outcome | Refusal:
        """Send one request; a failure to get any answer is noted in the circuit."""
        try:
            call.circuit.check()
        except EmbeddingFailed as failure:
            return _all(batch, failure)
        try:
            texts = [text for _, text in batch]
            answer = self._resource.post(texts, call.seconds, call.cancelled)
            self._check_dimension(answer)
        except Refused as refused:
            return refused.refusal
        except EmbeddingFailed as failure:
            call.circuit.failed(failure)
            return _all(batch, failure)
        call.circuit.succeeded()
        self._lanes.widen()
        return self._placed(batch, answer)

    def _check_dimension(self, answer: Answer) -> None:
        got = answer.vectors.shape[1]
        self._dimension = self._dimension or got
        if got != self._dimension:
            raise WrongDimension(self._model, self._dimension, got)

    def _placed(self, batch: Items, answer: Answer) -> Outcome:
        """Give each text its row, or what is wrong with it."""
        outcome: Outcome = {}
        for row, (position, _) in enumerate(batch):
            fault = answer.faults.get(row)
            failure = BadAnswer(self._resource.url, fault) if fault else None
            outcome[position] = failure or answer.vectors[row]
        return outcome

    def _adapted(
        self, batch: Items, result: Outcome | Refusal, call: Call, *, texts_at_fault: bool = False
    ) -> Outcome:
        """Do what a refusal calls for; an outcome stays as it is."""
        if not isinstance(result, Refusal):
            return result
        if len(batch) > 1 and self._limits.learn(result, batch):
            self._lanes.start_over()
            return self.embed(batch, call)
        if result.kind is Kind.OTHER and not texts_at_fault and not self._works(call):
            failure = self._refusal(result)
            call.circuit.failed(failure)
            return _all(batch, failure)
        return (
            self._halved(batch, result, call) if len(batch) > 1 else self._cut(batch, result, call)
        )

    def _works(self, call: Call) -> bool:
        """Whether the endpoint embeds anything: a wrong model name is refused with 400, too."""
        return not isinstance(self._post([(0, _PROBE)], call), Refusal)

    def _halved(self, batch: Items, refusal: Refusal, call: Call) -> Outcome:
        """Find the text at fault by sending each half."""
        results = [(half, self._post(half, call)) for half in halves(batch)]
        whole = not any(isinstance(result, Refusal) for _, result in results)
        if whole and refusal.kind is Kind.TEXT_TOO_LONG:
            self._limits.halves_came_through(batch)
        outcome: Outcome = {}
        for half, result in results:
            outcome |= self._adapted(half, result, call, texts_at_fault=True)
        return outcome

    def _cut(self, single: Items, refusal: Refusal, call: Call) -> Outcome:
        """Embed the two parts of a text that is too long for the model and take their mean."""
        ((position, text),) = single
        if refusal.kind is Kind.OTHER or len(text) < _SHORTEST_CUT:
            return {position: self._refusal(refusal)}
        log.warning("text longer than the model takes: embedded in parts", characters=len(text))
        parts = [part for part in pieces(text, len(text) * 2 // 3) if part.strip()]
        outcome = self.embed(list(enumerate(parts)), call)
        rows: list[Vector] = []
        for place in range(len(parts)):
            row = outcome[place]
            if isinstance(row, EmbeddingFailed):
                return {position: row}
            rows.append(row)
        return {position: weighted_mean(np.stack(rows), [len(part) for part in parts])}

    def _refusal(self, refusal: Refusal) -> EndpointRefused:
        return EndpointRefused(self._resource.url, refusal.status, refusal.words)


def _all(batch: Items, failure: EmbeddingFailed) -> Outcome:
    return dict.fromkeys((position for position, _ in batch), failure)
