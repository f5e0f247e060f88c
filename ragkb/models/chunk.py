"""A chunk: the piece of a document that is indexed, found and shown."""

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ragkb.models.base import Line, LongText, Model, UtcDateTime, now


class Chunk(Model):
    """One chunk: `document.content[start:end]`, verbatim.

    Ids are never used again (AUTOINCREMENT), so that a vector that arrives late cannot land on
    another chunk. `start` and `end` are None only in chunks of old files that could not be found
    again in their document.
    """

    __tablename__ = "chunks"
    __table_args__ = (UniqueConstraint("doc_id", "chunk_index"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    doc_id: Mapped[str] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    chunk_index: Mapped[int]
    content: Mapped[str] = mapped_column(LongText)
    tokens: Mapped[int]
    start: Mapped[int | None]
    end: Mapped[int | None]
    page: Mapped[int | None]
    heading: Mapped[str] = mapped_column(Line(512), default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
