"""What a reader makes of a file: its text and where things stand in it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading of the document, as the slice `text[start:end]`; level 1 is the highest."""

    start: int
    end: int
    level: int


@dataclass(frozen=True)
class DocumentText:
    r"""The whole text of a document.

    Lines end in `\n`. `pages` holds the offset at which each page begins (PDF and pictures; empty
    elsewhere), so page n of the text is `text[pages[n-1]:pages[n]]`. `encoding` is set for plain
    text.
    `pages_without_text` lists page numbers that show something but gave no text (scans);
    `pages_garbled` those whose text cannot be told from their glyphs and was left out;
    `pages_by_ocr` those whose text was read from their picture and may have wrong letters.
    """

    file_type: str
    text: str
    title: str = ""
    encoding: str = ""
    pages: tuple[int, ...] = ()
    headings: tuple[Heading, ...] = ()
    pages_without_text: tuple[int, ...] = ()
    pages_garbled: tuple[int, ...] = ()
    pages_by_ocr: tuple[int, ...] = ()
