"""PowerPoint presentations (.pptx): slides in order, each with its title as heading and notes."""

from collections.abc import Iterator

from ragkb.document_text import DocumentText
from ragkb.readers.building import Block, Paragraph, Row, TextBuilder
from ragkb.readers.cleaning import one_line
from ragkb.readers.package import Package, Relationship, ZipPackage
from ragkb.readers.source import Source
from ragkb.readers.xml_tree import Element, attribute, child, children, name

TITLES = frozenset({"title", "ctrTitle"})
DECORATION = frozenset({"sldNum", "dt", "hdr", "ftr", "sldImg"})


def read_pptx(source: Source) -> DocumentText:
    """Return the text of all slides; raises DamagedFile, NoText, PasswordProtected."""
    package = ZipPackage(source, "PPTX")
    main = package.main_part("ppt/presentation.xml")
    root = package.xml(main)
    if root is None:
        raise package.damaged("it has no presentation part")
    builder = TextBuilder(source)
    for slide in _slides(package, main, root):
        links = package.relationships(slide)
        builder.add_all(_shapes(package.xml(slide), package, links))
        builder.add_all(_notes(package, links))
    return builder.document("pptx")


def _slides(package: Package, main: str, root: Element) -> Iterator[str]:
    links = package.relationships(main)
    for slide in children(root, "p:sldIdLst"):
        link = links.get(attribute(slide, "r:id"))
        if link is not None and link.kind == "slide":
            yield link.target


def _notes(package: Package, links: dict[str, Relationship]) -> Iterator[Block]:
    for link in links.values():
        if link.kind == "notesSlide":
            yield from _shapes(package.optional_xml(link.target), package, {})


def _shapes(
    parent: Element | None, package: Package, links: dict[str, Relationship]
) -> Iterator[Block]:
    for each in parent if parent is not None else ():
        match name(each):
            case "p:sp":
                yield from _shape(each)
            case "a:tbl":
                yield from _table(each)
            case "dgm:relIds":
                link = links.get(attribute(each, "r:dm"))
                diagram = package.optional_xml(link.target) if link else None
                yield from _paragraphs(diagram, None)
            case "mc:AlternateContent":
                yield from _shapes(child(each, "mc:Choice"), package, links)
            case _:
                yield from _shapes(each, package, links)


def _shape(shape: Element) -> Iterator[Block]:
    kind = attribute(child(shape, "p:nvSpPr", "p:nvPr", "p:ph"), "type")
    if kind not in DECORATION:
        yield from _paragraphs(child(shape, "p:txBody"), 1 if kind in TITLES else None)


def _paragraphs(parent: Element | None, level: int | None) -> Iterator[Block]:
    if parent is None:
        return
    for each in parent.iter():
        if name(each) == "a:p":
            text = _text(each)
            if text.strip():
                yield Paragraph(text, level)


def _text(paragraph: Element) -> str:
    parts: list[str] = []
    for each in paragraph.iter():
        tag = name(each)
        if tag in {"a:t", "m:t"}:
            parts.append(each.text or "")
        elif tag == "a:br":
            parts.append("\n")
    return "".join(parts)


def _table(table: Element) -> Iterator[Block]:
    for row in table:
        if name(row) == "a:tr":
            cells = (each for each in row if name(each) == "a:tc")
            yield Row(tuple(one_line(" ".join(_cell_lines(cell))) for cell in cells))


def _cell_lines(cell: Element) -> Iterator[str]:
    for block in _paragraphs(cell, None):
        yield block.as_text()
