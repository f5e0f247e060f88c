"""What the child answers, as a frame's head and text: a document, or why there is none."""

from dataclasses import fields
from typing import Any

from ragkb.document_text import DocumentText, Heading
from ragkb.errors import FileRefused
from ragkb.readers.frames import BrokenFrame, Head
from ragkb.readers.ocr import NeedsOcr

FIELDS = (
    "file_type",
    "title",
    "encoding",
    "pages",
    "pages_without_text",
    "pages_garbled",
    "pages_by_ocr",
)


def document_to_frame(document: DocumentText) -> tuple[Head, str]:
    """Take a document apart into a frame."""
    head: Head = {name: getattr(document, name) for name in FIELDS}
    head["headings"] = [(each.start, each.end, each.level) for each in document.headings]
    return head, document.text


def refusal_to_head(refusal: FileRefused) -> Head:
    """Name the refusal and its data; the path stays with the parent, which knows it as given."""
    values = {each.name: getattr(refusal, each.name) for each in fields(refusal)}  # type: ignore[arg-type]
    return {"refused": type(refusal).__name__, "values": values}


def document_from_frame(head: Head, text: str, path: str) -> DocumentText:
    """Rebuild the document, or raise what the child answered: a refusal of `path`, or NeedsOcr."""
    if "needs_ocr" in head:
        raise NeedsOcr(head["needs_ocr"])
    if "refused" in head:
        raise _refusal(head["refused"], head["values"], path)
    try:
        return DocumentText(
            text=text,
            headings=tuple(Heading(*place) for place in head["headings"]),
            file_type=head["file_type"],
            title=head["title"],
            encoding=head["encoding"],
            pages=tuple(head["pages"]),
            pages_without_text=tuple(head["pages_without_text"]),
            pages_garbled=tuple(head["pages_garbled"]),
            pages_by_ocr=tuple(head["pages_by_ocr"]),
        )
    except (KeyError, TypeError) as broken:
        raise BrokenFrame from broken


def _refusal(name: str, values: dict[str, Any], path: str) -> FileRefused:
    for kind in FileRefused.__subclasses__():
        if kind.__name__ == name:
            return kind(**{**values, "path": path})
    raise BrokenFrame
