import pytest
from making_office import presentation, workbook
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import DamagedFile


def test_a_sheet_gives_its_name_and_its_rows_as_shown() -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>备注'
        "</t></is></c></row>"
        '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45430</v></c>'
        '<c r="C2" s="2"><v>45430.5</v></c><c r="D2" s="3"><v>0.125</v></c>'
        '<c r="E2"><v>0.1</v></c><c r="F2"><v>12000</v></c><c r="G2" t="b"><v>1</v></c></row>'
    )
    found = read_bytes("a.xlsx", workbook(rows))
    assert found.text.splitlines() == [
        "销售",
        "品名 |  | 备注",
        "交换机 | 2024-05-18 | 2024-05-18 12:00:00 | 12.5% | 0.1 | 12000 | TRUE",
    ]
    assert heading_texts(found) == [(1, "销售")]
    assert found.file_type == "xlsx"


def test_dates_of_old_mac_workbooks_count_from_1904() -> None:
    found = read_bytes("a.xlsx", workbook('<row><c s="1"><v>43968</v></c></row>', date1904=True))
    assert "2024-05-18" in found.text


def test_a_broken_sheet_is_damaged() -> None:
    with pytest.raises(DamagedFile, match="XLSX"):
        read_bytes("a.xlsx", workbook("<row><c><v>1</v></c></rwo>"))


def test_slides_give_titles_text_tables_and_notes_in_order() -> None:
    found = read_bytes("a.pptx", presentation())
    slides = ["要点", "下行", "甲 | 乙"]
    assert found.text.splitlines() == ["标题2", *slides, "讲稿", "标题1", *slides]
    assert heading_texts(found) == [(1, "标题2"), (1, "标题1")]
    assert found.file_type == "pptx"
