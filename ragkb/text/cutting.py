"""Cutting a sentence that is too long, at the best place that still fits."""

import re
import unicodedata

from ragkb.text.tokens import count_tokens, decode, encode

_CHARACTERS_PER_TOKEN = 4  # the first guess; English has about 4.6, Chinese 1.8
_CLAUSE_END = re.compile(r".*[，、,：:；;—](?![0-9])", re.DOTALL)
_WORD_END = re.compile(r".*(?=\s)", re.DOTALL)
_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_TAGS = ("\U000e0020", "\U000e007f")
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")


def piece_end(text: str, start: int, end: int, limit: int) -> int:
    """Return where to cut `text[start:end]` so that the part before has at most `limit` tokens.

    The cut stands after clause punctuation, else at white space, else between characters as a
    reader sees them, else between code points. One code point may exceed the limit.
    """
    longest = _longest_fitting(text, start, end, limit)
    if longest == end:
        return end
    for cut in (
        _last(_CLAUSE_END, text, start, longest, least=0.75),
        _last(_WORD_END, text, start, longest, least=0.5),
        _between_characters(text, start, longest),
    ):
        if cut is not None and count_tokens(text[start:cut].rstrip()) <= limit:
            return cut
    return longest


def _longest_fitting(text: str, start: int, end: int, limit: int) -> int:
    """Return the end of the longest beginning that fits: one code point at least."""
    length = limit * _CHARACTERS_PER_TOKEN
    tokens = encode(text[start : min(end, start + length)])
    while len(tokens) <= limit and start + length < end:
        length *= 2
        tokens = encode(text[start : min(end, start + length)])
    if len(tokens) <= limit:
        return end
    # Tokens may end inside a character; what is left of it is dropped.
    cut = start + max(1, len(decode(tokens[:limit]).decode("utf-8", errors="ignore")))
    while cut > start + 1 and count_tokens(text[start:cut]) > limit:
        cut -= 1
    return cut


def _last(place: re.Pattern[str], text: str, start: int, longest: int, least: float) -> int | None:
    """Return the last such place in the end of the piece, whose first `least` stays whole."""
    match = place.match(text, start + int((longest - start) * least), longest)
    return match.end() if match and match.end() > start else None


def _between(joins: Callable[[str, int], bool], text: str, first: int, longest: int) -> int | None:
    """Return the last cut from `first` to `longest` beside which nothing is joined."""
    return next((cut for cut in range(longest, first, -1) if not joins(text, cut)), None)


def _in_word(text: str, cut: int) -> bool:
    around = text[cut - 1 : cut + 1]
    return (around.isascii() and around.isalnum()) or _in_character(text, cut)


def _in_character(text: str, cut: int) -> bool:
    """Whether the code points beside `cut` make one visible character."""
    before, after = text[cut - 1], text[cut]
    if _is_flag_letter(before) and _is_flag_letter(after):
        return len(_FLAG_LETTERS_BEFORE.search(text, max(0, cut - 1000), cut)
    return (
        _ZERO_WIDTH_JOINER in (before, after)
        or unicodedata.category(after).startswith("M")
        or _SKIN_TONES[0] <= after <= _SKIN_TONES[1]
        or _TAGS[0] <= after <= _TAGS[1]
    )


def _is_flag_letter(character: str) -> bool:
    return _FLAG_LETTERS[0] <= character <= _FLAG_LETTERS[1]
