"""The walk through a Word document's story: what a reader of the page sees, once and in order."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ragkb.readers.building import Block, Paragraph, Row
from ragkb.readers.cleaning import one_line
from ragkb.readers.docx_math import formula
from ragkb.readers.docx_numbering import Numbering
from ragkb.readers.docx_styles import Styles, list_place, outline_level
from ragkb.readers.symbols import symbol
from ragkb.readers.xml_tree import Element, attribute, child, name, whole_number

# Deleted or moved away, field codes, pronunciation, properties: not part of the text.
SKIPPED = frozenset({
    "w:del", "w:moveFrom", "w:instrText", "w:delText", "w:delInstrText", "w:rt", "w:rPr", "w:pPr",
    "w:sectPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:sdtPr", "w:sdtEndPr", "w:binData",
    "w:docOleData", "m:oMathParaPr", "a:bodyPr",
})  # fmt: skip
MARKS = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "a:br": "\n",
}
NOTES = {
    "w:footnoteReference": "footnote",
    "w:endnoteReference": "endnote",
    "w:commentReference": "comment",
}


@dataclass
class Inline:
    """What a paragraph is made of besides its properties."""

    parts: list[str] = field(default_factory=list[str])
    boxes: list[Element] = field(default_factory=list[Element])  # follow the paragraph
    notes: list[Element] = field(default_factory=list[Element])
    in_code: list[bool] = field(default_factory=list[bool])  # open fields, innermost last

    def add(self, text: str) -> None:
        """Add visible text; inside a field's code nothing is visible."""
        if not any(self.in_code):
            self.parts.append(text)


@dataclass
class Story:
    """Everything that the walk looks things up in."""

    styles: Styles
    numbering: Numbering
    notes: dict[tuple[str, str], Element]
    parts: Callable[[str], Element | None]  # the root of the part behind a relationship id
    chunks: Callable[[str], Iterable[Block]]  # the blocks of an embedded HTML, RTF or text part

    def blocks(self, parent: Element) -> Iterator[Block]:
        """Yield the paragraphs and table rows below `parent`."""
        for each in parent:
            match name(each):
                case "w:p" | "a:p":
                    yield from self._paragraph(each)
                case "w:tbl":
                    yield from self._table(each)
                case "mc:AlternateContent":
                    yield from self.blocks(_chosen(each))
                case "w:altChunk":
                    yield from self.chunks(attribute(each, "r:id"))
                case "c:strCache":
                    values = (child(point, "c:v") for point in each)
                    yield Row(tuple(value.text or "" for value in values if value is not None))
                case "aml:annotation" if attribute(each, "w:type") == "Word.Deletion":
                    continue
                case tag if tag not in SKIPPED:
                    yield from self.blocks(each)
                case _:
                    continue

    def _paragraph(self, element: Element) -> Iterator[Block]:
        inline = Inline()
        self._inline(element, inline)
        text = "".join(inline.parts)
        properties = child(element, "w:pPr")
        style = attribute(child(properties, "w:pStyle"), "w:val")
        label = self._label(properties, style)  # an empty item counts, too
        if text.strip():
            text = label + text
        outline = outline_level(properties)
        level = self.styles.heading_level(style) if outline is None else outline
        yield Paragraph(text, level if level is not None and level <= 9 else None)
        for box in inline.boxes:
            yield from self._table(box) if name(box) == "w:tbl" else self.blocks(box)
        for note in inline.notes:
            for block in self.blocks(note):
                yield Paragraph(block.as_text().strip())  # a blank follows the note's own mark

    def _label(self, properties: Element | None, style: str) -> str:
        if child(properties, "w:rPr", "w:del") is not None:
            return ""  # a deleted paragraph is not counted
        place, styled = list_place(properties), self.styles.list_place(style)
        if place is None:
            place = styled
        return self.numbering.label(place, style) if place is not None else ""

    def _inline(self, element: Element, inline: Inline) -> None:
        for each in element:
            tag = name(each)
            if tag in SKIPPED:
                continue
            if tag in {"w:t", "a:t"}:
                inline.add(each.text or "")
            elif tag in MARKS:
                inline.add(MARKS[tag])
            elif tag in NOTES:
                note = self.notes.pop((NOTES[tag], attribute(each, "w:id")), None)
                if note is not None:
                    inline.notes.append(note)
            else:
                self._inline_special(tag, each, inline)

    def _inline_special(  # noqa: C901  # a table of the kinds of elements
        self, tag: str, element: Element, inline: Inline
    ) -> None:
        match tag:
            case "w:fldChar":
                _field_mark(element, inline)
            case "w:sym":
                code = _hexadecimal(attribute(element, "w:char"))
                inline.add(symbol(attribute(element, "w:font"), code))
            case "m:oMath":
                inline.add(formula(element))
            case "mc:AlternateContent":
                self._inline_alternative(element, inline)
            case "w:txbxContent" | "w:tbl":
                inline.boxes.append(element)
            case "w:footnote" | "w:endnote":  # Word 2003 keeps notes where they are cited
                inline.notes.append(element)
            case "dgm:relIds":
                self._add_part(attribute(element, "r:dm"), inline)
            case "c:chart":
                self._add_part(attribute(element, "r:id"), inline)
            case "v:textpath":
                inline.add(element.get("string") or "")
            case "aml:annotation" if attribute(element, "w:type") == "Word.Deletion":
                return
            case _:
                self._inline(element, inline)

    def _inline_alternative(self, element: Element, inline: Inline) -> None:
        """Take the first choice; the fallback only where the choice has nothing to read."""
        before = (len(inline.parts), len(inline.boxes))
        chosen = _chosen(element)
        self._inline(chosen, inline)
        fallback = child(element, "mc:Fallback")
        nothing_added = (len(inline.parts), len(inline.boxes)) == before
        if nothing_added and fallback is not None and fallback is not chosen:
            self._inline(fallback, inline)

    def _add_part(self, relationship: str, inline: Inline) -> None:
        root = self.parts(relationship)
        if root is not None:
            inline.boxes.append(root)

    def _table(self, table: Element) -> Iterator[Block]:
        for row in _rows(table):
            cells = list(_cells(row))
            if len(cells) == 1:  # a frame around text, not a table
                yield from self.blocks(cells[0])
            else:
                yield Row(tuple(self._cell(cell) for cell in cells))

    def _cell(self, cell: Element) -> str:
        return " ".join(filter(None, (one_line(block.as_text()) for block in self.blocks(cell))))


def _chosen(alternative: Element) -> Element:
    choice = child(alternative, "mc:Choice")
    if choice is None:
        choice = child(alternative, "mc:Fallback")
    return choice if choice is not None else alternative


def _rows(table: Element) -> Iterator[Element]:
    for each in table:
        if name(each) == "w:tr":
            if child(each, "w:trPr", "w:del") is None:
                yield each
        elif name(each) not in SKIPPED:  # a content control around rows
            yield from _rows(each)


def _cells(row: Element) -> Iterator[Element]:
    for each in row:
        if name(each) == "w:tc":
            yield each
        elif name(each) not in SKIPPED:
            yield from _cells(each)


def _field_mark(element: Element, inline: Inline) -> None:
    match attribute(element, "w:fldCharType"):
        case "begin":
            inline.add(_form_value(element))
            inline.in_code.append(True)
        case "separate" if inline.in_code:
            inline.in_code[-1] = False
        case "end" if inline.in_code:
            inline.in_code.pop()
        case _:
            return


def _form_value(field_mark: Element) -> str:
    """What a drop-down or check-box form field shows: it has no result text."""
    data = child(field_mark, "w:ffData")
    choices = child(data, "w:ddList")
    if choices is not None:
        entries = [attribute(each, "w:val") for each in choices if name(each) == "w:listEntry"]
        shown = whole_number(attribute(child(choices, "w:result"), "w:val"), 0)
        return entries[shown] if 0 <= shown < len(entries) else ""
    box = child(data, "w:checkBox")
    if box is None:
        return ""
    mark = child(box, "w:checked")
    if mark is None:
        mark = child(box, "w:default")
    return "☑" if mark is not None and attribute(mark, "w:val") not in {"0", "false"} else "☐"


def _hexadecimal(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0
