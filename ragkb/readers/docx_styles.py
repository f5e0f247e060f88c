"""Which paragraph styles of a Word document are headings, and which number their paragraphs."""

import re
from dataclasses import dataclass

from ragkb.readers.xml_tree import Element, attribute, child, name, whole_number

HEADING_NAME = re.compile(r"(?:heading|标题|標題|überschrift|titre|título)\s*(\d)$", re.IGNORECASE)
TITLE_NAMES = frozenset({"title", "标题", "標題"})
BODY_LEVEL = 9  # w:outlineLvl of body text
DEEPEST = 9


@dataclass(frozen=True)
class ListPlace:
    """The list (w:numId) and level of a paragraph; level None leaves it to the list."""

    list_id: str
    level: int | None


class Styles:
    """Heading levels and list places by style id, inherited through w:basedOn."""

    def __init__(self, root: Element | None) -> None:
        self._styles = {
            attribute(style, "w:styleId"): style
            for style in (root if root is not None else ())
            if name(style) == "w:style"
        }

    def heading_level(self, style_id: str) -> int | None:
        """1 to 9, or None if the style is no heading."""
        for style in self._lineage(style_id):
            called = attribute(child(style, "w:name"), "w:val").strip()
            if named := HEADING_NAME.match(called):
                return max(1, int(named[1]))
            if called.lower() in TITLE_NAMES:
                return 1
            outline = outline_level(child(style, "w:pPr"))
            if outline is not None:
                return outline if outline <= DEEPEST else None
        return None

    def list_place(self, style_id: str) -> ListPlace | None:
        """The list that paragraphs of the style are numbered in, if any."""
        for style in self._lineage(style_id):
            place = list_place(child(style, "w:pPr"))
            if place is not None:
                return place
        return None

    def _lineage(self, style_id: str) -> list[Element]:
        found: list[Element] = []
        while (style := self._styles.get(style_id)) is not None and style not in found:
            found.append(style)
            style_id = attribute(child(style, "w:basedOn"), "w:val")
        return found


def outline_level(properties: Element | None) -> int | None:
    """The level that w:outlineLvl gives, from 1; 10 for explicit body text, None without it."""
    value = attribute(child(properties, "w:outlineLvl"), "w:val")
    level = whole_number(value, -1)
    return min(level, BODY_LEVEL) + 1 if level >= 0 else None


def list_place(properties: Element | None) -> ListPlace | None:
    """The list that paragraph properties name, if any; list 0 means "none" and is kept as such."""
    numbering = child(properties, "w:numPr")
    list_id = attribute(child(numbering, "w:numId"), "w:val")
    if not list_id:
        return None
    level = attribute(child(numbering, "w:ilvl"), "w:val")
    return ListPlace(list_id, whole_number(level, 0) if level else None)
