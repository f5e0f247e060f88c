"""Rows of chunks, kept in step with the search index."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from ragkb.models import Chunk, Document
from ragkb.repositories.search_index import SearchIndex


@dataclass(frozen=True)
class NewChunk:
    """A chunk to be stored; `start` and `end` are offsets in the document's text."""

    content: str
    tokens: int
    start: int
    end: int
    page: int | None
    heading: str


@dataclass(frozen=True)
class FoundChunk:
    """A chunk with what is shown of its document."""

    id: int
    doc_id: str
    content: str
    tokens: int
    chunk_index: int
    doc_name: str
    file_path: str | None
    page: int | None
    heading: str
    start: int | None
    end: int | None


@dataclass(frozen=True)
class ChunkRepository:
    """Chunks of one base within one transaction."""

    session: Session
    index: SearchIndex
    kb_id: str

    def add(self, doc_id: str, chunks: Sequence[NewChunk]) -> None:
        """Store a document's chunks in their order and index their terms."""
        if not chunks:
            return
        rows = [
            {
                "doc_id": doc_id,
                "chunk_index": number,
                "content": chunk.content,
                "tokens": chunk.tokens,
                "start": chunk.start,
                "end": chunk.end,
                "page": chunk.page,
                "heading": chunk.heading,
            }
            for number, chunk in enumerate(chunks)
        ]
        ids = self.session.scalars(
            insert(Chunk).returning(Chunk.id, sort_by_parameter_order=True), rows
        )
        texts = (chunk.content for chunk in chunks)
        self.index.add_chunks(self.kb_id, zip(ids, texts, strict=True))

    def remove(self, doc_id: str) -> None:
        """Delete a document's chunks, their vectors and their place in the index."""
        ids = self.session.scalars(select(Chunk.id).where(Chunk.doc_id == doc_id)).all()
        self.index.remove(self.kb_id, ids)
        self.session.execute(delete(Chunk).where(Chunk.doc_id == doc_id))

    def found(self, chunk_ids: Sequence[int]) -> dict[int, FoundChunk]:
        """The chunks of these ids, with their documents' names."""
        chosen = (
            select(
                Chunk.id,
                Chunk.doc_id,
                Chunk.content,
                Chunk.tokens,
                Chunk.chunk_index,
                Document.name,
                Document.file_path,
                Chunk.page,
                Chunk.heading,
                Chunk.start,
                Chunk.end,
            )
            .join(Document, Document.id == Chunk.doc_id)
            .where(Chunk.id.in_(chunk_ids), Document.kb_id == self.kb_id)
        )
        return {row[0]: FoundChunk(*row) for row in self.session.execute(chosen)}
