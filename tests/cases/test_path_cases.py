"""Paths as people give them."""

import gzip
import os
import shutil
import sys
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from docx import Document

Ask = Callable[..., dict[str, Any]]
Write = Callable[[str, str], Path]

DAMAGED_PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"


def import_doc(ask: Ask, *paths: object) -> dict[str, Any]:
    return ask("import_doc", "--file_paths", *(str(path) for path in paths))


def names(ask: Ask) -> list[str]:
    return [document["name"] for document in ask("list_doc")["data"]["documents"]]


def only_error(answer: dict[str, Any]) -> str:
    """The reason of the one file of a call that failed."""
    assert (answer["code"], answer["success"]) == (1, False)
    assert (answer["data"]["total"], answer["data"]["failed_count"]) == (1, 1)
    return answer["data"]["failed_files"][0]["error"]


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_tilde")
def test_a_tilde_is_the_users_folder(
    ask: Ask, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("utf8.txt", "文字")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(path.parent))
    imported = import_doc(ask, "~/utf8.txt")["data"]["success_files"]
    assert [file["doc_name"] for file in imported] == ["utf8.txt"]
    assert imported[0]["file_path"] == str(path.resolve())
    assert "'~/none.txt'" in only_error(import_doc(ask, "~/none.txt"))


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_space_cn", path="我的 文档/报告 (终稿)#1%.txt")
def test_a_name_is_kept_as_it_is(ask: Ask, write: Write, path: str) -> None:
    assert import_doc(ask, write(path, "文字"))["code"] == 0
    assert names(ask) == ["报告 (终稿)#1%.txt"]
    assert ask("delete_doc", "--doc_name", "报告 (终稿)#1%.txt")["code"] == 0


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_dir")
def test_a_folder_is_named_as_such(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    assert "is a folder" in only_error(import_doc(ask, tmp_path / "dir"))


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_missing")
def test_a_missing_file_is_missing_not_damaged(ask: Ask, tmp_path: Path) -> None:
    missing = tmp_path / "none.docx"
    assert only_error(import_doc(ask, missing)).startswith(f"There is no file '{missing}'.")


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_symlink")
def test_a_link_is_followed_and_a_loop_is_refused(ask: Ask, write: Write, tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(write("target.txt", "文字"))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert import_doc(ask, tmp_path / "link.txt")["code"] == 0
    assert names(ask) == ["link.txt"]
    assert "cannot be opened" in only_error(import_doc(ask, tmp_path / "loop"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_fifo")
def test_pipes_and_devices_are_refused_and_never_waited_for(ask: Ask, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero")):
        assert "not a regular file" in only_error(import_doc(ask, path))
    assert names(ask) == []


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_ext_case")
def test_extensions_in_capitals_are_the_same(ask: Ask, tmp_path: Path) -> None:
    wanted = {"REPORT.PDF": "backup-and-restore.pdf", "说明.DOCX": "warranty-policy.docx"}
    for name, sample in wanted.items():
        with as_file(files("ragkb.samples") / sample) as path:
            shutil.copyfile(path, tmp_path / name)
    imported = import_doc(ask, *(tmp_path / name for name in wanted))
    assert imported["code"] == 0
    assert [file["doc_name"] for file in imported["data"]["success_files"]] == [*wanted]
    assert [file["file_type"] for file in imported["data"]["success_files"]] == ["pdf", "docx"]


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_unsupported")
def test_text_of_any_name_is_read_and_what_is_no_document_is_refused(
    ask: Ask, write: Write
) -> None:
    good = [write("b.md", "# 标题\n\n正文。"), write("c", "没有扩展名的文字。")]
    packed, sheet = write("packed", ""), write("a.xlsx", "a\tb\n1\t2\n")
    packed.write_bytes(gzip.compress(b"text" * 99))
    report = import_doc(ask, *good, packed, sheet)
    assert report["code"] == 3
    assert names(ask) == ["b.md", "c"]
    unsupported, mislabelled = (file["error"] for file in report["data"]["failed_files"])
    assert "which cannot be read" in unsupported
    assert all(kind in unsupported for kind in ("TXT", "DOCX", "DOC", "PDF"))
    assert "named .xlsx but is really TXT" in mislabelled


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_dup_in_call")
def test_a_path_counts_once_and_a_taken_name_gets_a_number(ask: Ask, write: Write) -> None:
    first, second = write("a/x.txt", "北方"), write("b/x.txt", "南方")
    report = import_doc(ask, first, first, second)
    assert (report["code"], report["data"]["total"], report["data"]["success_count"]) == (0, 2, 2)
    assert names(ask) == ["x (2).txt", "x.txt"]
    assert report["data"]["success_files"][1]["notes"] != []
    assert ask("delete_doc", "--doc_name", "x.txt")["code"] == 0
    assert names(ask) == ["x (2).txt"]
    assert ask("show_doc", "--doc_name", "x (2).txt")["data"]["content"].strip() == "南方"


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_mixed")
def test_a_damaged_file_fails_alone(ask: Ask, write: Write, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(DAMAGED_PDF)
    word = Document()
    word.add_paragraph("会议纪要由行政部保存。")
    word.save(str(tmp_path / "good.docx"))
    good = write("good.txt", "值班手册由运维部保存。")
    report = import_doc(ask, good, damaged, tmp_path / "good.docx")
    counts = [report["data"][name] for name in ("total", "success_count", "failed_count")]
    assert (report["code"], counts) == (3, [3, 2, 1])
    assert "damaged" in report["data"]["failed_files"][0]["error"]
    assert names(ask) == ["good.docx", "good.txt"]
    for query, name in (("行政部", "good.docx"), ("运维部", "good.txt")):
        assert ask("search", "--query", query)["data"]["chunks"][0]["doc_name"] == name


@pytest.mark.usefixtures("kb")
@pytest.mark.case("pa_update_moved")
def test_a_document_is_split_anew_without_its_file(ask: Ask, write: Write) -> None:
    path = write("手册.txt", "值班人员应在五分钟内响应告警。" * 20)
    before = import_doc(ask, path)["data"]["success_files"][0]["chunk_count"]
    path.unlink()
    updated = ask("update_doc", "--doc_name", "手册.txt", "--chunk_size", "64")
    assert updated["code"] == 0
    assert 0 < updated["data"]["chunk_count"] < before
    assert ["no longer there" in note for note in updated["data"]["notes"]] == [True]
    found = ask("search", "--query", "告警")["data"]["chunks"]
    assert {chunk["doc_name"] for chunk in found} == {"手册.txt"}
