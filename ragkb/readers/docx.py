"""Word documents in XML: .docx, .docm, Strict, flat XML, Word 2003 XML.

Order of the text: the body, with text boxes, footnotes, endnotes and comments after the paragraph
that they belong to; then each distinct header and footer once.
"""

from collections.abc import Iterator

from ragkb.document_text import DocumentText
from ragkb.errors import EmptyFile, NoText
from ragkb.readers.building import Block, Paragraph, TextBuilder
from ragkb.readers.docx_body import Story
from ragkb.readers.docx_numbering import Numbering
from ragkb.readers.docx_styles import Styles
from ragkb.readers.kinds import Kind
from ragkb.readers.package import FlatPackage, Package, Relationship, ZipPackage
from ragkb.readers.source import Source
from ragkb.readers.xml_tree import Element, XmlDamaged, attribute, child, name, parse_xml

NOTE_PARTS = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
NO_NOTES = frozenset({"separator", "continuationSeparator", "continuationNotice"})


def read_docx(source: Source) -> DocumentText:
    """Return the document's text; raises DamagedFile, NoText, PasswordProtected."""
    if source.content.startswith(b"PK"):
        return _read_package(ZipPackage(source, "DOCX"))
    try:
        root = parse_xml(source.content)
    except XmlDamaged as broken:
        raise source.damaged("XML", str(broken)) from broken
    if name(root) == "pkg:package":
        return _read_package(FlatPackage(source, "XML", root))
    return _read_word_2003(source, root)


def _read_package(package: Package) -> DocumentText:
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    if root is None:
        raise package.damaged("it has no document part")
    links = package.relationships(main)
    story = Story(
        styles=Styles(_linked(package, links, "styles")),
        numbering=Numbering(_linked(package, links, "numbering")),
        notes=_notes(package, links),
        parts=lambda link: _part(package, links, link),
        chunks=lambda link: _chunk(package, links, link),
    )
    body = child(root, "w:body")
    builder = TextBuilder(package.source)
    builder.add_all(story.blocks(body if body is not None else root))
    _add_headers(builder, package, links, story)
    return builder.document("docx", title=_title(package))


def _read_word_2003(source: Source, root: Element) -> DocumentText:
    story = Story(
        styles=Styles(child(root, "w:styles")),
        numbering=Numbering(None),
        notes={},
        parts=lambda _: None,
        chunks=lambda _: (),
    )
    body = child(root, "w:body")
    if body is None:
        raise source.damaged("XML", "it has no document part")
    builder = TextBuilder(source)
    builder.add_all(story.blocks(body))
    return builder.document("docx")


def _add_headers(
    builder: TextBuilder, package: Package, links: dict[str, Relationship], story: Story
) -> None:
    linked = (each for each in links.values() if each.kind in {"header", "footer"})
    for link in sorted(linked, key=lambda each: (each.kind != "header", each.target)):
        root = package.optional_xml(link.target)
        builder.add_once(story.blocks(root) if root is not None else ())


def _linked(package: Package, links: dict[str, Relationship], kind: str) -> Element | None:
    """The part of that kind if it is whole: styles and numbers are not worth a failure."""
    for link in links.values():
        if link.kind == kind:
            return package.optional_xml(link.target)
    return None


def _notes(package: Package, links: dict[str, Relationship]) -> dict[tuple[str, str], Element]:
    """Notes and comments by kind and id; they are text, so that a broken part is a failure."""
    notes: dict[tuple[str, str], Element] = {}
    for link in links.values():
        kind = NOTE_PARTS.get(link.kind)
        root = package.xml(link.target) if kind else None
        for each in root if root is not None else ():
            if kind and attribute(each, "w:type") not in NO_NOTES:
                notes[kind, attribute(each, "w:id")] = each
    return notes


def _part(package: Package, links: dict[str, Relationship], link: str) -> Element | None:
    return package.optional_xml(links[link].target) if link in links else None


def _chunk(package: Package, links: dict[str, Relationship], link: str) -> Iterator[Block]:
    """An embedded document (w:altChunk), which Word shows as if it stood in the body."""
    content = package.read(links[link].target) if link in links else None
    if content is None:
        return
    document = _read_embedded(Source(links[link].target, content, package.source.text_chars))
    headings = {each.start: each.level for each in document.headings} if document else {}
    at = 0
    for line in document.text.splitlines(keepends=True) if document else ():
        yield Paragraph(line, headings.get(at))
        at += len(line)


def _read_embedded(source: Source) -> DocumentText | None:
    """Only kinds that embed nothing themselves: packages in packages could go on for ever."""
    from ragkb.readers.html import read_html
    from ragkb.readers.mhtml import read_mhtml
    from ragkb.readers.plain_text import read_text
    from ragkb.readers.rtf import read_rtf
    from ragkb.readers.sniffing import sniff

    readers = {
        Kind.HTML: read_html,
        Kind.MHTML: read_mhtml,
        Kind.RTF: read_rtf,
        Kind.TEXT: read_html if source.extension in {"html", "htm"} else read_text,
    }
    reader = readers.get(sniff(source)) if source.content else None
    try:
        return reader(source) if reader else None
    except (NoText, EmptyFile):
        return None


def _title(package: Package) -> str:
    for link in package.relationships("").values():
        if link.kind == "core-properties":
            root = package.optional_xml(link.target)
            for each in root if root is not None else ():
                if each.tag.endswith("}title"):
                    return each.text or ""
    return ""
