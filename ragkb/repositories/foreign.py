"""Database files that are not ours: copied, checked, and their rows taken over into a clean file.

Nothing of such a file's schema runs: it is opened on a private copy, only rows of known tables and
columns are read from it, and triggers, views, indexes and constraints stay behind.
"""

import errno
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError

from ragkb import database
from ragkb.database import sqlite_driver
from ragkb.errors import (
    NewerDatabase,
    NoSpace,
    SourceChanging,
    SourceDamaged,
    SourceForeign,
    UnreadablePath,
    UpgradeFailed,
)
from ragkb.migrations import HEAD, PREDECESSOR, Keys, migrate

PREDECESSORS_TABLES = ("knowledge_bases", "documents", "chunks")
TABLES = (*PREDECESSORS_TABLES, "embeddings", "model_changes")
COMPANIONS = ("-wal", "-journal")  # they hold what the main file does not have yet
COPY_ATTEMPTS = 5
ROWS_AT_ONCE = 500
_FULL, _NOT_A_DATABASE = 13, 26  # https://sqlite.org/rescode.html
CAREFUL = (
    "trusted_schema=OFF",  # no function with side effects in a view, an index or a CHECK
    "ignore_check_constraints=ON",  # integrity_check would evaluate them
    "cell_size_check=ON",
    "query_only=ON",
)
PYTHON_KINDS = {"INTEGER": int, "BOOLEAN": int, "BLOB": bytes}  # all others are text

Connection = Any  # the driver's; it has no types


@contextmanager
def opened(source: Path, folder: Path) -> Generator[Connection]:
    """A careful connection to a copy of `source`, made in `folder`, whose integrity was checked.

    What SQLite finds wrong is SourceForeign or SourceDamaged, also inside the block.
    """
    if not source.stat().st_size:
        raise SourceForeign(str(source), "it is empty")
    with translated(source), connected(private_copy(source, folder)) as connection:
        for pragma in CAREFUL:
            connection.execute(f"PRAGMA {pragma}")
        (first,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if first != "ok":
            raise SourceDamaged(str(source), " ".join(first.split())[:200])
        yield connection


def private_copy(source: Path, folder: Path) -> Path:
    """Copy a database with its write-ahead log, as it is at one moment.

    The files are only read, never opened as a database, so that not even a lock is left on them.
    """
    target = folder / "source.db"
    pairs = [(source.with_name(source.name + end), f"{target}{end}") for end in ("", *COMPANIONS)]
    for _ in range(COPY_ATTEMPTS):
        before = _states(original for original, _ in pairs)
        for original, copy in pairs:
            Path(copy).unlink(missing_ok=True)
            if original.exists():
                _copy(original, Path(copy))
        if _states(original for original, _ in pairs) == before:
            return target
    raise SourceChanging(str(source))


def _copy(original: Path, copy: Path) -> None:
    try:
        shutil.copyfile(original, copy)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise NoSpace(str(copy.parent)) from error
        raise UnreadablePath(str(original), error.strerror or str(error)) from error


def take_over(source: Path, folder: Path) -> tuple[Path, Keys]:
    """A clean file at HEAD, in `folder`, with the rows of `source`, and the API keys it held."""
    with opened(source, folder) as connection:
        revision = revision_of(connection, source)
        clean = folder / "clean.db"
        with database.translated(clean):  # what fails here is about our own file: a full disk
            migrate(clean, revision)
        with connected(clean) as target:
            target.execute("PRAGMA synchronous=OFF")
            target.execute("BEGIN")
            for table in TABLES:
                _copy_rows(source, table, connection, target)
            target.execute("COMMIT")
    try:
        return clean, migrate(clean)
    except UpgradeFailed as error:
        raise SourceDamaged(str(source), error.detail) from error
    except DBAPIError as error:
        raise SourceDamaged(str(source), str(error.orig)[:200]) from error


def revision_of(connection: Connection, source: Path) -> str:
    """The schema revision of a file that is one of ours; SourceForeign or NewerDatabase if not."""
    tables = _tables(connection)
    version = None
    if "alembic_version" in tables:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        version = str(found[0]) if found else None
    if version is not None and version > HEAD and tables & set(TABLES):
        raise NewerDatabase(str(source), version, HEAD)
    needed = TABLES if version and version > PREDECESSOR else PREDECESSORS_TABLES
    for table in needed:
        if table not in tables:
            raise SourceForeign(str(source), f"it has no table {table}")
    return version or PREDECESSOR


@contextmanager
def connected(path: Path) -> Generator[Connection]:
    """A plain connection, closed at the end."""
    connection = sqlite_driver().connect(str(path))
    connection.isolation_level = None
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def translated(source: Path) -> Generator[None]:
    """Turn what SQLite reports about a source into our errors."""
    driver = sqlite_driver()
    try:
        yield
    except UnicodeDecodeError as error:  # a damaged name in one of SQLite's own sentences
        raise SourceDamaged(str(source), "a name that is no UTF-8") from error
    except driver.Error as error:
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if code == _FULL:
            raise NoSpace(tempfile.gettempdir()) from error
        if code == _NOT_A_DATABASE:
            raise SourceForeign(str(source), "no SQLite file, or an encrypted one") from error
        raise SourceDamaged(str(source), str(error)[:200]) from error


def _states(paths: Iterator[Path]) -> list[tuple[int, int] | None]:
    """Size and time of change of each file, None where there is none."""
    found: list[tuple[int, int] | None] = []
    for path in paths:
        try:
            facts = path.stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((facts.st_size, facts.st_mtime_ns))
    return found


def _tables(connection: Connection) -> set[str]:
    """The ordinary tables; views have another type, virtual tables no root page."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    return {name for (name,) in connection.execute(query)}


def _columns(connection: Connection, table: str) -> dict[str, str]:
    """Names and declared types of a table's columns, generated ones left out."""
    found = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return {name: kind.split("(")[0] for _, name, kind, _, _, _, hidden in found if not hidden}


def _copy_rows(source: Path, table: str, original: Connection, clean: Connection) -> None:
    ours = _columns(clean, table)
    theirs = _columns(original, table) if ours else {}
    names = [name for name in ours if name in theirs]
    if not names:
        return
    listed = ", ".join(f'"{name}"' for name in names)
    places = ", ".join("?" * len(names))
    statement = f"INSERT INTO {table} ({listed}) VALUES ({places})"
    # in the order in which they were written, which the predecessor's data has nowhere else
    rows: Iterator[Sequence[object]] = iter(
        original.execute(f"SELECT {listed} FROM {table} ORDER BY rowid")
    )
    check = _checker(source, table, [PYTHON_KINDS.get(ours[name], str) for name in names], names)
    while portion := list(islice(rows, ROWS_AT_ONCE)):
        for row in portion:
            check(row)
        clean.executemany(statement, portion)


def _checker(
    source: Path, table: str, kinds: Sequence[type], names: Sequence[str]
) -> Callable[[Sequence[object]], None]:
    """Refuses a row in which a column holds another kind of value than it should."""

    def check(row: Sequence[object]) -> None:
        for value, kind, name in zip(row, kinds, names, strict=True):
            if value is not None and type(value) is not kind:
                found = type(value).__name__
                raise SourceDamaged(str(source), f"{table}.{name} holds {found}")

    return check
