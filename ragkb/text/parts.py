"""The parts that chunks are made of: lines, their sentences, pieces of a long sentence."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from ragkb.text.cutting import piece_end
from ragkb.text.outline import Outline
from ragkb.text.sentences import ends_sentence, sentence_spans, skip_blank
from ragkb.text.token_map import TokenMap


class Break(IntEnum):
    """What lies before a part: the higher, the better a chunk begins there."""

    WITHIN = 0
    SENTENCE = 1
    PARAGRAPH = 2
    HEADING = 3


class Part(NamedTuple):
    """A slice of the text that is not cut as long as it fits, with its place among the tokens."""

    start: int
    end: int
    first_token: int
    last_token: int
    before: Break
    is_heading: bool
    is_line: bool


class Parts:
    """The parts of a text in order: its lines, and whatever is given back instead of them."""

    def __init__(self, text: str, tokens: TokenMap, outline: Outline) -> None:
        self._text = text
        self._tokens = tokens
        self._outline = outline
        self._lines = self._read_lines()
        self._returned: list[Part] = []

    def take(self) -> Part | None:
        """Return the next part, or None at the end."""
        return self._returned.pop() if self._returned else next(self._lines, None)

    def give_back(self, parts: Sequence[Part]) -> None:
        """Let `take` return these parts next."""
        self._returned.extend(reversed(parts))

    def taken_apart(self, part: Part, chunk_start: int, limit: int) -> list[Part]:
        """Cut a line into its sentences, or a sentence into pieces of at most `limit` tokens.

        The first piece is so long that the text from `chunk_start` to its end fits the limit.
        One part comes back when it cannot be cut so.
        """
        if part.is_line:
            spans = sentence_spans(self._text, part.start, part.end)
            if len(spans) > 1:
                return [self._slice_of(part, start, end, Break.SENTENCE) for start, end in spans]
        return list(self._pieces(part, chunk_start, limit))

    def _pieces(self, part: Part, chunk_start: int, limit: int) -> Iterator[Part]:
        at = part.start
        while at < part.end:
            cut = piece_end(self._text, self._tokens, (chunk_start, at, part.end), limit)
            end = at + len(self._text[at:cut].rstrip())
            yield self._slice_of(part, at, end, Break.WITHIN)
            chunk_start = at = skip_blank(self._text, cut, part.end)

    def _slice_of(self, part: Part, start: int, end: int, before: Break) -> Part:
        return Part(
            start,
            end,
            self._tokens.before(start),
            self._tokens.before(end),
            part.before if start == part.start else before,
            part.is_heading,
            is_line=False,
        )

    def _read_lines(self) -> Iterator[Part]:
        """Yield the lines that are not blank, without the white space around them."""
        previous: Part | None = None
        after_blank = False
        line_start = 0
        for line in self._text.splitlines(keepends=True):
            content = line.strip()
            if content:
                start = line_start + len(line) - len(line.lstrip())
                previous = self._line(start, start + len(content), previous, after_blank)
                yield previous
            after_blank = not content
            line_start += len(line)

    def _line(self, start: int, end: int, previous: Part | None, after_blank: bool) -> Part:
        is_heading = self._outline.is_heading(start, end)
        if previous is None or previous.is_heading:
            before = Break.WITHIN
        elif is_heading:
            before = Break.HEADING
        elif after_blank:
            before = Break.PARAGRAPH
        else:
            before = Break.SENTENCE if ends_sentence(self._text, previous.end) else Break.WITHIN
        first, last = self._tokens.before(start), self._tokens.before(end)
        return Part(start, end, first, last, before, is_heading, is_line=True)
