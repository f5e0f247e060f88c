"""The vectors of a chunk under one model, and who is making the missing ones."""

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from ragkb.models.base import Line, Model, UtcDateTime

UNKNOWN_MODEL = "unknown"


class Embedding(Model):
    """All vectors of one chunk in one row: two rows of 2 kB would waste half of each 4 kB page.

    `vectors` is `dimension` float32 (the whole chunk, length 1), then `dimension` int8 for each
    window of the chunk (times 127), little-endian.
    """

    __tablename__ = "embeddings"

    chunk_id: Mapped[int] = mapped_column(
        ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True
    )
    model: Mapped[str] = mapped_column(Line(255), primary_key=True)
    dimension: Mapped[int]
    vectors: Mapped[bytes] = mapped_column(LargeBinary)


class EmbeddingLease(Model):
    """A claim on a document's missing vectors, so that two programs do not make the same ones."""

    __tablename__ = "embedding_leases"

    doc_id: Mapped[str] = mapped_column(
        ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True
    )
    owner: Mapped[str] = mapped_column(Line(255))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
