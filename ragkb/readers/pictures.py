"""Pictures of text: PNG, JPEG, TIFF with its pages, BMP and WebP, read by OCR."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Pillow comes with the extra: where types are checked it need not be installed.

import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from itertools import islice
from typing import Any

import numpy as np

from ragkb.document_text import DocumentText
from ragkb.errors import UnsupportedType
from ragkb.readers.cleaning import clean
from ragkb.readers.kinds import SUPPORTED_TYPES, Kind
from ragkb.readers.ocr import NeedsOcr, Ocr
from ragkb.readers.pdf_lines import join_pages
from ragkb.readers.recognising import LONGEST_SIDE, Picture, recognise
from ragkb.readers.source import Source

MOST_PIXELS = 100_000_000  # A0 at 200 dpi has two thirds of that; a bomb has more
MOST_PAGES = 2_000
# What Pillow lets through on damaged files, besides errors of its own, which are OSErrors.
MALFORMED = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
)


def read_picture(source: Source, kind: Kind) -> DocumentText:
    """Return the text that a picture shows.

    Raises UnsupportedType without the extra and for a picture without text, DamagedFile,
    ReadingTooLarge, CannotRecognise, and NeedsOcr where another child does it.
    """
    if source.ocr is Ocr.MISSING:
        raise UnsupportedType(source.path, kind.value, SUPPORTED_TYPES, ocr="missing")
    if source.ocr is Ocr.ELSEWHERE:
        raise NeedsOcr(_count(source, kind))
    texts = [clean(recognise(page)) for page in _pages(source, kind)]
    if not any(texts):
        raise UnsupportedType(source.path, kind.value, SUPPORTED_TYPES, ocr="silent")
    text, offsets = join_pages(texts)
    numbered = list(enumerate(texts, start=1))
    return DocumentText(
        file_type=kind.value.lower(),
        text=text,
        pages=offsets,
        pages_without_text=tuple(number for number, text in numbered if not text),
        pages_by_ocr=tuple(number for number, text in numbered if text),
    )


def _count(source: Source, kind: Kind) -> int:
    with _opened(source, kind) as image:
        return min(image.n_frames, MOST_PAGES) if kind is Kind.TIFF else 1


def _pages(source: Source, kind: Kind) -> Iterator[Picture]:
    """The pictures in a file as pixels, upright and not much larger than is needed."""
    turned: Any = import_module("PIL.ImageOps").exif_transpose
    with _opened(source, kind) as image:
        for page in islice(_frames(image), MOST_PAGES if kind is Kind.TIFF else 1):
            if page.width * page.height > MOST_PIXELS:
                raise source.too_large(f"{MOST_PIXELS // 1_000_000} megapixels")
            page.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # a large JPEG is decoded smaller
            yield _pixels(turned(page))


def _frames(image: Any) -> Iterator[Any]:
    return iter(import_module("PIL.ImageSequence").Iterator(image))


def _pixels(image: Any) -> Picture:
    """Colours as they are recognised; opacity only where something is not opaque."""
    if image.has_transparency_data:
        colours = image.convert("RGBA")
        if colours.getextrema()[3][0] < 255:
            return np.asarray(colours)[:, :, (2, 1, 0, 3)]
    return np.asarray(image.convert("RGB"))[:, :, ::-1]


@contextmanager
def _opened(source: Source, kind: Kind) -> Generator[Any]:
    """Pillow's image; what goes wrong with it in the block is the file's damage."""
    pillow: Any = import_module("PIL.Image")
    pillow.MAX_IMAGE_PIXELS = None  # it would only warn; each page is measured here
    try:
        with pillow.open(BytesIO(source.content), formats=(kind.value,)) as image:
            yield image
    except MALFORMED as broken:
        reason = str(broken).splitlines() or [type(broken).__name__]
        raise source.damaged(kind.value, reason[0][:120]) from broken
