"""The lists of a Word document in XML (numbering.xml)."""

from ragkb.readers.docx_styles import ListPlace
from ragkb.readers.numbering import Level, ListDefinition
from ragkb.readers.xml_tree import Element, attribute, child, name, whole_number


class Numbering:
    """Gives list items their visible numbers, asked in document order."""

    def __init__(self, root: Element | None) -> None:
        children = list(root) if root is not None else []
        self._abstracts = {
            attribute(each, "w:abstractNumId"): each
            for each in children
            if name(each) == "w:abstractNum"
        }
        self._by_style_link = {
            attribute(child(each, "w:styleLink"), "w:val"): key
            for key, each in self._abstracts.items()
        }
        self._shared: dict[str, ListDefinition] = {}
        self._lists: dict[str, ListDefinition] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        for each in children:
            if name(each) == "w:num":
                self._add_list(each)

    def label(self, place: ListPlace, style_id: str) -> str:
        """What stands before an item at `place`, with a blank behind, or an empty string."""
        definition = self._lists.get(place.list_id)
        if definition is None:
            return ""
        depth = place.level if place.level is not None else _level_of(definition, style_id)
        return definition.next_label(depth, self._restarts.pop((place.list_id, depth), None))

    def _add_list(self, number: Element) -> None:
        """Lists with the same definition count on together, whatever levels they bring."""
        list_id = attribute(number, "w:numId")
        key = attribute(child(number, "w:abstractNumId"), "w:val")
        link = attribute(child(self._abstracts.get(key), "w:numStyleLink"), "w:val")
        key = self._by_style_link.get(link, key) if link else key
        shared = self._shared.setdefault(key, ListDefinition(_levels(self._abstracts.get(key))))
        own_levels: dict[int, Level] = {}
        for override in number:
            if name(override) != "w:lvlOverride":
                continue
            start = attribute(child(override, "w:startOverride"), "w:val")
            if start:
                depth = whole_number(attribute(override, "w:ilvl"), 0)
                self._restarts[list_id, depth] = whole_number(start, 1)
            own_levels |= _levels(override)
        self._lists[list_id] = (
            ListDefinition(shared.levels | own_levels, shared.counts) if own_levels else shared
        )


def _levels(parent: Element | None) -> dict[int, Level]:
    return {
        whole_number(attribute(each, "w:ilvl"), 0): Level(
            number_format=attribute(child(each, "w:numFmt"), "w:val") or "decimal",
            text=attribute(child(each, "w:lvlText"), "w:val"),
            start=whole_number(attribute(child(each, "w:start"), "w:val"), 1),
            legal=child(each, "w:isLgl") is not None,
            style=attribute(child(each, "w:pStyle"), "w:val"),
        )
        for each in (parent if parent is not None else ())
        if name(each) == "w:lvl"
    }


def _level_of(definition: ListDefinition, style_id: str) -> int:
    for depth, level in definition.levels.items():
        if level.style == style_id:
            return depth
    return 0
