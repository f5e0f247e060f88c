"""What may be handed to a model: no blank text, nothing that cannot be encoded, no giant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragkb.embeddings.embedder import Vector, Vectors

_UNSENDABLE = re.compile(r"[\x00\ud800-\udfff]")
# The last of these in a window is where a text is cut: after a sentence, else at white space,
# else after a comma.
_CUTS = (
    re.compile(r".*[。！？；!?;\n](?=.)|.*\.(?=\s)", re.DOTALL),
    re.compile(r".*\s(?=.)", re.DOTALL),
    re.compile(r".*[，、,：:)）\]】](?=.)", re.DOTALL),
)


def sendable(texts: Sequence[str]) -> list[str]:
    """Replace NUL and lone surrogates, which neither JSON in UTF-8 nor C strings can carry.

    A blank text raises ValueError: many providers refuse the whole request for it.
    """
    for position, text in enumerate(texts):
        if not text.strip():
            raise ValueError(f"text {position} is blank")
    return [_UNSENDABLE.sub("\N{REPLACEMENT CHARACTER}", text) for text in texts]


def pieces(text: str, limit: int) -> Iterator[str]:
    """Cut a text into pieces of at most `limit` characters, at sentences or words if it can.

    The pieces give the text back when joined; a cut leaves at least half a window before it.
    """
    start = 0
    while len(text) - start > limit:
        end = start + _cut(text[start : start + limit])
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(window: str) -> int:
    for cut in _CUTS:
        found = cut.match(window)
        if found and found.end() > len(window) // 2:
            return found.end()
    return len(window)


def weighted_mean(vectors: Vectors, weights: Sequence[int]) -> Vector:
    """The direction of several pieces of one text, each counting by its length; unit length."""
    import numpy as np

    return normalised(np.asarray(weights, dtype=np.float64)[None, :] @ vectors)[0]


def normalised(rows: NDArray[np.floating]) -> Vectors:
    """Scale rows to unit length; a row of zeros stays one."""
    import numpy as np

    wide = rows.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return np.divide(wide, lengths, where=lengths > 0, out=wide).astype(np.float32)
