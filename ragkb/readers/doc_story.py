"""One story of a .doc (body, notes, headers): its characters and marks, as paragraphs and rows."""

import re
import sys
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragkb.readers.building import CELL, Block, Paragraph, Row
from ragkb.readers.doc_format import Characters, Paragraphs, Properties
from ragkb.readers.doc_styles import Lists, StyleSheet
from ragkb.readers.symbols import symbol

TOKENS = re.compile("[\x00-\x1f]|[^\x00-\x1f]+")
# `EQ \* jc2 \o\ad(\s\up 9(pinyin),base)`: Word keeps the base text of ruby in a field's code.
RUBY = re.compile(r"^\s*EQ\s.*\\o.*?\\s\\up\s*\d+\s*\([^()]*\)\s*[,;](.*)\)\s*$", re.DOTALL)


@dataclass(frozen=True)
class Formatting:
    """What the file says about its characters and paragraphs."""

    paragraphs: Paragraphs
    characters: Characters
    styles: StyleSheet
    fonts: list[str]
    lists: Lists
    code_page: str = "cp1252"


@dataclass(frozen=True)
class Stretch:
    """Bytes of text, and where in the stream they stand."""

    content: bytes
    offset: int
    wide: bool


class StoryReader:
    """Puts the text of one story together; use one for each story."""

    def __init__(self, formatting: Formatting) -> None:
        self._formatting = formatting
        self._line: list[str] = []
        self._codes: list[list[str] | None] = []  # open fields: the code so far, None in the result
        self._partial: defaultdict[int, str] = defaultdict(str)  # unfinished cell by table depth
        self._cells: defaultdict[int, list[str]] = defaultdict(list)
        self._after_cell = False

    def blocks(self, stretches: Iterable[Stretch]) -> Iterator[Block]:
        """Yield paragraphs and table rows in order."""
        for stretch in stretches:
            for text, offset in self._visible(stretch):
                unit = 2 if stretch.wide else 1
                for token in TOKENS.finditer(text):
                    yield from self._token(token[0], offset + token.start() * unit)
        if self._line or self._partial[1]:
            self._cells[1].append(self._partial.pop(1, "") + self._take_line())
        if self._cells[1]:
            yield self._row() if len(self._cells[1]) > 1 else Paragraph(self._cells[1][0])

    def _visible(self, stretch: Stretch) -> Iterator[tuple[str, int]]:
        """Cut deleted runs out and put symbols in."""
        unit = 2 if stretch.wide else 1
        text = _decode(stretch, self._formatting.code_page)
        runs = self._formatting.characters
        if not runs.starts or len(text) * unit != len(stretch.content):
            yield text, stretch.offset
            return
        done = stretch.offset
        end = stretch.offset + len(stretch.content)
        for index in range(_first_run(runs, done), len(runs.starts)):
            start, stop = max(runs.starts[index], done), min(runs.ends[index], end)
            if runs.starts[index] >= end:
                break
            if start >= stop:
                continue
            yield text[(done - stretch.offset) // unit : (start - stretch.offset) // unit], done
            shown = runs.values[index]
            if shown is not None:
                font, code = shown
                name = self._formatting.fonts[font] if font < len(self._formatting.fonts) else ""
                yield symbol(name, code), start
            done = stop
        yield text[(done - stretch.offset) // unit :], done

    def _token(self, text: str, offset: int) -> Iterator[Block]:
        match text:
            case "\x13":  # a field's code begins
                self._codes.append([])
            case "\x14":  # its result
                self._end_code()
            case "\x15":  # its end
                self._end_field()
            case "\r":
                yield from self._end_paragraph(offset)
            case "\x07":  # a cell or a row ends
                yield from self._end_cell(offset)
            case "\x0c" | "\x0e":  # page and column breaks
                yield from self._end_page()
            case "\x0b":  # a line break
                self._write("\n")
            case "\x1e":  # a hyphen that does not break
                self._write("-")
            case _ if text >= " " or text == "\t":
                self._write(text)
            case _:
                return

    def _write(self, text: str) -> None:
        self._after_cell = False
        for code in self._codes:
            if code is not None:
                code.append(text)
                return
        self._line.append(text)

    def _end_code(self) -> None:
        if self._codes:
            self._codes[-1] = None

    def _end_field(self) -> None:
        code = self._codes.pop() if self._codes else None
        ruby = RUBY.match("".join(code)) if code else None
        if ruby:
            self._write(ruby[1])

    def _end_paragraph(self, offset: int) -> Iterator[Block]:
        # No code spans paragraphs in sound files; one left open must not swallow the rest.
        self._codes = [code for code in self._codes if code is None]
        properties = self._formatting.paragraphs.at(offset)
        depth = properties.table_depth
        text = self._label(properties) + self._take_line()
        if properties.inner_row_end:
            self._partial[depth - 1] += CELL.join(self._cells.pop(depth, [])) + " "
        elif properties.inner_cell:
            self._cells[depth].append(self._partial.pop(depth, "") + text)
        elif depth or self._cells[1]:
            self._partial[max(depth, 1)] += text + " "
        else:
            yield Paragraph(self._partial.pop(1, "") + text, self._level(properties))

    def _end_cell(self, offset: int) -> Iterator[Block]:
        known = bool(self._formatting.paragraphs.starts)
        properties = self._formatting.paragraphs.at(offset)
        row_end = properties.row_end if known else self._after_cell and not self._line
        if row_end:
            if self._cells[1]:
                yield self._row()
            self._after_cell = False
            self._line.clear()
            return
        text = self._label(properties) + self._take_line()
        self._cells[1].append(self._partial.pop(1, "") + text)
        self._after_cell = True

    def _end_page(self) -> Iterator[Block]:
        if self._cells[1] or self._partial[1]:
            self._write(" ")
        elif text := self._take_line():
            yield Paragraph(text)

    def _row(self) -> Row:
        return Row(tuple(self._cells.pop(1)))

    def _take_line(self) -> str:
        text = "".join(self._line)
        self._line.clear()
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _label(self, properties: Properties) -> str:
        """The number before a list item."""
        styled = self._formatting.styles.list_place(properties.style)
        list_id = properties.list_id if properties.list_id is not None else (styled or (0, 0))[0]
        level = properties.list_level
        if level is None and styled is not None:
            level = styled[1]
        label = self._formatting.lists.label(list_id, level or 0) if list_id else ""
        return label if any(part.strip() for part in self._line) else ""  # empty items count, too

    def _level(self, properties: Properties) -> int | None:
        if properties.outline is not None:
            return properties.outline + 1 if properties.outline < 9 else None
        return self._formatting.styles.heading_level(properties.style)


def _decode(stretch: Stretch, code_page: str) -> str:
    """One character for each unit, so that places can be counted; lines join the pairs."""
    if not stretch.wide:
        return stretch.content.decode(code_page, "replace")
    units = array("H", stretch.content[: len(stretch.content) // 2 * 2])
    if sys.byteorder == "big":
        units.byteswap()
    return "".join(map(chr, units))


def _first_run(runs: Characters, offset: int) -> int:
    return max(0, bisect_right(runs.starts, offset) - 1)
