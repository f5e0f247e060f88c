"""What a path means, and which name a file gets."""

import os
import sys
import unicodedata
from pathlib import Path

import pytest

from ragkb.errors import FileMissing, FileTooLarge, IsDirectory, NotRegularFile, UnreadablePath
from ragkb.services.files import (
    SourceFile,
    canonical,
    check,
    distinct_files,
    fingerprint,
    free_name,
)


def test_one_file_by_two_ways_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "a.txt"
    file.write_text("x", encoding="utf-8")
    ways = [str(file), str(tmp_path / "sub" / ".." / "a.txt"), str(file)]
    assert len(distinct_files(ways)) == 1


def test_a_relative_path_is_that_of_the_callers_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert canonical("a.txt").location == (tmp_path / "a.txt").resolve()


def test_a_missing_file_is_named_as_it_was_given() -> None:
    with pytest.raises(FileMissing) as refused:
        canonical("no/such/file.txt")
    assert refused.value.path == "no/such/file.txt"


def test_a_name_is_composed(tmp_path: Path) -> None:
    path = tmp_path / unicodedata.normalize("NFD", "résumé.txt")
    path.write_text("x", encoding="utf-8")
    assert canonical(str(path)).name == "résumé.txt"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_link_is_named_as_given_and_identified_by_its_target(tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("x", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(target)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    source = canonical(str(tmp_path / "link.txt"))
    assert (source.name, source.path) == ("link.txt", str(target.resolve()))
    with pytest.raises(UnreadablePath):
        canonical(str(tmp_path / "loop"))


def test_folders_and_large_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IsDirectory):
        check(SourceFile(str(tmp_path), tmp_path, "x"), 200)
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(2_500_000)
    with pytest.raises(FileTooLarge) as refused:
        check(canonical(str(large)), 2)
    assert (refused.value.megabytes, refused.value.limit) == (2, 2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
def test_pipes_and_devices_are_refused_without_opening_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(NotRegularFile):
            check(canonical(str(path)), 200)


def test_a_fingerprint_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert fingerprint(canonical(str(path))) == expected


@pytest.mark.parametrize(
    ("name", "taken", "free"),
    [
        ("report.pdf", (), "report.pdf"),
        ("report.pdf", ("report.pdf",), "report (2).pdf"),
        ("report.pdf", ("report.pdf", "report (2).pdf"), "report (3).pdf"),
        ("报告", ("报告",), "报告 (2)"),
        (".env", (".env",), ".env (2)"),
    ],
)
def test_a_taken_name_gets_a_number(name: str, taken: tuple[str, ...], free: str) -> None:
    assert free_name(name, taken.__contains__) == free
