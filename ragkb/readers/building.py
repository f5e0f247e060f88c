"""A document's text as it grows: paragraphs, table rows, headings with their places."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragkb.document_text import DocumentText, Heading
from ragkb.errors import NoText
from ragkb.readers.cleaning import clean, one_line
from ragkb.readers.source import Source

CELL = " | "


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a heading if it has a level."""

    text: str
    level: int | None = None

    def as_text(self) -> str:
        """What it says."""
        return self.text


@dataclass(frozen=True)
class Row:
    """A table row; a cell with several paragraphs or a table of its own has them in one text."""

    cells: tuple[str, ...]

    def as_text(self) -> str:
        """The cells in one line."""
        return CELL.join(self.cells)


Block = Paragraph | Row


class TextBuilder:
    """Collects lines; raises ReadingTooLarge beyond the source's limit on characters."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._once: set[str] = set()

    def add_all(self, blocks: Iterable[Block]) -> None:
        """Add blocks in order."""
        for block in blocks:
            if isinstance(block, Row):
                self.row(block.cells)
            else:
                self.paragraph(block.text, block.level)

    def add_once(self, blocks: Iterable[Block]) -> None:
        """Add as plain paragraphs what was not added by this method before (headers, notes)."""
        for block in blocks:
            text = one_line(block.as_text())
            if text and text not in self._once:
                self._once.add(text)
                self.paragraph(text)

    def paragraph(self, text: str, level: int | None = None) -> None:
        """Add a paragraph, as a heading if it has a level; a blank one becomes one empty line."""
        text = clean(text).strip("\n").rstrip()
        if not text.strip():
            if self._lines and self._lines[-1] != "\n":
                self._add("\n")
            return
        if level is None:
            self._add(text + "\n")
            return
        text = one_line(text)
        self._headings.append(Heading(self._length, self._length + len(text), level))
        self._add(text + "\n")

    def row(self, cells: Iterable[str]) -> None:
        """Add a table row as one line; a row without any text is left out."""
        texts = [one_line(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            self._add(CELL.join(texts) + "\n")

    def document(self, file_type: str, *, title: str = "", encoding: str = "") -> DocumentText:
        """Return what was collected; raises NoText when that is nothing."""
        text = "".join(self._lines).rstrip("\n") + "\n"
        if not text.strip():
            raise NoText(self._source.path)
        return DocumentText(
            file_type=file_type,
            text=text,
            title=one_line(title),
            encoding=encoding,
            headings=tuple(self._headings),
        )

    def _add(self, line: str) -> None:
        self._length += len(line)
        if self._length > self._source.text_chars:
            raise self._source.too_large(f"{self._source.text_chars:,} characters")
        self._lines.append(line)
