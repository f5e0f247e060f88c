"""Build the sample documents of `ragkb/samples` from the texts in `samples/sources`.

    python samples/make_samples.py

Needs python-docx, LibreOffice (`soffice`) and the Noto CJK fonts. A source is UTF-8 text: lines of
`key: value`, a blank line, the body. A body for a .txt file is written as it is, in the encoding
named; any other is marked up with one paragraph per line, `# ` and `## ` headings, `- ` and `1. `
list items, `| cell | cell |` table rows (the first is the header) and `===` for a new page.
"""
# python-docx has types, the lxml elements below it have none.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import cast

from docx import Document
from docx.document import Document as DocxDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.shared import Cm, Length, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.table import _Cell as Cell  # pyright: ignore[reportPrivateUsage]  # it has no public name
from docx.text.paragraph import Paragraph

SOURCES = Path(__file__).parent / "sources"
RESULTS = Path(__file__).parent.parent / "ragkb" / "samples"

BODY_FONT = "Noto Serif CJK SC"
HEADING_FONT = "Noto Sans CJK SC"
TEXT_WIDTH_CM = 15.8
FILTERS = {".doc": "doc:MS Word 97", ".pdf": "pdf:writer_pdf_Export"}
# Fixed, so that a rebuilt file differs only where its text does.
WRITTEN_ON = datetime(2025, 6, 30, 9)  # noqa: DTZ001  # OOXML properties carry no zone here


@dataclass(frozen=True)
class Source:
    """The text of one sample document and how it is to be written."""

    file: str
    language: str
    body: str
    footer: str = ""
    encoding: str = "utf-8"

    @property
    def suffix(self) -> str:
        return Path(self.file).suffix

    @property
    def is_chinese(self) -> bool:
        return self.language.startswith("zh")


def read_source(path: Path) -> Source:
    """Return the source in `path`; the keys of its head are the fields of `Source`."""
    head, body = path.read_text(encoding="utf-8").split("\n\n", maxsplit=1)
    fields = dict(line.split(": ", maxsplit=1) for line in head.splitlines())
    return Source(body=body, **fields)


def write_text(source: Source) -> None:
    """Write a .txt sample in the source's encoding, without a byte order mark."""
    (RESULTS / source.file).write_bytes(source.body.encode(source.encoding))


def write_docx(source: Source, path: Path) -> None:
    """Write the marked-up body of `source` as a Word document with styles, tables and a footer."""
    document = Document()
    prepare_page(document, source)
    prepare_styles(document, source)
    is_new_page = False
    for is_table, lines in groupby(body_lines(source.body), key=lambda line: line.startswith("|")):
        if is_table:
            add_table(document, [split_row(line) for line in lines])
            continue
        for line in lines:
            if line == "===":
                is_new_page = True
                continue
            add_block(document, line).paragraph_format.page_break_before = is_new_page
            is_new_page = False
    document.save(str(path))


def body_lines(body: str) -> Iterator[str]:
    """Yield the lines of a body that are not blank."""
    return (line for line in body.splitlines() if line.strip())


def split_row(line: str) -> list[str]:
    """Return the cells of a line `| a | b |`."""
    return [cell.strip() for cell in line.strip("| ").split("|")]


def add_block(document: DocxDocument, line: str) -> Paragraph:
    """Add one heading, list item or paragraph, told apart by its mark."""
    if line.startswith("## "):
        return document.add_heading(line.removeprefix("## "), level=2)
    if line.startswith("# "):
        document.core_properties.title = line.removeprefix("# ")
        return document.add_heading(line.removeprefix("# "), level=1)
    if line.startswith("- "):
        return document.add_paragraph(line.removeprefix("- "), style="List Bullet")
    if numbered := re.match(r"\d+\. ", line):
        return document.add_paragraph(line[numbered.end() :], style="List Number")
    return document.add_paragraph(line, style="Body Text")


def add_table(document: DocxDocument, rows: list[list[str]]) -> None:
    """Add a table with a shaded header row, and some air below it."""
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    table.autofit = False
    widths = column_widths(rows)
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for number, row in enumerate(rows):
        for cell, text, width in zip(table.add_row().cells, row, widths, strict=True):
            cell.width = width
            fill_cell(cell, text, is_header=number == 0)
    document.add_paragraph().paragraph_format.space_after = Pt(0)


def column_widths(rows: list[list[str]]) -> list[Length]:
    """Share the width of the text among the columns by their longest cells, within reason."""
    longest = [
        max(len(text.encode("gb18030")) for text in column) for column in zip(*rows, strict=True)
    ]
    weights = [min(max(length, 11), 30) for length in longest]
    return [Cm(TEXT_WIDTH_CM * weight / sum(weights)) for weight in weights]


def fill_cell(cell: Cell, text: str, *, is_header: bool) -> None:
    """Write `text` into a table cell, bold on grey in the header row."""
    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_before = paragraph.paragraph_format.space_after = Pt(2)
    run = paragraph.add_run(text)
    run.bold, run.font.size = is_header, Pt(10.5)
    if is_header:
        shading = element("w:shd", val="clear", fill="E7ECEF")
        cell._tc.get_or_add_tcPr().append(shading)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # there is no public way to shade


def prepare_page(document: DocxDocument, source: Source) -> None:
    """Set A4, margins, the footer with the page number, and properties that name nobody."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm((21 - TEXT_WIDTH_CM) / 2)
    section.top_margin = section.bottom_margin = Cm(2.3)
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    footer.add_run(f"{source.footer} · ")
    add_page_number(footer)
    properties = document.core_properties
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.created = properties.modified = WRITTEN_ON
    properties.language = source.language


def add_page_number(paragraph: Paragraph) -> None:
    """Append the field that shows the number of the page."""
    paragraph._p.append(element("w:fldSimple", instr="PAGE"))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # python-docx has no fields


def prepare_styles(document: DocxDocument, source: Source) -> None:
    """Give the styles in use their fonts and distances, Chinese or English."""
    for name, font, size, before, after in (
        ("Normal", BODY_FONT, 11, 0, 0),
        ("Body Text", BODY_FONT, 11, 0, 8),
        ("List Bullet", BODY_FONT, 11, 0, 4),
        ("List Number", BODY_FONT, 11, 0, 4),
        ("Heading 1", HEADING_FONT, 18, 0, 12),
        ("Heading 2", HEADING_FONT, 14, 12, 6),
        ("Footer", HEADING_FONT, 8.5, 0, 0),
    ):
        style = cast("ParagraphStyle", document.styles[name])
        style.font.size = Pt(size)
        style.paragraph_format.space_before, style.paragraph_format.space_after = (
            Pt(before),
            Pt(after),
        )
        style.paragraph_format.line_spacing = 1.0  # the Noto CJK fonts carry their own leading
        if name.startswith("Heading"):
            style.font.color.rgb = RGBColor(0x1F, 0x3A, 0x4D)
        set_font(style, font)
    body = cast("ParagraphStyle", document.styles["Body Text"]).paragraph_format
    body.first_line_indent = Pt(22) if source.is_chinese else None


def set_font(style: ParagraphStyle, font: str) -> None:
    """Name one font for Latin and Chinese; python-docx sets the Latin one only."""
    properties = style.element.get_or_add_rPr()
    for old in properties.findall(qn("w:rFonts")):
        properties.remove(old)
    fonts = element("w:rFonts", ascii=font, hAnsi=font, eastAsia=font, cs=font)
    properties.insert(0, fonts)
    properties.append(element("w:lang", val="en-GB", eastAsia="zh-CN"))


def element(tag: str, **attributes: str) -> BaseOxmlElement:
    """Return a WordprocessingML element, its attributes in the same namespace."""
    made = OxmlElement(tag)
    for name, value in attributes.items():
        made.set(qn(f"w:{name}"), value)
    return cast("BaseOxmlElement", made)


def convert(soffice: str, documents: Iterable[Path], suffix: str, profile: Path) -> None:
    """Let LibreOffice write `documents` into the results folder in the format of `suffix`."""
    command = [
        soffice,
        f"-env:UserInstallation={profile.as_uri()}",
        "--headless",
        "--convert-to",
        FILTERS[suffix],
        "--outdir",
        str(RESULTS),
        *map(str, documents),
    ]
    subprocess.run(command, check=True, timeout=300)  # noqa: S603  # our own files and program


def main() -> None:
    """Write every sample anew."""
    soffice = shutil.which("soffice")
    if soffice is None:
        raise SystemExit("LibreOffice's soffice is not on the PATH; install LibreOffice.")
    sources = [read_source(path) for path in sorted(SOURCES.glob("*.txt"))]
    with tempfile.TemporaryDirectory() as folder:
        drafts: dict[str, list[Path]] = {suffix: [] for suffix in FILTERS}
        for source in sources:
            if source.suffix == ".txt":
                write_text(source)
            elif source.suffix == ".docx":
                write_docx(source, RESULTS / source.file)
            else:
                draft = Path(folder) / Path(source.file).with_suffix(".docx")
                write_docx(source, draft)
                drafts[source.suffix].append(draft)
        for suffix, documents in drafts.items():
            convert(soffice, documents, suffix, Path(folder) / "profile")
    print(f"{len(sources)} documents in {RESULTS}")


if __name__ == "__main__":
    main()
