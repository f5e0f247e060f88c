"""The text of each PDF page through pdfium, with form fields and annotations flattened into it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pypdfium2 has no type information.

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import pypdfium2
import pypdfium2.raw as pdfium

from ragkb.readers.pdf_lines import page_text

FEW_CHARACTERS = 10  # a page number or a watermark on a scan is no text layer
SCAN_COVERS = 0.75  # of the page, by its largest image
DRAWN_OBJECTS = 200  # text that was turned into outlines is at least so many paths
SAMPLED = 64  # characters of a page that are asked whether their font maps them
GARBLED = 0.25  # share of unmapped or impossible characters that makes a page unreadable
MOST_OBJECTS = 5_000
WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD


@dataclass(frozen=True)
class Page:
    """One page: its text, whether it only shows an image, whether its characters are unknown."""

    text: str
    without_text: bool = False
    garbled: bool = False


class NeedsPassword(Exception):
    """The file opens with a password only."""


class CannotOpen(Exception):
    """pdfium finds no document in the file."""


def read_pages(content: bytes) -> Iterator[Page]:
    """Yield the pages in order; raises NeedsPassword or CannotOpen before the first."""
    with _open(content) as document:
        for index in range(len(document)):
            yield _page(document, index)


def read_title(content: bytes) -> str:
    """The title that the file's metadata give, or an empty string."""
    with _open(content) as document:
        return str(document.get_metadata_value("Title"))


def _open(content: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as failure:
        if failure.err_code == WRONG_PASSWORD:
            raise NeedsPassword from failure
        raise CannotOpen(str(failure)) from failure
    try:
        document.init_forms()
    except pypdfium2.PdfiumError:
        pass  # a broken form keeps its fields to itself; the pages can be read
    return document


def _page(document: pypdfium2.PdfDocument, index: int) -> Page:
    try:
        page = document[index]
        if pdfium.FPDFPage_GetAnnotCount(page) > 0:
            pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
            page.close()
            page = document[index]
        characters = page.get_textpage()
    except pypdfium2.PdfiumError:
        return Page("", without_text=True)
    raw = cast("str", characters.get_text_range())
    if _is_garbled(characters, raw):
        return Page("", garbled=True)
    text = page_text(raw)
    few = len("".join(text.split())) < FEW_CHARACTERS
    seen = few and _shows_something(page, scan_only=bool(text.strip()))
    characters.close()
    page.close()
    return Page(text, without_text=seen)


def _is_garbled(characters: Any, raw: str) -> bool:  # an untyped pdfium handle
    count = characters.count_chars()
    step = max(1, count // SAMPLED)
    asked = range(0, count, step)
    if not asked:
        return False
    unmapped = sum(pdfium.FPDFText_HasUnicodeMapError(characters, at) == 1 for at in asked)
    if unmapped >= GARBLED * len(asked):
        return True
    visible = [char for char in raw[:: max(1, len(raw) // 2000)] if not char.isspace()]
    impossible = sum(_is_impossible(char) for char in visible)
    return bool(visible) and impossible >= GARBLED * len(visible)


def _is_impossible(char: str) -> bool:
    """Control characters, private use and the replacement character stand for glyphs without a name."""
    code = ord(char)
    return (
        (code < 0x20 and code != 2)
        or 0x7F <= code < 0xA0
        or 0xE000 <= code < 0xF900
        or code == 0xFFFD
    )


def _shows_something(page: Any, *, scan_only: bool) -> bool:  # an untyped pdfium handle
    """Whether a page with hardly any text shows a scan, or text that was turned into outlines."""
    width, height = page.get_size()
    paths = 0
    for number, item in enumerate(page.get_objects(max_depth=4)):
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE and _covers(item, width * height):
            return True
        paths += item.type == pdfium.FPDF_PAGEOBJ_PATH
        if number > MOST_OBJECTS:
            break
    return paths >= DRAWN_OBJECTS and not scan_only


def _covers(image: Any, area: float) -> bool:  # an untyped pdfium handle
    try:
        left, bottom, right, top = image.get_bounds()
    except pypdfium2.PdfiumError:
        return False
    return (right - left) * (top - bottom) >= SCAN_COVERS * area
