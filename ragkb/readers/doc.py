"""Word 6/95 and 97-2003 documents: text by the piece table, without deletions and codes."""

import struct
from collections.abc import Iterator

from ragkb.document_text import DocumentText
from ragkb.errors import PasswordProtected
from ragkb.readers.building import TextBuilder
from ragkb.readers.doc_format import (
    Characters,
    Header,
    Paragraphs,
    Piece,
    characters,
    paragraphs,
    pieces,
    section,
    u16,
    u32,
)
from ragkb.readers.doc_story import Formatting, StoryReader, Stretch
from ragkb.readers.doc_styles import Lists, StyleSheet, font_names
from ragkb.readers.ole import OleDamaged, read_streams
from ragkb.readers.source import Source

STREAMS = frozenset({"worddocument", "0table", "1table", "data"})
WORD_97_MAGIC, WORD_6_MAGIC = 0xA5EC, 0xA5DC
# Pairs of the FIB by their index ([MS-DOC] 2.5.6).
STYLES, CHARACTER_PAGES, PARAGRAPH_PAGES, FONTS, TEXT, LISTS, LIST_OVERRIDES = (
    1,
    12,
    13,
    15,
    33,
    73,
    74,
)
SHOWN_STORIES = ("boxes", "footnotes", "endnotes", "comments", "headers", "header_boxes")
# Code pages of old files by language: the whole identifier first, then its primary language.
CODE_PAGES = {
    0x0404: "big5hkscs", 0x0C04: "big5hkscs", 0x1404: "big5hkscs",
    0x04: "gb18030", 0x11: "cp932", 0x12: "cp949", 0x19: "cp1251", 0x22: "cp1251", 0x02: "cp1251",
    0x08: "cp1253", 0x1F: "cp1254", 0x0D: "cp1255", 0x01: "cp1256", 0x05: "cp1250", 0x0E: "cp1250",
    0x15: "cp1250", 0x18: "cp1250", 0x1B: "cp1250", 0x1E: "cp874", 0x25: "cp1257", 0x26: "cp1257",
}  # fmt: skip


def read_doc(source: Source) -> DocumentText:
    """Return the document's text; raises DamagedFile, PasswordProtected, NoText.

    The main text comes first, then text boxes, notes, comments, headers and footers.
    """
    try:
        return _read(source, read_streams(source.content, STREAMS))
    except OleDamaged as broken:
        raise source.damaged("DOC", str(broken)) from broken
    except (struct.error, IndexError, ValueError, KeyError) as broken:
        raise source.damaged("DOC", f"a structure of its text: {broken}") from broken


def _read(source: Source, streams: dict[str, bytes]) -> DocumentText:
    document = streams.get("worddocument", b"")
    if len(document) < 512 or u16(document, 0) not in {WORD_97_MAGIC, WORD_6_MAGIC}:
        raise source.damaged("DOC", "it has no document stream")
    header = Header.of(document)
    if header.encrypted:
        raise PasswordProtected(source.path)
    table = streams.get(header.table) or streams.get("0table") or streams.get("1table") or b""
    formatting = (
        _plain(header) if header.old else _formatting(document, table, streams.get("data", b""))
    )
    found = _old_pieces(document, header) if header.old else pieces(section(document, table, TEXT))
    if not found:
        raise source.damaged("DOC", "it has no piece table")
    builder = TextBuilder(source)
    for story, start, end in _stories(header):
        stretches = _stretches(document, found, start, end)
        blocks = StoryReader(formatting).blocks(stretches)
        if story == "main":
            builder.add_all(blocks)
        else:
            builder.add_once(blocks)
    return builder.document("doc")


def _stories(header: Header) -> list[tuple[str, int, int]]:
    """The stories that are shown, with their first and last character, the main one first."""
    places: dict[str, tuple[int, int]] = {}
    start = 0
    for story, length in header.lengths.items():
        places[story] = (start, start + length)
        start += length
    return [(story, *places[story]) for story in ("main", *SHOWN_STORIES)]


def _formatting(document: bytes, table: bytes, data: bytes) -> Formatting:
    lists_at = struct.unpack_from("<II", document, 0x9A + 8 * LISTS)
    return Formatting(
        paragraphs=paragraphs(document, section(document, table, PARAGRAPH_PAGES), data),
        characters=characters(document, section(document, table, CHARACTER_PAGES)),
        styles=_styles(section(document, table, STYLES)),
        fonts=font_names(section(document, table, FONTS)),
        lists=_lists(table, lists_at, section(document, table, LIST_OVERRIDES)),
    )


def _styles(stsh: bytes) -> StyleSheet:
    """Headings are a gain, not a condition: a broken style sheet counts as none."""
    try:
        return StyleSheet(stsh)
    except (struct.error, IndexError):
        return StyleSheet(b"")


def _lists(table: bytes, lists_at: tuple[int, int], overrides: bytes) -> Lists:
    """As `_styles`: numbers of list items are a gain."""
    try:
        return Lists(table, lists_at, overrides)
    except (struct.error, IndexError):
        return Lists(b"", (0, 0), b"")


def _plain(header: Header) -> Formatting:
    """Old files: their formatting pages have another form; the marks in the text must do."""
    code_page = (
        CODE_PAGES.get(header.language) or CODE_PAGES.get(header.language & 0x3FF) or "cp1252"
    )
    return Formatting(
        paragraphs=Paragraphs(),
        characters=Characters(),
        styles=StyleSheet(b""),
        fonts=[],
        lists=Lists(b"", (0, 0), b""),
        code_page=code_page,
    )


def _old_pieces(document: bytes, header: Header) -> list[Piece]:
    """Word 6/95: text is one stretch, or has a piece table of bytes in the same stream."""
    if header.complex:
        offset, size = u32(document, 0x160), u32(document, 0x164)
        found = pieces(document[offset : offset + size])
        if found:
            return [Piece(each.start, each.end, each.offset, wide=False) for each in found]
    first, last = u32(document, 0x18), u32(document, 0x1C)
    return [Piece(0, max(0, last - first), first, wide=False)]


def _stretches(document: bytes, found: list[Piece], start: int, end: int) -> Iterator[Stretch]:
    """The bytes of characters `start` to `end`, piece by piece."""
    for piece in found:
        first, last = max(piece.start, start), min(piece.end, end)
        if first < last:
            unit = 2 if piece.wide else 1
            offset = piece.offset + (first - piece.start) * unit
            yield Stretch(document[offset : offset + (last - first) * unit], offset, piece.wide)
