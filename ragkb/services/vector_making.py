"""The vectors of chunks: what is embedded of each, and whether a model is still the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragkb.embeddings.embedder import Embedder
from ragkb.errors import EmbeddingFailed, PartlyEmbedded, VectorsDiffer, WrongDimension
from ragkb.repositories.embeddings import ChunkToEmbed
from ragkb.services.vectors import Vector, pack
from ragkb.text.windows import windows

# Its vector is kept with the base and tells later whether a model is still the same.
PROBE = "The quick brown fox jumps over the lazy dog. 天地玄黄，宇宙洪荒。0123456789"
SAME_MODEL = 0.99  # cosine of the probe text; quantised replicas of one model reach 0.997


@dataclass(frozen=True)
class MadeVectors:
    """The BLOB of each chunk that got its vectors, and what kept the others from theirs."""

    packed: dict[int, bytes]
    dimension: int
    failure: EmbeddingFailed | None


def make_vectors(
    embedder: Embedder, batch: Sequence[ChunkToEmbed], *, with_windows: bool
) -> MadeVectors:
    """Embed chunks, each whole and, if wanted, window by window."""
    texts = [texts_of(chunk.content, with_windows=with_windows) for chunk in batch]
    failure: EmbeddingFailed | None = None
    try:
        found = dict(enumerate(embedder.embed_passages([t for each in texts for t in each])))
    except PartlyEmbedded as error:
        found, failure = error.vectors, error.reason
    except EmbeddingFailed as error:
        found, failure = {}, error
    dimension = len(next(iter(found.values()))) if found else 0
    return MadeVectors(pack_chunks(batch, texts, found), dimension, failure)


def check_same_model(kb_name: str, model: str, before: bytes, probe: Vector) -> None:
    """Compare the probe text's vector with the one kept when the base was first embedded.

    WrongDimension or VectorsDiffer when another model made it, whatever its name.
    """
    kept = np.frombuffer(before, "<f4")
    if len(kept) != len(probe):
        raise WrongDimension(model, len(kept), len(probe))
    likeness = float(kept @ probe)
    if likeness < SAME_MODEL:
        raise VectorsDiffer(kb_name, model, likeness)


def texts_of(content: str, *, with_windows: bool) -> list[str]:
    """What is embedded of a chunk: its whole text, then its windows when there are several."""
    spans = windows(content) if with_windows else []
    return [content, *(content[start:end] for start, end in spans if len(spans) > 1)]


def pack_chunks(
    batch: Sequence[ChunkToEmbed], texts: Sequence[Sequence[str]], found: Mapping[int, Vector]
) -> dict[int, bytes]:
    """The BLOB of each chunk all of whose texts have a vector; `found` is by position in a row."""
    packed: dict[int, bytes] = {}
    first = 0
    for chunk, own in zip(batch, texts, strict=True):
        places = range(first, first + len(own))
        first += len(own)
        if all(place in found for place in places):
            whole, *rest = (found[place] for place in places)
            packed[chunk.id] = pack(whole, rest)
    return packed
