"""Chunks of a text: whole sentences, packed up to a number of tokens.

A line (a paragraph, a table row) stays whole when it fits a chunk; a longer one is taken apart
into sentences, and a sentence that is longer still into pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ragkb.document_text import Heading
from ragkb.text.outline import Outline

# A part with more characters for each token of the limit is taken apart without being counted.
_MOST_CHARACTERS_PER_TOKEN = 32


@dataclass(frozen=True)
class ChunkSpan:
    """A chunk: the slice `text[start:end]`, which begins and ends with a visible character.

    `tokens` is counted on that slice. `page` (from 1) is where it starts, None without pages.
    `heading` is the path of headings it starts under, such as "第一章 总则 > 适用范围".
    """

    start: int
    end: int
    tokens: int
    page: int | None
    heading: str


class _Break(IntEnum):
    """What lies before a part: the higher, the better a chunk begins there."""

    WITHIN = 0
    SENTENCE = 1
    PARAGRAPH = 2
    HEADING = 3


# How full a chunk must be to end at such a break although more would fit.
_FULL_ENOUGH = ((_Break.HEADING, 0.5), (_Break.PARAGRAPH, 0.8), (_Break.SENTENCE, 0.9))


class _Part(NamedTuple):
    """A slice that is not cut as long as it fits; `tokens` estimates its share of a chunk."""

    start: int
    end: int
    tokens: int
    before: _Break
    is_heading: bool
    is_line: bool


class _Parts:
    """The parts of a text, which may be given back, in order."""

    def __init__(self, lines: Iterator[_Part]) -> None:
        self._lines = lines
        self._returned: list[_Part] = []

    def take(self) -> _Part | None:
        return self._returned.pop() if self._returned else next(self._lines, None)

    def give_back(self, parts: Sequence[_Part]) -> None:
        self._returned.extend(reversed(parts))


def split(
    text: str, chunk_size: int, *, headings: Sequence[Heading] = (), pages: Sequence[int] = ()
) -> list[ChunkSpan]:
    """Split a text into chunks of at most `chunk_size` tokens (at least 1), in order.

    Every non-blank character is in exactly one chunk. Only a chunk of a single code point may
    have more tokens. `pages` holds the offset at which each page begins. The time is linear in
    the length of the text.
    """
    outline = Outline(text, headings)
    parts = _Parts(_lines(text, outline, chunk_size))
    chunks: list[ChunkSpan] = []
    while chunk := _next_chunk(text, parts, chunk_size):
        start, end, tokens = chunk
        page = max(1, bisect_right(pages, start)) if pages else None
        chunks.append(ChunkSpan(start, end, tokens, page, outline.path(start)))
    return chunks


def _next_chunk(text: str, parts: _Parts, limit: int) -> tuple[int, int, int] | None:
    """Return start, end and tokens of the next chunk: estimates decide, a true count confirms."""
    taken = _fill(text, parts, limit)
    while taken:
        start, end = taken[0].start, taken[-1].end
        tokens = count_tokens(text[start:end])
        if tokens <= limit or end - start == 1:
            return start, end, tokens
        if len(taken) == 1:
            parts.give_back(_taken_apart(text, taken[0], limit, limit))
            taken = _fill(text, parts, limit)
            continue
        keep = _before_headings(taken, max(1, min(len(taken) - 1, len(taken) * limit // tokens)))
        parts.give_back(taken[keep:])
        taken = taken[:keep]
    return None


def _fill(text: str, parts: _Parts, limit: int) -> list[_Part]:
    """Take parts as long as they fit, up to the best break."""
    taken: list[_Part] = []
    room = limit
    while part := parts.take():
        if part.tokens <= room:
            taken.append(part)
            room -= part.tokens
            continue
        # What follows a heading is cut rather than the heading left alone.
        only_headings = all(one.is_heading for one in taken) and not part.is_heading
        if part.tokens > limit or only_headings:
            finer = _taken_apart(text, part, room if only_headings else limit, limit)
            if finer:
                parts.give_back(finer)
                continue
        if not taken:
            return [part]  # one code point of more tokens than the limit
        keep = _best_break(taken, part.before, limit)
        parts.give_back([*taken[keep:], part])
        return taken[:keep]
    return taken


def _taken_apart(text: str, part: _Part, room: int, limit: int) -> list[_Part]:
    """Cut a part into sentences, or one sentence into pieces of which the first fits `room`.

    Returns nothing when that makes no difference.
    """
    if part.is_line:
        spans = sentence_spans(text, part.start, part.end)
        if len(spans) > 1:
            return [_sentence(text, start, end, part, limit) for start, end in spans]
    pieces = _pieces(text, part, room, limit)
    return pieces if len(pieces) > 1 or pieces[0].tokens <= room else []


def _sentence(text: str, start: int, end: int, line: _Part, limit: int) -> _Part:
    tokens = _estimate(text[max(line.start, start - 1) : end], limit)
    before = line.before if start == line.start else _Break.SENTENCE
    return _Part(start, end, tokens, before, line.is_heading, is_line=False)


def _pieces(text: str, part: _Part, room: int, limit: int) -> list[_Part]:
    pieces: list[_Part] = []
    at, before = part.start, part.before
    while at < part.end:
        cut = piece_end(text, at, part.end, max(1, room))
        piece = text[at:cut].rstrip()
        tokens = count_tokens(piece)
        pieces.append(_Part(at, at + len(piece), tokens, before, part.is_heading, is_line=False))
        at, before, room = skip_blank(text, cut, part.end), _Break.WITHIN, limit
    return pieces


def _best_break(taken: Sequence[_Part], following: _Break, limit: int) -> int:
    """Return how many of the parts to keep in this chunk."""
    breaks = [*(part.before for part in taken[1:]), following]
    filled = list(accumulate(part.tokens for part in taken))
    for least, share in _FULL_ENOUGH:
        for keep in range(len(taken), 0, -1):
            if filled[keep - 1] < share * limit:
                break
            if breaks[keep - 1] >= least:
                return keep
    return _before_headings(taken, len(taken))


def _before_headings(taken: Sequence[_Part], keep: int) -> int:
    """Return `keep` less the headings that would end the chunk, unless it holds nothing else."""
    last = keep
    while last and taken[last - 1].is_heading:
        last -= 1
    return last or keep


def _lines(text: str, outline: Outline, limit: int) -> Iterator[_Part]:
    """Yield the lines that are not blank, without the white space around them."""
    previous: _Part | None = None
    after_blank = False
    at = 0
    for line in text.splitlines(keepends=True):
        content = line.strip()
        if content:
            start = at + len(line) - len(line.lstrip())
            end = start + len(content)
            is_heading = outline.is_heading(start, end)
            before = _break_before(text, previous, after_blank, is_heading)
            space_included = text[max(at, start - 2) : min(at + len(line), end + 2)]
            tokens = _estimate(space_included, limit)
            previous = _Part(start, end, tokens, before, is_heading, is_line=True)
            yield previous
        after_blank = not content
        at += len(line)


def _break_before(
    text: str, previous: _Part | None, after_blank: bool, is_heading: bool
) -> _Break:
    if previous is None or previous.is_heading:
        return _Break.WITHIN
    if is_heading:
        return _Break.HEADING
    if after_blank:
        return _Break.PARAGRAPH
    return _Break.SENTENCE if ends_sentence(text, previous.end) else _Break.WITHIN


def _estimate(text: str, limit: int) -> int:
    """Count the tokens of a text, or say `limit + 1` of one that is surely too long."""
    return limit + 1 if len(text) > limit * _MOST_CHARACTERS_PER_TOKEN else count_tokens(text)
