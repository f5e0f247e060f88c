"""The structures of Word 6/95 and 97-2003 files that lead to text ([MS-DOC]; numbers are its own).

Everything here is bytes in, values out; broken files raise struct.error or IndexError, which the
reader turns into one answer.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_PIECES = 500_000
PAGE = 512  # bytes of a formatted disk page (FKP)
WORD_97 = 0xC1  # first nFib of the table-stream format
STORIES = (
    "main",
    "footnotes",
    "headers",
    "macros",
    "comments",
    "endnotes",
    "boxes",
    "header_boxes",
)

# Single property modifiers (2.6): the ones that decide what is text and where.
DELETED, SYMBOL = 0x0800, 0x6A09
IN_TABLE, ROW_END, TABLE_DEPTH = 0x2416, 0x2417, 0x6649
INNER_CELL, INNER_ROW_END = 0x244B, 0x244C
LIST, LIST_LEVEL, OUTLINE = 0x460B, 0x260A, 0x2640
HUGE_PROPERTIES = (0x6645, 0x6646)  # the rest stands in the Data stream
VARIABLE_LONG, VARIABLE_TABS = 0xD608, 0xC615


def u16(data: bytes, at: int) -> int:
    """An unsigned 16-bit number."""
    return struct.unpack_from("<H", data, at)[0]


def u32(data: bytes, at: int) -> int:
    """An unsigned 32-bit number."""
    return struct.unpack_from("<I", data, at)[0]


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of the document, stored from byte `offset` on."""

    start: int
    end: int
    offset: int
    wide: bool  # UTF-16, else one byte (cp1252, or the code page of old files)


@dataclass(frozen=True)
class Properties:
    """What a paragraph's end mark says about it; `style` is an index into the style sheet."""

    style: int = 0
    in_table: bool = False
    row_end: bool = False
    depth: int = 0
    inner_cell: bool = False
    inner_row_end: bool = False
    list_id: int | None = None
    list_level: int | None = None
    outline: int | None = None  # from 0; 9 is body text

    @property
    def table_depth(self) -> int:
        """0 outside of tables, 1 in a table, 2 in a table inside of a cell."""
        return max(self.depth, int(self.in_table))


@dataclass(frozen=True)
class Header:
    """The file information block (FIB)."""

    encrypted: bool
    complex: bool
    old: bool
    language: int
    table: str
    lengths: dict[str, int]

    @staticmethod
    def of(document: bytes) -> "Header":
        """Read the block at the start of the WordDocument stream."""
        version, language, flags = u16(document, 2), u16(document, 6), u16(document, 10)
        old = version < WORD_97
        lengths = struct.unpack_from("<8i", document, 0x34 if old else 0x4C)
        return Header(
            encrypted=bool(flags & 0x100),
            complex=bool(flags & 0x4),
            old=old,
            language=language,
            table="1table" if flags & 0x200 else "0table",
            lengths={story: max(0, length) for story, length in zip(STORIES, lengths, strict=True)},
        )


def section(document: bytes, table: bytes, index: int) -> bytes:
    """The structure that the FIB's pair `index` (fc, lcb) points to in the table stream."""
    offset, size = struct.unpack_from("<II", document, 0x9A + 8 * index)
    return table[offset : offset + size]


def pieces(clx: bytes) -> list[Piece]:
    """The piece table inside of a CLX structure; empty if there is none."""
    at = 0
    while at < len(clx) and clx[at] == 1:  # property lists of fast-saved files
        at += 3 + u16(clx, at + 1)
    if at >= len(clx) or clx[at] != 2:
        return []
    size = u32(clx, at + 1)
    plc = clx[at + 5 : at + 5 + size]
    count = (len(plc) - 4) // 12
    if not 0 < count <= MOST_PIECES:
        return []
    starts = struct.unpack_from(f"<{count + 1}I", plc, 0)
    found: list[Piece] = []
    for index in range(count):
        where = u32(plc, (count + 1) * 4 + index * 8 + 2)
        narrow = bool(where & 0x40000000)
        offset = (where & 0x3FFFFFFF) // (2 if narrow else 1)
        if starts[index] < starts[index + 1]:
            found.append(Piece(starts[index], starts[index + 1], offset, not narrow))
    return found


def modifiers(group: bytes) -> Iterator[tuple[int, bytes]]:
    """Each property modifier of a group with its operand (2.2.5.1)."""
    at = 0
    while at + 2 <= len(group):
        code = u16(group, at)
        at += 2
        size = _operand_size(code, group, at)
        yield code, group[at : at + size]
        at += size


def _operand_size(code: int, group: bytes, at: int) -> int:
    kind = code >> 13
    if kind != 6:
        return {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}[kind]
    if at >= len(group):
        return 0
    if code == VARIABLE_LONG:
        return u16(group, at) + 1
    if code == VARIABLE_TABS and group[at] == 255:
        return len(group) - at
    return group[at] + 1


def pages(document: bytes, plc: bytes) -> Iterator[bytes]:
    """The formatted disk pages that a bin table (PLC of page numbers) lists."""
    count = (len(plc) - 4) // 8
    for index in range(max(0, count)):
        number = u32(plc, (count + 1) * 4 + index * 4) & 0x3FFFFF
        page = document[number * PAGE : (number + 1) * PAGE]
        if len(page) == PAGE:
            yield page


@dataclass
class Spans:
    """Things that hold for byte ranges of the document stream."""

    starts: list[int] = field(default_factory=list[int])
    ends: list[int] = field(default_factory=list[int])

    def index(self, offset: int) -> int:
        """Which range holds `offset`, or -1."""
        at = bisect_right(self.starts, offset) - 1
        return at if at >= 0 and offset < self.ends[at] else -1


@dataclass
class Paragraphs(Spans):
    """Paragraph properties by the place of the paragraph's end mark."""

    values: list[Properties] = field(default_factory=list[Properties])

    def at(self, offset: int) -> Properties:
        """The properties of the paragraph that holds `offset`."""
        index = self.index(offset)
        return self.values[index] if index >= 0 else Properties()


@dataclass
class Characters(Spans):
    """Runs that were deleted (None) or that show a symbol: (font index, code)."""

    values: list[tuple[int, int] | None] = field(default_factory=list["tuple[int, int] | None"])


def paragraphs(document: bytes, plc: bytes, data: bytes) -> Paragraphs:
    """Read all paragraph properties (PAPX pages)."""
    found: list[tuple[int, int, Properties]] = []
    for page in pages(document, plc):
        count = page[511]
        if count > 29:
            continue
        offsets = struct.unpack_from(f"<{count + 1}I", page, 0)
        for index in range(count):
            at = page[(count + 1) * 4 + index * 13] * 2
            properties = _paragraph(page, at, data) if 0 < at < 510 else Properties()
            found.append((offsets[index], offsets[index + 1], properties))
    found.sort(key=lambda each: each[0])
    return Paragraphs(
        [each[0] for each in found], [each[1] for each in found], [each[2] for each in found]
    )


def _paragraph(page: bytes, at: int, data: bytes) -> Properties:
    words = page[at]
    group = page[at + 1 : at + words * 2] if words else page[at + 2 : at + 2 + page[at + 1] * 2]
    return properties_of(u16(group, 0), group[2:], data) if len(group) >= 2 else Properties()


def properties_of(style: int, group: bytes, data: bytes) -> Properties:
    """The properties that a group of modifiers gives to a paragraph of `style`."""
    found: dict[int, int] = {}
    for code, operand in modifiers(group):
        if code in HUGE_PROPERTIES and len(operand) == 4:
            start = u32(operand, 0)
            more = data[start + 2 : start + 2 + u16(data, start)] if start + 2 <= len(data) else b""
            found |= {code: int.from_bytes(value, "little") for code, value in modifiers(more)}
        else:
            found[code] = int.from_bytes(operand[:4], "little")
    return Properties(
        style=style,
        in_table=bool(found.get(IN_TABLE)),
        row_end=bool(found.get(ROW_END)),
        depth=min(found.get(TABLE_DEPTH, 0), 60),
        inner_cell=bool(found.get(INNER_CELL)),
        inner_row_end=bool(found.get(INNER_ROW_END)),
        list_id=found.get(LIST),
        list_level=found.get(LIST_LEVEL),
        outline=found.get(OUTLINE),
    )


def characters(document: bytes, plc: bytes) -> Characters:
    """Read the runs whose characters are not what they seem (CHPX pages)."""
    found: list[tuple[int, int, tuple[int, int] | None]] = []
    for page in pages(document, plc):
        count = page[511]
        if count > 101:
            continue
        offsets = struct.unpack_from(f"<{count + 1}I", page, 0)
        for index in range(count):
            at = page[(count + 1) * 4 + index] * 2
            if not at:
                continue
            run = dict(modifiers(page[at + 1 : at + 1 + page[at]]))
            if run.get(DELETED, b"\0")[:1] not in {b"\0", b""}:
                found.append((offsets[index], offsets[index + 1], None))
            elif len(run.get(SYMBOL, b"")) == 4:
                font, code = struct.unpack("<HH", run[SYMBOL])
                found.append((offsets[index], offsets[index + 1], (font, code)))
    found.sort(key=lambda each: each[0])
    return Characters(
        [each[0] for each in found], [each[1] for each in found], [each[2] for each in found]
    )
