"""Rows of vectors, and the leases on documents whose vectors are being made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.orm import Session

from ragkb.models import Chunk, Document, Embedding, EmbeddingLease
from ragkb.repositories.search_index import SearchIndex


@dataclass(frozen=True)
class ChunkToEmbed:
    """A chunk that has no vector under the base's model."""

    id: int
    doc_id: str
    content: str


@dataclass(frozen=True)
class EmbeddedChunk:
    """A chunk's text with the vectors that are stored for it."""

    content: str
    vectors: bytes


@dataclass(frozen=True)
class EmbeddingRepository:
    """Vectors of one base under one model within one transaction."""

    session: Session
    index: SearchIndex
    kb_id: str
    model: str

    def missing(self, doc_ids: Sequence[str], after: int, limit: int) -> list[ChunkToEmbed]:
        """Chunks of the documents without a vector, by id, those up to `after` left out."""
        chosen = (
            select(Chunk.id, Chunk.doc_id, Chunk.content)
            .where(Chunk.doc_id.in_(doc_ids), Chunk.id > after, self._has_none())
            .order_by(Chunk.id)
            .limit(limit)
        )
        return [ChunkToEmbed(*row) for row in self.session.execute(chosen)]

    def count_missing(self) -> int:
        """How many chunks of the base have no vector under the model."""
        return sum(self.count_missing_by_document().values())

    def count_missing_by_document(self, doc_ids: Sequence[str] | None = None) -> dict[str, int]:
        """How many chunks without a vector each document has; documents with none are left out."""
        counted = (
            select(Chunk.doc_id, func.count())
            .join(Document, Document.id == Chunk.doc_id)
            .where(Document.kb_id == self.kb_id, self._has_none())
            .group_by(Chunk.doc_id)
        )
        if doc_ids is not None:
            counted = counted.where(Chunk.doc_id.in_(doc_ids))
        return dict(self.session.execute(counted).all())

    def store(self, dimension: int, vectors: Mapping[int, bytes]) -> int:
        """Keep and index the vectors of those chunks that still exist; how many that were."""
        alive = self.keep(dimension, vectors)
        self.index.add_vectors(
            self.kb_id, [(each, vectors[each][: 4 * dimension]) for each in alive]
        )
        return len(alive)

    def keep(self, dimension: int, vectors: Mapping[int, bytes]) -> Sequence[int]:
        """Keep the vectors of those chunks that still exist, and give their ids.

        A document may have been deleted or replaced while its vectors were on their way.
        """
        alive = self.session.scalars(select(Chunk.id).where(Chunk.id.in_(vectors))).all()
        self.session.execute(
            delete(Embedding).where(Embedding.chunk_id.in_(alive), Embedding.model == self.model)
        )
        self.session.add_all(
            Embedding(chunk_id=each, model=self.model, dimension=dimension, vectors=vectors[each])
            for each in alive
        )
        self.session.flush()
        return alive

    def delete_all(self) -> int:
        """Delete all vectors of the base under this model; how many chunks had some."""
        chunks = select(Chunk.id).join(Document).where(Document.kb_id == self.kb_id)
        condition = Embedding.model == self.model, Embedding.chunk_id.in_(chunks)
        counted = select(func.count()).select_from(Embedding).where(*condition)
        count = self.session.scalar(counted) or 0
        self.session.execute(delete(Embedding).where(*condition))
        return count

    def of(self, chunk_ids: Sequence[int]) -> dict[int, bytes]:
        """The vectors of those of the chunks that have some."""
        chosen = select(Embedding.chunk_id, Embedding.vectors).where(
            Embedding.chunk_id.in_(chunk_ids), Embedding.model == self.model
        )
        return dict(self.session.execute(chosen).all())

    def spread(self, count: int) -> list[EmbeddedChunk]:
        """Some chunks that have vectors, spread over the base: first, last, between."""
        ids = self.session.scalars(self._ids()).all()
        most = len(ids) - 1
        places = {most * number // max(1, count - 1) for number in range(count) if ids}
        chosen = (
            select(Chunk.content, Embedding.vectors)
            .join(Embedding, Embedding.chunk_id == Chunk.id)
            .where(Embedding.model == self.model, Chunk.id.in_([ids[each] for each in places]))
        )
        return [EmbeddedChunk(*row) for row in self.session.execute(chosen)]

    def first(self, limit: int) -> dict[int, bytes]:
        """The vectors of the first chunks that have some."""
        return self.of(self.session.scalars(self._ids().limit(limit)).all())

    def remove(self, chunk_ids: Sequence[int]) -> None:
        """Delete vectors of the model; the vector index is not touched."""
        self.session.execute(
            delete(Embedding).where(
                Embedding.model == self.model, Embedding.chunk_id.in_(chunk_ids)
            )
        )

    def rename_model(self, name: str) -> None:
        """Call the model by another name; its vectors stay."""
        chunks = select(Chunk.id).join(Document).where(Document.kb_id == self.kb_id)
        self.session.execute(
            update(Embedding)
            .where(Embedding.model == self.model, Embedding.chunk_id.in_(chunks))
            .values(model=name)
        )

    def settle(self, doc_ids: Sequence[str]) -> None:
        """Mark those of the documents as ready that have all their vectors."""
        missing = self.count_missing_by_document(doc_ids)
        self._set_status([each for each in doc_ids if each not in missing], "ready", "")

    def settle_all(self) -> None:
        """Mark the base's documents as ready, those that lack vectors as pending."""
        documents = update(Document).where(Document.kb_id == self.kb_id)
        self.session.execute(
            documents.values(status="ready", status_detail="", updated_at=Document.updated_at)
        )
        self._set_status(list(self.count_missing_by_document()), "pending", "")

    def fail(self, doc_ids: Sequence[str], reason: str) -> None:
        """Mark documents as failed, with the reason."""
        self._set_status(doc_ids, "failed", reason)

    def _ids(self) -> Select[int]:
        """The chunks of the base that have vectors of the model, in order."""
        return (
            select(Embedding.chunk_id)
            .join(Chunk, Chunk.id == Embedding.chunk_id)
            .join(Document, Document.id == Chunk.doc_id)
            .where(Document.kb_id == self.kb_id, Embedding.model == self.model)
            .order_by(Embedding.chunk_id)
        )

    def _has_none(self) -> ColumnElement[bool]:
        vectors = select(Embedding.chunk_id).where(
            Embedding.chunk_id == Chunk.id, Embedding.model == self.model
        )
        return ~vectors.exists()

    def _set_status(self, doc_ids: Sequence[str], status: str, detail: str) -> None:
        self.session.execute(
            update(Document)
            .where(Document.id.in_(doc_ids))
            .values(status=status, status_detail=detail, updated_at=Document.updated_at)
        )


@dataclass(frozen=True)
class LeaseRepository:
    """Claims on documents within one write transaction."""

    session: Session
    owner: str

    def holders(self, doc_ids: Sequence[str]) -> dict[str, tuple[str, datetime]]:
        """Owner and end of the leases of others on these documents."""
        chosen = select(EmbeddingLease).where(
            EmbeddingLease.doc_id.in_(doc_ids), EmbeddingLease.owner != self.owner
        )
        return {each.doc_id: (each.owner, each.expires_at) for each in self.session.scalars(chosen)}

    def take(self, doc_ids: Sequence[str], until: datetime) -> None:
        """Claim those of the documents that exist."""
        for doc_id in self.session.scalars(select(Document.id).where(Document.id.in_(doc_ids))):
            lease = EmbeddingLease(doc_id=doc_id, owner=self.owner, expires_at=until)
            self.session.merge(lease)
        self.session.flush()

    def prolong(self, until: datetime) -> None:
        """Keep all our claims longer."""
        ours = update(EmbeddingLease).where(EmbeddingLease.owner == self.owner)
        self.session.execute(ours.values(expires_at=until))

    def release(self, doc_ids: Sequence[str]) -> None:
        """Give our claims back."""
        self.session.execute(
            delete(EmbeddingLease).where(
                EmbeddingLease.doc_id.in_(doc_ids), EmbeddingLease.owner == self.owner
            )
        )
