"""XML as documents carry it: parsed without DTD, entities or network, elements named by prefix."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# lxml has no type information; this module alone touches it and gives its elements a type.

from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import Protocol, cast

NAMESPACES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.microsoft.com/office/word/2003/wordml": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://purl.oclc.org/ooxml/drawingml/chart": "c",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "x",
    "http://schemas.microsoft.com/office/2006/xmlPackage": "pkg",
    "http://schemas.microsoft.com/aml/2001/core": "aml",
    "urn:schemas-microsoft-com:vml": "v",
}


class Element(Protocol):
    """What the readers use of an lxml element."""

    tag: str
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator["Element"]: ...
    def __len__(self) -> int: ...
    def get(self, key: str, /) -> str | None:
        """An attribute by its full name."""
        ...

    def items(self) -> list[tuple[str, str]]:
        """All attributes."""
        ...

    def iter(self) -> Iterator["Element"]:
        """This element and all below it."""
        ...


class XmlDamaged(Exception):
    """The XML is not well-formed or carries a DTD; the text says which."""


def parse_xml(content: bytes) -> Element:
    """Return the root element; raises XmlDamaged."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,  # keeps libxml2's limits on depth and amplification
        remove_comments=True,
        remove_pis=True,
    )
    if b"<!DOCTYPE" in content[:100_000]:
        raise XmlDamaged("its XML declares a DTD")
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as broken:
        raise XmlDamaged(str(broken)[:120]) from broken
    if root.getroottree().docinfo.doctype:
        raise XmlDamaged("its XML declares a DTD")
    return cast("Element", root)


def parse_html(text: str) -> Element | None:
    """Return the root of a page, mended as browsers do it; None if there is nothing in it."""
    from lxml import etree

    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.LxmlError:
        return None
    return cast("Element | None", root)


def serialize(element: Element) -> bytes:
    """The element as XML of its own."""
    from lxml import etree

    return cast("bytes", etree.tostring(element))


@lru_cache(maxsize=8192)
def short(tag: str) -> str:
    """`w:p` for each namespace that means it (transitional, strict, 2003); `?` if unknown."""
    if not tag.startswith("{"):
        return tag
    namespace, local = tag[1:].split("}", 1)
    return f"{NAMESPACES.get(namespace, '?')}:{local}"


def name(element: Element) -> str:
    """The element's name with its usual prefix."""
    return short(element.tag) if isinstance(element.tag, str) else "?:?"  # pyright: ignore[reportUnnecessaryIsInstance]  # an entity reference has a function for a tag


def attribute(element: Element | None, wanted: str) -> str:
    """The attribute of that prefixed name, or an empty string."""
    if element is not None:
        for key, value in element.items():
            if short(key) == wanted:
                return value
    return ""


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along `path`, or None."""
    for step in path:
        if element is None:
            return None
        element = next((each for each in element if name(each) == step), None)
    return element


def children(element: Element | None, *path: str) -> list[Element]:
    """The children of the first descendant along `path`; none if there is none."""
    found = child(element, *path)
    return list(found) if found is not None else []


def each_named(content: bytes, wanted: str) -> Iterator[Element]:
    """Yield the elements of that name while parsing: a long part never stands in memory whole.

    An element is emptied after its turn. Raises XmlDamaged, possibly after some elements.
    """
    from lxml import etree

    if b"<!DOCTYPE" in content[:100_000]:
        raise XmlDamaged("its XML declares a DTD")
    events = etree.iterparse(
        BytesIO(content), events=("end",), resolve_entities=False, no_network=True, load_dtd=False,
        huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        for _, element in events:
            if short(cast("str", element.tag)) == wanted:
                yield cast("Element", element)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as broken:
        raise XmlDamaged(str(broken)[:120]) from broken


def whole_number(text: str, default: int) -> int:
    """The number that an attribute holds, or `default` for anything else."""
    try:
        return int(text)
    except ValueError:
        return default
