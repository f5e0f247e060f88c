"""The text of each PDF page through pdfium, with form fields and annotations flattened into it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pypdfium2 has no type information.

import ctypes
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium

from ragkb.readers.pdf_lines import page_text
from ragkb.readers.pdf_outline import DEEPEST, Entry
from ragkb.readers.symbols import PRIVATE, is_symbol_font, symbol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW_CHARACTERS = 10  # a page number or a watermark on a scan is no text layer
SCAN_COVERS = 0.75  # of the page, by its largest image
DRAWN_OBJECTS = 200  # text that was turned into outlines is at least so many paths
MOST_DPI = 200  # for OCR; finer pictures gain nothing
SAMPLED = 64  # characters of a page that are asked whether their font maps them
GARBLED = 0.25  # share of unmapped or impossible characters that makes a page unreadable
MOST_OBJECTS = 5_000
MOST_ENTRIES = 20_000
MOST_OF_A_NAME = 200  # bytes of a font's name
# Controls, private use and the replacement character stand for glyphs without a name.
IMPOSSIBLE = re.compile("[\x00\x01\x03-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
# Bytes of GBK or of a renumbered font, shown as Latin-1: no language has accents in such runs.
LATIN_RUN = re.compile("[\u00a1-\u00ff]{3,}")
NEIGHBOURS = re.compile("[\u3040-\u30ff\u4e00-\u9fff]{2}")
WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD


@dataclass(frozen=True)
class Page:
    """One page: its text, or why there is none.

    It only shows an image, its characters are unknown, or it cannot be loaded. `by_ocr`: the text
    was read from what the page shows.
    """

    text: str
    without_text: bool = False
    garbled: bool = False
    broken: bool = False
    by_ocr: bool = False


class NeedsPassword(Exception):
    """The file opens with a password only."""


class CannotOpen(Exception):
    """pdfium finds no document in the file."""


def open_pdf(content: bytes) -> pypdfium2.PdfDocument:
    """Open a document, to be closed by the caller; raises NeedsPassword or CannotOpen."""
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as failure:
        # The code may be left over from the file before: pdfium resets it only when it sets it.
        if failure.err_code == WRONG_PASSWORD and b"/Encrypt" in content:
            raise NeedsPassword from failure
        raise CannotOpen(str(failure)) from failure
    with suppress(pypdfium2.PdfiumError):  # a broken form keeps its fields to itself
        document.init_forms()
    return document


def title_of(document: pypdfium2.PdfDocument) -> str:
    """The title that the file's metadata give, or an empty string."""
    return str(document.get_metadata_value("Title"))


def outline_of(document: pypdfium2.PdfDocument) -> list[Entry]:
    """The entries of the outline that lead to a page."""
    entries: list[Entry] = []
    for bookmark in islice(document.get_toc(max_depth=DEEPEST), MOST_ENTRIES):
        target = bookmark.get_dest()
        page = target.get_index() if target is not None else None
        if page is not None:
            entries.append(Entry(bookmark.get_title(), bookmark.level + 1, page))
    return entries


def pages_of(document: pypdfium2.PdfDocument) -> Iterator[Page]:
    """Yield the pages in order."""
    for index in range(len(document)):
        yield _page(document, index)


def picture_of(
    document: pypdfium2.PdfDocument, index: int, longest_side: int
) -> "NDArray[np.uint8]":
    """What a page shows, in rows of pixels (blue, green, red), at most 200 to the inch."""
    page: Any = document[index]
    try:
        scale = min(MOST_DPI / 72, longest_side / max(page.get_size()))
        return page.render(scale=scale, rev_byteorder=False).to_numpy().copy()
    finally:
        page.close()


def _page(document: pypdfium2.PdfDocument, index: int) -> Page:
    try:
        page, characters = _load(document, index)
    except pypdfium2.PdfiumError:
        return Page("", broken=True)
    raw = characters.get_text_range()
    if _is_garbled(characters, raw):
        return Page("", garbled=True)
    shown = _with_symbols(characters, raw)
    text = page_text(shown, leftward=_has_columns_from_the_left(characters, raw))
    few = len("".join(text.split())) < FEW_CHARACTERS
    seen = few and _shows_something(page, scan_only=bool(text.strip()))
    characters.close()
    page.close()
    return Page(text, without_text=seen)


def _load(document: pypdfium2.PdfDocument, index: int) -> tuple[Any, Any]:
    """The page with its annotations in its content, and its characters in reading order."""
    page = document[index]
    if pdfium.FPDFPage_GetAnnotCount(page) > 0:
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        page.close()
        page = document[index]
    characters = page.get_textpage()
    turned = page.get_rotation() != 0
    if turned and characters.count_chars() and pdfium.FPDFText_GetCharAngle(characters, 0) == 0:
        # The text lies on its side on the shown page: pdfium would order its lines by that side.
        characters.close()
        page.set_rotation(0)
        characters = page.get_textpage()
    return page, characters


def _with_symbols(characters: Any, raw: str) -> str:  # an untyped pdfium handle
    """Private-use characters of a symbol font as what that font shows."""
    if not PRIVATE.search(raw):
        return raw
    codes = [pdfium.FPDFText_GetUnicode(characters, at) for at in range(characters.count_chars())]
    places = [at for at, code in enumerate(codes) if PRIVATE.match(chr(code))]
    if len(places) != len(PRIVATE.findall(raw)):  # halves of pairs, mostly
        return raw
    shown = iter([_symbol_at(characters, at, codes[at]) for at in places])
    return PRIVATE.sub(lambda _: next(shown), raw)


def _symbol_at(characters: Any, at: int, code: int) -> str:  # as above
    name = ctypes.create_string_buffer(MOST_OF_A_NAME)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(characters, at, name, MOST_OF_A_NAME, flags)
    font = name.value.decode("utf-8", "replace")
    return symbol(font, code) if is_symbol_font(font) else chr(code)


def _is_garbled(characters: Any, raw: str) -> bool:  # an untyped pdfium handle
    count = characters.count_chars()
    step = max(1, count // SAMPLED)
    asked = range(0, count, step)
    if not asked:
        return False
    unmapped = sum(pdfium.FPDFText_HasUnicodeMapError(characters, at) == 1 for at in asked)
    if unmapped >= GARBLED * len(asked):
        return True
    visible = "".join(raw.split())
    soup = sum(len(run) for run in LATIN_RUN.findall(visible))
    return len(IMPOSSIBLE.findall(visible)) + soup > GARBLED * len(visible)


def _has_columns_from_the_left(characters: Any, raw: str) -> bool:  # as above
    """Whether it is vertical writing, which is read from the right; pdfium starts at the left."""
    pair = NEIGHBOURS.search(raw)
    last = len(raw.rstrip()) - 1
    if pair is None or last >= characters.count_chars():
        return False
    upper, lower = characters.get_charbox(pair.start()), characters.get_charbox(pair.start() + 1)
    stacked = lower[3] < upper[1] + 2 and abs(upper[0] - lower[0]) < 2
    upright = pdfium.FPDFText_GetCharAngle(characters, pair.start()) == 0
    return stacked and upright and characters.get_charbox(last)[0] > upper[2]


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
