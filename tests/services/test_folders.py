"""A base follows a folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragkb.app import App
from ragkb.errors import FileMissing, NotADirectory
from ragkb.services.folders import FolderReport, files_of
from ragkb.services.knowledge_bases import BaseInfo

Write = Callable[[str, str], Path]


@pytest.fixture
def base(app: App) -> BaseInfo:
    app.bases.create("kb", 64)
    return app.bases.select("kb")


def follow(app: App, base: BaseInfo, folder: Path, *, prune: bool = False) -> FolderReport:
    return app.folders.import_folder(base, str(folder), "*", lambda _: None, prune=prune)


def test_new_changed_unchanged_and_vanished_files_are_told_apart(
    app: App, base: BaseInfo, write: Write, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    for name in ("a.txt", "sub/b.txt", "sub/深/c.txt"):
        write(name, f"text of {name}")
    assert len(follow(app, base, folder).files.success_files) == 3
    write("a.txt", "changed")
    (folder / "sub" / "b.txt").unlink()
    report = follow(app, base, folder)
    assert {file.doc_name: file.status for file in report.files.success_files} == {
        "a.txt": "updated",
        "c.txt": "unchanged",
    }
    assert report.vanished == ["b.txt"]


def test_vanished_documents_are_deleted_only_when_asked_for(
    app: App, base: BaseInfo, write: Write, tmp_path: Path
) -> None:
    folder = tmp_path / "files" / "watched"
    gone = write("watched/a.txt", "one")
    write("watched/b.txt", "two")
    outside = write("other/c.txt", "three")
    follow(app, base, folder)
    app.importing.import_files(base, [str(outside)], lambda _: None)
    gone.unlink()
    outside.unlink()
    assert follow(app, base, folder).vanished == ["a.txt"]
    assert app.documents.page(base).total == 3
    assert follow(app, base, folder, prune=True).pruned
    assert [each.name for each in app.documents.page(base).documents] == ["b.txt", "c.txt"]


def test_unsupported_files_are_skipped_and_named_not_failed(
    app: App, base: BaseInfo, write: Write, tmp_path: Path
) -> None:
    write("a.txt", "one")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
    (tmp_path / "files" / "photo.png").write_bytes(picture)
    report = follow(app, base, tmp_path / "files")
    assert report.files.failed_files == []
    assert [Path(file.file_path).name for file in report.skipped_files] == ["photo.png"]


def test_a_pattern_chooses_files_by_name_or_relative_path(write: Write, tmp_path: Path) -> None:
    for name in ("a.pdf", "a.txt", "2024/b.txt"):
        write(name, "x")
    folder = tmp_path / "files"
    assert [path.name for path in files_of(folder, "*.pdf")] == ["a.pdf"]
    assert [path.name for path in files_of(folder, "2024/*")] == ["b.txt"]


def test_hidden_and_lock_files_are_left_alone(write: Write, tmp_path: Path) -> None:
    for name in (".git/config", ".hidden.txt", "~$report.docx", "report.txt"):
        write(name, "x")
    assert [path.name for path in files_of(tmp_path / "files", "*")] == ["report.txt"]


def test_what_is_no_folder_is_refused(app: App, base: BaseInfo, write: Write) -> None:
    file = write("a.txt", "x")
    with pytest.raises(NotADirectory):
        follow(app, base, file)
    with pytest.raises(FileMissing):
        follow(app, base, file.parent / "none")
