"""The fixture minutes.doc was made by LibreOffice from what `fixtures/make_minutes.py` writes."""

from pathlib import Path

import pytest
from making_docx import docx, paragraph
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import DamagedFile
from ragkb.readers.doc_format import Piece, modifiers, pieces, properties_of

MINUTES = Path(__file__).parent / "fixtures" / "minutes.doc"
TEXT = """机房搬迁会议纪要
会议改于二月七日召开，详见总体计划。
设备清单
编号 | 名称 | 备注
A-17 | 核心交换机 | 含配件 内层甲 | 内层乙
Steps 步骤
1. 断开电源
1.1 检查指示灯
2. 装车
生僻字𠮷与表情😀保留
脚注说明字库来源
"""


def test_a_doc_gives_tables_numbers_and_notes_without_deletions_and_codes() -> None:
    found = read_bytes("minutes.doc", MINUTES.read_bytes())
    assert found.text == TEXT
    assert found.file_type == "doc"


def test_a_doc_gives_its_headings() -> None:
    found = read_bytes("minutes.doc", MINUTES.read_bytes())
    assert heading_texts(found) == [(1, "机房搬迁会议纪要"), (2, "设备清单"), (2, "Steps 步骤")]


def test_a_docx_named_doc_is_read_as_what_it_is() -> None:
    assert read_bytes("a.doc", docx(paragraph("好"))).file_type == "docx"


def test_a_doc_named_docx_is_still_word_and_read() -> None:
    assert read_bytes("a.docx", MINUTES.read_bytes()).file_type == "doc"


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6])
def test_a_truncated_doc_is_damaged(share: float) -> None:
    content = MINUTES.read_bytes()
    with pytest.raises(DamagedFile):
        read_bytes("a.doc", content[: int(len(content) * share)])


def test_a_piece_table_gives_places_and_widths() -> None:
    starts = b"".join(number.to_bytes(4, "little") for number in (0, 3, 5))
    narrow = b"\0\0" + (0x40000000 | 200).to_bytes(4, "little") + b"\0\0"
    wide = b"\0\0" + (300).to_bytes(4, "little") + b"\0\0"
    table = starts + narrow + wide
    clx = b"\x01\x02\x00ab" + b"\x02" + len(table).to_bytes(4, "little") + table
    assert pieces(clx) == [Piece(0, 3, 100, wide=False), Piece(3, 5, 300, wide=True)]


def test_modifiers_of_every_operand_size_are_told_apart() -> None:
    group = (
        b"\x16\x24\x01"  # in a table: one byte
        b"\x0b\x46\x02\x00"  # list: two bytes
        b"\x49\x66\x01\x00\x00\x00"  # depth: four bytes
        b"\x08\xd6\x03\x00\xaa\xbb"  # table definition: its own size, counted as one more
        b"\x0d\xc6\x02\xcc\xdd"  # a size byte and as many bytes
        b"\x40\x26\x05"
    )
    assert [code for code, _ in modifiers(group)] == [
        0x2416,
        0x460B,
        0x6649,
        0xD608,
        0xC60D,
        0x2640,
    ]
    found = properties_of(7, group, b"")
    assert (found.style, found.in_table, found.list_id, found.table_depth) == (7, True, 2, 1)
    assert found.outline == 5
