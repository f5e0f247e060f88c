"""One SQLite file: which driver opens it, how transactions begin, what its failures mean."""

import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from ragkb.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseReadOnly,
    DiskFailed,
    NoExtension,
    NoSpace,
    NotADatabase,
    RagError,
)
from ragkb.models import DamagedValue, Model

OLDEST_SQLITE = (3, 43)  # contentless-delete tables of FTS5 begin there
LOCK_WAIT_SECONDS = 30.0

# What SQLite's primary result codes (https://sqlite.org/rescode.html) say about the file.
_MEANINGS: dict[int, Callable[[str], RagError]] = {
    3: DatabaseReadOnly,  # SQLITE_PERM
    5: DatabaseBusy,  # SQLITE_BUSY
    6: DatabaseBusy,  # SQLITE_LOCKED
    8: DatabaseReadOnly,  # SQLITE_READONLY
    13: NoSpace,  # SQLITE_FULL
    14: DatabaseReadOnly,  # SQLITE_CANTOPEN
    26: NotADatabase,  # SQLITE_NOTADB
}
_DETAILED: dict[int, Callable[[str, str], RagError]] = {
    1: DatabaseDamaged,  # SQLITE_ERROR: our statements are fixed, so a table is not as it should be
    10: DiskFailed,  # SQLITE_IOERR
    11: DatabaseDamaged,  # SQLITE_CORRUPT
}
_LONGEST_DETAIL = 200
# sqlite-vec passes SQLite's sentence on, with the code SQLITE_ERROR instead of SQLITE_FULL
_ERROR, _FULL_TEXT = 1, "database or disk is full"


class Database:
    """The knowledge bases on disk.

    Reads are deferred transactions and see one state of the file; writes are immediate: a deferred
    transaction that starts to write after another program committed fails at once, whatever the
    timeout. A file that does not exist reads as an empty database and is made by the first write.
    """

    def __init__(self, path: Path, prepare: Callable[[Path], None]) -> None:
        """`prepare` brings the file to the present schema, making it if needed."""
        self.path = path
        self._prepare = prepare
        self._opening = threading.Lock()
        self._engine: Engine | None = None

    @contextmanager
    def read(self) -> Generator[Session]:
        """A session on one consistent state; nothing in it is saved."""
        with translated(self.path):
            engine = self._open() if self.path.exists() else empty_engine()
            try:
                with Session(engine) as session:
                    yield session
            finally:
                if engine is not self._engine:
                    engine.dispose()

    @contextmanager
    def write(self) -> Generator[Session]:
        """A session that commits at the end, or changes nothing when an error leaves the block."""
        with translated(self.path):
            engine = self._open().execution_options(sqlite_begin="IMMEDIATE")
            with Session(engine, expire_on_commit=False) as session, session.begin():
                yield session

    def snapshot(self, target: Path) -> None:
        """Write one consistent state of the whole file to `target`, an empty file or none.

        Others may write meanwhile. Free pages and the write-ahead log are not carried over.
        """
        with translated(self.path):
            connection: Any = self._open().raw_connection()
            try:
                connection.execute("VACUUM INTO ?", (str(target),))
            finally:
                connection.close()

    def vacuum(self) -> None:
        """Rewrite the file so that deleted text is in no free page and no write-ahead log."""
        with translated(self.path):
            wipe_free_pages(self._open())

    def close(self) -> None:
        """Close all connections; the next use opens anew."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _open(self) -> Engine:
        with self._opening:
            if self._engine is None:
                self._prepare(self.path)
                self._engine = create_sqlite_engine(self.path)
            return self._engine


def create_sqlite_engine(
    path: Path, *, foreign_keys: bool = True, begin: str = "DEFERRED"
) -> Engine:
    """An engine on a SQLite file with the vector extension loaded.

    `begin` is the kind of its transactions. A file in a folder that cannot be written is opened
    as immutable, because WAL would need to create files beside it.
    """
    query = {"uri": "true"} if _immutable(path) else {}
    database = f"{path.absolute().as_uri()}?immutable=1" if query else str(path)
    engine = create_engine(
        URL.create("sqlite", database=database, query=query),
        module=sqlite_driver(),  # `creator=` would leave errors and version to the stdlib module
        connect_args={"timeout": LOCK_WAIT_SECONDS},
    )
    _govern(engine, foreign_keys=foreign_keys)
    return engine.execution_options(sqlite_begin=begin)


def wipe_free_pages(engine: Engine) -> None:
    """Rewrite a file so that deleted text is in no free page and no write-ahead log."""
    connection: Any = engine.raw_connection()
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def empty_engine() -> Engine:
    """An engine on an empty database in memory with the present tables."""
    engine = create_engine("sqlite://", module=sqlite_driver(), poolclass=StaticPool)
    _govern(engine, foreign_keys=True)
    engine = engine.execution_options(sqlite_begin="DEFERRED")
    Model.metadata.create_all(engine)
    return engine


def sqlite_driver() -> ModuleType:
    """The DB-API module of a SQLite that loads extensions and is new enough, or NoExtension."""
    reasons: list[str] = []
    for name in ("pysqlite3.dbapi2", "sqlite3"):
        try:
            driver = importlib.import_module(name)
        except ImportError:
            reasons.append(f"{name} is not installed")
            continue
        problem = driver_problem(name, driver)
        if not problem:
            return driver
        reasons.append(problem)
    raise NoExtension("; ".join(reasons))


def driver_problem(name: str, driver: Any) -> str:
    """Why a driver cannot be used, or an empty text."""
    if not hasattr(driver.Connection, "enable_load_extension"):
        return f"{name} cannot load extensions"
    if driver.sqlite_version_info[:2] < OLDEST_SQLITE:
        return f"{name} brings SQLite {driver.sqlite_version}, older than 3.43"
    return ""


def vector_extension() -> str:
    """The path of sqlite-vec's library; importing the package would load numpy (80 ms)."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise NoExtension("sqlite-vec is not installed")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn what SQLite reports about the file into our own errors; others pass unchanged."""
    try:
        yield
    except (DBAPIError, sqlite_driver().Error) as error:
        meaning = failure_of(path, error)
        if meaning is None:
            raise
        raise meaning from error
    except (DamagedValue, UnicodeDecodeError) as error:  # the driver decodes names in the schema
        raise DatabaseDamaged(str(path), str(error)) from error


def failure_of(path: Path, error: Exception) -> RagError | None:
    """What a driver's error says about the file itself, by SQLite's result code."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code: int | None = getattr(cause, "sqlite_errorcode", None)
    detail = " ".join(str(cause).split())[:_LONGEST_DETAIL]
    if code is None:  # the driver's own: the one that says something is about text that is no UTF-8
        is_text = isinstance(cause, sqlite_driver().OperationalError)
        return DatabaseDamaged(str(path), detail) if is_text else None
    primary = code & 0xFF
    if primary == _ERROR and _FULL_TEXT in detail:
        return NoSpace(str(path))
    if primary in _DETAILED:
        return _DETAILED[primary](str(path), detail)
    return _MEANINGS[primary](str(path)) if primary in _MEANINGS else None


def _govern(engine: Engine, *, foreign_keys: bool) -> None:
    extension = vector_extension()

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
        connection.enable_load_extension(True)
        connection.load_extension(extension)
        connection.enable_load_extension(False)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        kind = connection.get_execution_options()["sqlite_begin"]
        connection.exec_driver_sql(f"BEGIN {kind}")


def _immutable(path: Path) -> bool:
    return path.exists() and not os.access(path.parent, os.W_OK)
