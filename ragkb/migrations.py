"""Bringing a database file to the present schema, with a safety copy of what was there."""

import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

import ragkb
from ragkb.database import create_sqlite_engine, sqlite_driver, translated
from ragkb.errors import NewerDatabase, NoSpace, NotADatabase, UpgradeFailed
from ragkb.home import Home
from ragkb.home.keys import store_keys
from ragkb.log import log

HEAD = "0002"
PREDECESSOR = "0001"
_OWN_TABLES = {"knowledge_bases", "documents", "chunks"}
# Upgrading rewrites the file, and the safety copy and the write-ahead log take as much again.
SPACE_FACTOR = 4

_alembic_lock = threading.Lock()  # Alembic's context is global to the process

Rebuild = Callable[[Connection], None]
Announce = Callable[[Path], None]


def prepare(home: Home, rebuild: Rebuild, announce: Announce) -> Callable[[Path], None]:
    """What `Database` calls before it opens a file.

    `rebuild` renews the search indexes that an upgrade marked stale, in the upgrade's own
    transaction; `announce` is told where the safety copy lies.
    """

    def bring_to_head(path: Path) -> None:
        if path.exists() and revision_of(path) == HEAD:
            return
        upgrade(path, home, rebuild, announce)

    return bring_to_head


def revision_of(path: Path) -> str | None:
    """The schema revision of a file: None for an empty one, NotADatabase for another program's."""
    engine = create_sqlite_engine(path)
    try:
        with translated(path), engine.connect() as connection:
            return _revision(connection, path)
    finally:
        engine.dispose()


def upgrade(path: Path, home: Home, rebuild: Rebuild, announce: Announce) -> None:
    """Bring a file to HEAD in one transaction, or leave it as it was.

    NewerDatabase and NotADatabase are raised before anything is touched. Several processes may do
    this at once: the first one works, the others find nothing left to do.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    found = revision_of(path) if path.exists() else None
    if found is not None and found > HEAD:
        raise NewerDatabase(str(path), found, HEAD)
    # Rebuilding a table with foreign keys on deletes the rows that refer to it, without a word.
    engine = create_sqlite_engine(path, foreign_keys=False, begin="IMMEDIATE")
    try:
        with translated(path):
            _use_write_ahead_log(engine)
            done = _run(engine, path, home, rebuild)
            if done.had_keys:
                wipe_free_pages(engine)
    finally:
        engine.dispose()
    log.info("schema", path=str(path), revision=HEAD, copy=str(done.copy))
    if done.copy is not None:
        announce(done.copy)


@dataclass(frozen=True)
class _Done:
    copy: Path | None = None
    had_keys: bool = False


def safety_copy(path: Path, folder: Path, revision: str) -> Path:
    """Copy a database, its write-ahead log included, to a file that only the owner can read."""
    size = path.stat().st_size
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < SPACE_FACTOR * size:
        raise NoSpace(str(path))
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    target = folder / f"{path.stem}-{revision}-{stamp}{path.suffix}"
    target.touch(mode=0o600)
    driver = sqlite_driver()
    source, copy = driver.connect(str(path)), driver.connect(str(target))
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()
    return target


def wipe_free_pages(engine: Engine) -> None:
    """Rewrite the file so that deleted text is in no free page and no write-ahead log."""
    connection: Any = engine.raw_connection()
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def script_location() -> Path:
    """The folder of revisions: beside the package in a checkout, inside it in a wheel."""
    package = Path(ragkb.__file__).parent
    packaged = package / "_alembic"
    return packaged if packaged.is_dir() else package.parent / "alembic"


def _run(engine: Engine, path: Path, home: Home, rebuild: Rebuild) -> _Done:
    copy: Path | None = None
    try:
        with _alembic_lock, engine.begin() as connection:
            found = _revision(connection, path)
            if found == HEAD:
                return _Done()
            if found is not None:
                copy = safety_copy(path, home.backups, found)
            keys = _run_revisions(connection)
            rebuild(connection)
            _check_references(connection, path)
            if keys:
                store_keys(home, keys)
    except BaseException:
        if copy is not None:
            copy.unlink()
        raise
    return _Done(copy, bool(keys))


def _run_revisions(connection: Connection) -> dict[str, tuple[str, str]]:
    """Run what is missing; the API keys that the file held come back, by base."""
    from alembic import command
    from alembic.config import Config

    config = Config(stdout=sys.stderr)  # stdout may carry a protocol
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    keys: dict[str, tuple[str, str]] = {}
    config.attributes |= {"connection": connection, "keys": keys}
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_schema").scalars())
    if tables >= _OWN_TABLES and "alembic_version" not in tables:
        command.stamp(config, PREDECESSOR)
    command.upgrade(config, "head")
    return keys


def _check_references(connection: Connection, path: Path) -> None:
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise UpgradeFailed(str(path), f"a row of {broken[0]} refers to nothing")


def _use_write_ahead_log(engine: Engine) -> None:
    connection: Any = engine.raw_connection()
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()


def _revision(connection: Connection, path: Path) -> str | None:
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_schema").scalars())
    if "alembic_version" in tables:
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        if version is not None:
            return str(version)
    if tables >= _OWN_TABLES:
        return PREDECESSOR
    if tables - {"alembic_version"}:
        raise NotADatabase(str(path))
    return None
