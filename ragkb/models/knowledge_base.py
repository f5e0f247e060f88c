"""A knowledge base: a named set of documents with one chunk size and one embedding model."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from ragkb.models.base import Line, Model, UtcDateTime, now


class KnowledgeBase(Model):
    """One knowledge base.

    `embedding_model` is None until chosen (old files): then the settings' default is meant.
    `embedding_dim` and `embedding_probe` (the float32 vector of a fixed text) are known once
    something was embedded; they tell whether an endpoint still gives the same vectors.
    `windows` says whether chunks are also embedded sentence by sentence. `index_stale` is set by
    migrations; the search index of such a base is rebuilt before the upgrade commits.
    """

    __tablename__ = "knowledge_bases"

    id: Mapped[str] = mapped_column(Line(36), primary_key=True)
    name: Mapped[str] = mapped_column(Line(200), unique=True)
    chunk_size: Mapped[int]
    token_encoding: Mapped[str] = mapped_column(Line(32))
    embedding_model: Mapped[str | None] = mapped_column(Line(255))
    embedding_endpoint: Mapped[str | None] = mapped_column(Line(2000))
    embedding_dim: Mapped[int | None]
    embedding_probe: Mapped[bytes | None] = mapped_column(LargeBinary)
    windows: Mapped[bool] = mapped_column(default=False)
    index_stale: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now, onupdate=now)
