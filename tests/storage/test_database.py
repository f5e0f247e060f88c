"""Transactions, drivers, and what SQLite's failures mean."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from ragkb.database import Database, create_sqlite_engine, driver_problem, sqlite_driver
from ragkb.errors import BaseExists, DatabaseDamaged, DatabaseReadOnly, NoSpace, NotADatabase
from ragkb.home import Home
from ragkb.models import KnowledgeBase
from ragkb.repositories.store import Store


def base(number: int, name: str = "") -> KnowledgeBase:
    return KnowledgeBase(
        id=f"kb-{number}", name=name or f"name {number}", chunk_size=64, token_encoding="x"
    )


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    database = Database(home.database, lambda _path: None)
    yield database
    database.close()


def test_errors_of_the_driver_are_sqlalchemys(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        session.add_all([base(1, "same"), base(2, "same")])


def test_sqlalchemy_sees_the_version_of_the_driver_that_it_uses(database: Database) -> None:
    with database.read() as session:
        real = session.scalar(text("SELECT sqlite_version()"))
        assert session.get_bind().dialect.server_version_info == tuple(  # type: ignore[union-attr]
            int(part) for part in str(real).split(".")
        )


def test_a_write_holds_the_lock_from_its_first_statement(database: Database, home: Home) -> None:
    with database.write() as session:
        session.scalar(text("SELECT count(*) FROM documents"))
        # by the same library: locks of two copies of SQLite in one process do not meet
        driver: Any = sqlite_driver()
        other = driver.connect(str(home.database), timeout=0)
        with pytest.raises(driver.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()


def test_a_reader_neither_waits_for_a_writer_nor_sees_half_of_its_work(database: Database) -> None:
    with database.write() as writer:
        writer.add(base(1))
        writer.flush()
        with database.read() as reader:
            assert reader.query(KnowledgeBase).count() == 0
    with database.read() as reader:
        assert reader.query(KnowledgeBase).count() == 1


def test_an_error_in_the_block_undoes_all_of_it(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.add(base(1))
        session.flush()
        raise ZeroDivisionError
    with database.read() as session:
        assert session.query(KnowledgeBase).count() == 0


def test_of_ten_that_take_one_name_at_once_one_gets_it(database: Database) -> None:
    store = Store(database)
    start = threading.Barrier(10)

    def create(number: int) -> bool:
        start.wait()
        try:
            with store.write() as work:
                work.bases.add(base(number, "wanted"))
        except BaseExists:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(create, range(10))) == [False] * 9 + [True]


def test_foreign_keys_are_enforced_on_every_connection(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        session.execute(text("INSERT INTO embedding_leases VALUES ('none', 'x', '2026-01-01')"))


def test_a_file_that_does_not_exist_reads_as_empty_and_is_not_made(tmp_path: Path) -> None:
    database = Database(tmp_path / "none" / "kb.db", lambda _path: None)
    with database.read() as session:
        assert session.query(KnowledgeBase).count() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_and_nothing_is_kept(database: Database) -> None:
    with pytest.raises(NoSpace), database.write() as session:
        session.execute(text("PRAGMA max_page_count = 1"))
        for number in range(5000):
            session.add(base(number, "x" * 190 + str(number)))
        session.flush()
    database.close()
    with database.read() as session:
        assert session.query(KnowledgeBase).count() == 0


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    path = tmp_path / "kb.db"
    path.write_bytes(b"hello, this is no database" * 200)
    database = Database(path, lambda _path: None)
    with pytest.raises(NotADatabase), database.read() as session:
        session.query(KnowledgeBase).count()
    database.close()


def test_a_damaged_file_is_said(home: Home) -> None:
    content = bytearray(home.database.read_bytes())
    content[100:4096] = os.urandom(3996)
    home.database.write_bytes(content)
    database = Database(home.database, lambda _path: None)
    with pytest.raises(DatabaseDamaged), database.read() as session:
        session.query(KnowledgeBase).count()
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work otherwise there")
def test_a_folder_that_cannot_be_written_can_be_read_and_refuses_writing(home: Home) -> None:
    script = (
        "import os, sys, pathlib\n"
        "if os.geteuid() == 0:\n"
        "    os.setuid(65534)\n"
        "from ragkb.database import Database\n"
        "from ragkb.errors import DatabaseReadOnly\n"
        "from sqlalchemy import text\n"
        "database = Database(pathlib.Path(sys.argv[1]), lambda path: None)\n"
        "with database.read() as session:\n"
        "    print(session.scalar(text('SELECT count(*) FROM knowledge_bases')))\n"
        "try:\n"
        "    with database.write() as session:\n"
        "        session.execute(text('DELETE FROM knowledge_bases'))\n"
        "except DatabaseReadOnly:\n"
        "    print('read-only')\n"
    )
    folder = home.database.parent
    for parent in (folder, *folder.parents[:4]):
        if parent.owner() == Path.home().owner() or os.geteuid() == 0:
            parent.chmod(parent.stat().st_mode | 0o055)
    home.database.chmod(0o444)
    folder.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, str(home.database)],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    finally:
        folder.chmod(0o755)
    if "PermissionError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip("an unprivileged user cannot read the program here")
    assert done.stdout.split() == ["0", "read-only"], done.stderr
    assert {path.name for path in folder.iterdir()} == {"kb.db"}


@pytest.mark.parametrize(
    ("version", "loads", "problem"),
    [
        ((3, 43, 0), True, ""),
        ((3, 53, 4), True, ""),
        ((3, 42, 9), True, "x brings SQLite 3.42.9, older than 3.43"),
        ((3, 53, 4), False, "x cannot load extensions"),
    ],
)
def test_a_driver_must_load_extensions_and_be_new_enough(
    version: tuple[int, int, int], loads: bool, problem: str
) -> None:
    connection = SimpleNamespace(enable_load_extension=None) if loads else SimpleNamespace()
    driver = SimpleNamespace(
        Connection=connection,
        sqlite_version_info=version,
        sqlite_version=".".join(map(str, version)),
    )
    assert driver_problem("x", driver) == problem


def test_the_driver_here_is_usable() -> None:
    driver: ModuleType = sqlite_driver()
    assert driver_problem(driver.__name__, driver) == ""


def test_paths_with_blanks_percent_signs_and_chinese_characters_open(tmp_path: Path) -> None:
    path = tmp_path / "我的 100% 知识库" / "kb#?.db"
    path.parent.mkdir()
    engine = create_sqlite_engine(path, begin="IMMEDIATE")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    engine.dispose()
    assert path.exists()
    assert DatabaseReadOnly(str(path)).text("en").startswith(f"'{path}'")
