"""Rows of documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, undefer

from ragkb.models import Chunk, Document, with_keys


@dataclass(frozen=True)
class DocumentRepository:
    """Documents of one base within one transaction; contents are loaded only when asked for."""

    session: Session
    kb_id: str

    def by_name(self, name: str) -> Document | None:
        """The document of exactly that name."""
        return self._one(Document.name == name)

    def has(self, name: str) -> bool:
        """Whether a document of exactly that name is there."""
        chosen = select(Document.id).where(Document.kb_id == self.kb_id, Document.name == name)
        return self.session.scalar(chosen) is not None

    def by_path(self, path: str) -> Document | None:
        """The document imported from that canonical path."""
        return self._one(Document.file_path == path)

    def with_content(self, name: str) -> Document | None:
        """The document of that name with its whole text."""
        chosen = select(Document).where(Document.kb_id == self.kb_id, Document.name == name)
        return self.session.scalar(
            chosen.options(undefer(Document.content), undefer(Document.layout))
        )

    def layout(self, doc_id: str) -> dict[str, Any]:
        """Where a document's pages and headings stand."""
        chosen = select(Document.layout).where(Document.id == doc_id)
        return self.session.execute(chosen).scalar_one()

    def content(self, doc_id: str) -> str:
        """A document's whole text."""
        chosen = select(Document.content).where(Document.id == doc_id)
        return self.session.execute(chosen).scalar_one()

    def names(self, limit: int | None = None) -> tuple[str, ...]:
        """The names of the base's documents, sorted."""
        chosen = select(Document.name).where(Document.kb_id == self.kb_id).order_by(Document.name)
        return tuple(self.session.scalars(chosen.limit(limit)))

    def page(self, limit: int, offset: int) -> Sequence[Document]:
        """Some of the base's documents, by name."""
        chosen = select(Document).where(Document.kb_id == self.kb_id).order_by(Document.name)
        return with_keys(self.session.scalars(chosen.limit(limit).offset(offset)).all())

    def count(self) -> int:
        """How many documents the base holds."""
        counted = select(func.count()).select_from(Document)
        return self.session.scalar(counted.where(Document.kb_id == self.kb_id)) or 0

    def paths(self) -> dict[str, str]:
        """Canonical path to name, of the documents that were imported from files."""
        chosen = select(Document.file_path, Document.name).where(
            Document.kb_id == self.kb_id, Document.file_path.is_not(None)
        )
        return {path: name for path, name in self.session.execute(chosen) if path}

    def by_id(self, doc_id: str) -> Document | None:
        """The document of an id, with its whole text."""
        chosen = select(Document).where(Document.kb_id == self.kb_id, Document.id == doc_id)
        return self.session.scalar(
            chosen.options(undefer(Document.content), undefer(Document.layout))
        )

    def names_by_id(self) -> dict[str, str]:
        """The names of all documents by their id."""
        chosen = select(Document.id, Document.name).where(Document.kb_id == self.kb_id)
        return dict(self.session.execute(chosen).all())

    def sources(self) -> list[tuple[str, str, str | None]]:
        """Name, canonical path and recorded SHA-256 of the documents that came from files."""
        chosen = select(Document.name, Document.file_path, Document.file_sha256).where(
            Document.kb_id == self.kb_id, Document.file_path.is_not(None)
        )
        rows = self.session.execute(chosen.order_by(Document.name))
        return [(name, path, recorded) for name, path, recorded in rows if path]

    def unfinished(self) -> tuple[str, ...]:
        """The ids of documents whose vectors are not complete."""
        chosen = select(Document.id).where(Document.kb_id == self.kb_id, Document.status != "ready")
        return tuple(self.session.scalars(chosen.order_by(Document.created_at, Document.id)))

    def ids(self) -> tuple[str, ...]:
        """The ids of all documents of the base, oldest first."""
        chosen = select(Document.id).where(Document.kb_id == self.kb_id)
        return tuple(self.session.scalars(chosen.order_by(Document.created_at, Document.id)))

    def chunk_counts(self, doc_ids: Sequence[str] | None = None) -> dict[str, int]:
        """How many chunks each document has: of these documents, or of all in the base."""
        counted = select(Chunk.doc_id, func.count()).group_by(Chunk.doc_id)
        if doc_ids is None:
            counted = counted.join(Document).where(Document.kb_id == self.kb_id)
        else:
            counted = counted.where(Chunk.doc_id.in_(doc_ids))
        return dict(self.session.execute(counted).all())

    def _one(self, condition: ColumnElement[bool]) -> Document | None:
        chosen = select(Document).where(Document.kb_id == self.kb_id, condition)
        return self.session.scalar(chosen.order_by(Document.created_at).limit(1))
