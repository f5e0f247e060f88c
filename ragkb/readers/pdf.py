"""PDF: pdfium reads the pages, pypdf what pdfium cannot open."""

from collections.abc import Iterable

from pypdfium2 import PdfDocument

from ragkb.document_text import DocumentText
from ragkb.errors import GarbledText, NoText, PasswordProtected
from ragkb.readers.cleaning import clean, one_line
from ragkb.readers.ocr import NeedsOcr, Ocr
from ragkb.readers.pdf_lines import join_pages
from ragkb.readers.pdf_outline import Entry, headings
from ragkb.readers.pdf_pages import (
    CannotOpen,
    NeedsPassword,
    Page,
    open_pdf,
    outline_of,
    pages_of,
    picture_of,
    title_of,
)
from ragkb.readers.source import Source


def read_pdf(source: Source) -> DocumentText:
    """Return the text and where its pages begin.

    Raises NoText, GarbledText, PasswordProtected, DamagedFile; NeedsOcr, CannotRecognise.
    """
    try:
        with open_pdf(source.content) as document:
            pages = _with_ocr(source, document, list(_within(source, pages_of(document))))
            title, outline = title_of(document), outline_of(document)
    except NeedsPassword:
        raise PasswordProtected(source.path) from None
    except CannotOpen as failure:
        (pages, title), outline = _read_with_pypdf(source, failure), []
    return _document(source, pages, title, outline)


def _with_ocr(source: Source, document: PdfDocument, pages: list[Page]) -> list[Page]:
    """The pages, unreadable ones as OCR reads them; raises NeedsOcr, CannotRecognise."""
    unread = [number for number, page in enumerate(pages) if page.without_text or page.garbled]
    if not unread or source.ocr is Ocr.MISSING:
        return pages
    if source.ocr is Ocr.ELSEWHERE:
        raise NeedsOcr(len(unread))
    from ragkb.readers.recognising import LONGEST_SIDE, recognise

    for number in unread:
        text = recognise(picture_of(document, number, LONGEST_SIDE))
        if text:
            pages[number] = Page(text, by_ocr=True)
    return pages


def _document(source: Source, pages: list[Page], title: str, outline: list[Entry]) -> DocumentText:
    if all(page.broken for page in pages):
        raise source.damaged(
            "PDF", "none of its pages can be loaded" if pages else "it has no pages"
        )
    readable = [page for page in pages if page.text.strip() and not page.without_text]
    if not readable:
        if any(page.garbled for page in pages):
            raise GarbledText(source.path)
        raise NoText(source.path, len(pages), ocr_tried=source.ocr is Ocr.HERE)
    text, offsets = join_pages([clean(page.text) for page in pages])
    return DocumentText(
        file_type="pdf",
        text=text,
        title=one_line(title),
        pages=offsets,
        headings=headings(text, offsets, outline),
        pages_without_text=_numbers(page.without_text or page.broken for page in pages),
        pages_garbled=_numbers(page.garbled for page in pages),
        pages_by_ocr=_numbers(page.by_ocr for page in pages),
    )


def _numbers(flags: Iterable[bool]) -> tuple[int, ...]:
    return tuple(number for number, flag in enumerate(flags, start=1) if flag)


def _within(source: Source, pages: Iterable[Page]) -> Iterable[Page]:
    length = 0
    for page in pages:
        length += len(page.text)
        if length > source.text_chars:
            raise source.too_large(f"{source.text_chars:,} characters")
        yield page


def _read_with_pypdf(source: Source, failure: CannotOpen) -> tuple[list[Page], str]:
    from ragkb.readers.pdf_fallback import FallbackFailed, read_pages_with_pypdf

    try:
        return read_pages_with_pypdf(source.content)
    except NeedsPassword:
        raise PasswordProtected(source.path) from None
    except FallbackFailed as second:
        raise source.damaged("PDF", str(second) or str(failure)) from second
