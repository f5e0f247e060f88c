"""Style sheet, font names and lists of a Word 97-2003 file."""

import struct
from dataclasses import dataclass

from ragkb.readers.doc_format import Properties, properties_of, u16, u32
from ragkb.readers.numbering import Level, ListDefinition

TITLE = 62  # sti of the built-in style; 1 to 9 are the headings
PARAGRAPH_STYLE = 1

# MSONFC (2.3.13 of [MS-OSHARED]) by the names that Word uses in XML.
NUMBER_FORMATS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter",
    10: "ideographDigital", 11: "japaneseCounting", 14: "decimalFullWidth",
    18: "decimalEnclosedCircle", 22: "decimalZero", 23: "bullet",
    26: "decimalEnclosedFullstop", 27: "decimalEnclosedParen", 28: "decimalEnclosedCircleChinese",
    29: "ideographEnclosedCircle", 30: "ideographTraditional",
    31: "ideographZodiac", 33: "taiwaneseCounting", 34: "ideographLegalTraditional",
    35: "taiwaneseCountingThousand", 36: "taiwaneseDigital", 37: "chineseCounting",
    38: "chineseLegalSimplified", 39: "chineseCountingThousand", 57: "numberInDash", 255: "none",
}  # fmt: skip


@dataclass(frozen=True)
class Style:
    """A paragraph style: its built-in number, its parent, and what it sets itself."""

    builtin: int
    parent: int
    properties: Properties


class StyleSheet:
    """Heading levels and lists by style index, inherited from the parents."""

    def __init__(self, stsh: bytes) -> None:
        self._styles = _styles(stsh) if stsh else {}

    def heading_level(self, index: int) -> int | None:
        """1 to 9, or None if the style is no heading."""
        for style in self._lineage(index):
            if 1 <= style.builtin <= 9:
                return style.builtin
            if style.builtin == TITLE:
                return 1
            outline = style.properties.outline
            if outline is not None:
                return outline + 1 if outline < 9 else None
        return None

    def list_place(self, index: int) -> tuple[int, int | None] | None:
        """List and level that the style numbers its paragraphs in, if any."""
        for style in self._lineage(index):
            if style.properties.list_id is not None:
                return style.properties.list_id, style.properties.list_level
        return None

    def _lineage(self, index: int) -> list[Style]:
        found: list[Style] = []
        while (style := self._styles.get(index)) is not None and style not in found:
            found.append(style)
            index = style.parent
        return found


def _styles(stsh: bytes) -> dict[int, Style]:
    header_size = u16(stsh, 0)
    count, base_size = u16(stsh, 2), u16(stsh, 4)
    found: dict[int, Style] = {}
    at = 2 + header_size
    for index in range(count):
        if at + 2 > len(stsh):
            break
        size = u16(stsh, at)
        entry = stsh[at + 2 : at + 2 + size]
        at += 2 + size + size % 2
        if size >= base_size + 4:
            found[index] = _style(index, entry, base_size)
    return found


def _style(index: int, entry: bytes, base_size: int) -> Style:
    builtin, parent = u16(entry, 0) & 0xFFF, u16(entry, 2) >> 4
    properties = Properties()
    if u16(entry, 2) & 0xF == PARAGRAPH_STYLE:
        name_end = base_size + 2 + u16(entry, base_size) * 2 + 2
        name_end += name_end % 2
        if name_end + 4 <= len(entry):
            size = u16(entry, name_end)
            properties = properties_of(index, entry[name_end + 4 : name_end + 2 + size], b"")
    return Style(builtin, parent, properties)


def font_names(sttb: bytes) -> list[str]:
    """The fonts by index (SttbfFfn)."""
    names: list[str] = []
    at = 4
    while at < len(sttb):
        size = sttb[at]
        entry = sttb[at + 1 : at + 1 + size]
        names.append(entry[39:].decode("utf-16-le", "ignore").split("\0")[0])
        at += 1 + size
    return names


class Lists:
    """Gives list items their visible numbers, asked in document order."""

    def __init__(self, table: bytes, lists_at: tuple[int, int], overrides: bytes) -> None:
        definitions = _definitions(table, *lists_at)
        self._lists: list[ListDefinition | None] = []
        if len(overrides) >= 4:
            for index in range(min(u32(overrides, 0), (len(overrides) - 4) // 16)):
                key = struct.unpack_from("<i", overrides, 4 + index * 16)[0]
                self._lists.append(definitions.get(key))

    def label(self, list_id: int, level: int) -> str:
        """What stands before an item, with a blank behind, or nothing; lists count from 1."""
        if not 0 < list_id <= len(self._lists):
            return ""
        definition = self._lists[list_id - 1]
        return definition.next_label(level) if definition is not None else ""


def _definitions(table: bytes, offset: int, size: int) -> dict[int, ListDefinition]:
    """PlfLst: the lists' heads; their levels follow behind the structure's stated end."""
    found: dict[int, ListDefinition] = {}
    if size < 2:
        return found
    at = offset + size
    for index in range(min(u16(table, offset), (size - 2) // 28)):
        head = offset + 2 + index * 28
        simple = table[head + 26] & 1
        levels: dict[int, Level] = {}
        for depth in range(1 if simple else 9):
            levels[depth], at = _level(table, at)
        found[struct.unpack_from("<i", table, head)[0]] = ListDefinition(levels)
    return found


def _level(table: bytes, at: int) -> tuple[Level, int]:
    start, number_format, flags = struct.unpack_from("<iBB", table, at)
    text_at = at + 28 + table[at + 24] + table[at + 25]
    length = u16(table, text_at)
    end = text_at + 2 + length * 2
    pattern = table[text_at + 2 : end].decode("utf-16-le", "replace")
    text = "".join(f"%{ord(char) + 1}" if char < "\t" else char for char in pattern)
    name = NUMBER_FORMATS.get(number_format, "decimal")
    return Level(name, text, start, legal=bool(flags & 0x4)), end
