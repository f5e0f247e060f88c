"""Where sentences end, in Chinese and in English."""

import re

Span = tuple[int, int]

_MARKS = "。！？；…｡.!?"
_CLOSING = "”’」』）】》〉〕｝)]}\"'»"
_LINE_END = "\n\r\f\v\x1c\x1d\x1e\x85\u2028\u2029"
# A run of marks is tried once, from its first mark, and never given back: linear on any text.
_END = re.compile(
    f"[{_MARKS}{_LINE_END}](?:(?<=[{_LINE_END}])|[{_MARKS}]*+[{re.escape(_CLOSING)}]*+)"
)
_CHINESE = re.compile("[\u3400-\u9fff]")
_BLANK = re.compile(r"\s*+")
_WORD_BEFORE = 12  # characters that are looked at before a full stop

_TITLES = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "gen", "col", "capt", "sgt", "rev", "mt")
)
_LATIN = frozenset(("e.g", "i.e", "cf", "vs", "viz", "al", "approx"))
_BEFORE_A_NUMBER = frozenset(
    (
        *("no", "nos", "fig", "figs", "eq", "eqs", "p", "pp", "vol", "vols", "ch", "sec", "art"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
    )
)


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the sentences of `text[start:end]`, without the white space around them.

    A line end always ends a sentence. Every non-blank character is in exactly one span.
    """
    end = len(text) if end is None else end
    spans: list[Span] = []
    at = skip_blank(text, start, end)
    for match in _END.finditer(text, start, end):
        if match.end() > at and _ends(text, at, match, end):
            spans.append((at, _before_blank(text, at, match.end())))
            at = skip_blank(text, match.end(), end)
    if at < end:
        spans.append((at, _before_blank(text, at, end)))
    return spans


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence from `start` ends with these marks."""
    marks = match[0]
    if not marks[0].isascii() or marks.isspace():
        return True
    following = text[match.end() : min(match.end() + 1, end)]
    if following.strip():
        return marks[0] != "." and _CHINESE.match(following) is not None
    full_stop = marks[0] == "." and marks[1:2] != "."
    return not (full_stop and _is_inside(text, start, match.start(), end))


def _is_inside(text: str, start: int, dot: int, end: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation, an initial or a list number."""
    before = text[max(start, dot - _WORD_BEFORE) : dot]
    word = before.split()[-1].lstrip("([{\"'“‘（") if before.strip() else ""
    next_word = skip_blank(text, dot + 1, end)
    following = text[next_word : min(next_word + 1, end)]
    if following.islower():
        return True
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    if dot - start == len(word) and (word.isdecimal() or len(word) == 1):
        return True
    word = word.lower()
    return word in _TITLES or word in _LATIN or (word in _BEFORE_A_NUMBER and following.isdecimal())


def ends_sentence(text: str, end: int) -> bool:
    """Whether `text[:end]` ends with the mark that ends a sentence, quoted or not."""
    return text[max(0, end - 4) : end].rstrip(_CLOSING).endswith(tuple(_MARKS))


def skip_blank(text: str, start: int, end: int) -> int:
    """Return the first position from `start` to `end` that is not white space, or `end`."""
    match = _BLANK.match(text, start, end)
    return match.end() if match else start


def _before_blank(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())
