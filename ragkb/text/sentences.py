"""Where sentences end, in Chinese and in English."""

import re

Span = tuple[int, int]

_MARKS = tuple("。！？；…｡.!?")
_CLOSING = "”’」』）】》〉〕｝)]}\"'»"
_CLOSED = f"[{re.escape(_CLOSING)}]*+"
# Each run of marks is tried once, from its first mark, and never given back: linear on any text.
_END = re.compile(
    rf"[。！？；…｡]++[.!?]*+{_CLOSED}"
    rf"|(?<![.!?])[!?]++{_CLOSED}(?=\s|\Z|[\u3400-\u9fff])"
    rf"|(?<![.!?])(?P<dot>\.)(?=\s)"
    rf"|(?<![.!?])[.!?]++{_CLOSED}(?=\s|\Z)"
    r"|[\n\r\f\v\x1c-\x1e\x85\u2028\u2029]++"
)
_BLANK = re.compile(r"\s*+")
_WORD_BEFORE = 12  # characters that are looked at before a full stop

_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "gen", "col", "capt", "sgt", "rev", "hon", "mt"])
_LATIN = frozenset(["e.g", "i.e", "cf", "vs", "viz", "al", "approx"])
_COUNTED = frozenset(
    ["no", "nos", "fig", "figs", "eq", "eqs", "p", "pp", "vol", "vols", "ch", "sec", "art", "tab", "ver", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"]
)


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the sentences of `text[start:end]`, without the white space around them.

    A line end always ends a sentence. Every non-blank character is in exactly one span.
    """
    end = len(text) if end is None else end
    spans: list[Span] = []
    at = skip_blank(text, start, end)
    for match in _END.finditer(text, start, end):
        if match.end() <= at or (match["dot"] and _is_inside(text, at, match.start(), end)):
            continue
        spans.append((at, _before_blank(text, at, match.end())))
        at = skip_blank(text, match.end(), end)
    if at < end:
        spans.append((at, _before_blank(text, at, end)))
    return spans


def _is_inside(text: str, start: int, dot: int, end: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation, an initial or a list number."""
    before = text[max(start, dot - _WORD_BEFORE) : dot]
    word = before.split()[-1].lstrip("([{\"'“‘（") if before.strip() else ""
    following = text[skip_blank(text, dot + 1, end) : end][:1]
    if following.islower():
        return True
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    if dot - start == len(word) and (word.isdecimal() or len(word) == 1):
        return True
    word = word.lower()
    return word in _TITLES or word in _LATIN or (word in _COUNTED and following.isdecimal())


def ends_sentence(text: str, end: int) -> bool:
    """Whether `text[:end]` ends with the mark that ends a sentence, quoted or not."""
    return text[max(0, end - 4) : end].rstrip(_CLOSING).endswith(_MARKS)


def skip_blank(text: str, start: int, end: int) -> int:
    """Return the first position from `start` to `end` that is not white space, or `end`."""
    match = _BLANK.match(text, start, end)
    return match.end() if match else start


def _before_blank(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
