"""What all models share: naming of constraints, time stamps, long text."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, MetaData, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase

# Alembic's batch mode can only drop constraints that have a name.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

MYSQL = ("mysql", "mariadb")


class Line(TypeDecorator[str]):
    """Text up to a length; DamagedValue when what is stored is none."""

    impl = String
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return checked(super().result_processor(dialect, coltype), str)


class PlainText(Line):
    """Text of some kilobytes."""

    impl = Text
    cache_ok = True


class LongText(Line):
    """Text without a limit; MySQL's TEXT ends at 64 kB."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name not in MYSQL:
            return dialect.type_descriptor(Text())
        from sqlalchemy.dialects.mysql import LONGTEXT  # it loads every driver, 80 ms

        return dialect.type_descriptor(LONGTEXT())


class DamagedValue(ValueError):
    """A stored value that cannot be what its column holds."""


def with_keys(rows: Sequence[Any]) -> Sequence[Any]:
    """The rows; DamagedValue where one has no primary key, which SQLAlchemy reads as None."""
    if any(row is None for row in rows):
        raise DamagedValue("a row without a key")
    return rows


class JsonObject(TypeDecorator[dict[str, Any]]):
    """A JSON object; DamagedValue when what is stored is none."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return checked(super().result_processor(dialect, coltype), dict)


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware in Python, stored as UTC without a zone."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name not in MYSQL:
            return dialect.type_descriptor(DateTime())
        from sqlalchemy.dialects.mysql import DATETIME

        return dialect.type_descriptor(DATETIME(fsp=6))

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

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return checked(super().result_processor(dialect, coltype), datetime)


def checked(process: Callable[[Any], Any] | None, kind: type) -> Callable[[Any], Any]:
    """What reads a column, with DamagedValue where it fails or gives something else."""

    def read(value: Any) -> Any:
        try:
            found = process(value) if process else value
        except (ValueError, TypeError) as error:
            raise DamagedValue(f"{value!r:.80} is no {kind.__name__}") from error
        if found is not None and not isinstance(found, kind):
            raise DamagedValue(f"{value!r:.80} is no {kind.__name__}")
        return found

    return read


class Model(DeclarativeBase):
    """Base of all models."""

    metadata = MetaData(naming_convention=NAMES)


def now() -> datetime:
    """The present instant."""
    return datetime.now(UTC)
