"""Reading content that a test has in hand, and finding the corpus where there is one."""

import os
from pathlib import Path

import pytest

from ragkb.document_text import DocumentText
from ragkb.readers.reading import read_source
from ragkb.readers.source import Source

ROOT = Path(__file__).parents[2]


def read_bytes(name: str, content: bytes, text_chars: int = 1_000_000) -> DocumentText:
    """What the readers make of a file of that name and content; raises a FileRefused."""
    return read_source(Source(name, content, text_chars))


def heading_texts(document: DocumentText) -> list[tuple[int, str]]:
    """Level and text of each heading."""
    return [(each.level, document.text[each.start : each.end]) for each in document.headings]


def corpus() -> Path:
    """The folder of real files with known answers; skips the test where there is none."""
    folder = Path(os.environ.get("RAGKB_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not (folder / "manifest.jsonl").is_file():
        pytest.skip(f"no corpus at {folder}; set RAGKB_CORPUS to one")
    return folder


def evaluation() -> Path:
    """The folder of retrieval sets, a source of real text; skips the test where there is none."""
    folder = corpus().parent / "eval"
    if not folder.is_dir():
        pytest.skip(f"no texts at {folder}")
    return folder
