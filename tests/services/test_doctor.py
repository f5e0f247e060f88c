"""The doctor finds what is wrong, repairs what needs no guess, and leaves the rest alone."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems
from legacy_files import legacy_database
from transferring import app_in, content_of, run_sql

from ragkb.app import App, open_app
from ragkb.repositories.sqlite_search import terms_table, vectors_table
from ragkb.services.doctor import Examination
from ragkb.settings import Settings

Write = Callable[[str, str], Path]


def kinds(seen: Examination) -> list[tuple[str, str, bool]]:
    """Kind, level and whether it was repaired, of every finding but those about source files."""
    found = [
        (each.note.key.removeprefix("doctor."), each.level, each.repaired) for each in seen.findings
    ]
    return [each for each in found if not each[0].startswith("source_")]


def test_a_healthy_home_has_no_findings(filled: App) -> None:
    seen = filled.doctor.examine()
    assert seen.findings == ()
    (base,) = seen.bases
    assert (base.documents, base.chunks, base.missing_vectors) == (2, 8, 0)
    assert base.models == (("builtin:use-m3", 8, 8),)
    facts = seen.environment
    assert facts.schema == facts.known_schema
    assert "3." in facts.sqlite
    assert facts.vector_extension.startswith("v0.")


def test_an_empty_home_is_examined_without_making_a_file(app: App) -> None:
    app.home.database.unlink()
    assert kinds(app.doctor.examine(fix=True)) == [("no_database", "notice", False)]
    assert not app.home.database.exists()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM {terms} WHERE rowid = 1",
        "INSERT INTO {terms} (rowid, terms) VALUES (99, 'ghost')",
        "DROP TABLE {terms}",
        "UPDATE {terms}_data SET block = x'00ff' WHERE id > 10",
        "DELETE FROM {vectors} WHERE rowid = 1",
        "INSERT INTO {vectors} (rowid, vector) SELECT 99, vector FROM {vectors} WHERE rowid = 1",
        "UPDATE {vectors} SET vector = zeroblob(32) WHERE rowid = 1",
        "DROP TABLE {vectors}",
        "UPDATE {vectors}_vector_chunks00 SET vectors = x'00'",
        "DELETE FROM {vectors}_chunks",
        "DELETE FROM {vectors}_rowids",
        "DELETE FROM embeddings WHERE chunk_id = 1",
    ],
)
def test_an_index_that_differs_from_the_rows_is_made_anew(filled: App, damage: str) -> None:
    base = filled.bases.find("kb")
    names = {"terms": terms_table(base.id), "vectors": vectors_table(base.id)}
    run_sql(filled.home.database, damage.format(**names))
    assert ("index", "problem", False) in kinds(filled.doctor.examine())
    assert filled.doctor.examine(fix=True).problems == ()
    assert problems(filled, base) == []
    assert filled.doctor.examine().problems == ()


def test_rows_and_tables_that_belong_to_nothing_are_removed(filled: App) -> None:
    run_sql(
        filled.home.database,
        "CREATE VIRTUAL TABLE terms_00ff USING fts5(terms, content='', contentless_delete=1)",
        "INSERT INTO embeddings VALUES (99, 'm', 8, zeroblob(32))",
    )
    assert [each[0] for each in kinds(filled.doctor.examine())] == ["stray_indexes", "references"]
    assert filled.doctor.examine(fix=True).problems == ()
    assert filled.doctor.examine().findings == ()
    assert len(content_of(filled.home.database)["embeddings"]) == 8


def test_a_document_without_chunks_is_split_from_its_text(filled: App) -> None:
    base = filled.bases.find("kb")
    first = filled.documents.page(base).documents[0]
    before = content_of(filled.home.database)["chunks"]
    filled_by_hand = f"DELETE FROM chunks WHERE doc_id = '{first.id}'"
    run_sql(filled.home.database, "PRAGMA foreign_keys=ON", filled_by_hand)
    assert ("split", "problem", False) in kinds(filled.doctor.examine())
    seen = filled.doctor.examine(fix=True)
    assert ("split", "problem", True) in kinds(seen)
    after = filled.documents.page(base).documents[0]
    assert (after.chunk_count, after.missing_vectors, after.status) == (4, 4, "pending")
    texts = {row[3] for row in content_of(filled.home.database)["chunks"]}
    assert texts == {row[3] for row in before}
    filled.embedding.complete_base(base, lambda _: None)
    assert problems(filled, base) == []


def test_a_chunk_that_is_not_in_its_text_is_cut_again(filled: App) -> None:
    run_sql(filled.home.database, "UPDATE chunks SET content = 'forged' WHERE id = 1")
    assert ("split", "problem", False) in kinds(filled.doctor.examine())
    assert filled.doctor.examine(fix=True).problems == ()
    assert problems(filled, filled.bases.find("kb")) == []
    assert "forged" not in {row[3] for row in content_of(filled.home.database)["chunks"]}


def test_a_changed_text_is_reported_and_left_alone(filled: App) -> None:
    run_sql(filled.home.database, "UPDATE documents SET content = content || '!'")
    before = content_of(filled.home.database)
    seen = filled.doctor.examine(fix=True)
    assert [each.note.key for each in seen.problems] == ["doctor.damaged_document"] * 2
    assert content_of(filled.home.database) == before


def test_a_document_without_any_text_is_only_reported(app: App) -> None:
    legacy_database(app.home.database.with_name("old.db"))
    app.transfer.merge(str(app.home.database.with_name("old.db")))
    seen = app.doctor.examine(fix=True)
    assert [each for each in kinds(seen) if each[0] == "no_text"] == [("no_text", "notice", False)]
    assert seen.problems == ()


def test_vectors_that_cannot_be_read_are_removed(filled: App) -> None:
    run_sql(filled.home.database, "UPDATE embeddings SET vectors = x'0102' WHERE chunk_id = 1")
    assert ("damaged_vectors", "problem", False) in kinds(filled.doctor.examine())
    assert filled.doctor.examine(fix=True).problems == ()
    base = filled.bases.find("kb")
    assert filled.embedding.count_missing(base) == 1
    assert problems(filled, base) == []
    assert kinds(filled.doctor.examine()) == [("missing_vectors", "notice", False)]
    filled.embedding.complete_base(base, lambda _: None)
    assert kinds(filled.doctor.examine()) == []


def test_vectors_of_other_models_are_told_apart(filled: App) -> None:
    run_sql(
        filled.home.database,
        "INSERT INTO embeddings SELECT chunk_id, 'older', 4, zeroblob(16) FROM embeddings"
        " WHERE chunk_id <= 3",
        "UPDATE embeddings SET model = 'unknown' WHERE model <> 'older' AND chunk_id = 1",
    )
    found = [each[0] for each in kinds(filled.doctor.examine())]
    assert found == ["superseded", "other_vectors", "unknown_vectors", "missing_vectors",
                     "unsettled", "index"]  # fmt: skip
    filled.doctor.examine(fix=True)
    found = [each[0] for each in kinds(filled.doctor.examine())]
    assert found == ["other_vectors", "unknown_vectors", "missing_vectors"]
    assert content_of(filled.home.database)["embeddings"][0][1] == "older"


def test_a_state_that_differs_from_the_vectors_is_corrected(filled: App) -> None:
    run_sql(filled.home.database, "UPDATE documents SET status = 'pending'")
    assert kinds(filled.doctor.examine(fix=True)) == [("unsettled", "notice", True)]
    documents = filled.documents.page(filled.bases.find("kb")).documents
    assert {document.status for document in documents} == {"ready"}


def test_files_that_vanished_or_changed_are_named(app: App, write: Write) -> None:
    base = app.bases.create("kb", 64)
    paths = [write(name, f"text {name}") for name in ("kept.txt", "gone.txt", "changed.txt")]
    app.importing.import_files(base, [str(path) for path in paths], lambda _: None)
    paths[1].unlink()
    write("changed.txt", "other text")
    found = {each.note.key: each.note.values["names"] for each in app.doctor.examine().findings}
    assert found == {"doctor.source_vanished": "gone.txt", "doctor.source_changed": "changed.txt"}
    assert app.doctor.examine().problems == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_keys_that_others_can_read_are_made_private(filled: App) -> None:
    filled.home.keys.write_text("{}", encoding="utf-8")
    filled.home.keys.chmod(0o644)
    assert kinds(filled.doctor.examine()) == [("permissions", "problem", False)]
    assert filled.doctor.examine(fix=True).problems == ()
    assert filled.home.keys.stat().st_mode & 0o777 == 0o600


def test_a_safety_copy_with_keys_is_named_and_never_deleted_unasked(
    tmp_path: Path, template: Path
) -> None:
    legacy_database(tmp_path / "old" / "database" / "kb.db")
    with app_in(tmp_path / "old", template) as app:
        (copy,) = app.doctor.examine(fix=True).old_keys
        assert copy.parent == app.home.backups
        assert copy.exists()


def test_an_upgraded_file_is_clean_but_for_its_vectors(tmp_path: Path, template: Path) -> None:
    legacy_database(tmp_path / "old" / "database" / "kb.db")
    with app_in(tmp_path / "old", template) as app:
        assert app.doctor.examine().problems == ()
        assert {each[0] for each in kinds(app.doctor.examine())} == {
            "missing_vectors", "no_text", "unknown_vectors",
        }  # fmt: skip


def test_deleted_text_and_its_terms_are_nowhere_in_the_file(
    app: App, write: Write, tmp_path: Path
) -> None:
    words = [f"{letter}secret{letter}word" for letter in "qwxzvkj"]
    chinese = "绝密蓝图"
    secret = f"{' '.join(words)}。{chinese}。" + "".join(f"无关的句子{n}。" for n in range(40))
    for name in ("kept", "gone"):
        base = app.bases.create(name, 16)
        files = [
            str(write(f"{name}/secret.txt", secret)),
            str(write(f"{name}/a.txt", "公开。" * 50)),
        ]
        app.importing.import_files(base, [str(file) for file in files], lambda _: None)
    app.documents.delete(app.bases.find("kept"), "secret.txt")
    app.bases.delete("gone")
    traces = [*(word.encode() for word in words), chinese.encode(), chinese[:2].encode()]
    assert any(trace in every_byte(app) for trace in traces)
    app.doctor.examine(fix=True)
    assert [trace for trace in traces if trace in every_byte(app)] == []
    base = app.bases.find("kept")
    assert problems(app, base) == []
    assert app.searching.search(base, "公开", 3).hits


def every_byte(app: App) -> bytes:
    """All that lies in the database's folder."""
    return b"".join(path.read_bytes() for path in sorted(app.home.database.parent.iterdir()))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_a_folder_that_cannot_be_written_is_examined(filled: App, tmp_path: Path) -> None:
    filled.close()
    home = tmp_path / "locked"
    shutil.copytree(filled.home.folder, home)
    (home / "database").chmod(0o500)
    try:
        with open_app(
            Settings(home=home), lambda _step: None, lambda *_a, **_k: FakeEmbedder()
        ) as app:
            assert app.doctor.examine().problems == ()
    finally:
        (home / "database").chmod(0o700)


def test_a_damaged_file_is_a_finding_not_a_crash(filled: App) -> None:
    content = bytearray(filled.home.database.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 32] = bytes(32)
    filled.home.database.write_bytes(content)
    seen = filled.doctor.examine()
    assert len(seen.problems) >= 1
