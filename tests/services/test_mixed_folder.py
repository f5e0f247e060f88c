"""A folder of 150 good and bad files in one import: outcomes, and the memory that it took."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from making_docx import docx, paragraph
from making_office import presentation, workbook
from making_pdf import bomb_pdf, chinese_pdf, encrypted, latin_pdf, scanned_pdf
from reading_bytes import ROOT

from ragkb.home import Home

FIXTURES = ROOT / "tests" / "readers" / "fixtures"
ROW = '<row><c r="A1"><v>4711</v></c></row>'
PROGRAM = """
import json, resource, sys
from pathlib import Path
from fake_embedder import FakeEmbedder
from ragkb.app import open_app
from ragkb.settings import Settings

home, folder = map(Path, sys.argv[1:])
embedder = FakeEmbedder()
with open_app(Settings(home=home), lambda _copy: None, lambda *_a, **_k: embedder) as app:
    base = app.bases.create("kb", 256)
    paths = [str(path) for path in sorted(folder.iterdir())]
    report = app.importing.import_files(base, paths, lambda _progress: None)
outcomes = {Path(each.file_path).name: each.status for each in report.success_files}
for each in report.failed_files:
    outcomes[Path(each.file_path).name] = type(each.error).__name__
status = Path("/proc/self/status")
if status.exists():  # Linux counts what the process that started this one held, too
    (own,) = (int(line.split()[1]) for line in status.open() if line.startswith("VmHWM:"))
else:
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([outcomes, own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


@dataclass(frozen=True)
class Kind:
    """A content, the names it comes under, and what an import makes of it."""

    content: bytes
    extension: str
    outcome: str
    copies: int = 5


def kinds() -> Iterator[Kind]:
    """The good ones first."""
    word, page = docx(paragraph("好")), latin_pdf(["Page."])
    for good in (
        *(("纪要。".encode(encoding), "txt") for encoding in ("utf-8", "gbk", "utf-16")),
        *((word, "docx"), (word, "doc"), (page, "pdf"), (page, "bin")),
        *((chinese_pdf(*[("知识库管理系统。",)] * 40), "pdf"), (b"a;b\n1;2\n", "csv")),
        *((workbook(ROW), "xlsx"), (presentation(), "pptx"), (b"<html>text</html>", "html")),
        *(((FIXTURES / f"minutes.{name}").read_bytes(), name) for name in ("doc", "rtf")),
    ):
        yield Kind(*good, "imported")
    for content, extension, outcome in (
        (b"", "txt", "EmptyFile"),
        (b" \n", "md", "EmptyFile"),
        (bytes(range(256)) * 20, "txt", "UnsupportedType"),
        (b"MZ" + bytes(500), "txt", "UnsupportedType"),
        (b"%PDF-1.7 cut", "pdf", "DamagedFile"),
        (page[:200], "pdf", "DamagedFile"),
        (b"<html>404</html>", "pdf", "Mislabelled"),
        (encrypted(page, "secret"), "pdf", "PasswordProtected"),
        (b"PK\x03\x04 broken", "docx", "Mislabelled"),
        (word[: len(word) // 2], "docx", "DamagedFile"),
        (docx("<w:p/>"), "docx", "NoText"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "doc", "DamagedFile"),
        (b"<html></html>", "html", "NoText"),
        (scanned_pdf(["", "1"]), "pdf", "NoText"),
        (b"PK\x05\x06" + bytes(18), "zip", "UnsupportedType"),
    ):
        yield Kind(content, extension, outcome)
    yield Kind(bomb_pdf(120_000_000), "pdf", "ReadingTooLarge", copies=1)
    yield Kind(b"The same. " * 10_000, "log", "imported", copies=4)


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource.getrusage")
def test_150_good_and_bad_files_have_their_outcomes_in_bounded_memory(
    home: Home, tmp_path: Path
) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    expected: dict[str, str] = {}
    for index, kind in enumerate(kinds()):
        for copy in range(kind.copies):
            name = f"{copy}-{index:02}.{kind.extension}"  # good ones and bad ones take turns
            (folder / name).write_bytes(kind.content)
            expected[name] = kind.outcome
    assert len(expected) == 150
    plugins = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "plugins")))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home.folder), str(folder)],
        env={**os.environ, "PYTHONPATH": plugins},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    outcomes: dict[str, str]
    outcomes, *peaks = json.loads(done.stdout)
    assert outcomes == expected
    parent, largest_child = (
        peak // (1_000_000 if sys.platform == "darwin" else 1000) for peak in peaks
    )
    assert parent < 400
    assert largest_child < 2000
