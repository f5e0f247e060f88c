"""Rows of chunks, kept in step with the search index."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from ragkb.models import Chunk, Document, Embedding
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

    def replace(self, doc_id: str, chunks: Sequence[NewChunk]) -> None:
        """Store a document's chunks in their order in place of those it had, and index their terms.

        A new chunk with the text of an old one inherits its vectors: nothing is embedded twice.
        """
        vectors = self._vectors_by_text(doc_id)
        self.remove(doc_id)
        ids = self._insert(doc_id, chunks)
        self.index.add_chunks(self.kb_id, zip(ids, (each.content for each in chunks), strict=True))
        inherited = [
            Embedding(
                chunk_id=chunk_id, model=old.model, dimension=old.dimension, vectors=old.vectors
            )
            for chunk_id, chunk in zip(ids, chunks, strict=True)
            for old in vectors.get(chunk.content, {}).values()
        ]
        self.session.add_all(inherited)
        self.session.flush()
        self.index.refresh_vectors(self.kb_id, [each.chunk_id for each in inherited])

    def remove(self, doc_id: str) -> None:
        """Delete a document's chunks, their vectors and their place in the index."""
        ids = self.session.scalars(select(Chunk.id).where(Chunk.doc_id == doc_id)).all()
        self.index.remove(self.kb_id, ids)
        self.session.execute(delete(Chunk).where(Chunk.doc_id == doc_id))

    def _vectors_by_text(self, doc_id: str) -> dict[str, dict[str, Embedding]]:
        """Chunk text, then model, to vectors; equal texts have equal vectors."""
        chosen = (
            select(Chunk.content, Embedding)
            .join(Embedding, Embedding.chunk_id == Chunk.id)
            .where(Chunk.doc_id == doc_id)
        )
        found: dict[str, dict[str, Embedding]] = {}
        for content, embedding in self.session.execute(chosen):
            self.session.expunge(embedding)
            found.setdefault(content, {})[embedding.model] = embedding
        return found

    def _insert(self, doc_id: str, chunks: Sequence[NewChunk]) -> Sequence[int]:
        rows = [
            {**asdict(chunk), "doc_id": doc_id, "chunk_index": number}
            for number, chunk in enumerate(chunks)
        ]
        if not rows:
            return []
        inserted = insert(Chunk).returning(Chunk.id, sort_by_parameter_order=True)
        return self.session.scalars(inserted, rows).all()

    def around(self, doc_id: str, chunk_index: int, count: int) -> list[tuple[int, str]]:
        """Index and content of up to `count` chunks on each side of a chunk, in order."""
        near = Chunk.chunk_index.between(chunk_index - count, chunk_index + count)
        chosen = select(Chunk.chunk_index, Chunk.content).where(
            Chunk.doc_id == doc_id, near, Chunk.chunk_index != chunk_index
        )
        return [
            (row[0], row[1]) for row in self.session.execute(chosen.order_by(Chunk.chunk_index))
        ]

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
