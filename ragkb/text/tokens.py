"""How many tokens a text has, counted without the network.

tiktoken downloads its vocabularies on first use. The vocabulary is shipped here instead, so that
an offline machine counts the same tokens as any other.
"""

import gzip
import hashlib
from binascii import a2b_base64
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

from ragkb.errors import InstallationDamaged

if TYPE_CHECKING:
    from tiktoken import Encoding

TOKEN_ENCODING = "o200k_base"

_VOCABULARY = "vocabulary/o200k_base.tiktoken.gz"
# The hash that tiktoken itself demands of this file (tiktoken_ext/openai_public.py).
_VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
# How o200k_base cuts a text before merging bytes, as in tiktoken_ext/openai_public.py.
_PIECES = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)

# Characters given to tiktoken at once: a million spaces in a row overflow the stack of its regular
# expressions (0.14), which ends in a panic that is no Exception.
_SLICE = 500_000

_loading = Lock()


def encode(text: str) -> list[int]:
    """Return the tokens of a text; markers such as `<|endoftext|>` are ordinary text."""
    encode_ordinary = _encoding().encode_ordinary
    if len(text) <= _SLICE:
        return encode_ordinary(text)
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return [token for tokens in map(encode_ordinary, slices) for token in tokens]


def decode(tokens: Sequence[int]) -> bytes:
    """Return the UTF-8 bytes of tokens, which may begin or end inside a character."""
    return _encoding().decode_bytes(tokens)


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text."""
    return len(encode(text))


def count_each(texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text."""
    return [count_tokens(text) for text in texts]


def _encoding() -> "Encoding":
    # `cache` alone would let two threads that come first load the vocabulary twice.
    with _loading:
        return _load()


@cache
def _load() -> "Encoding":
    """Build the encoding, once: about 0.55 s of CPU and 60 MB that stay."""
    from tiktoken import Encoding

    ranks = _vocabulary()
    encoding = Encoding(TOKEN_ENCODING, pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={})
    # The encoder behind it has its own copy; clearing this one gives 20 MB back.
    ranks.clear()
    return encoding


def _vocabulary() -> dict[bytes, int]:
    """Read the shipped file: a line `token rank` for each token, ranks counting from 0."""
    content = gzip.decompress(files("ragkb.text").joinpath(_VOCABULARY).read_bytes())
    if hashlib.sha256(content).hexdigest() != _VOCABULARY_SHA256:
        raise InstallationDamaged(_VOCABULARY)
    tokens = map(a2b_base64, content.split()[::2])
    return {token: rank for rank, token in enumerate(tokens)}
