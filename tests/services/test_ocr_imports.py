"""What an import says of pages that only OCR can read, with the extra and without it."""

from pathlib import Path

import pytest
from making_pdf import latin_pdf, pictured, scan_of
from program import Outcome, run, without_modules

from ragkb.home import Home
from ragkb.readers import ocr_installed
from ragkb.services.storing import runs

needs_ocr = pytest.mark.skipif(not ocr_installed(), reason="install the extra ragkb[ocr]")
PICTURE = "Invoice number 4711."


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """A page that is a picture, and one with a text layer."""
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan_of(latin_pdf([PICTURE]), and_text=["A page of text."]))
    return path


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment without the extra."""
    return without_modules(tmp_path / "bare", "rapidocr")


def imported(home: Home, path: Path, **environ: str) -> Outcome:
    if not run(home, "list_kb", **environ).data["knowledge_bases"]:
        run(home, "create_kb", "--kb_name", "kb", "--chunk_size", "64", **environ)
    return run(home, "import_doc", "--file_paths", str(path), "--kb_name", "kb", **environ)


def test_without_the_extra_the_note_names_it(home: Home, scan: Path, bare: dict[str, str]) -> None:
    (file,) = imported(home, scan, **bare).data["success_files"]
    (note,) = file["notes"]
    assert note.startswith("Pages 1 of 2 have no text layer")
    assert "ragkb[ocr]" in note


def test_without_the_extra_a_picture_is_refused_with_the_remedy(
    home: Home, tmp_path: Path, bare: dict[str, str]
) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (file,) = imported(home, path, **bare).data["failed_files"]
    assert "Install the extra ragkb[ocr]" in file["error"]


@needs_ocr
def test_pages_that_were_left_out_are_read_once_the_extra_is_there(
    home: Home, scan: Path, bare: dict[str, str]
) -> None:
    imported(home, scan, **bare)
    (file,) = imported(home, scan).data["success_files"]
    assert file["status"] == "updated"
    assert file["notes"] == ["Pages 1 of 2 were read by OCR; check names and numbers."]
    shown = run(home, "show_doc", "--doc_name", "scan.pdf", "--kb_name", "kb").data
    assert shown["content"] == f"{PICTURE}\nA page of text.\n"
    (again,) = imported(home, scan).data["success_files"]
    assert again["status"] == "unchanged"


@needs_ocr
def test_a_picture_becomes_a_document(home: Home, tmp_path: Path) -> None:
    from PIL import Image  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    path = tmp_path / "fax.tiff"
    width, height, pixels = pictured(latin_pdf([PICTURE]))
    Image.frombytes("L", (width, height), pixels).save(path)  # pyright: ignore[reportUnknownMemberType]
    (file,) = imported(home, path).data["success_files"]
    assert file["notes"] == ["The text was read by OCR; check names and numbers."]


def test_long_lists_of_pages_are_told_as_runs() -> None:
    assert runs([2]) == "2"
    assert runs([2, 3, 7, 8, 9, 12]) == "2, 3, 7-9, 12"
