"""Workbooks and presentations for tests, written part by part."""

from making_docx import PACKAGE, R, zipped

X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _links(**targets: str) -> str:
    shown = "".join(
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"/>'
        for key, (kind, target) in ((key, value.split(" ")) for key, value in targets.items())
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{shown}</Relationships>'


def workbook(rows: str, *, date1904: bool = False) -> bytes:
    """A workbook whose first sheet holds those rows; a second sheet is empty."""
    flag = '<workbookPr date1904="1"/>' if date1904 else ""
    return zipped(
        {
            "_rels/.rels": _links(a="officeDocument xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{X}" xmlns:r="{R}">{flag}<sheets>'
            '<sheet name="销售" r:id="s1"/><sheet name="空" r:id="s2"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _links(
                s1="worksheet worksheets/1.xml",
                s2="worksheet worksheets/2.xml",
                t="sharedStrings strings.xml",
                y="styles styles.xml",
            ),
            "xl/worksheets/1.xml": f'<worksheet xmlns="{X}"><sheetData>{rows}</sheetData>'
            "</worksheet>",
            "xl/worksheets/2.xml": f'<worksheet xmlns="{X}"><sheetData/></worksheet>',
            "xl/strings.xml": f'<sst xmlns="{X}"><si><t>品名</t></si><si><r><t>交</t></r>'
            "<r><t>换机</t></r><rPh><t>じ</t></rPh></si></sst>",
            "xl/styles.xml": f'<styleSheet xmlns="{X}"><numFmts><numFmt numFmtId="180" '
            'formatCode="yyyy&quot;年&quot;m&quot;月&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="14"/><xf numFmtId="180"/><xf numFmtId="10"/></cellXfs></styleSheet>',
        }
    )


def presentation() -> bytes:
    """Two slides, the second stored first; one of them has notes."""
    return zipped(
        {
            "_rels/.rels": _links(a="officeDocument ppt/presentation.xml"),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{R}"><p:sldIdLst>'
            '<p:sldId r:id="second"/><p:sldId r:id="first"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": _links(
                first="slide slides/1.xml", second="slide slides/2.xml"
            ),
            "ppt/slides/1.xml": _slide(1),
            "ppt/slides/2.xml": _slide(2),
            "ppt/slides/_rels/2.xml.rels": _links(n="notesSlide ../notesSlides/1.xml"),
            "ppt/notesSlides/1.xml": f'<p:notes xmlns:p="{P}" xmlns:a="{A}"><p:sp><p:txBody>'
            "<a:p><a:r><a:t>讲稿</a:t></a:r></a:p></p:txBody></p:sp></p:notes>",
        }
    )


def _slide(number: int) -> str:
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
