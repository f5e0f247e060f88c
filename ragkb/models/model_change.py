"""A change of a base's embedding model, under way or done and still to be undone."""

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from ragkb.models.base import Model, UtcDateTime, now

BUILDING, SWITCHED = "building", "switched"


class ModelChange(Model):
    """The other model of a base beside the one that its own row names.

    `building`: the next one, whose vectors are being made under the name `next:MODEL`.
    `switched`: the one before, whose vectors are kept under the name `previous:MODEL`.
    """

    __tablename__ = "model_changes"

    kb_id: Mapped[str] = mapped_column(
        ForeignKey("knowledge_bases.id", ondelete="CASCADE"), primary_key=True
    )
    state: Mapped[str] = mapped_column(String(16))
    embedding_model: Mapped[str] = mapped_column(String(255))
    embedding_endpoint: Mapped[str | None] = mapped_column(String(2000))
    embedding_dim: Mapped[int | None]
    embedding_probe: Mapped[bytes | None] = mapped_column(LargeBinary)
    windows: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    @property
    def vectors_name(self) -> str:
        """The model name under which this model's vectors are kept."""
        prefix = "next" if self.state == BUILDING else "previous"
        return f"{prefix}:{self.embedding_model}"
