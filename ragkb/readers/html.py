"""HTML: the page without scripts and styles; tables as rows, headings with their level."""

import re
from collections.abc import Iterator

from ragkb.document_text import DocumentText
from ragkb.errors import NoText, UnsupportedType
from ragkb.readers.building import Block, Paragraph, Row, TextBuilder
from ragkb.readers.cleaning import one_line
from ragkb.readers.decoding import decode_declared
from ragkb.readers.kinds import SUPPORTED_TYPES
from ragkb.readers.source import Source
from ragkb.readers.xml_tree import Element, parse_html

CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
SPACES = re.compile(r"[ \t\r\n\f]+")
HIDDEN = re.compile(r"display\s*:\s*none|mso-hide\s*:\s*all", re.IGNORECASE)
SKIPPED = frozenset({
    "script", "style", "head", "template", "noscript", "xml", "svg", "math", "object", "iframe",
    "select", "datalist", "audio", "video", "canvas",
})  # fmt: skip
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr",
    "html", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "ul",
    "caption", "title",
})  # fmt: skip
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}


def read_html(source: Source) -> DocumentText:
    """Return the text of a page whose encoding it declares itself, or not."""
    declared = CHARSET.search(source.content[:8192])
    return read_html_in(source, declared[1].decode("ascii") if declared else "")


def read_html_in(source: Source, charset: str) -> DocumentText:
    """Return the text of a page in `charset`; raises NoText, UnsupportedType."""
    decoded = decode_declared(source.content, charset)
    if decoded is None:
        raise UnsupportedType(source.path, "", SUPPORTED_TYPES)
    root = parse_html(decoded.text)
    if root is None:
        raise NoText(source.path)
    flow = _Flow()
    flow.walk(root)
    flow.flush()
    builder = TextBuilder(source)
    builder.add_all(flow.blocks)
    return builder.document("html", title=_title(root), encoding=decoded.encoding)


class _Flow:
    """Blocks as they are met, and the line that is being written."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._line: list[str] = []
        self._mark = ""  # of the list item that begins

    def flush(self, level: int | None = None) -> None:
        """End the line."""
        text = "\n".join(part.strip(" ") for part in "".join(self._line).split("\n")).strip("\n")
        self._line.clear()
        if text:
            self.blocks.append(Paragraph(self._mark + text, level))
            self._mark = ""

    def walk(self, element: Element, *, verbatim: bool = False) -> None:
        """Write what is inside of an element."""
        self._write(element.text, verbatim=verbatim)
        items = 0
        for each in element:
            if each.tag == "li":
                items += 1
                self.flush()
                self._mark = f"{items}. " if element.tag == "ol" else "• "
            self._enter(each, verbatim=verbatim)
            if each.tag == "li":
                self._mark = ""  # an empty item leaves none behind
            self._write(each.tail, verbatim=verbatim)

    def _write(self, text: str | None, *, verbatim: bool) -> None:
        if text:
            self._line.append(text if verbatim else SPACES.sub(" ", text))

    def _enter(self, element: Element, *, verbatim: bool) -> None:
        tag = element.tag if isinstance(element.tag, str) else ""  # pyright: ignore[reportUnnecessaryIsInstance]  # a comment has a function for a tag
        if not tag or tag in SKIPPED or HIDDEN.search(element.get("style") or ""):
            return
        if tag == "br":
            self._line.append("\n")
        elif tag == "table":
            self.flush()
            self._table(element)
        elif tag in HEADINGS:
            self.flush()
            self.walk(element)
            self.flush(HEADINGS[tag])
        elif tag in BLOCKS:
            self.flush()
            self.walk(element, verbatim=verbatim or tag == "pre")
            self.flush()
        else:
            self.walk(element, verbatim=verbatim)

    def _table(self, table: Element) -> None:
        for part in _parts(table):
            if part.tag == "caption":
                self._enter(part, verbatim=False)
                continue
            cells = [each for each in part if each.tag in {"td", "th"}]
            if len(cells) == 1:  # layout, not data
                self.walk(cells[0])
                self.flush()
            else:
                self.blocks.append(Row(tuple(_cell(cell) for cell in cells)))


def _parts(table: Element) -> Iterator[Element]:
    """The rows and the caption of a table, not those of tables inside of it."""
    for each in table:
        if each.tag in {"tr", "caption"}:
            yield each
        elif each.tag in {"thead", "tbody", "tfoot"}:
            yield from _parts(each)


def _cell(cell: Element) -> str:
    flow = _Flow()
    flow.walk(cell)
    flow.flush()
    return " ".join(one_line(block.as_text()) for block in flow.blocks)


def _title(root: Element) -> str:
    for each in root.iter():
        if each.tag == "title":
            return each.text or ""
    return ""
