import pytest
from making_docx import PACKAGE, R, zipped
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import DamagedFile

X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def links(**targets: str) -> str:
    shown = "".join(
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"/>'
        for key, (kind, target) in ((key, value.split(" ")) for key, value in targets.items())
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{shown}</Relationships>'


def workbook(rows: str, *, date1904: bool = False) -> bytes:
    flag = '<workbookPr date1904="1"/>' if date1904 else ""
    return zipped(
        {
            "_rels/.rels": links(a="officeDocument xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{X}" xmlns:r="{R}">{flag}<sheets>'
            '<sheet name="销售" r:id="s1"/><sheet name="空" r:id="s2"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": links(
                s1="worksheet worksheets/1.xml",
                s2="worksheet worksheets/2.xml",
                t="sharedStrings strings.xml",
                y="styles styles.xml",
            ),
            "xl/worksheets/1.xml": f'<worksheet xmlns="{X}"><sheetData>{rows}</sheetData></worksheet>',
            "xl/worksheets/2.xml": f'<worksheet xmlns="{X}"><sheetData/></worksheet>',
            "xl/strings.xml": f'<sst xmlns="{X}"><si><t>品名</t></si><si><r><t>交</t></r><r><t>换机</t>'
            "</r><rPh><t>じ</t></rPh></si></sst>",
            "xl/styles.xml": f'<styleSheet xmlns="{X}"><numFmts><numFmt numFmtId="180" '
            'formatCode="yyyy&quot;年&quot;m&quot;月&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="14"/><xf numFmtId="180"/><xf numFmtId="10"/></cellXfs></styleSheet>',
        }
    )


def test_a_sheet_gives_its_name_and_its_rows_as_shown() -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>备注</t></is></c></row>'
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
    def slide(number: int) -> str:
        return (
            f'<p:sld xmlns:p="{P}" xmlns:a="{A}"><p:cSld><p:spTree>'
            '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r>'
            f"<a:t>标题{number}</a:t></a:r></a:p></p:txBody></p:sp>"
            '<p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r>'
            "<a:t>99</a:t></a:r></a:p></p:txBody></p:sp>"
            "<p:grpSp><p:sp><p:txBody><a:p><a:r><a:t>要点</a:t></a:r><a:br/><a:r><a:t>下行</a:t></a:r>"
            "</a:p></p:txBody></p:sp></p:grpSp><p:graphicFrame><a:tbl><a:tr>"
            "<a:tc><a:txBody><a:p><a:r><a:t>甲</a:t></a:r></a:p></a:txBody></a:tc>"
            "<a:tc><a:txBody><a:p><a:r><a:t>乙</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>"
            "</p:graphicFrame></p:spTree></p:cSld></p:sld>"
        )

    content = zipped(
        {
            "_rels/.rels": links(a="officeDocument ppt/presentation.xml"),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{R}"><p:sldIdLst>'
            '<p:sldId r:id="second"/><p:sldId r:id="first"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": links(
                first="slide slides/1.xml", second="slide slides/2.xml"
            ),
            "ppt/slides/1.xml": slide(1),
            "ppt/slides/2.xml": slide(2),
            "ppt/slides/_rels/2.xml.rels": links(n="notesSlide ../notesSlides/1.xml"),
            "ppt/notesSlides/1.xml": f'<p:notes xmlns:p="{P}" xmlns:a="{A}"><p:sp><p:txBody><a:p><a:r>'
            "<a:t>讲稿</a:t></a:r></a:p></p:txBody></p:sp></p:notes>",
        }
    )
    found = read_bytes("a.pptx", content)
    slides = ["要点", "下行", "甲 | 乙"]
    assert found.text.splitlines() == ["标题2", *slides, "讲稿", "标题1", *slides]
    assert heading_texts(found) == [(1, "标题2"), (1, "标题1")]
    assert found.file_type == "pptx"
