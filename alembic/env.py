"""Runs the revisions: on the connection that ragkb hands over, or on the URL of alembic.ini."""

from logging.config import fileConfig
from pathlib import Path
from typing import Any

from alembic import context
from sqlalchemy import Connection, make_url

from ragkb.database import create_sqlite_engine
from ragkb.models import Model

config = context.config


def hidden_tables(connection: Connection) -> set[str]:
    """Virtual tables and their shadows, which autogenerate must not want to drop.

    SQLite calls one of vec0's shadows an ordinary table, so they are told by their names.
    """
    if connection.dialect.name != "sqlite":
        return set()
    rows = connection.exec_driver_sql("SELECT name, type FROM pragma_table_list").all()
    virtual = tuple(name for name, kind in rows if kind == "virtual")
    prefixes = tuple(f"{name}_" for name in virtual)
    return {name for name, _ in rows if name in virtual or name.startswith(prefixes)}


def run(connection: Connection) -> None:
    """Run what was asked for on an open transaction."""
    hidden = hidden_tables(connection)

    def include_name(name: str | None, kind: str, _parents: Any) -> bool:
        return not (kind == "table" and name in hidden)

    context.configure(
        connection=connection,
        target_metadata=Model.metadata,
        include_name=include_name,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if (given := config.attributes.get("connection")) is not None:
    run(given)
else:
    if config.config_file_name is not None:
        fileConfig(config.config_file_name, disable_existing_loggers=False)
    url = make_url(config.get_main_option("sqlalchemy.url") or "")
    engine = create_sqlite_engine(
        Path(url.database or "alembic-scratch.db"), foreign_keys=False, begin="IMMEDIATE"
    )
    # begin, not connect: a query before configure would open a transaction that nobody commits
    with engine.begin() as opened:
        run(opened)
    engine.dispose()
