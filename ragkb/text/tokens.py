"""How many tokens a text has, counted without the network.

tiktoken downloads its vocabularies on first use. The vocabulary is shipped here instead, so that
an offline machine counts the same tokens as any other.
"""

import gzip
import hashlib
from binascii import a2b_base64
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ragkb.errors import InstallationDamaged

if TYPE_CHECKING:
    from tiktoken import Encoding

TOKEN_ENCODING = "o200k_base"  # noqa: S105  # no secret

# Characters given to tiktoken at once: a million spaces in a row overflow the stack of its regular
# expressions (0.14), which ends in a panic that is no Exception.
SLICE = 500_000

_VOCABULARY = "vocabulary/o200k_base.tiktoken.gz"
# The hash that tiktoken itself demands of this file (tiktoken_ext/openai_public.py).
_VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
# How o200k_base cuts a text before it merges bytes, as in tiktoken_ext/openai_public.py.
_LETTERS_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LETTERS_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_CLITIC = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
WORD_PATTERN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS_UPPER}*{_LETTERS_LOWER}+{_CLITIC}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_LETTERS_UPPER}+{_LETTERS_LOWER}*{_CLITIC}"
    r"|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+"
)

_loading = Lock()


class _Vocabulary(NamedTuple):
    encoding: "Encoding"
    characters_begun: bytes


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text; `<|endoftext|>` and the like are ordinary text."""
    return sum(map(len, encode_slices(text)))


def count_each(texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text."""
    return [count_tokens(text) for text in texts]


def encode_slices(text: str) -> Iterator[list[int]]:
    """Yield the tokens of each `SLICE` characters of a text, encoded apart."""
    encode_ordinary = _vocabulary().encoding.encode_ordinary
    for start in range(0, len(text), SLICE):
        yield encode_ordinary(text[start : start + SLICE])


def characters_begun() -> bytes:
    """Return how many characters begin in each token, by its number: tokens may cut characters."""
    return _vocabulary().characters_begun


def _vocabulary() -> _Vocabulary:
    # `cache` alone would let two threads that come first load the vocabulary twice.
    with _loading:
        return _load()


@cache
def _load() -> _Vocabulary:
    """Build the encoding, once: about 0.45 s of CPU and 50 MB that stay."""
    from tiktoken import Encoding

    ranks = _ranks()
    encoding = Encoding(
        TOKEN_ENCODING, pat_str=WORD_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    continuation_bytes = bytes(range(0x80, 0xC0))
    begun = bytes(len(token.translate(None, continuation_bytes)) for token in ranks)
    # The encoder behind `encoding` has its own copy; clearing this one gives 20 MB back.
    ranks.clear()
    return _Vocabulary(encoding, begun)


def _ranks() -> dict[bytes, int]:
    """Read the shipped file: a line `token rank` for each token, ranks counting from 0."""
    content = gzip.decompress(files("ragkb.text").joinpath(_VOCABULARY).read_bytes())
    if hashlib.sha256(content).hexdigest() != _VOCABULARY_SHA256:
        raise InstallationDamaged(_VOCABULARY)
    tokens = map(a2b_base64, content.split()[::2])
    return {token: rank for rank, token in enumerate(tokens)}
