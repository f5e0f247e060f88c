"""A document: the whole text of an imported file, or a knowledge entry."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ragkb.models.base import JsonObject, Line, LongText, Model, PlainText, UtcDateTime, now


class Document(Model):
    """One document of a knowledge base.

    `content` is the text as read; `layout` holds where its pages and headings stand, so that it
    can be split again without the file. `file_sha256` is of the file's bytes, `content_sha256` of
    the text. `status` is `pending` (vectors missing), `ready` or `failed` (`status_detail` holds
    the reason as a note in JSON).
    """

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("kb_id", "name"),
        Index(
            "ix_documents_kb_id_file_path", "kb_id", "file_path", mysql_length={"file_path": 255}
        ),
    )

    id: Mapped[str] = mapped_column(Line(36), primary_key=True)
    kb_id: Mapped[str] = mapped_column(ForeignKey("knowledge_bases.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(Line(512))
    title: Mapped[str] = mapped_column(Line(512), default="")
    file_path: Mapped[str | None] = mapped_column(PlainText)
    file_type: Mapped[str] = mapped_column(Line(32))
    file_sha256: Mapped[str | None] = mapped_column(Line(64))
    encoding: Mapped[str] = mapped_column(Line(32), default="")
    content: Mapped[str] = mapped_column(LongText, deferred=True)
    content_sha256: Mapped[str] = mapped_column(Line(64))
    layout: Mapped[dict[str, Any]] = mapped_column(JsonObject, deferred=True)
    chunk_size: Mapped[int]
    category: Mapped[str | None] = mapped_column(Line(200))
    metadata_: Mapped[dict[str, Any] | None] = mapped_column("metadata", JsonObject)
    status: Mapped[str] = mapped_column(Line(16), default="pending")
    status_detail: Mapped[str] = mapped_column(PlainText, default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)
