"""Bringing a database file to the present schema, with a safety copy of what was there."""

import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

import ragkb
from ragkb.database import create_sqlite_engine, sqlite_driver, translated, wipe_free_pages
from ragkb.errors import NewerDatabase, NotADatabase, NotEnoughSpace, UpgradeFailed
from ragkb.home import Home
from ragkb.home.keys import store_keys
from ragkb.log import log

HEAD = "0002"
PREDECESSOR = "0001"
_OWN_TABLES = {"knowledge_bases", "documents", "chunks"}
# Upgrading rewrites the file, and the safety copy and the write-ahead log take as much again.
SPACE_FACTOR = 4
MEGABYTE = 1_000_000
_PARTIAL = ".partial"

_alembic_lock = threading.Lock()  # Alembic's context is global to the process

Keys = dict[str, tuple[str, str]]  # endpoint and API key by base
Moved = Callable[[int], None]


@dataclass(frozen=True)
class Upgrading:
    """How far an upgrade is, in steps (two for each chunk: moved, indexed); 0 when it begins."""

    path: Path
    done: int
    total: int


@dataclass(frozen=True)
class Upgraded:
    """An upgrade that is done: where the safety copy lies, and what the old file held.

    `found` counts, by name, what was left out, put right, or is worth knowing: see the revisions.
    """

    copy: Path
    found: Mapping[str, int]


Announce = Callable[[Upgrading | Upgraded], None]
Rebuild = Callable[[Connection, Moved], None]


def prepare(home: Home, rebuild: Rebuild, announce: Announce) -> Callable[[Path], None]:
    """What `Database` calls before it opens a file.

    `rebuild` renews the search indexes that an upgrade marked stale, in the upgrade's own
    transaction, and says how many chunks it has indexed; `announce` is told of an upgrade's steps.
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

    NewerDatabase, NotADatabase and NotEnoughSpace are raised before anything is touched. Several
    processes may do this at once: the first one works, the others find nothing left to do.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    found = revision_of(path) if path.exists() else None
    if found is not None and found > HEAD:
        raise NewerDatabase(str(path), found, HEAD)
    if found is not None:
        check_space(path, path.parent)
    # Rebuilding a table with foreign keys on deletes the rows that refer to it, without a word.
    engine = create_sqlite_engine(path, foreign_keys=False, begin="IMMEDIATE")
    try:
        with translated(path):
            _use_write_ahead_log(engine)
            done = _run(engine, path, home, rebuild, announce)
            if done.had_keys:
                wipe_free_pages(engine)
    finally:
        engine.dispose()
    log.info("schema", path=str(path), revision=HEAD, copy=str(done.copy), **done.found)
    if done.copy is not None:
        announce(Upgraded(done.copy, done.found))


@dataclass(frozen=True)
class Outlook:
    """What an upgrade of a file would mean, in revisions, chunks and megabytes."""

    path: Path
    found: str
    head: str
    chunks: int
    needed_mb: int
    free_mb: int

    @property
    def is_due(self) -> bool:
        """Whether there is anything to upgrade."""
        return self.found != self.head


def outlook(path: Path, folder: Path) -> Outlook:
    """Look at a file without changing it; `folder` is where its safety copy would go."""
    found = revision_of(path) or ""
    if found > HEAD:
        raise NewerDatabase(str(path), found, HEAD)
    engine = create_sqlite_engine(path)
    try:
        with translated(path), engine.connect() as connection:
            count = "SELECT count(*) FROM chunks" if found else "SELECT 0"
            chunks: int = connection.exec_driver_sql(count).scalar_one()
    finally:
        engine.dispose()
    return Outlook(path, found, HEAD, chunks, *_space(path, folder))


def migrate(path: Path, revision: str = "head") -> Keys:
    """Run the revisions up to one on a private file: no copy, no search index.

    The API keys that the file held come back; they are not in it any more.
    """
    engine = create_sqlite_engine(path, foreign_keys=False, begin="IMMEDIATE")
    try:
        with _alembic_lock, engine.begin() as connection:
            steps = _Steps()
            _run_revisions(connection, steps, revision)
            _check_references(connection, path)
            return steps.keys
    finally:
        engine.dispose()


@dataclass
class _Steps:
    """What the revisions are given: where to put keys and counts, whom to tell of progress."""

    moved: Moved = lambda _count: None
    keys: Keys = field(default_factory=dict[str, tuple[str, str]])
    found: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class _Done:
    copy: Path | None = None
    had_keys: bool = False
    found: Mapping[str, int] = field(default_factory=dict[str, int])


def check_space(path: Path, folder: Path) -> None:
    """NotEnoughSpace unless `folder` has room for what an upgrade of the file may write."""
    needed, free = _space(path, folder)
    if free < needed:
        raise NotEnoughSpace(str(path), needed, free)


def _space(path: Path, folder: Path) -> tuple[int, int]:
    """Megabytes that an upgrade may write, and that are free."""
    needed = SPACE_FACTOR * path.stat().st_size
    return -(-needed // MEGABYTE), shutil.disk_usage(folder).free // MEGABYTE


def safety_copy(path: Path, folder: Path, revision: str) -> Path:
    """Copy a database, its write-ahead log included, to a file that only the owner can read."""
    folder.mkdir(parents=True, exist_ok=True)
    check_space(path, folder)
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    target = folder / f"{path.stem}-{revision}-{stamp}{path.suffix}"
    for stale in folder.glob(f"*{_PARTIAL}"):  # of an upgrade that was killed; ours is the only one
        stale.unlink()
    partial = target.with_name(target.name + _PARTIAL)
    partial.touch(mode=0o600)
    driver = sqlite_driver()
    source, copy = driver.connect(str(path)), driver.connect(str(partial))
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()
    return partial.rename(target)


def script_location() -> Path:
    """The folder of revisions: beside the package in a checkout, inside it in a wheel."""
    package = Path(ragkb.__file__).parent
    packaged = package / "_alembic"
    return packaged if packaged.is_dir() else package.parent / "alembic"


def _run(engine: Engine, path: Path, home: Home, rebuild: Rebuild, announce: Announce) -> _Done:
    copy: Path | None = None
    try:
        with _alembic_lock, engine.begin() as connection:
            found = _revision(connection, path)
            if found == HEAD:
                return _Done()
            steps = _Steps()
            if found is not None:
                steps.moved = _progress(connection, path, announce)
                copy = safety_copy(path, home.backups, found)
            _run_revisions(connection, steps)
            rebuild(connection, steps.moved)
            _check_references(connection, path)
            if steps.keys:
                store_keys(home, steps.keys)
    except BaseException:
        if copy is not None:
            copy.unlink()
        raise
    return _Done(copy, bool(steps.keys), steps.found)


def _progress(connection: Connection, path: Path, announce: Announce) -> Moved:
    """Announces the begin, and counts steps; each chunk is moved once and indexed once."""
    total = 2 * connection.exec_driver_sql("SELECT count(*) FROM chunks").scalar_one()
    done = 0

    def moved(count: int) -> None:
        nonlocal done
        done += count
        announce(Upgrading(path, done, total))

    moved(0)
    return moved


def _run_revisions(connection: Connection, steps: _Steps, revision: str = "head") -> None:
    """Run what is missing."""
    from alembic import command
    from alembic.config import Config

    config = Config(stdout=sys.stderr)  # stdout may carry a protocol
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes |= {"connection": connection, "steps": steps}
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_schema").scalars())
    if tables >= _OWN_TABLES and "alembic_version" not in tables:
        command.stamp(config, PREDECESSOR)
    command.upgrade(config, revision)


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
