"""Rows of knowledge bases."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ragkb.errors import BaseExists
from ragkb.models import Chunk, Document, Embedding, KnowledgeBase, ModelChange, with_keys


@dataclass(frozen=True)
class KnowledgeBaseRepository:
    """Knowledge bases within one transaction."""

    session: Session

    def all(self) -> Sequence[KnowledgeBase]:
        """Every base, by name."""
        chosen = select(KnowledgeBase).order_by(KnowledgeBase.name)
        return with_keys(self.session.scalars(chosen).all())

    def names(self) -> tuple[str, ...]:
        """The names of all bases, sorted."""
        return tuple(self.session.scalars(select(KnowledgeBase.name).order_by(KnowledgeBase.name)))

    def get(self, kb_id: str) -> KnowledgeBase | None:
        """The base of an id."""
        return self.session.get(KnowledgeBase, kb_id)

    def by_name(self, name: str) -> KnowledgeBase | None:
        """The base of exactly that name."""
        return self.session.scalar(select(KnowledgeBase).where(KnowledgeBase.name == name))

    def model_change(self, kb_id: str) -> ModelChange | None:
        """The change of a base's model that is under way or can still be undone."""
        return self.session.get(ModelChange, kb_id)

    def add(self, base: KnowledgeBase) -> None:
        """Insert a base; BaseExists if its name was taken."""
        self.session.add(base)
        try:
            self.session.flush()
        except IntegrityError as error:
            raise BaseExists(base.name) from error

    def delete(self, base: KnowledgeBase) -> None:
        """Delete a base, and by cascade its documents, chunks and vectors."""
        self.session.delete(base)
        self.session.flush()

    def count_documents(self, kb_id: str) -> int:
        """How many documents a base holds."""
        counted = select(func.count()).select_from(Document).where(Document.kb_id == kb_id)
        return self.session.scalar(counted) or 0

    def count_chunks(self, kb_id: str) -> int:
        """How many chunks a base holds."""
        counted = select(func.count()).select_from(Chunk).join(Document)
        return self.session.scalar(counted.where(Document.kb_id == kb_id)) or 0

    def count_vectors(self, kb_id: str) -> int:
        """How many chunks of a base have vectors, counted once for each model."""
        counted = select(func.count()).select_from(Embedding)
        counted = counted.join(Chunk, Chunk.id == Embedding.chunk_id)
        counted = counted.join(Document, Document.id == Chunk.doc_id)
        return self.session.scalar(counted.where(Document.kb_id == kb_id)) or 0
