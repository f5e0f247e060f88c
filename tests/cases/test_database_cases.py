"""Whole databases: exported, merged, foreign, old, newer, hostile, damaged."""

import json
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems
from legacy_files import legacy_database
from numbered import numbered_lines
from transferring import answers, app_in, connect, content_of, digest, fill, run_sql

from ragkb.app import App
from ragkb.errors import (
    FileMissing,
    NewerDatabase,
    RagError,
    SourceDamaged,
    SourceForeign,
)
from ragkb.migrations import HEAD
from ragkb.repositories.sqlite_search import terms_table
from ragkb.services import transfer
from ragkb.services.knowledge_bases import BaseInfo

QUERIES = ("备份", "告警记录", "vector", "E-4042", "二号", "会议 索引")


def another_program(path: Path) -> None:
    run_sql(path, "CREATE TABLE songs (title TEXT)", "INSERT INTO songs VALUES ('x')")


def alembic_of_another_program(path: Path) -> None:
    run_sql(
        path,
        "CREATE TABLE alembic_version (version_num TEXT)",
        "INSERT INTO alembic_version VALUES ('ae10')",
        "CREATE TABLE songs (title TEXT)",
    )


def text_file(path: Path) -> None:
    path.write_text("没有数据库。" * 1000, encoding="utf-8")


def encrypted(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


def empty(path: Path) -> None:
    path.touch()


def empty_database(path: Path) -> None:
    run_sql(path, "VACUUM")


@pytest.mark.case("db_export_atomic")
def test_a_failing_export_leaves_the_file_that_was_there_and_no_other(
    filled: App, tmp_path: Path
) -> None:
    target = tmp_path / "out" / "out.db"
    target.parent.mkdir()
    target.write_bytes(b"precious")
    run_sql(
        filled.home.database,
        "PRAGMA writable_schema=ON",
        "DELETE FROM sqlite_schema WHERE name = 'chunks'",
    )
    with pytest.raises(RagError):
        filled.transfer.export(str(target), force=True)
    assert [path.name for path in target.parent.iterdir()] == ["out.db"]
    assert target.read_bytes() == b"precious"


@pytest.mark.case("db_ids")
def test_a_merge_brings_everything_and_embeds_nothing(
    filled: App, source: App, exported: Path, embedder: FakeEmbedder
) -> None:
    before = len(embedder.embedded)
    merged = filled.transfer.merge(str(exported))
    assert [(base.documents, base.chunks, base.vectors) for base in merged.bases] == [(2, 8, 8)] * 2
    assert merged.document_count == 4
    assert len(embedder.embedded) == before
    for base in merged.bases:
        assert answers(filled, base.new_name, QUERIES) == answers(source, base.name, QUERIES)
        assert problems(filled, filled.bases.find(base.new_name)) == []
    documents = filled.documents.page(filled.bases.find("笔记")).documents
    assert {document.status for document in documents} == {"ready"}
    assert len(content_of(filled.home.database)["chunks"]) == 24


@pytest.mark.case("db_same_names")
def test_clashing_names_get_a_time_stamp_unique_even_within_a_second(
    filled: App, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
    monkeypatch.setattr(transfer, "now", lambda: frozen)
    stamp = f"{frozen.astimezone():%Y%m%d_%H%M%S}"
    first = filled.transfer.merge(str(exported))
    assert first.renamed == {"kb": f"kb_{stamp}"}
    second = filled.transfer.merge(str(exported))
    assert second.renamed == {"kb": f"kb_{stamp}_2", "笔记": f"笔记_{stamp}"}
    names = [base.name for base in filled.bases.list_all()]
    assert names == sorted(["kb", f"kb_{stamp}", f"kb_{stamp}_2", "笔记", f"笔记_{stamp}"])
    for name in names:
        assert filled.bases.find(name).document_count == 2
        assert problems(filled, filled.bases.find(name)) == []


@pytest.mark.case("db_import_wal")
def test_committed_rows_in_a_live_write_ahead_log_come_along(source: App, app: App) -> None:
    live = source.home.database
    source.documents.delete(source.bases.find("kb"), "0-一.txt")
    wal = live.with_name("kb.db-wal")
    assert wal.stat().st_size > 0  # the deletion is only there
    states = [digest(path) for path in (live, wal)]
    merged = app.transfer.merge(str(live))
    assert merged.document_count == 3
    assert [digest(path) for path in (live, wal)] == states


@pytest.mark.case("db_dims")
def test_each_base_keeps_its_model_and_dimension(
    filled: App, tmp_path: Path, template: Path
) -> None:
    with app_in(tmp_path / "wide", template, FakeEmbedder(32)) as wide:
        fill(wide, tmp_path / "wide-files", ["wide"])
        filled.transfer.merge(str(wide.home.database))
        expected = answers(wide, "wide", QUERIES)
    assert [(base.name, base.embedding_dim) for base in filled.bases.list_all()] == [
        ("kb", 8),
        ("wide", 32),
    ]
    for base in filled.bases.list_all():
        assert problems(filled, base) == []
    with app_in(filled.home.folder, template, FakeEmbedder(32)) as later:
        assert answers(later, "wide", QUERIES) == expected
    assert filled.searching.search(filled.bases.find("kb"), "备份", 3).hits[0].vector_score


@pytest.mark.case("db_old_schema")
def test_a_file_of_the_predecessor_is_migrated_on_a_copy(app: App, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    legacy_database(old)
    before = digest(old)
    merged = app.transfer.merge(str(old))
    assert [(base.name, base.documents) for base in merged.bases] == [("ops", 1), ("运维知识库", 2)]
    assert digest(old) == before
    hits = app.searching.search(app.bases.find("运维知识库"), "负责人", 3).hits
    assert hits[0].content == "再通知负责人。"
    keys = json.loads(app.home.keys.read_text(encoding="utf-8"))
    assert keys == {"kb-1": {"endpoint": "https://e.example/v1", "api_key": "sk-old-SECRET"}}
    assert b"sk-old-SECRET" not in app.home.database.read_bytes()
    assert [note.key for note in merged.notes] == ["note.keys_moved"]


@pytest.mark.case("db_old_schema")
def test_a_file_of_a_newer_program_is_refused_with_both_versions(
    filled: App, exported: Path
) -> None:
    run_sql(exported, "UPDATE alembic_version SET version_num = '0999'")
    before = digest(exported)
    for read in (filled.transfer.merge, filled.transfer.verify):
        with pytest.raises(NewerDatabase) as refused:
            read(str(exported))
        assert (refused.value.found, refused.value.known) == ("0999", HEAD)
    assert digest(exported) == before


@pytest.mark.case("db_foreign")
def test_what_is_no_database_of_ours_is_refused(filled: App, tmp_path: Path) -> None:
    before = content_of(filled.home.database)
    makers: list[Callable[[Path], None]] = [
        another_program, alembic_of_another_program, text_file, encrypted, empty, empty_database,
    ]  # fmt: skip
    for make in makers:
        path = tmp_path / f"{make.__name__}.db"
        make(path)
        was = digest(path)
        for read in (filled.transfer.merge, filled.transfer.verify):
            with pytest.raises(SourceForeign):
                read(str(path))
        assert digest(path) == was
    with pytest.raises(FileMissing):
        filled.transfer.merge(str(tmp_path / "none.db"))
    with pytest.raises(SourceForeign):
        filled.transfer.merge(str(tmp_path))
    assert content_of(filled.home.database) == before


@pytest.mark.case("db_missing_table")
def test_a_file_without_one_of_the_tables_is_refused(filled: App, exported: Path) -> None:
    before = content_of(filled.home.database)
    run_sql(exported, "PRAGMA legacy_alter_table=ON", "ALTER TABLE chunks RENAME TO lumps")
    with pytest.raises(SourceForeign) as refused:
        filled.transfer.merge(str(exported))
    assert "chunks" in refused.value.detail
    assert content_of(filled.home.database) == before


@pytest.mark.case("db_hostile")
def test_nothing_of_a_hostile_schema_runs_or_is_copied(
    filled: App, source: App, exported: Path
) -> None:
    run_sql(
        exported,
        "CREATE TRIGGER steal AFTER INSERT ON chunks BEGIN DELETE FROM documents; END",
        "CREATE TRIGGER spoil AFTER UPDATE ON documents BEGIN DELETE FROM chunks; END",
        "CREATE VIEW spy AS SELECT load_extension(name) FROM knowledge_bases",
        "CREATE TABLE extra (id INTEGER PRIMARY KEY, note TEXT)",
        "ALTER TABLE documents ADD COLUMN bait TEXT",
    )
    merged = filled.transfer.merge(str(exported))
    assert merged.document_count == 4
    assert answers(filled, "笔记", QUERIES) == answers(source, "笔记", QUERIES)
    connection = connect(filled.home.database)
    schema = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    connection.close()
    assert [row for row in schema if row[0] in ("trigger", "view")] == []
    assert [row for row in schema if row[1] == "extra" or "bait" in str(row[2])] == []


@pytest.mark.case("db_hostile")
def test_a_schema_that_calls_dangerous_functions_is_refused(filled: App, exported: Path) -> None:
    before = content_of(filled.home.database)
    check = "chunk_size INTEGER NOT NULL CHECK (load_extension(name) IS NULL)"
    column = "category VARCHAR(200), worse AS (load_extension(name))"
    for table, was, becomes in (
        ("knowledge_bases", "chunk_size INTEGER NOT NULL", check),
        ("documents", "category VARCHAR(200)", column),
    ):
        path = Path(shutil.copyfile(exported, exported.with_name(f"{table}.db")))
        run_sql(
            path,
            "PRAGMA writable_schema=ON",
            f"UPDATE sqlite_schema SET sql = replace(sql, '{was}', '{becomes}')"
            f" WHERE name = '{table}'",
        )
        assert becomes.encode() in path.read_bytes()
        for read in (filled.transfer.merge, filled.transfer.verify):
            with pytest.raises(SourceDamaged) as refused:
                read(str(path))
            assert "unsafe use of load_extension()" in refused.value.detail
    assert content_of(filled.home.database) == before


@pytest.mark.case("db_hostile")
def test_a_view_or_a_virtual_table_in_a_tables_place_is_refused(
    filled: App, exported: Path
) -> None:
    run_sql(exported, "PRAGMA legacy_alter_table=ON", "ALTER TABLE chunks RENAME TO real")
    for made, kind in (
        ("CREATE VIEW chunks AS SELECT load_extension('/nowhere') AS content", "VIEW"),
        ("CREATE VIRTUAL TABLE chunks USING fts5(doc_id, content)", "TABLE"),
    ):
        run_sql(exported, made)
        with pytest.raises(SourceForeign):
            filled.transfer.merge(str(exported))
        run_sql(exported, f"DROP {kind} chunks")
    assert len(filled.bases.list_all()) == 1


@pytest.mark.case("db_corrupt")
def test_damaged_pages_are_found_before_anything_is_merged(filled: App, exported: Path) -> None:
    content = bytearray(exported.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = bytes(64)
    exported.write_bytes(content)
    with pytest.raises((SourceDamaged, SourceForeign)):
        filled.transfer.merge(str(exported))
    assert problems(filled, filled.bases.find("kb")) == []
    assert len(filled.bases.list_all()) == 1


@pytest.mark.case("fts_integrity")
def test_after_two_hundred_random_changes_everything_agrees(
    app: App, base: BaseInfo, write: Callable[[str, str], Path]
) -> None:
    chance = random.Random(5)
    for number in range(200):
        stored = [document.name for document in app.documents.page(base).documents]
        act = chance.choice(("import", "update", "delete")) if stored else "import"
        if act == "import":
            path = write(f"{chance.randrange(8)}.txt", numbered_lines(chance.randint(1, 6), number))
            app.importing.import_files(app.bases.find(base.name), [str(path)], lambda _: None)
        elif act == "update":
            size = chance.choice((12, 24, 48))
            app.documents.update(base, chance.choice(stored), size, lambda _: None)
        else:
            app.documents.delete(base, chance.choice(stored))
    assert problems(app, base) == []
    assert app.doctor.examine().problems == ()
    connection = connect(app.home.database)
    count = "SELECT count(*) FROM"
    (chunks,), (vectors,), (terms,) = (
        connection.execute(f"{count} {table}").fetchone()
        for table in ("chunks", "embeddings", terms_table(base.id))
    )
    connection.close()
    assert chunks == vectors == terms
    assert chunks > 0
