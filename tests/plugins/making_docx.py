"""Word documents in XML for tests, written part by part: each construct is there on purpose."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
STRICT_R = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
MACRO_TYPE = "application/vnd.ms-word.document.macroEnabled.main+xml"
STYLES = f"""<w:styles {NAMESPACES}>
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Chapter"/>
  <w:basedOn w:val="1"/></w:style>
<w:style w:type="paragraph" w:styleId="a3"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Body"><w:name w:val="Body"/></w:style>
</w:styles>"""


def run(text: str) -> str:
    """A run with that text."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, style: str = "", properties: str = "") -> str:
    """A paragraph; content that is no markup becomes a run."""
    inside = "".join(each if each.startswith("<") else run(each) for each in content)
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{properties}</w:pPr>{inside}</w:p>"


def item(text: str, list_id: int, level: int = 0) -> str:
    """A list item."""
    numbering = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return paragraph(text, properties=numbering)


def table(*rows: list[str]) -> str:
    """A table of cells; a cell that is no markup becomes a paragraph."""
    shown = "".join(
        "<w:tr>" + "".join(f"<w:tc>{_blocks(cell)}</w:tc>" for cell in row) + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{shown}</w:tbl>"


def _blocks(cell: str) -> str:
    return cell if cell.startswith("<") else paragraph(cell)


def document(body: str) -> str:
    """The main part."""
    return f"<w:document {NAMESPACES}><w:body>{body}<w:sectPr/></w:body></w:document>"


def docx(
    body: str,
    parts: Mapping[str, tuple[str, str | bytes]] | None = None,
    *,
    main_type: str = MAIN_TYPE,
    strict: bool = False,
    extra_links: str = "",
) -> bytes:
    """A whole package; `parts` maps a name to (kind of its link from the body, content)."""
    linked: dict[str, tuple[str, str | bytes]] = {"styles.xml": ("styles", STYLES), **(parts or {})}
    links = "".join(
        f'<Relationship Id="id-{name}" Type="{R}/{kind}" Target="{name}"/>'
        for name, (kind, _) in linked.items()
    )
    texts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>',
        "_rels/.rels": _relationships(
            f'<Relationship Id="m" Type="{R}/officeDocument" Target="word/document.xml"/>'
        ),
        "word/document.xml": document(body),
        "word/_rels/document.xml.rels": _relationships(links + extra_links),
        **{f"word/{name}": content for name, (_, content) in linked.items()},
    }
    return zipped({name: _strict(text) if strict else text for name, text in texts.items()})


def _relationships(links: str) -> str:
    return f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>'


def _strict(text: str | bytes) -> str | bytes:
    if isinstance(text, bytes):
        return text
    return text.replace(W, STRICT_W).replace(R, STRICT_R)


def notes(kind: str, text: str, note_id: str = "2") -> str:
    """A part of footnotes, endnotes or comments with one note and Word's separator."""
    return (
        f"<w:{kind}s {NAMESPACES}>"
        f'<w:{kind} w:type="separator" w:id="0">{paragraph("---")}</w:{kind}>'
        f'<w:{kind} w:id="{note_id}">{paragraph(text)}</w:{kind}></w:{kind}s>'
    )


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """A zip file of those parts."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()
