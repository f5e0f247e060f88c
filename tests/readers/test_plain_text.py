import pytest
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import EmptyFile, ReadingTooLarge, UnsupportedType


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b" \r\n\t\n", b"\0\0\0", b"\xff\xfe"])
def test_a_file_without_a_visible_character_is_empty(content: bytes) -> None:
    with pytest.raises(EmptyFile):
        read_bytes("a.txt", content)


def test_newlines_of_every_kind_become_one_kind() -> None:
    text = "一\r\n二\r三\n四\u2028五\x85六\x0b七".encode()
    assert read_bytes("a.txt", text).text == "一\n二\n三\n四\n五\n六\n七"


def test_controls_and_invisible_spaces_go_and_joiners_stay() -> None:
    found = read_bytes("a.txt", "报告\0正文\x01，soft\xadware，检\u200b索，👨‍👩‍👧".encode())
    assert found.text == "报告正文，software，检索，👨‍👩‍👧"


def test_the_encoding_is_recorded() -> None:
    found = read_bytes("a.txt", "会议纪要：项目进展顺利。".encode("gbk"))
    assert (found.file_type, found.encoding) == ("txt", "gb18030")


@pytest.mark.parametrize("name", ["a.py", "README", "b.log", "c.doc", "d.unknown"])
def test_text_of_any_name_is_read_as_text(name: str) -> None:
    assert read_bytes(name, "print('你好')\n".encode()).text == "print('你好')\n"


def test_binary_data_is_of_no_supported_type() -> None:
    with pytest.raises(UnsupportedType, match="DOCX") as refused:
        read_bytes("a.bin", bytes(range(256)) * 40)
    assert refused.value.found == ""


def test_markdown_is_verbatim_and_its_headings_are_known() -> None:
    text = "# 标题 #\n正文\n```\n# 注释\n```\n## Second\n#无空格\n"
    found = read_bytes("a.md", text.encode())
    assert found.text == text
    assert found.file_type == "md"
    assert heading_texts(found) == [(1, "标题"), (2, "Second")]


def test_rows_of_a_csv_become_lines() -> None:
    content = '名称;数量;备注\n"激光;打印机";2;"两行\n备注"\n'.encode("gbk")
    found = read_bytes("a.csv", content)
    assert found.text == "名称 | 数量 | 备注\n激光;打印机 | 2 | 两行 备注\n"
    assert found.file_type == "csv"


def test_a_csv_that_is_none_stays_as_it_is() -> None:
    assert read_bytes("a.csv", "只是一句话".encode()).text == "只是一句话"


def test_a_very_long_line_is_read_and_too_much_text_refused() -> None:
    line = "字" * 200_000
    assert read_bytes("a.txt", line.encode()).text == line
    with pytest.raises(ReadingTooLarge):
        read_bytes("a.txt", line.encode(), text_chars=100_000)
