"""Cutting a sentence that is too long, at the best place that still fits."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from ragkb.text.token_map import TokenMap

_CLAUSE_END = re.compile(r".*[，、,：:；;—](?!\d)", re.DOTALL)
_WORD_END = re.compile(r".*(?=\s)", re.DOTALL)
_JOINED = re.compile("[\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def piece_end(text: str, tokens: TokenMap, where: tuple[int, int, int], limit: int) -> int:
    """Return where to end a piece of a sentence so that its chunk has at most `limit` tokens.

    `where` is the start of the chunk, the start of the piece (the same, unless headings come
    before it) and the end of the sentence. The cut stands after clause punctuation, else at white
    space, else between words, else between characters as a reader sees them, else between code
    points. One code point may exceed the limit.
    """
    chunk_start, start, end = where
    longest = max(start + 1, _longest_fitting(tokens, chunk_start, end, limit))
    if longest == end:
        return end
    cuts = _cuts(text, start, longest)
    return next((cut for cut in cuts if tokens.count(chunk_start, cut) <= limit), longest)


def _longest_fitting(tokens: TokenMap, start: int, end: int, limit: int) -> int:
    """Return the end of the longest beginning that fits, one code point at least."""
    reach = tokens.before(start) + limit
    cut = min(end, tokens.reach(reach))
    while cut > start + 1 and tokens.count(start, cut) > limit:
        reach -= 1
        cut = min(cut - 1, tokens.reach(reach))
    return max(start + 1, cut)


def _cuts(text: str, start: int, longest: int) -> Iterator[int]:
    """Yield the cuts that are better than `longest`, best first."""
    half = start + (longest - start + 1) // 2
    three_quarters = (half + longest) // 2
    for place, first in ((_CLAUSE_END, three_quarters), (_WORD_END, half)):
        match = place.match(text, first, longest)
        if match and match.end() > start:
            yield match.end()
    whole_words = (
        cut
        for cut in range(longest, half, -1)
        if not _inside_word(text, cut) and not _inside_character(text, start, cut)
    )
    whole_characters = (
        cut for cut in range(longest, start, -1) if not _inside_character(text, start, cut)
    )
    for cuts in (whole_words, whole_characters):
        yield from islice(cuts, 1)


def _inside_word(text: str, cut: int) -> bool:
    around = text[cut - 1 : cut + 1]
    return around.isascii() and around.isalnum()


def _inside_character(text: str, start: int, cut: int) -> bool:
    """Whether the code points beside `cut` make one visible character."""
    before, after = text[cut - 1], text[cut]
    if _FLAG_LETTER.match(before) and _FLAG_LETTER.match(after):
        first = cut - 1
        while first > start and _FLAG_LETTER.match(text, first - 1):
            first -= 1
        return (cut - first) % 2 == 1  # two letters make a flag
    return (
        before == "\u200d"
        or _JOINED.match(after) is not None
        or unicodedata.category(after).startswith("M")
    )
