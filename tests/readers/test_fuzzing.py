"""Damaged files in real children: each ends in a text or a refusal, none in a crash or hang."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from making_docx import NAMESPACES, docx, notes, paragraph, table
from making_office import presentation, workbook
from making_pdf import chinese_pdf, form_pdf, latin_pdf, scanned_pdf
from reading_bytes import ROOT

from ragkb.errors import FileRefused, ReaderCrashed, ReadingTimedOut
from ragkb.readers import ReaderLimits, Readers

SOAK = bool(os.environ.get("RAGKB_SOAK"))
MUTATIONS = 2000 if SOAK else 100
FIXTURES = Path(__file__).parent / "fixtures"
ROWS = '<row><c r="A1" t="s"><v>0</v></c><c r="C1" s="1"><v>45430</v></c></row>'
HTML = b"<html><head><meta charset=gbk></head><body><h1>x</h1><table><tr><td>a<td>b</table></body>"
MHTML = b'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: '


def small_docx() -> bytes:
    parts: dict[str, tuple[str, str | bytes]] = {
        "footnotes.xml": ("footnotes", notes("footnote", "脚注")),
        "header1.xml": ("header", f"<w:hdr {NAMESPACES}>{paragraph('页眉')}</w:hdr>"),
    }
    return docx(paragraph("标题", style="1") + table(["甲", "乙"]) + paragraph("正文"), parts)


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "pdf": lambda: [
        latin_pdf(["A page of text."], ["Another one."]),
        chinese_pdf(("知识库管理系统", "第二行")),
        form_pdf("value", "note"),
        scanned_pdf(["", "x"]),
    ],
    "docx": lambda: [small_docx()],
    "xlsx": lambda: [workbook(ROWS)],
    "pptx": lambda: [presentation()],
    "doc": lambda: [(FIXTURES / "minutes.doc").read_bytes()],
    "rtf": lambda: [(FIXTURES / "minutes.rtf").read_bytes()],
    "html": lambda: [HTML, MHTML + b"text/html\n\n" + HTML],
    "txt": lambda: ["会议纪要：项目进展顺利。\n".encode("gbk") * 20, "plain\n".encode("utf-16")],
}


def seeds(extension: str) -> list[bytes]:
    """Our own files, and in a soak run those of the corpus that are not large."""
    found = SEEDS[extension]()
    folder = Path(os.environ.get("RAGKB_CORPUS") or ROOT.parent / "shared" / "corpus") / extension
    if SOAK and folder.is_dir():
        found += [
            path.read_bytes() for path in sorted(folder.iterdir()) if path.stat().st_size < 99_999
        ]
    return [content for content in found if content]


def mutated(chance: random.Random, content: bytes, others: list[bytes]) -> bytes:
    """Flipped bits, a cut, or a piece of another file in the middle."""
    damaged = bytearray(content)
    match chance.randrange(4):
        case 0:
            for _ in range(chance.choice((1, 3, 20))):
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        case 1:
            del damaged[chance.randrange(len(damaged)) :]
        case 2:
            start = chance.randrange(len(damaged))
            damaged[start : start + chance.randrange(64)] = chance.randbytes(chance.randrange(64))
        case _:
            other = chance.choice(others)
            start, end = sorted((chance.randrange(len(other)), chance.randrange(len(other))))
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randrange(1000)] = other[start:end]
    return bytes(damaged)


@pytest.mark.soak
@pytest.mark.parametrize("extension", SEEDS)
def test_a_damaged_file_is_read_or_refused(extension: str, tmp_path: Path) -> None:
    chance = random.Random(f"{extension} 3")
    contents = seeds(extension)
    path = tmp_path / f"damaged.{'bin' if extension == 'txt' else extension}"
    with Readers(ReaderLimits(seconds=30), workers=1) as readers:
        for _ in range(MUTATIONS):
            path.write_bytes(mutated(chance, chance.choice(contents), contents))
            try:
                readers.read(path)
            except (ReaderCrashed, ReadingTimedOut):
                raise
            except FileRefused:
                continue
