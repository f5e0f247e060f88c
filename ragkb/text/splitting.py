"""Chunks of a text: whole sentences, packed up to a number of tokens.

A line (a paragraph, a table row) stays whole when it fits a chunk; a longer one is taken apart
into sentences, and a sentence that is longer still into pieces. Small sections share a chunk.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragkb.document_text import Heading
from ragkb.text.outline import Outline
from ragkb.text.parts import Break, Part, Parts
from ragkb.text.token_map import TokenMap

# How full a chunk must be to end at such a break although more would fit.
_FULL_ENOUGH = ((Break.HEADING, 0.5), (Break.PARAGRAPH, 0.8), (Break.SENTENCE, 0.9))
# A slice that is so many tokens from the limit, judged by its place in the text, is counted.
_DOUBTFUL = 4


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


def split(
    text: str, chunk_size: int, *, headings: Sequence[Heading] = (), pages: Sequence[int] = ()
) -> list[ChunkSpan]:
    """Split a text into chunks of at most `chunk_size` tokens (at least 1), in order.

    Every non-blank character is in exactly one chunk. Only a chunk of a single code point may
    have more tokens. `pages` holds the offset at which each page begins. The time is linear in
    the length of the text.
    """
    outline = Outline(text, headings)
    return [
        ChunkSpan(
            start=chunk.start,
            end=chunk.end,
            tokens=chunk.tokens,
            page=max(1, bisect_right(pages, chunk.start)) if pages else None,
            heading=outline.path(chunk.start),
        )
        for chunk in _chunks(text, chunk_size, outline)
    ]


class _Chunk(NamedTuple):
    start: int
    end: int
    tokens: int


def _chunks(text: str, limit: int, outline: Outline) -> Iterator[_Chunk]:
    """Pack parts by their places among the tokens of the whole text, then count for certain."""
    tokens = TokenMap(text)
    parts = Parts(text, tokens, outline)
    while taken := _fill(parts, tokens, limit):
        while (count := tokens.count(taken[0].start, taken[-1].end)) > limit and len(taken) > 1:
            fewer = _without_headings(taken, min(len(taken) - 1, len(taken) * limit // count + 1))
            parts.give_back(taken[fewer:])
            del taken[fewer:]
        start, end = taken[0].start, taken[-1].end
        if count > limit and end - start > 1:
            parts.give_back(parts.taken_apart(taken[0], start, limit))
        else:
            yield _Chunk(start, end, count)


def _fill(parts: Parts, tokens: TokenMap, limit: int) -> list[Part]:
    """Take parts as long as they fit, up to the best break. Nothing at the end of the text."""
    taken: list[Part] = []
    while part := parts.take():
        first = taken[0] if taken else part
        if _fits(tokens, first, part, limit):
            taken.append(part)
            continue
        # What follows a heading is cut rather than the heading left alone.
        follows_heading = not part.is_heading and all(one.is_heading for one in taken)
        if follows_heading or not _fits(tokens, part, part, limit):
            start = first.start if follows_heading else part.start
            finer = parts.taken_apart(part, start, limit)
            if len(finer) > 1:
                parts.give_back(finer)
                continue
        if not taken:
            return [part]
        keep = _best_break(taken, part.before, limit)
        parts.give_back([*taken[keep:], part])
        return taken[:keep]
    return taken


def _fits(tokens: TokenMap, first: Part, last: Part, limit: int) -> bool:
    """Whether the parts from `first` to `last` fit a chunk, as far as can be told cheaply."""
    excess = last.last_token - first.first_token - limit
    if abs(excess) > _DOUBTFUL:
        return excess < 0
    return tokens.count(first.start, last.end) <= limit


def _best_break(taken: Sequence[Part], following: Break, limit: int) -> int:
    """Return how many of the parts to keep in this chunk."""
    breaks = [*(part.before for part in taken[1:]), following]
    for least, share in _FULL_ENOUGH:
        for keep in range(len(taken), 0, -1):
            if taken[keep - 1].last_token - taken[0].first_token < share * limit:
                break
            if breaks[keep - 1] >= least:
                return keep
    return _without_headings(taken, len(taken))


def _without_headings(taken: Sequence[Part], keep: int) -> int:
    """Return `keep` less the headings that would end the chunk, unless it holds nothing else."""
    last = keep
    while last and taken[last - 1].is_heading:
        last -= 1
    return last or keep
