"""Files become documents; each file has one outcome."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder

from ragkb.app import App, open_app
from ragkb.errors import (
    EmptyFile,
    EndpointUnreachable,
    FileMissing,
    ForbiddenPlace,
    IsDirectory,
    NotANumber,
)
from ragkb.services.import_report import ImportReport, Progress
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.settings import Settings

Write = Callable[[str, str], Path]


@pytest.fixture
def base(app: App) -> BaseInfo:
    app.bases.create("kb", 64)
    return app.bases.select("kb")


def quiet(_: Progress) -> None:
    pass


def names(app: App, base: BaseInfo) -> list[str]:
    return [document.name for document in app.documents.page(base).documents]


def statuses(report: ImportReport) -> list[str]:
    return [file.status for file in report.success_files]


def test_good_and_bad_files_of_one_call_each_have_their_outcome(
    app: App, base: BaseInfo, write: Write, tmp_path: Path
) -> None:
    good, empty = write("好.txt", "向量检索很快。"), write("empty.txt", "")
    missing = tmp_path / "none.txt"
    paths = [str(good), str(empty), str(missing), str(tmp_path), str(good)]
    report = app.importing.import_files(base, paths, quiet)
    assert report.total == 4
    assert [file.doc_name for file in report.success_files] == ["好.txt"]
    assert [type(file.error) for file in report.failed_files] == [
        EmptyFile,
        FileMissing,
        IsDirectory,
    ]
    assert names(app, base) == ["好.txt"]


def test_the_same_file_again_is_unchanged(app: App, base: BaseInfo, write: Write) -> None:
    path = str(write("a.txt", "one two three"))
    assert statuses(app.importing.import_files(base, [path], quiet)) == ["imported"]
    assert statuses(app.importing.import_files(base, [path], quiet)) == ["unchanged"]
    assert names(app, base) == ["a.txt"]


def test_a_changed_file_replaces_its_document(app: App, base: BaseInfo, write: Write) -> None:
    path = write("a.txt", "red apples")
    app.importing.import_files(base, [str(path)], quiet)
    before = app.documents.page(base).documents[0]
    path.write_text("green pears", encoding="utf-8")
    assert statuses(app.importing.import_files(base, [str(path)], quiet)) == ["updated"]
    after = app.documents.page(base).documents[0]
    assert (after.id, after.name) == (before.id, "a.txt")
    assert app.documents.show(base, "a.txt").content.strip() == "green pears"
    hits = app.searching.search(app.bases.find("kb"), "apples", 5).hits
    assert [hit.keyword_score for hit in hits] == [0]


def test_another_chunk_size_splits_the_same_file_anew(
    app: App, base: BaseInfo, write: Write
) -> None:
    path = str(write("a.txt", "One sentence here. " * 40))
    first = app.importing.import_files(base, [path], quiet).success_files[0]
    again = app.importing.import_files(base, [path], quiet, 16).success_files[0]
    assert again.status == "updated"
    assert again.chunk_count > first.chunk_count
    assert (
        app.importing.import_files(base, [path], quiet, 16).success_files[0].status == "unchanged"
    )


def test_a_changed_file_keeps_the_chunk_size_of_its_document(
    app: App, base: BaseInfo, write: Write
) -> None:
    path = write("a.txt", "One sentence here. " * 9)
    app.importing.import_files(base, [str(path)], quiet)
    app.documents.update(base, "a.txt", 16, lambda _: None)
    path.write_text("Other sentences here. " * 9, encoding="utf-8")
    app.importing.import_files(base, [str(path)], quiet)
    assert app.documents.page(base).documents[0].chunk_size == 16


def test_the_same_name_from_another_folder_gets_a_number_and_a_note(
    app: App, base: BaseInfo, write: Write
) -> None:
    paths = [str(write("a/report.txt", "north")), str(write("b/report.txt", "south"))]
    report = app.importing.import_files(base, paths, quiet)
    assert names(app, base) == ["report (2).txt", "report.txt"]
    assert [note.key for note in report.success_files[1].notes] == ["note.renamed"]
    assert statuses(app.importing.import_files(base, paths, quiet)) == ["unchanged", "unchanged"]


def test_a_wrong_chunk_size_is_refused_before_anything_is_read(
    app: App, base: BaseInfo, write: Write
) -> None:
    with pytest.raises(NotANumber):
        app.importing.import_files(base, [str(write("a.txt", "x"))], quiet, "big")
    assert names(app, base) == []


def test_when_embedding_fails_the_text_is_stored_and_listed_as_failed(
    app: App, base: BaseInfo, write: Write, embedder: FakeEmbedder
) -> None:
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    report = app.importing.import_files(base, [str(write("a.txt", "向量检索"))], quiet)
    assert report.success_files == []
    assert [(type(f.error), f.stored) for f in report.failed_files] == [(EndpointUnreachable, True)]
    result = app.searching.search(base, "检索", 5)
    assert [hit.doc_name for hit in result.hits] == ["a.txt"]
    assert [note.key for note in result.notes] == ["note.missing_vectors"]


def test_embedding_again_completes_what_failed(
    app: App, base: BaseInfo, write: Write, embedder: FakeEmbedder
) -> None:
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    path = str(write("a.txt", "向量检索"))
    app.importing.import_files(base, [path], quiet)
    report = app.embedding.complete_base(app.bases.find("kb"), lambda _chunks: None)
    assert (report.embedded, report.failed) == (1, {})
    assert app.documents.page(base).documents[0].status == "ready"


def test_importing_again_completes_what_failed(
    app: App, base: BaseInfo, write: Write, embedder: FakeEmbedder
) -> None:
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    path = str(write("a.txt", "向量检索"))
    app.importing.import_files(base, [path], quiet)
    assert statuses(app.importing.import_files(base, [path], quiet)) == ["unchanged"]
    assert app.embedding.count_missing(app.bases.find("kb")) == 0


def test_one_failing_document_does_not_fail_the_others_of_the_call(
    app: App, base: BaseInfo, write: Write, embedder: FakeEmbedder
) -> None:
    first = str(write("a.txt", "one"))
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    app.importing.import_files(base, [first], quiet)
    report = app.importing.import_files(base, [str(write("b.txt", "two"))], quiet)
    assert [file.doc_name for file in report.success_files] == ["b.txt"]


def test_progress_counts_files_and_chunks(app: App, base: BaseInfo, write: Write) -> None:
    seen: list[Progress] = []
    paths = [str(write(f"{n}.txt", f"text {n}")) for n in range(3)]
    app.importing.import_files(base, paths, seen.append)
    files = [(each.done, each.total) for each in seen if each.stage == "files"]
    assert files == [(1, 3), (2, 3), (3, 3)]
    chunks = [each.done for each in seen if each.stage == "chunks"]
    assert chunks[-1] == 3


def test_a_file_is_only_read(app: App, base: BaseInfo, write: Write) -> None:
    path = write("a.txt", "text")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    app.importing.import_files(base, [str(path)], quiet)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_progress_carries_the_outcomes_until_then(app: App, base: BaseInfo, write: Write) -> None:
    paths = [str(write(f"{number}.txt", f"text {number}")) for number in range(3)]
    seen: list[tuple[str, int]] = []

    def note(progress: Progress) -> None:
        seen.append((progress.stage, len(progress.report.success_files)))

    report = app.importing.import_files(base, paths, note)
    assert [stage for stage, _ in seen].count("files") == 3
    assert [done for _, done in seen] == sorted(done for _, done in seen)
    assert len(report.success_files) == 3


class Enough(Exception):
    """Ends an import from outside."""


def test_an_import_that_is_stopped_keeps_what_is_stored_and_goes_on_later(
    app: App, base: BaseInfo, write: Write
) -> None:
    paths = [str(write(f"{number:02d}.txt", f"text {number}")) for number in range(20)]

    def stop(progress: Progress) -> None:
        if progress.done == 2:
            raise Enough

    with pytest.raises(Enough):
        app.importing.import_files(base, paths, stop)
    assert names(app, base) == ["00.txt", "01.txt"]
    assert statuses(app.importing.import_files(base, paths, quiet)) == [
        *["unchanged"] * 2,
        *["imported"] * 18,
    ]


def test_paths_that_are_not_admitted_fail_without_being_looked_at(
    settings: Settings, write: Write
) -> None:
    def admit(path: str) -> None:
        if "secret" in path:
            raise ForbiddenPlace(path)

    good, secret = write("a.txt", "text"), "/no/secret.txt"
    with open_app(settings, lambda _step: None, lambda *_a, **_k: FakeEmbedder(), admit) as app:
        base = app.bases.create("kb", 64)
        report = app.importing.import_files(base, [secret, str(good)], quiet)
        assert [type(each.error) for each in report.failed_files] == [ForbiddenPlace]
        assert report.total == 2
        with pytest.raises(ForbiddenPlace):
            app.folders.import_folder(base, "/no/secret", "*", quiet, prune=True)
