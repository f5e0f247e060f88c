"""pypdf for files that pdfium cannot open: slower and poorer, but it mends more structures."""

import logging
from io import BytesIO
from itertools import islice

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from ragkb.readers.pdf_lines import page_text
from ragkb.readers.pdf_pages import NeedsPassword, Page

MOST_PAGES = 20_000


class FallbackFailed(Exception):
    """pypdf cannot read the file either; the text says where it is broken."""


def read_pages_with_pypdf(content: bytes) -> tuple[list[Page], str]:
    """Return pages and title; raises FallbackFailed, NeedsPassword."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each repair on stderr
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        _open_without_password(reader)
        pages = [Page(page_text(page.extract_text())) for page in islice(reader.pages, MOST_PAGES)]
        title = (reader.metadata.title if reader.metadata else "") or ""
    except (PyPdfError, RecursionError, *MALFORMED) as broken:
        raise FallbackFailed(_first_line(str(broken))) from broken
    return pages, title


def _open_without_password(reader: PdfReader) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise NeedsPassword


# What pypdf lets through on mutated files instead of an error of its own.
MALFORMED = (
    ArithmeticError,
    AttributeError,
    AssertionError,
    LookupError,
    NotImplementedError,
    OSError,
    TypeError,
    ValueError,
)


def _first_line(text: str) -> str:
    return text.splitlines()[0][:120] if text else ""
