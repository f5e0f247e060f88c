"""Documents of a base: list, show, delete, split anew."""

from dataclasses import dataclass
from datetime import datetime

from ragkb.errors import FileRefused, NoSuchDocument
from ragkb.messages import Note
from ragkb.models import DamagedValue, Document
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services import validation
from ragkb.services.embedders import Embedders
from ragkb.services.embedding import Embedding, EmbeddingReport, OnBatch
from ragkb.services.files import canonical, fingerprint
from ragkb.services.knowledge_bases import BaseInfo, model_of
from ragkb.services.places import headings_of
from ragkb.services.storing import chunks_of, put_chunks

NAMES_IN_A_REFUSAL = 200


@dataclass(frozen=True)
class DocumentInfo:
    """A document as it is listed; times are UTC.

    `missing_vectors` of its `chunk_count` chunks wait for their vector; `status` is `pending`,
    `ready` or `failed`, with the reason as a note.
    """

    id: str
    name: str
    file_path: str | None
    file_type: str
    chunk_size: int
    chunk_count: int
    missing_vectors: int
    status: str
    reason: Note | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class DocumentPage:
    """Some documents of a base, by name, and how many there are."""

    documents: tuple[DocumentInfo, ...]
    total: int


@dataclass(frozen=True)
class ShownDocument:
    """A document with the whole text that was read."""

    name: str
    title: str
    file_path: str | None
    file_type: str
    encoding: str
    pages: int
    content: str


@dataclass(frozen=True)
class SplitDocument:
    """A document that was split anew and whose new chunks wait for their vectors."""

    doc_id: str
    doc_name: str
    file_path: str | None
    file_sha256: str | None
    chunk_count: int


@dataclass(frozen=True)
class UpdatedDocument:
    """A document after it was split anew and embedded."""

    doc_id: str
    doc_name: str
    chunk_count: int
    chunk_size: int
    embedding: EmbeddingReport
    notes: tuple[Note, ...]


class Documents:
    """The documents of knowledge bases."""

    def __init__(self, store: Store, embedders: Embedders, embedding: Embedding) -> None:
        self._store = store
        self._embedders = embedders
        self._embedding = embedding

    def page(self, base: BaseInfo, limit: int | None = None, offset: int = 0) -> DocumentPage:
        """List documents by name; all of them when `limit` is None."""
        with self._store.read() as work:
            documents = work.documents(base.id)
            rows = documents.page(-1 if limit is None else limit, offset)
            counts = documents.chunk_counts(None if limit is None else [row.id for row in rows])
            missing = self._missing(work, base)
            infos = tuple(info(row, counts.get(row.id, 0), missing.get(row.id, 0)) for row in rows)
            return DocumentPage(infos, documents.count())

    def names(self, base: BaseInfo, limit: int | None = None) -> tuple[str, ...]:
        """The names of a base's documents, sorted."""
        with self._store.read() as work:
            return work.documents(base.id).names(limit)

    def count_chunks(self, base: BaseInfo) -> int:
        """How many chunks a base holds."""
        with self._store.read() as work:
            return work.bases.count_chunks(base.id)

    def show(self, base: BaseInfo, name: str) -> ShownDocument:
        """The text of a document as it was read."""
        with self._store.read() as work:
            document = find_document(work, base, name)
            return ShownDocument(
                name=document.name,
                title=document.title,
                file_path=document.file_path,
                file_type=document.file_type,
                encoding=document.encoding,
                pages=len(document.layout.get("pages", ())),
                content=document.content,
            )

    def delete(self, base: BaseInfo, name: str) -> str:
        """Delete a document with its chunks and vectors; returns its name."""
        with self._store.write() as work:
            document = find_document(work, base, name)
            work.chunks(base.id).remove(document.id)
            work.session.delete(document)
            return document.name

    def update(
        self, base: BaseInfo, name: str, chunk_size: object, on_batch: OnBatch
    ) -> UpdatedDocument:
        """Split a document anew from its stored text and embed the new chunks.

        The old chunks are replaced in one step; the file itself is not needed. A note says when it
        has changed on disk meanwhile.
        """
        size = validation.chunk_size(chunk_size)
        stored = self.split(base, name, size)
        report = self._embedding.complete(base, [stored.doc_id], on_batch)
        notes = notes_of_source(stored.file_path, stored.file_sha256)
        return UpdatedDocument(
            stored.doc_id, stored.doc_name, stored.chunk_count, size, report, notes
        )

    def split(self, base: BaseInfo, name: str, chunk_size: object) -> SplitDocument:
        """Split a document anew from its stored text; its chunks are found by keyword at once."""
        size = validation.chunk_size(chunk_size)
        stored = None
        while stored is None:  # again only if the text was replaced while we split it
            stored = self._split_anew(base, name, size)
        return stored

    def _split_anew(self, base: BaseInfo, name: str, size: int) -> SplitDocument | None:
        with self._store.read() as work:
            found = find_document(work, base, name)
            content, sha256, layout = found.content, found.content_sha256, found.layout
        chunks = chunks_of(content, size, headings_of(layout), layout.get("pages", ()))
        with self._store.write() as work:
            document = find_document(work, base, name)
            if document.content_sha256 != sha256:
                return None
            document.chunk_size = size
            put_chunks(work, document, chunks)
            return SplitDocument(
                document.id, document.name, document.file_path, document.file_sha256, len(chunks)
            )

    def _missing(self, work: UnitOfWork, base: BaseInfo) -> dict[str, int]:
        if not work.documents(base.id).unfinished():
            return {}
        model = model_of(base, self._embedders).model
        return work.embeddings(base.id, model).count_missing_by_document()


def find_document(work: UnitOfWork, base: BaseInfo, name: str) -> Document:
    """The row of a document, with its text; NoSuchDocument names what there is."""
    clean = validation.document_name(name)
    documents = work.documents(base.id)
    document = documents.with_content(clean)
    if document is None:
        raise NoSuchDocument(clean, base.name, documents.names(NAMES_IN_A_REFUSAL))
    return document


def notes_of_source(path: str | None, recorded: str | None) -> tuple[Note, ...]:
    """Whether the file that a document came from has changed or is gone."""
    if path is None or recorded is None:
        return ()
    try:
        same = fingerprint(canonical(path)) == recorded
    except FileRefused:
        return (Note("note.source_gone", {"path": path}),)
    return () if same else (Note("note.source_changed", {"path": path}),)


def info(document: Document, chunk_count: int, missing: int) -> DocumentInfo:
    """A row as a value."""
    return DocumentInfo(
        id=document.id,
        name=document.name,
        file_path=document.file_path,
        file_type=document.file_type,
        chunk_size=document.chunk_size,
        chunk_count=chunk_count,
        missing_vectors=missing,
        status=document.status,
        reason=reason_of(document),
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def reason_of(document: Document) -> Note | None:
    """Why a document failed; DamagedValue when what is stored is no note."""
    if not document.status_detail:
        return None
    try:
        return Note.from_json(document.status_detail)
    except (ValueError, TypeError) as error:
        raise DamagedValue(f"{document.status_detail!r:.80} is no note") from error
