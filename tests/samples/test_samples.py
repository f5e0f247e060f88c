import re
from collections import Counter
from pathlib import Path

import olefile
import pytest
from docx import Document
from pypdf import PdfReader

from ragkb.samples import DEMO_QUERIES, sample_files

SOURCES = sorted((Path(__file__).parents[2] / "samples" / "sources").glob("*.txt"))


def head_and_body(source: Path) -> tuple[dict[str, str], str]:
    head, body = source.read_text(encoding="utf-8").split("\n\n", maxsplit=1)
    return dict(line.split(": ", maxsplit=1) for line in head.splitlines()), body


def raw_text(path: Path, encoding: str) -> str:
    """The text of a sample in no certain order, by means that owe nothing to our readers."""
    if path.suffix == ".txt":
        return path.read_bytes().decode(encoding)
    if path.suffix == ".pdf":
        return "".join(page.extract_text() for page in PdfReader(path).pages)
    if path.suffix == ".doc":
        with olefile.OleFileIO(str(path)) as ole:
            return ole.openstream("WordDocument").read().decode("utf-16-le", errors="replace")
    document = Document(str(path))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def plain_pieces(body: str) -> list[str]:
    """The paragraphs, items and cells of a source without marks and white space."""
    unmarked = (re.sub(r"^(#+|-|\d+\.|===) ?", "", line) for line in body.splitlines())
    pieces = (piece for line in unmarked for piece in line.split("|"))
    return [squeezed for piece in pieces if (squeezed := "".join(piece.split()))]


def test_every_source_has_its_sample_and_every_sample_its_source() -> None:
    promised = [head_and_body(source)[0]["file"] for source in SOURCES]
    assert sorted(promised) == [path.name for path in sample_files()]


def test_the_samples_cover_the_four_formats() -> None:
    formats = Counter(path.suffix for path in sample_files())
    assert formats == {".txt": 3, ".docx": 3, ".pdf": 3, ".doc": 1}


def test_the_samples_have_content_and_stay_small() -> None:
    sizes = [path.stat().st_size for path in sample_files()]
    assert min(sizes) > 1_000
    assert sum(sizes) < 600_000


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_sample_holds_all_of_its_source(source: Path) -> None:
    head, body = head_and_body(source)
    (sample,) = (path for path in sample_files() if path.name == head["file"])
    text = "".join(raw_text(sample, head.get("encoding", "utf-8")).split())
    assert [piece for piece in plain_pieces(body) if piece not in text] == []


def test_one_chinese_text_file_is_not_utf_8() -> None:
    (sample,) = (path for path in sample_files() if path.name == "向量检索实践.txt")
    with pytest.raises(UnicodeDecodeError):
        sample.read_text(encoding="utf-8")


def test_the_facts_of_the_manual_stand_on_their_pages() -> None:
    (manual,) = (path for path in sample_files() if path.name == "product-manual-ZX81.pdf")
    pages = [page.extract_text() for page in PdfReader(manual).pages]
    assert len(pages) == 5
    assert [number for number, text in enumerate(pages, 1) if "E-4042" in text] == [4]
    assert [number for number, text in enumerate(pages, 1) if "code at delivery" in text] == [3]


def test_the_samples_name_no_author() -> None:
    for path in sample_files():
        if path.suffix == ".docx":
            properties = Document(str(path)).core_properties
            assert (properties.author, properties.last_modified_by) == ("", "")
        if path.suffix == ".pdf":
            metadata = PdfReader(path).metadata
            assert metadata is not None
            assert metadata.author is None


def test_each_demo_search_expects_a_file_that_is_there() -> None:
    names = {path.name for path in sample_files()}
    assert {search.expected_file for search in DEMO_QUERIES} <= names
    assert len({search.kind for search in DEMO_QUERIES}) == len(DEMO_QUERIES) == 4


def test_the_search_across_languages_has_no_word_in_common_with_an_english_sample() -> None:
    (search,) = (search for search in DEMO_QUERIES if search.kind == "demo.across_languages")
    stems = {word[:5] for word in re.findall(r"\w+", search.query.lower()) if len(word) > 4}
    assert stems == {"annua", "leave", "calcu", "emplo"}
    english = [body for head, body in map(head_and_body, SOURCES) if head["language"] == "en-GB"]
    assert len(english) == 5
    found = {word[:5] for body in english for word in re.findall(r"\w+", body.lower())}
    assert stems & found == set()
