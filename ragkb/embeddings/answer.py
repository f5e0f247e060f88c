"""Reading the answer of an embeddings endpoint: one checked vector for each text, or why not."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from ragkb.embeddings.inputs import normalised
from ragkb.embeddings.refusal import message_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragkb.embeddings.embedder import Vectors


class UnusableAnswer(Exception):
    """An answer that does not give one vector for each text; the argument says why."""


@dataclass(frozen=True)
class Answer:
    """The vectors in the order of the texts; `faults` says of which rows nothing can be used."""

    vectors: Vectors
    faults: Mapping[int, str]


def read_answer(body: bytes, expected: int) -> Answer:
    """Take `expected` vectors out of a 200 answer, by their `index`.

    Nothing is guessed: a wrong count, a gap, a repeated index or vectors of several dimensions
    raise UnusableAnswer. Array order counts only when no item has an index at all.
    """
    items = _items(_parsed(body))
    if len(items) != expected:
        raise UnusableAnswer(f"expected {expected} vectors, got {len(items)}")
    rows = [_numbers(item.get("embedding")) for item in _in_order(items)]
    dimensions = sorted({len(row) for row in rows})
    if len(dimensions) > 1:
        raise UnusableAnswer(f"vectors of {dimensions[0]} and {dimensions[-1]} dimensions")
    if not dimensions[0]:
        raise UnusableAnswer("vectors without numbers")
    return _checked(np.stack(rows))


def _parsed(body: bytes) -> object:
    """Decode JSON, naming what came instead."""
    if not body.strip():
        raise UnusableAnswer("it is empty")
    if body.lstrip()[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise UnusableAnswer("it is an HTML page, not JSON")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise UnusableAnswer("it is not JSON") from None


def _items(answer: object) -> list[dict[str, Any]]:
    """Return the members of `data`."""
    if not isinstance(answer, dict):
        raise UnusableAnswer("the JSON is not an object")
    fields = cast("dict[str, Any]", answer)
    data = fields.get("data")
    if isinstance(data, list) and all(isinstance(item, dict) for item in cast("list[Any]", data)):
        return cast("list[dict[str, Any]]", data)
    if "error" in fields:
        raise UnusableAnswer(f"it reports an error: {message_in(fields)}")
    raise UnusableAnswer("there is no list `data` in it")


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by `index`, which must name each position once."""
    indexes = [item.get("index") for item in items]
    if all(index is None for index in indexes):
        return items
    by_index = {index: item for item in items if _whole(index := item.get("index"))}
    if sorted(by_index) != list(range(len(items))):
        shown = ", ".join(str(index)[:10] for index in indexes[:10])
        raise UnusableAnswer(f"indexes {shown} instead of 0 to {len(items) - 1}")
    return [by_index[position] for position in range(len(items))]


def _whole(index: object) -> TypeGuard[int]:
    return isinstance(index, int) and not isinstance(index, bool)


def _numbers(embedding: object) -> NDArray[np.float64]:
    """Read one embedding: a list of numbers, or base64 of little-endian float32."""
    if isinstance(embedding, str):
        try:
            return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(float)
        except ValueError:
            raise UnusableAnswer("an embedding that is neither numbers nor base64") from None
    if not isinstance(embedding, list):
        raise UnusableAnswer("an item without an embedding")
    values = cast("Sequence[object]", embedding)
    if not {type(value) for value in values} <= {float, int, type(None)}:
        raise UnusableAnswer("an embedding that holds other things than numbers")
    try:
        return np.array(values, dtype=np.float64)  # None becomes NaN
    except OverflowError:
        return np.full(len(values), np.inf)


def _checked(rows: NDArray[np.float64]) -> Answer:
    """Find rows without a direction: sqlite-vec would store NaN and answer NULL distances."""
    largest = np.abs(rows).max(axis=1)
    faults: dict[int, str] = {}
    for position, size in enumerate(largest):
        if not np.isfinite(size):
            faults[position] = f"vector {position} holds NaN, null or infinity"
        elif size == 0:
            faults[position] = f"vector {position} is all zeros"
    usable = np.isfinite(largest) & (largest > 0)
    # Scaling by the largest entry first keeps squares of extreme numbers finite and above zero.
    scaled = np.divide(rows, largest[:, None], where=usable[:, None], out=np.zeros_like(rows))
    return Answer(normalised(scaled.astype(np.float32)), faults)
