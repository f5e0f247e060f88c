"""Export, verify and merge: whole or not at all, nothing embedded, nothing of a foreign schema."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from invariants import problems
from transferring import TOPICS, answers, app_in, connect, content_of, fill, run_sql

from ragkb.app import App
from ragkb.errors import (
    ExportExists,
    ExportUnwritable,
    NoManifest,
    NothingToExport,
    SourceDamaged,
    SourceForeign,
    SourceIsLive,
)
from ragkb.home import Home
from ragkb.migrations import HEAD
from ragkb.services.transfer import free_name

QUERIES = ("备份", "告警记录", "vector", "E-4042", "二号", "会议 索引")


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


def test_an_export_while_others_write_is_one_consistent_state(filled: App, tmp_path: Path) -> None:
    connection = connect(filled.home.database)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM embeddings")
    path = filled.transfer.export(str(tmp_path / "out.db")).export_path
    connection.execute("ROLLBACK")
    connection.close()
    assert content_of(path) == content_of(filled.home.database)


def test_what_a_killed_export_left_is_removed_by_the_next(filled: App, tmp_path: Path) -> None:
    import socket

    dead = 2**22 + 1  # above the highest process number of Linux
    left = [f".out.db.{socket.gethostname()}.{dead}.partial{end}" for end in ("", "-journal")]
    others = [
        f".out.db.{socket.gethostname()}.{os.getppid()}.partial",
        ".out.db.elsewhere.1.partial",
    ]
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


def test_a_long_name_is_shortened_for_its_stamp() -> None:
    name = "长" * 200
    free = free_name(name, {name})
    assert len(free) == 200
    assert free.startswith("长" * 180 + "长_"[:1])
    assert free_name(name, {name, free}) not in {name, free}


def test_a_dry_run_tells_what_would_come_and_changes_nothing(filled: App, exported: Path) -> None:
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


def test_the_live_file_is_not_merged_into_itself(filled: App) -> None:
    with pytest.raises(SourceIsLive):
        filled.transfer.merge(str(filled.home.database))
    assert len(filled.bases.list_all()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_refused_without_waiting(app: App, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(SourceForeign):
        app.transfer.merge(str(tmp_path / "pipe.db"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE chunks SET doc_id = 'nobody' WHERE id = 1",
        "UPDATE chunks SET content = content || '!' WHERE id = 1",
        "UPDATE chunks SET tokens = 'many' WHERE id = 1",
        "UPDATE documents SET content = content || '!'",
        "UPDATE documents SET layout = '{'",
        'UPDATE documents SET layout = \'{"pages": ["one"]}\'',
        "UPDATE documents SET created_at = 'yesterday'",
        "UPDATE documents SET content = CAST(x'ff80' AS TEXT)",
        "UPDATE embeddings SET vectors = x'00' WHERE chunk_id = 1",
        "UPDATE embeddings SET vectors = CAST(x'0000c07f' || substr(vectors, 5) AS BLOB)",
        "UPDATE knowledge_bases SET name = ' ' WHERE name = 'kb'",
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


def test_a_merge_that_fails_in_the_middle_changes_nothing(filled: App, exported: Path) -> None:
    before = content_of(filled.home.database)
    run_sql(
        filled.home.database,
        "CREATE TRIGGER fail BEFORE INSERT ON embeddings BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    with pytest.raises(Exception, match="no"):
        filled.transfer.merge(str(exported))
    assert content_of(filled.home.database) == before
    assert not Home(filled.home.folder).keys.exists()


LARGE = bool(os.environ.get("RAGKB_SOAK"))


@pytest.mark.soak
def test_two_files_merge_with_the_answers_that_each_gave(tmp_path: Path, template: Path) -> None:
    """In full: two files of 50 bases and 5,000 chunks each, and 100 queries."""
    bases, lines, queries = (50, 50, 100) if LARGE else (3, 8, 10)
    asked = [f"{TOPICS[n % len(TOPICS)]} {n}号" for n in range(queries)]
    with (
        app_in(tmp_path / "one", template) as one,
        app_in(tmp_path / "two", template) as two,
    ):
        fill(one, tmp_path / "files", [f"base {n}" for n in range(bases)], lines)
        fill(two, tmp_path / "more", [f"base {n}" for n in range(bases)], lines)
        before = {base.name: answers(one, base.name, asked) for base in one.bases.list_all()}
        theirs = {base.name: answers(two, base.name, asked) for base in two.bases.list_all()}
        merged = one.transfer.merge(str(two.home.database))
        assert [base.chunks for base in merged.bases] == [2 * lines] * bases
        assert len(merged.renamed) == bases
        for name, expected in before.items():
            assert answers(one, name, asked) == expected
            assert answers(one, merged.renamed[name], asked) == theirs[name]
        assert one.doctor.examine().problems == ()
