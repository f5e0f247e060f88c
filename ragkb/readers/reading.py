"""From a path to its text, inside the child: the content decides which reader is asked."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ragkb.document_text import DocumentText
from ragkb.errors import (
    EmptyFile,
    FileMissing,
    FileRefused,
    IsDirectory,
    Mislabelled,
    OcrUnusable,
    PasswordProtected,
    UnreadablePath,
    UnsupportedType,
)
from ragkb.readers.kinds import FAMILIES, PICTURES, SUPPORTED_TYPES, Kind
from ragkb.readers.limits import ReaderLimits
from ragkb.readers.ocr import CannotRecognise, Ocr
from ragkb.readers.sniffing import sniff
from ragkb.readers.source import Source

Reader = Callable[[Source], DocumentText]


def read_file(path: Path, limits: ReaderLimits, ocr: Ocr = Ocr.MISSING) -> DocumentText:
    """Return the text of the file at `path`; raises a FileRefused or NeedsOcr."""
    return read_source(Source(str(path), _content(path), limits.text_chars, ocr))


def read_source(source: Source) -> DocumentText:
    """Return the text of a file whose content is at hand; raises a FileRefused or NeedsOcr."""
    if not source.content.strip(b"\0 \t\r\n"):
        raise EmptyFile(source.path)
    kind = sniff(source)
    family = FAMILIES.get(source.extension)
    if family is not None and kind not in family:
        raise _mislabelled(source, kind)
    if kind is Kind.ENCRYPTED_OFFICE:
        raise PasswordProtected(source.path)
    reader = _reader_of(kind)
    if reader is None:
        raise UnsupportedType(source.path, kind.value, SUPPORTED_TYPES)
    try:
        return reader(source)
    except CannotRecognise as failure:
        raise OcrUnusable(source.path, str(failure)) from failure


def _mislabelled(source: Source, kind: Kind) -> FileRefused:
    """A .pdf that is HTML is mislabelled; one that is nothing at all is a damaged PDF."""
    from ragkb.readers.decoding import decode

    if kind is Kind.TEXT and decode(source.content) is None:
        return source.damaged(source.extension.upper(), "its beginning is missing")
    return Mislabelled(source.path, source.extension, kind.value)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as missing:
        raise FileMissing(str(path)) from missing
    except IsADirectoryError as directory:
        raise IsDirectory(str(path)) from directory
    except OSError as failure:
        raise UnreadablePath(str(path), failure.strerror or str(failure)) from failure


def _reader_of(kind: Kind) -> Reader | None:  # noqa: C901, PLR0911  # one return for each kind reads best
    """Import only the reader that is needed: the others' libraries cost a child's start."""
    match kind:
        case Kind.TEXT:
            from ragkb.readers.plain_text import read_text

            return read_text
        case Kind.PDF:
            from ragkb.readers.pdf import read_pdf

            return read_pdf
        case Kind.DOCX | Kind.WORD_XML:
            from ragkb.readers.docx import read_docx

            return read_docx
        case Kind.DOC:
            from ragkb.readers.doc import read_doc

            return read_doc
        case Kind.HTML:
            from ragkb.readers.html import read_html

            return read_html
        case Kind.MHTML:
            from ragkb.readers.mhtml import read_mhtml

            return read_mhtml
        case Kind.RTF:
            from ragkb.readers.rtf import read_rtf

            return read_rtf
        case _ if kind in PICTURES:
            from ragkb.readers.pictures import read_picture

            return partial(read_picture, kind=kind)
        case Kind.XLSX:
            from ragkb.readers.xlsx import read_xlsx

            return read_xlsx
        case Kind.PPTX:
            from ragkb.readers.pptx import read_pptx

            return read_pptx
        case _:
            return None
