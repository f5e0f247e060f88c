"""Putting a document's text into a base: split, named, indexed, in one transaction."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragkb.document_text import DocumentText, Heading
from ragkb.messages import Note
from ragkb.models import Document, now
from ragkb.readers import ocr_installed
from ragkb.repositories.chunks import NewChunk
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services.files import SourceFile, free_name, text_fingerprint
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.leases import claim
from ragkb.text.splitting import split

Status = Literal["imported", "updated", "unchanged"]


@dataclass(frozen=True)
class StoredDocument:
    """A document as it lies in the base now; `chunks_to_embed` of its chunks have no vector."""

    doc_id: str
    file_path: str
    doc_name: str
    status: Status
    chunk_count: int
    chunks_to_embed: int
    file_type: str
    characters: int
    pages: int
    encoding: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Storing:
    """Stores documents of one import; `chunk_size` None means that of the base or the document."""

    data: Store
    base: BaseInfo
    chunk_size: int | None
    owner: str

    def unchanged(self, source: SourceFile, sha256: str) -> StoredDocument | None:
        """The stored document, when it came from these very bytes and need not be split anew."""
        with self.data.read() as work:
            document = work.documents(self.base.id).by_path(source.path)
            if document is None or document.file_sha256 != sha256 or self._split_anew(document):
                return None
            if document.layout.get("unread") and ocr_installed():
                return None  # the extra came since
            return self._as_it_is(work, document)

    def store(self, source: SourceFile, text: DocumentText, sha256: str) -> StoredDocument:
        """Add the document, or replace the one that came from the same path, in one transaction."""
        size = self._size_for(source)
        chunks = chunks_of(text.text, size, text.headings, text.pages)
        with self.data.write() as work:
            documents = work.documents(self.base.id)
            existing = documents.by_path(source.path)
            if existing is not None and not self._differs(existing, text):
                existing.file_sha256 = sha256
                existing.layout = layout_of(text)  # OCR may have been tried since
                return self._as_it_is(work, existing)
            document = existing or Document(
                id=str(uuid.uuid4()),
                kb_id=self.base.id,
                name=free_name(source.name, documents.has),
                file_path=source.path,
            )
            fill(document, text, sha256, size)
            work.session.add(document)
            work.session.flush()
            put_chunks(work, document, chunks)
            claim(work, self.owner, [document.id])
            return StoredDocument(
                doc_id=document.id,
                file_path=source.path,
                doc_name=document.name,
                status="updated" if existing else "imported",
                chunk_count=len(chunks),
                chunks_to_embed=len(chunks),
                file_type=text.file_type,
                characters=len(text.text),
                pages=len(text.pages),
                encoding=text.encoding,
                notes=notes_of(source, document.name, text),
            )

    def _size_for(self, source: SourceFile) -> int:
        """The size that was asked for, else the document's own, else the base's."""
        if self.chunk_size is not None:
            return self.chunk_size
        with self.data.read() as work:
            document = work.documents(self.base.id).by_path(source.path)
            return document.chunk_size if document else self.base.chunk_size

    def _differs(self, document: Document, text: DocumentText) -> bool:
        same_text = document.content_sha256 == text_fingerprint(text.text)
        return not same_text or self._split_anew(document)

    def _split_anew(self, document: Document) -> bool:
        return self.chunk_size is not None and self.chunk_size != document.chunk_size

    def _as_it_is(self, work: UnitOfWork, document: Document) -> StoredDocument:
        chunk_count = work.documents(self.base.id).chunk_counts([document.id]).get(document.id, 0)
        return StoredDocument(
            doc_id=document.id,
            file_path=document.file_path or "",
            doc_name=document.name,
            status="unchanged",
            chunk_count=chunk_count,
            chunks_to_embed=0 if document.status == "ready" else chunk_count,
            file_type=document.file_type,
            characters=len(document.content),
            pages=len(document.layout.get("pages", ())),
            encoding=document.encoding,
        )


def chunks_of(
    text: str, chunk_size: int, headings: Sequence[Heading], pages: Sequence[int]
) -> list[NewChunk]:
    """The chunks of a text, ready to be stored."""
    spans = split(text, chunk_size, headings=headings, pages=pages)
    return [
        NewChunk(text[s.start : s.end], s.tokens, s.start, s.end, s.page, s.heading) for s in spans
    ]


def put_chunks(work: UnitOfWork, document: Document, chunks: Sequence[NewChunk]) -> None:
    """Replace a document's chunks; it waits for the vectors that it does not inherit."""
    work.chunks(document.kb_id).replace(document.id, chunks)
    document.status = "pending"
    document.status_detail = ""
    document.updated_at = now()


def fill(document: Document, text: DocumentText, sha256: str | None, chunk_size: int) -> None:
    """Give a document its text and what is known about it."""
    document.title = text.title[:512]
    document.file_type = text.file_type
    document.file_sha256 = sha256
    document.encoding = text.encoding
    document.content = text.text
    document.content_sha256 = text_fingerprint(text.text)
    document.layout = layout_of(text)
    document.chunk_size = chunk_size


def layout_of(text: DocumentText) -> dict[str, Any]:
    """Pages, headings and the pages that OCR could still read, as JSON."""
    headings = [[heading.start, heading.end, heading.level] for heading in text.headings]
    unread = [] if ocr_installed() else sorted((*text.pages_without_text, *text.pages_garbled))
    return {"pages": list(text.pages), "headings": headings, "unread": unread}


def notes_of(source: SourceFile, name: str, text: DocumentText) -> tuple[Note, ...]:
    """What a user should know about a file that was stored."""
    notes: list[Note] = []
    if name != source.name:
        notes.append(Note("note.renamed", {"given": source.name, "name": name}))
    for key, pages in (
        (
            "note.pages_silent" if ocr_installed() else "note.pages_without_text",
            text.pages_without_text,
        ),
        ("note.pages_garbled", text.pages_garbled),
        (_key_by_ocr(text), text.pages_by_ocr),
    ):
        if pages:
            notes.append(Note(key, {"pages": runs(pages), "total": len(text.pages)}))
    return tuple(notes)


def _key_by_ocr(text: DocumentText) -> str:
    everything = len(text.pages_by_ocr) == len(text.pages)
    return "note.all_by_ocr" if everything else "note.pages_by_ocr"


def runs(numbers: Sequence[int]) -> str:
    """Numbers in words that stay short: `2, 3, 7-12`."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ", ".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in found
    )
