"""The windows of a chunk: small stretches that are embedded beside the whole of it.

One vector for a long chunk blurs what its sentences say; the best window says where the answer is.
"""

import re
from collections.abc import Iterator, Sequence

from ragkb.text.sentences import Span, sentence_spans, skip_blank

_SIZE = 60.0  # Chinese characters, which is about 40 English words
_MOST_WINDOWS = 16
_LATIN_SHARE = 0.3  # what any other character counts
_CHINESE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_GROWTH = 1.1
_LONG = 1.5  # a sentence of so many sizes is cut
_GAP = re.compile(r".*[，、,;；：\s]", re.DOTALL)


def windows(text: str) -> list[Span]:
    """Return the spans of the windows of a chunk, at most 16, which hold all of its text.

    A window is one or more whole sentences of about 60 Chinese characters, or 40 English words;
    in a long chunk the windows are longer. A blank text has none.
    """
    sentences = sentence_spans(text)
    size = max(_SIZE, _weight(text, 0, len(text)) / _MOST_WINDOWS)
    while len(spans := _packed(text, sentences, size)) > _MOST_WINDOWS:
        size *= _GROWTH
    return spans


def _packed(text: str, sentences: Sequence[Span], size: float) -> list[Span]:
    spans: list[Span] = []
    weight = size
    for sentence in sentences:
        for start, end in _pieces(text, sentence, size):
            more = _weight(text, start, end)
            if spans and weight + more <= size:
                spans[-1] = (spans[-1][0], end)
                weight += more
            else:
                spans.append((start, end))
                weight = more
    return spans


def _pieces(text: str, sentence: Span, size: float) -> Iterator[Span]:
    """Cut a sentence that is much longer than a window, at a gap near the window's end."""
    start, end = sentence
    while (weight := _weight(text, start, end)) > _LONG * size:
        longest = start + max(1, int((end - start) * size / weight))
        gap = _GAP.match(text, start + (longest - start) // 2, longest)
        cut = gap.end() if gap else longest
        yield start, start + len(text[start:cut].rstrip())
        start = skip_blank(text, cut, end)
    if start < end:
        yield start, end


def _weight(text: str, start: int, end: int) -> float:
    """Return the length in Chinese characters; a Latin letter counts less."""
    chinese = len(_CHINESE.findall(text, start, end))
    return chinese + _LATIN_SHARE * (end - start - chinese)
