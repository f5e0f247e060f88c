"""Export, verify and merge: whole or not at all, nothing embedded, nothing of a foreign schema."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems
from legacy_files import legacy_database
from transferring import answers, app_in, connect, content_of, digest, fill, run_sql

from ragkb.app import App
from ragkb.errors import (
    ExportExists,
    ExportUnwritable,
    FileMissing,
    NewerDatabase,
    NoManifest,
    NothingToExport,
    RagError,
    SourceDamaged,
    SourceForeign,
    SourceIsLive,
)
from ragkb.home import Home
from ragkb.migrations import HEAD
from ragkb.services import transfer
from ragkb.services.transfer import free_name

QUERIES = ("备份", "告警记录", "vector", "E-4042", "二号", "会议 索引")


@pytest.fixture
def source(tmp_path: Path, template: Path) -> Iterator[App]:
    """Another home with two bases, of which `kb` has the name of one here."""
    with app_in(tmp_path / "source", template) as app:
        fill(app, tmp_path / "source-files", ["kb", "笔记"])
        yield app


@pytest.fixture
def filled(app: App, tmp_path: Path) -> App:
    """The app with one base `kb`."""
    fill(app, tmp_path / "files", ["kb"])
    return app


@pytest.fixture
def exported(source: App, tmp_path: Path) -> Path:
    return source.transfer.export(str(tmp_path / "out.db")).export_path


def test_an_export_is_one_file_that_holds_the_same_rows(filled: App, tmp_path: Path) -> None:
    done = filled.transfer.export(str(tmp_path / "out.db"))
    assert content_of(done.export_path) == content_of(filled.home.database)
    assert sorted(path.name for path in tmp_path.glob("*out.db*")) == ["out.db"]
    (base,) = done.manifest.knowledge_bases
    assert (base.name, base.documents, base.chunks, base.vectors) == ("kb", 2, 8, 8)
    assert (base.embedding_model, base.embedding_dim) == ("builtin:use-m3", 8)


def test_an_export_can_be_used_as_a_database_at_once(
    exported: Path, source: App, tmp_path: Path, template: Path
) -> None:
    place = tmp_path / "new" / "database" / "kb.db"
    place.parent.mkdir(parents=True)
    shutil.copyfile(exported, place)
    with app_in(tmp_path / "new", template) as app:
        assert answers(app, "笔记", QUERIES) == answers(source, "笔记", QUERIES)
        assert problems(app, app.bases.find("kb")) == []


def test_an_existing_file_is_replaced_only_by_force(filled: App, tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    target.write_bytes(b"precious")
    with pytest.raises(ExportExists):
        filled.transfer.export(str(target))
    assert target.read_bytes() == b"precious"
    filled.transfer.export(str(target), force=True)
    assert filled.transfer.verify(str(target)).is_true


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_an_export_never_overwrites_the_live_file_or_what_belongs_to_it(
    filled: App, end: str
) -> None:
    live = filled.home.database
    for path in (f"{live}{end}", live.parent / ".." / "database" / f"{live.name}{end}"):
        with pytest.raises(SourceIsLive):
            filled.transfer.export(str(path), force=True)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_to_the_live_file_is_the_live_file(filled: App, tmp_path: Path) -> None:
    (tmp_path / "symbolic.db").symlink_to(filled.home.database)
    os.link(filled.home.database, tmp_path / "hard.db")
    for name in ("symbolic.db", "hard.db"):
        with pytest.raises(SourceIsLive):
            filled.transfer.export(str(tmp_path / name), force=True)
        with pytest.raises(SourceIsLive):
            filled.transfer.merge(str(tmp_path / name))


def test_an_export_needs_a_place_and_something_to_export(
    app: App, tmp_path: Path, template: Path
) -> None:
    with pytest.raises(ExportUnwritable):
        app.transfer.export(str(tmp_path))
    with pytest.raises(ExportUnwritable):
        app.transfer.export(str(tmp_path / "none" / "out.db"))
    app.home.database.unlink()
    with pytest.raises(NothingToExport):
        app.transfer.export(str(tmp_path / "out.db"))


def test_an_export_holds_no_key(app: App, tmp_path: Path) -> None:
    app.bases.create(
        "kb", 64, embedding_model="m", embedding_endpoint="https://e.example/v1",
        embedding_api_key="sk-NOT-TO-BE-EXPORTED",
    )  # fmt: skip
    path = app.transfer.export(str(tmp_path / "out.db")).export_path
    assert b"sk-NOT-TO-BE-EXPORTED" not in path.read_bytes()


def test_an_export_while_others_write_is_one_consistent_state(
    filled: App, tmp_path: Path
) -> None:
    connection = connect(filled.home.database)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM embeddings")
    path = filled.transfer.export(str(tmp_path / "out.db")).export_path
    connection.execute("ROLLBACK")
    connection.close()
    assert content_of(path) == content_of(filled.home.database)


@pytest.mark.case("db_export_atomic")
def test_a_failing_export_leaves_the_file_that_was_there_and_no_other(
    filled: App, tmp_path: Path
) -> None:
    target = tmp_path / "out" / "out.db"
    target.parent.mkdir()
    target.write_bytes(b"precious")
    run_sql(filled.home.database, "PRAGMA writable_schema=ON", "DELETE FROM sqlite_schema WHERE name = 'chunks'")
    with pytest.raises(RagError):
        filled.transfer.export(str(target), force=True)
    assert [path.name for path in target.parent.iterdir()] == ["out.db"]
    assert target.read_bytes() == b"precious"


def test_what_a_killed_export_left_is_removed_by_the_next(filled: App, tmp_path: Path) -> None:
    import socket

    dead = 2**22 + 1  # above the highest process number of Linux
    left = [f".out.db.{socket.gethostname()}.{dead}.partial{end}" for end in ("", "-journal")]
    others = [f".out.db.{socket.gethostname()}.{os.getppid()}.partial", ".out.db.elsewhere.1.partial"]
    for name in (*left, *others):
        (tmp_path / name).touch()
    filled.transfer.export(str(tmp_path / "out.db"))
    assert [name for name in left if (tmp_path / name).exists()] == []
    assert [name for name in others if not (tmp_path / name).exists()] == []


def test_a_manifest_proves_its_file(exported: Path, app: App) -> None:
    verified = app.transfer.verify(str(exported))
    assert verified.is_true
    assert verified.manifest.schema_version == HEAD
    assert [base.name for base in verified.manifest.knowledge_bases] == ["kb", "笔记"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE chunks SET tokens = tokens + 1 WHERE id = 1",
        "UPDATE embeddings SET vectors = zeroblob(length(vectors)) WHERE chunk_id = 2",
        "DELETE FROM documents WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE manifest SET value = '[]' WHERE name = 'knowledge_bases'",
    ],
)
def test_any_change_of_content_shows(exported: Path, app: App, change: str) -> None:
    run_sql(exported, change)
    assert not app.transfer.verify(str(exported)).is_true


def test_a_file_without_manifest_cannot_be_verified(source: App, app: App) -> None:
    with pytest.raises(NoManifest):
        app.transfer.verify(str(source.home.database))


def test_an_export_of_a_merged_export_has_its_own_manifest(
    exported: Path, tmp_path: Path, template: Path
) -> None:
    place = tmp_path / "new" / "database" / "kb.db"
    place.parent.mkdir(parents=True)
    shutil.copyfile(exported, place)
    with app_in(tmp_path / "new", template) as app:
        app.bases.create("neu", 64)
        again = app.transfer.export(str(tmp_path / "again.db"))
        assert [base.name for base in again.manifest.knowledge_bases] == ["kb", "neu", "笔记"]
        assert app.transfer.verify(str(again.export_path)).is_true


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
    assert names == sorted(
        ["kb", f"kb_{stamp}", f"kb_{stamp}_2", "笔记", f"笔记_{stamp}"]
    )
    for name in names:
        assert filled.bases.find(name).document_count == 2
        assert problems(filled, filled.bases.find(name)) == []


def test_a_long_name_is_shortened_for_its_stamp() -> None:
    name = "长" * 200
    free = free_name(name, {name})
    assert len(free) == 200
    assert free.startswith("长" * 180 + "长_"[:1])
    assert free_name(name, {name, free}) not in {name, free}


def test_a_dry_run_tells_what_would_come_and_changes_nothing(
    filled: App, exported: Path
) -> None:
    before = content_of(filled.home.database)
    plan = filled.transfer.merge(str(exported), dry_run=True)
    assert plan.dry_run
    assert [base.name for base in plan.bases] == ["kb", "笔记"]
    assert list(plan.renamed) == ["kb"]
    assert [(base.documents, base.chunks, base.vectors) for base in plan.bases] == [(2, 8, 8)] * 2
    assert content_of(filled.home.database) == before


def test_a_dry_run_in_an_empty_home_makes_no_file(exported: Path, app: App) -> None:
    app.home.database.unlink()
    assert len(app.transfer.merge(str(exported), dry_run=True).bases) == 2
    assert not app.home.database.exists()
    app.transfer.merge(str(exported))
    assert len(app.bases.list_all()) == 2


@pytest.mark.case("db_import_wal")
def test_committed_rows_in_a_live_write_ahead_log_come_along(source: App, app: App) -> None:
    live = source.home.database
    wal = live.with_name("kb.db-wal")
    assert wal.stat().st_size > 0  # the source is open, its last rows are only there
    states = [digest(path) for path in (live, wal)]
    merged = app.transfer.merge(str(live))
    assert merged.document_count == 4
    assert [digest(path) for path in (live, wal)] == states


def test_the_live_file_is_not_merged_into_itself(filled: App) -> None:
    with pytest.raises(SourceIsLive):
        filled.transfer.merge(str(filled.home.database))
    assert len(filled.bases.list_all()) == 1


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_refused_without_waiting(app: App, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(SourceForeign):
        app.transfer.merge(str(tmp_path / "pipe.db"))


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
    load = "load_extension('/nowhere')"
    run_sql(
        exported,
        "CREATE TRIGGER steal AFTER INSERT ON chunks BEGIN DELETE FROM documents; END",
        "CREATE TRIGGER spoil AFTER UPDATE ON documents BEGIN DELETE FROM chunks; END",
        "CREATE VIEW spy AS SELECT * FROM knowledge_bases",
        f"CREATE VIEW boom AS SELECT {load}",
        "CREATE TABLE extra (id INTEGER PRIMARY KEY, note TEXT)",
        "ALTER TABLE documents ADD COLUMN bait TEXT",
        f"ALTER TABLE documents ADD COLUMN computed TEXT AS ({load})",
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_schema SET sql = replace(sql, 'chunk_size INTEGER NOT NULL',"
        f" 'chunk_size INTEGER NOT NULL CHECK ({load} IS NULL)') WHERE name = 'knowledge_bases'",
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
@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW chunks AS SELECT 1 AS id, load_extension('/nowhere') AS content",
        "CREATE VIRTUAL TABLE chunks USING fts5(doc_id, content)",
    ],
)
def test_a_view_or_a_virtual_table_in_a_tables_place_is_refused(
    filled: App, exported: Path, made: str
) -> None:
    run_sql(exported, "PRAGMA legacy_alter_table=ON", "ALTER TABLE chunks RENAME TO real", made)
    with pytest.raises(SourceForeign):
        filled.transfer.merge(str(exported))
    assert len(filled.bases.list_all()) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE chunks SET doc_id = 'nobody' WHERE id = 1",
        "UPDATE chunks SET content = content || '!' WHERE id = 1",
        "UPDATE chunks SET tokens = 'many' WHERE id = 1",
        "UPDATE documents SET content = content || '!'",
        "UPDATE documents SET layout = '{'",
        "UPDATE documents SET layout = '{\"pages\": [\"one\"]}'",
        "UPDATE documents SET created_at = 'yesterday'",
        "UPDATE documents SET content = CAST(x'ff80' AS TEXT)",
        "UPDATE embeddings SET vectors = x'00' WHERE chunk_id = 1",
        "UPDATE embeddings SET vectors = CAST(x'0000c07f' || substr(vectors, 5) AS BLOB)",
        "UPDATE knowledge_bases SET name = ' '",
    ],
)
def test_rows_that_contradict_each_other_are_refused(
    filled: App, exported: Path, change: str
) -> None:
    before = content_of(filled.home.database)
    run_sql(exported, change)
    with pytest.raises(SourceDamaged):
        filled.transfer.merge(str(exported))
    assert content_of(filled.home.database) == before


@pytest.mark.case("db_corrupt")
def test_damaged_pages_are_found_before_anything_is_merged(
    filled: App, exported: Path
) -> None:
    content = bytearray(exported.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = bytes(64)
    exported.write_bytes(content)
    with pytest.raises((SourceDamaged, SourceForeign)):
        filled.transfer.merge(str(exported))
    assert problems(filled, filled.bases.find("kb")) == []
    assert len(filled.bases.list_all()) == 1


def test_a_merge_that_fails_in_the_middle_changes_nothing(
    filled: App, exported: Path
) -> None:
    before = content_of(filled.home.database)
    run_sql(
        filled.home.database,
        "CREATE TRIGGER fail BEFORE INSERT ON embeddings BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    with pytest.raises(Exception, match="no"):
        filled.transfer.merge(str(exported))
    assert content_of(filled.home.database) == before
    assert not Home(filled.home.folder).keys.exists()
