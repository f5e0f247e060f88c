"""What all models share: naming of constraints, time stamps, long text."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, MetaData, Text, TypeDecorator
from sqlalchemy.dialects.mysql import DATETIME, LONGTEXT
from sqlalchemy.orm import DeclarativeBase

# Alembic's batch mode can only drop constraints that have a name.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

LongText = Text().with_variant(LONGTEXT(), "mysql", "mariadb")


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware in Python, stored as UTC without a zone."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002  # SQLAlchemy's signature
    ) -> datetime | None:
        return value.astimezone(UTC).replace(tzinfo=None) if value else None

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002  # SQLAlchemy's signature
    ) -> datetime | None:
        return value.replace(tzinfo=UTC) if value else None


class Model(DeclarativeBase):
    """Base of all models."""

    metadata = MetaData(naming_convention=NAMES)


def now() -> datetime:
    """The present instant."""
    return datetime.now(UTC)
