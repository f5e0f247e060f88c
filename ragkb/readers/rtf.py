"""RTF: text by the fonts' character sets and by Unicode escapes; tables, headings, notes.

After the Rich Text Format Specification 1.9.1. Groups that only describe are skipped; those marked
as ignorable are skipped unless they are known to hold text.
"""

import re
from dataclasses import dataclass, field, replace

from ragkb.document_text import DocumentText
from ragkb.readers.building import TextBuilder
from ragkb.readers.docx_styles import HEADING_NAME
from ragkb.readers.source import Source

TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|(?P<hex>(?:\\'[0-9a-fA-F]{2})+)"
    rb"|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])"
    rb"|[\r\n]+"
    rb"|(?P<text>[^\\{}\r\n]+)"
    rb"|\\",
    re.DOTALL,
)
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
CODE_PAGES = {936: "gb18030", 950: "big5hkscs", 10000: "mac-roman", 65001: "utf-8"}
CHARACTERS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ",
    "qmspace": " ", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
}  # fmt: skip
SIGNS = {b"~": "\xa0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column"})
SKIPPED = frozenset({
    "colortbl", "info", "pict", "object", "themedata", "colorschememapping", "datastore",
    "latentstyles", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "fldinst",
    "xe", "tc", "tcl", "bkmkstart", "bkmkend", "private", "nonesttables", "nesttableprops",
    "shpinst", "shprslt", "upr", "filetbl", "xmlnstbl", "mmathPr", "sn", "sv", "atnid", "atnauthor",
    "atnref", "atntime", "atndate", "annotationid", "falt", "panose",
})  # fmt: skip
SHOWN = frozenset(["shptxt", "ud", "result", "fldrslt"])  # text inside of what is otherwise skipped
SEPARATE = frozenset({
    "listtext", "pntext", "header", "headerl", "headerr", "headerf", "footer", "footerl",
    "footerr", "footerf",
    "footnote", "annotation",
})  # fmt: skip


@dataclass(frozen=True)
class State:
    """What a group inherits and gives back at its end."""

    skipped: bool = False
    story: str = "body"
    font: int = -1
    after_unicode: int = 1  # characters that follow a \\u, for readers without Unicode
    deleted: bool = False


@dataclass
class Collected:
    """The paragraph, table row and bytes that are being collected in one story."""

    parts: list[str] = field(default_factory=list[str])
    cells: list[str] = field(default_factory=list[str])
    pending: bytearray = field(default_factory=bytearray)
    style: int = -1
    outline: int | None = None
    in_table: bool = False


def read_rtf(source: Source) -> DocumentText:
    """Return the document's text; raises NoText."""
    reader = _Rtf(TextBuilder(source))
    reader.run(source.content)
    return reader.builder.document("rtf")


class _Rtf:
    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self._state = State()
        self._groups: list[State] = []
        self._body = Collected()
        self._aside: list[str] = []  # notes wait for the end of their paragraph
        self._last: list[str] = []  # headers and footers wait for the end of the document
        self._now = self._body
        self._default = "cp1252"
        self._fonts: dict[int, str] = {}
        self._levels: dict[int, int] = {}
        self._ignorable = False
        self._to_skip = 0

    def run(self, content: bytes) -> None:
        """Read the whole file."""
        at, end = 0, len(content)
        while at < end:
            match = TOKEN.match(content, at)
            if match is None:
                at += 1
                continue
            at = match.end()
            if match["word"] == b"bin":
                at += max(0, int(match["number"] or 0))
            else:
                self._token(match)
        self._flush()
        if self._body.parts or self._body.cells:
            self._end_paragraph()
        for text in dict.fromkeys(self._last):
            self.builder.paragraph(text)

    def _token(self, match: re.Match[bytes]) -> None:
        if match["brace"] == b"{":
            self._flush()
            self._groups.append(self._state)
            self._ignorable = False
        elif match["brace"]:
            self._end_group()
        elif match["word"]:
            number = match["number"]
            self._word(match["word"].decode("ascii"), int(number) if number else None)
        elif match["hex"]:
            self._bytes(bytes.fromhex(match["hex"].replace(b"\\'", b"").decode("ascii")))
        elif match["text"]:
            self._bytes(match["text"])
        elif match["sign"] == b"*":
            self._ignorable = True
        elif match["sign"] in {b"\r", b"\n"}:  # an old way to write \par
            self._end_paragraph()
        elif match["sign"] in SIGNS:
            self._text(SIGNS[match["sign"]])

    def _end_group(self) -> None:
        self._flush()
        if not self._groups:
            return
        before, self._state = self._state, self._groups.pop()
        if before.story in {"stylesheet", "fonttbl"}:
            self._end_description(before.story)
        elif before.story != self._state.story:
            self._end_story(before.story)

    def _end_story(self, story: str) -> None:
        text = "".join(self._now.parts)
        self._now = self._body
        if story in {"listtext", "pntext"}:
            self._now.parts.append(_label(text))
            return
        target = self._aside if story in {"footnote", "annotation"} else self._last
        if text.strip():
            target.append(text)

    def _end_description(self, story: str) -> None:
        """Take note of a heading when its entry of the style sheet ends."""
        if story == "stylesheet":
            named = HEADING_NAME.match("".join(self._now.parts).strip(" ;"))
            if named:
                self._levels[self._now.style] = int(named[1])
            self._now.parts.clear()
        if self._state.story == "body":
            self._now = self._body

    def _word(self, word: str, number: int | None) -> None:
        if self._ignorable:
            self._ignorable = False
            if word not in SHOWN | SKIPPED | SEPARATE:
                self._state = replace(self._state, skipped=True)
                return
        if word in SKIPPED:
            self._state = replace(self._state, skipped=True)
        elif word in SHOWN:
            self._state = replace(self._state, skipped=False)
        elif word in SEPARATE or word in {"fonttbl", "stylesheet"}:
            self._flush()
            self._now = Collected()
            self._state = replace(self._state, story=word)
        elif word == "u" and number is not None:
            self._unicode(number)
        else:
            self._character_property(word, number)
            self._paragraph_property(word, number)
            self._mark(word)

    def _character_property(self, word: str, number: int | None) -> None:
        """What decides how bytes are read, and whether text is shown."""
        match word:
            case "ansicpg" if number:
                self._default = CODE_PAGES.get(number, f"cp{number}")
            case "f" | "deff" if number is not None:
                self._flush()
                self._state = replace(self._state, font=number)
            case "fcharset" if number in CHARSETS:
                self._fonts[self._state.font] = CHARSETS[number]
            case "cpg" if number:
                self._fonts[self._state.font] = CODE_PAGES.get(number, f"cp{number}")
            case "uc":
                self._state = replace(self._state, after_unicode=max(0, number or 0))
            case "deleted" | "plain":
                self._flush()
                self._state = replace(self._state, deleted=word == "deleted" and number != 0)
            case _:
                return

    def _paragraph_property(self, word: str, number: int | None) -> None:
        """What decides whether the paragraph is a heading or in a table."""
        match word:
            case "s" if number is not None:
                self._now.style = number
            case "outlinelevel" if number is not None:
                self._now.outline = number + 1 if number < 9 else None
            case "intbl":
                self._now.in_table = True
            case "pard":
                self._now.style, self._now.outline, self._now.in_table = -1, None, False
            case _:
                return

    def _mark(self, word: str) -> None:
        if word in CHARACTERS:
            self._text(CHARACTERS[word])
        elif self._state.skipped:
            return
        elif word in PARAGRAPH_ENDS:
            self._end_paragraph()
        elif word in {"cell", "nestcell"}:
            self._flush()
            self._now.cells.append("".join(self._now.parts))
            self._now.parts.clear()
        elif word in {"row", "nestrow"}:
            self._flush()
            self._end_row()

    def _unicode(self, number: int) -> None:
        self._flush()
        self._text(chr(number % 0x10000))
        self._to_skip = self._state.after_unicode

    def _bytes(self, content: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(content))
            self._to_skip -= skipped
            content = content[skipped:]
        if content and self._visible():
            self._now.pending += content

    def _text(self, text: str) -> None:
        self._flush()
        self._to_skip = 0
        if self._visible():
            self._now.parts.append(text)

    def _visible(self) -> bool:
        return not (self._state.skipped or self._state.deleted)

    def _flush(self) -> None:
        """Decode the bytes so far: a character's bytes may come as several escapes."""
        if self._now.pending:
            encoding = self._fonts.get(self._state.font, self._default)
            self._now.parts.append(_decoded(bytes(self._now.pending), encoding))
            self._now.pending.clear()
        self._to_skip = 0

    def _end_paragraph(self) -> None:
        self._flush()
        now = self._now
        if now is not self._body:
            now.parts.append("\n")
        elif now.in_table:
            now.parts.append(" ")  # a paragraph inside of a cell
        else:
            self._end_row()
            level = now.outline if now.outline is not None else self._levels.get(now.style)
            self.builder.paragraph(_joined(now.parts), level)
            now.parts.clear()
            self._end_notes()

    def _end_row(self) -> None:
        if self._now.cells and self._now is self._body:
            self.builder.row(_joined([cell]) for cell in self._now.cells)
            self._now.cells.clear()
            self._end_notes()

    def _end_notes(self) -> None:
        for note in self._aside:
            self.builder.paragraph(_joined([note]))
        self._aside.clear()


def _decoded(content: bytes, encoding: str) -> str:
    """Western text that is valid UTF-8 is UTF-8: some writers put it there against all rules."""
    if encoding == "cp1252":
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content.decode(encoding, "replace")
    try:
        return content.decode(encoding, "replace")
    except LookupError:
        return content.decode("cp1252", "replace")


def _label(text: str) -> str:
    """The number of a list item as the writer left it; bullets are all one."""
    label = text.strip()
    numbered = any(char.isalnum() for char in label) and label != "o"  # a bullet in Courier
    return f"{label} " if numbered else "• "


def _joined(parts: list[str]) -> str:
    r"""Put the halves of characters beyond the BMP together; `\u` writes them as two numbers."""
    text = "".join(parts)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
