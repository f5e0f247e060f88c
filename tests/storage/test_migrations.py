"""A file comes to the present schema whole, or stays as it was."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from invariants import problems
from legacy_files import legacy_database, neglect

from ragkb.app import open_app
from ragkb.database import create_sqlite_engine
from ragkb.errors import NewerDatabase, NotADatabase, NotEnoughSpace, RagError
from ragkb.home import Home
from ragkb.migrations import (
    HEAD,
    SPACE_FACTOR,
    Upgraded,
    Upgrading,
    migrate,
    outlook,
    prepare,
    revision_of,
    script_location,
)
from ragkb.models import Model
from ragkb.repositories.sqlite_search import SqliteSearchIndex, rebuild_stale
from ragkb.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def bring_to_head(home: Home) -> list[Upgrading | Upgraded]:
    """Upgrade, and what was announced."""
    announced: list[Upgrading | Upgraded] = []
    prepare(home, rebuild_stale, announced.append)(home.database)
    return announced


def upgraded(home: Home) -> Upgraded:
    """Upgrade, and the report at the end."""
    report = bring_to_head(home)[-1]
    assert isinstance(report, Upgraded)
    return report


@contextmanager
def rows(path: Path) -> Generator[Callable[[str], list[tuple[Any, ...]]]]:
    engine = create_sqlite_engine(path)
    with engine.connect() as connection:

        def ask(query: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

        yield ask
    engine.dispose()


@pytest.fixture
def old(tmp_path: Path) -> Home:
    home = Home(tmp_path / "old")
    legacy_database(home.database)
    return home


def test_the_constant_head_is_the_newest_revision() -> None:
    scripts = ScriptDirectory(str(script_location()))
    assert scripts.get_heads() == [HEAD]


def test_the_folder_of_revisions_is_no_package() -> None:
    assert not (ROOT / "alembic" / "__init__.py").exists()


def test_a_new_file_has_the_tables_of_the_models_and_no_others(home: Home) -> None:
    with rows(home.database) as query:
        tables = {name for (name,) in query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == {*Model.metadata.tables, "alembic_version", "sqlite_sequence"}


def test_autogenerate_finds_nothing_to_do_even_beside_search_indexes(home: Home) -> None:
    engine = create_sqlite_engine(home.database, begin="IMMEDIATE")
    with engine.begin() as connection:
        index = SqliteSearchIndex(connection)
        index.create("ab")
        index.add_vectors("ab", [(1, bytes(32))])
    config = Config()
    config.set_main_option("script_location", str(script_location()))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.check(config)
    engine.dispose()


def test_the_alembic_command_really_upgrades(tmp_path: Path) -> None:
    ini = (ROOT / "alembic.ini").read_text(encoding="utf-8")
    ini = ini.replace("%(here)s", str(ROOT)).replace("alembic-scratch.db", str(tmp_path / "kb.db"))
    (tmp_path / "alembic.ini").write_text(ini, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "alembic", "-c", str(tmp_path / "alembic.ini"), "upgrade", "head"],
        check=True,
        cwd=tmp_path,
        capture_output=True,
    )
    assert revision_of(tmp_path / "kb.db") == HEAD


def test_an_old_file_is_recognised_by_its_tables(old: Home) -> None:
    assert revision_of(old.database) == "0001"


def test_an_upgrade_keeps_bases_documents_and_chunks(old: Home) -> None:
    bring_to_head(old)
    with rows(old.database) as query:
        assert query("SELECT id, name, chunk_size FROM knowledge_bases ORDER BY id") == [
            ("kb-1", "运维知识库", 128),
            ("kb-2", "ops", 64),
        ]
        assert query("SELECT id, kb_id, name FROM documents ORDER BY id") == [
            ("doc-1", "kb-1", "值班手册.txt"),
            ("doc-2", "kb-1", "值班手册 (2).txt"),
            ("doc-3", "kb-2", "empty.txt"),
        ]
        assert query("SELECT doc_id, chunk_index, content FROM chunks ORDER BY id") == [
            ("doc-1", 0, "告警必须在五分钟内响应。\n先确认告警级别，"),
            ("doc-1", 1, "再通知负责人。"),
            ("doc-1", 2, "这一块不在原文里"),
            ("doc-2", 0, "同名文档"),
        ]


def test_upgraded_chunks_are_slices_of_their_document(old: Home) -> None:
    bring_to_head(old)
    with rows(old.database) as query:
        found = query(
            'SELECT c.content, d.content, c.start, c."end" FROM chunks c'
            " JOIN documents d ON d.id = c.doc_id ORDER BY c.id"
        )
    aligned = [row for row in found if row[2] is not None]
    assert all(content[start:end] == chunk for chunk, content, start, end in aligned)
    assert [row[0] for row in found if row[2] is None] == ["这一块不在原文里"]


def test_upgraded_vectors_are_kept_without_padding_under_an_unknown_model(old: Home) -> None:
    bring_to_head(old)
    with rows(old.database) as query:
        assert query("SELECT model, dimension, length(vectors) FROM embeddings") == [
            ("unknown", 64, 256)
        ]
        assert query("SELECT embedding_dim FROM knowledge_bases WHERE id = 'kb-1'") == [(None,)]


def test_upgraded_text_is_found_by_keyword_at_once(old: Home) -> None:
    bring_to_head(old)
    with rows(old.database) as query:
        assert query("SELECT rowid FROM terms_6b622d31 WHERE terms_6b622d31 MATCH '\"负责\"'") == [
            (2,)
        ]
        assert query("SELECT count(*) FROM knowledge_bases WHERE index_stale") == [(0,)]


def test_keys_move_to_the_secrets_file_and_leave_no_trace_in_the_database(old: Home) -> None:
    bring_to_head(old)
    assert b"sk-old-SECRET" not in old.database.read_bytes()
    assert "sk-old-SECRET" in old.keys.read_text(encoding="utf-8")
    wal = old.database.with_name("kb.db-wal")
    assert not wal.exists() or b"sk-old-SECRET" not in wal.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_secrets_and_safety_copies_are_readable_by_their_owner_only(old: Home) -> None:
    copy = upgraded(old).copy
    assert [path.stat().st_mode & 0o777 for path in (old.keys, copy)] == [0o600, 0o600]


def test_the_safety_copy_is_the_file_that_was(old: Home) -> None:
    before = dump_of(old.database)
    assert dump_of(upgraded(old).copy) == before


def test_time_stamps_are_taken_as_local_time(old: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("the time zone of the process cannot be set on Windows")
    import time

    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        bring_to_head(old)
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    with rows(old.database) as query:
        assert query("SELECT created_at FROM knowledge_bases WHERE id = 'kb-1'") == [
            ("2025-03-01 00:30:00.000000",)
        ]


def test_a_failing_upgrade_leaves_the_data_as_it_was_and_no_copy(old: Home) -> None:
    before = dump_of(old.database)

    def fail(_connection: object, _moved: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        prepare(old, fail, lambda _copy: None)(old.database)
    assert dump_of(old.database) == before
    assert list(old.backups.iterdir()) == []
    assert not old.keys.exists()


def test_a_failing_first_migration_leaves_an_empty_file(tmp_path: Path) -> None:
    home = Home(tmp_path)

    def fail(_connection: object, _moved: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        prepare(home, fail, lambda _copy: None)(home.database)
    assert revision_of(home.database) is None


def test_a_file_of_a_newer_program_is_refused_untouched(home: Home) -> None:
    engine = create_sqlite_engine(home.database)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0999'")
    engine.dispose()
    before = hashlib.sha256(home.database.read_bytes()).hexdigest()
    with pytest.raises(NewerDatabase) as refused:
        bring_to_head(home)
    assert (refused.value.found, refused.value.known) == ("0999", HEAD)
    assert hashlib.sha256(home.database.read_bytes()).hexdigest() == before


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\7" * 4096]
)
def test_what_is_no_database_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    home = Home(tmp_path)
    home.database.parent.mkdir()
    home.database.write_bytes(content)
    with pytest.raises(RagError):
        bring_to_head(home)
    assert home.database.read_bytes() == content


def test_the_database_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.database.parent.mkdir()
    connection = sqlite3.connect(home.database)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.commit()
    connection.close()
    before = home.database.read_bytes()
    with pytest.raises(NotADatabase):
        bring_to_head(home)
    assert home.database.read_bytes() == before


def test_eight_processes_that_open_one_old_file_all_succeed_and_make_one_copy(old: Home) -> None:
    script = (
        "import sys, pathlib\n"
        "from ragkb.home import Home\n"
        "from ragkb.migrations import prepare\n"
        "from ragkb.repositories.sqlite_search import SqliteSearchIndex, rebuild_stale\n"
        "home = Home(pathlib.Path(sys.argv[1]))\n"
        "prepare(home, rebuild_stale, lambda copy: None)(home.database)\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(old.folder)],
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(8)
    ]
    errors = [process.communicate()[1] for process in started]
    assert errors == [""] * 8
    assert revision_of(old.database) == HEAD
    assert len(list(old.backups.iterdir())) == 1


def test_what_a_neglected_file_held_is_counted_and_left_out(old: Home) -> None:
    neglect(old.database)
    report = upgraded(old)
    assert dict(report.found) == {
        "orphan_terms": 2,
        "orphan_vectors": 3,
        "orphan_documents": 1,
        "orphan_chunks": 2,
        "chunks": 4,
        "renamed_documents": 1,
        "recounted_chunks": 4,
        "unaligned_chunks": 1,
        "vectors": 1,
        "padded_vectors": 1,
        "empty_documents": 2,
    }
    with rows(old.database) as query:
        assert query("SELECT id FROM documents ORDER BY id") == [
            ("doc-1",), ("doc-2",), ("doc-3",), ("doc-9",),
        ]  # fmt: skip
        assert query("SELECT count(*), min(tokens) > 0 FROM chunks") == [(4, 1)]
        assert query("PRAGMA foreign_key_check") == []


def test_an_upgrade_is_announced_step_by_step(old: Home) -> None:
    steps = bring_to_head(old)
    progress = [step for step in steps if isinstance(step, Upgrading)]
    assert (progress[0].done, progress[0].total, progress[-1].done) == (0, 8, 8)
    assert [step.done for step in progress] == sorted(step.done for step in progress)
    assert isinstance(steps[-1], Upgraded)
    assert len(steps) == len(progress) + 1


def test_a_write_ahead_log_beside_the_old_file_is_part_of_it(old: Home, tmp_path: Path) -> None:
    writer = sqlite3.connect(old.database)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("UPDATE knowledge_bases SET name = 'from the log' WHERE id = 'kb-2'")
    writer.commit()
    crashed = Home(tmp_path / "crashed")
    shutil.copytree(old.folder, crashed.folder)
    writer.close()
    assert (crashed.database.parent / "kb.db-wal").stat().st_size > 0
    copy = upgraded(crashed).copy
    for path in (crashed.database, copy):
        with rows(path) as query:
            assert ("from the log",) in query("SELECT name FROM knowledge_bases")


@pytest.mark.skipif(sys.platform == "win32", reason="a sparse file is made another way there")
def test_an_upgrade_that_might_fill_the_disk_is_not_begun(old: Home) -> None:
    size = shutil.disk_usage(old.folder).free // SPACE_FACTOR + 2**30
    os.truncate(old.database, size)  # sparse: it takes no space
    with pytest.raises(NotEnoughSpace) as refused:
        bring_to_head(old)
    assert refused.value.needed > refused.value.free > 0
    assert f"{refused.value.needed} MB" in refused.value.text("en")
    assert revision_of(old.database) == "0001"
    assert not old.backups.exists()


def test_the_outlook_of_an_upgrade_changes_nothing(old: Home) -> None:
    before = old.database.read_bytes()
    seen = outlook(old.database, old.folder)
    assert (seen.found, seen.head, seen.chunks, seen.is_due) == ("0001", HEAD, 4, True)
    assert seen.free_mb > seen.needed_mb > 0
    assert old.database.read_bytes() == before


def make_0001(path: Path) -> None:
    legacy_database(path)


def make_0002(path: Path) -> None:
    """Two documents, one of them embedded, as that revision keeps them."""
    path.parent.mkdir(parents=True)
    migrate(path, "0002")
    engine = create_sqlite_engine(path)
    stamp = "'2026-01-31 09:30:00.000000'"
    with engine.begin() as connection:
        run = connection.exec_driver_sql
        run(
            "INSERT INTO knowledge_bases (id, name, chunk_size, token_encoding, embedding_model,"
            f" embedding_dim, windows, index_stale, created_at, updated_at) VALUES"
            f" ('kb-1', '笔记', 64, 'o200k_base', 'm', 2, 0, 1, {stamp}, {stamp})"
        )
        for number, text in enumerate(("备份在凌晨。", "backup at night."), start=1):
            run(
                "INSERT INTO documents (id, kb_id, name, title, file_type, encoding, content,"
                " content_sha256, layout, chunk_size, status, status_detail, created_at,"
                f" updated_at) VALUES ('doc-{number}', 'kb-1', '{number}.txt', '', 'txt', '',"
                f" '{text}', '{hashlib.sha256(text.encode()).hexdigest()}', '{{}}', 64,"
                f" 'pending', '', {stamp}, {stamp})"
            )
            run(
                'INSERT INTO chunks (id, doc_id, chunk_index, content, tokens, start, "end",'
                f" heading, created_at) VALUES ({number}, 'doc-{number}', 0, '{text}', 5, 0,"
                f" {len(text)}, '', {stamp})"
            )
        run("INSERT INTO embeddings VALUES (1, 'm', 2, x'0000803f00000000')")
    engine.dispose()


SMALL_FILES: dict[str, Callable[[Path], None]] = {"0001": make_0001, "0002": make_0002}


def test_every_revision_has_a_small_file() -> None:
    scripts = ScriptDirectory(str(script_location()))
    assert sorted(SMALL_FILES) == sorted(script.revision for script in scripts.walk_revisions())


@pytest.mark.parametrize("revision", SMALL_FILES)
def test_a_small_file_of_every_revision_comes_to_the_present_with_its_data(
    tmp_path: Path, revision: str
) -> None:
    home = Home(tmp_path / "home")
    SMALL_FILES[revision](home.database)
    assert revision_of(home.database) == revision
    with rows(home.database) as query:
        kept = ("SELECT id, name FROM knowledge_bases", "SELECT id, content FROM documents")
        before = [query(f"{select} ORDER BY id") for select in kept]
        chunks = query("SELECT count(*) FROM chunks")
    with open_app(Settings(home=home.folder), lambda _step: None) as app:
        bases = app.bases.list_all()
        assert app.doctor.examine(fix=True).problems == ()
        for base in bases:
            assert problems(app, base) == []
    with rows(home.database) as query:
        after = [query(f"{select} ORDER BY id") for select in kept]
        assert after[0] == before[0]
        assert after[1] == [(name, content or "") for name, content in before[1]]
        assert query("SELECT count(*) FROM chunks") == chunks
    assert revision_of(home.database) == HEAD


def dump_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The schema and the rows of all ordinary tables."""
    with rows(path) as query:
        tables = query("SELECT name FROM pragma_table_list WHERE type = 'table' ORDER BY name")
        content = {name: query(f'SELECT * FROM "{name}"') for (name,) in tables}
        return content | {"schema": query("SELECT type, name, sql FROM sqlite_schema")}


def test_the_files_of_the_predecessor_upgrade_and_are_found(tmp_path: Path) -> None:
    folder = ROOT.parent / "shared" / "legacy"
    if not folder.is_dir():
        pytest.skip("the predecessor's own files are not here")
    for name, chunks in (("legacy-vectors.db", 22), ("legacy-keyword-only.db", 6)):
        home = Home(tmp_path / name)
        home.database.parent.mkdir(parents=True)
        shutil.copyfile(folder / name, home.database)
        bring_to_head(home)
        with rows(home.database) as query:
            assert query('SELECT count(*), count("end") FROM chunks') == [(chunks, chunks)]
            bases = [kb_id for (kb_id,) in query("SELECT id FROM knowledge_bases")]
            tables = [f"terms_{kb_id.replace('-', '')}" for kb_id in bases]
            found = [query(f"SELECT count(*) FROM {t} WHERE {t} MATCH '\"数据\"'") for t in tables]
            assert max(found) > [(0,)]
        with open_app(Settings(home=home.folder), lambda _step: None) as app:
            assert app.doctor.examine().problems == ()
            for base in app.bases.list_all():
                for document in app.documents.page(base).documents:
                    sentence = app.documents.show(base, document.name).content.strip()[:60]
                    best = app.searching.search(base, sentence, 3).hits[0]
                    assert best.doc_name == document.name
