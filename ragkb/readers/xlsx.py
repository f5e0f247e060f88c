"""Excel workbooks (.xlsx): a sheet's name as heading, its rows as lines, values as shown."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from ragkb.document_text import DocumentText
from ragkb.readers.building import Row, TextBuilder
from ragkb.readers.package import Package, Relationship, ZipPackage
from ragkb.readers.source import Source
from ragkb.readers.xml_tree import (
    Element,
    XmlDamaged,
    attribute,
    child,
    children,
    each_named,
    name,
    whole_number,
)

DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
PERCENT_FORMATS = frozenset({9, 10})
DATE_CODE = re.compile(r"[ymdhs年月日时分秒]", re.IGNORECASE)
NOT_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # literals, escapes, colours
MOST_GAPS = 100  # empty cells that are worth a separator
PHONETIC = "x:rPh"


def read_xlsx(source: Source) -> DocumentText:
    """Return the values of all sheets; raises DamagedFile, NoText, PasswordProtected."""
    package = ZipPackage(source, "XLSX")
    main = package.main_part("xl/workbook.xml")
    root = package.xml(main)
    if root is None:
        raise package.damaged("it has no workbook part")
    links = package.relationships(main)
    values = _Values(package, links, root)
    builder = TextBuilder(source)
    for title, part in _sheets(root, links):
        content = package.read(part)
        if content is None:
            continue
        try:
            rows = (values.row(row) for row in each_named(content, "x:row"))
            _add_sheet(builder, title, rows)
        except XmlDamaged as broken:
            raise package.damaged(f"{part}: {broken}") from broken
    return builder.document("xlsx")


def _add_sheet(builder: TextBuilder, title: str, rows: Iterator[Row]) -> None:
    """A sheet without a value leaves its name out as well."""
    named = False
    for row in rows:
        if not named and any(row.cells):
            builder.paragraph(title, 1)
            named = True
        builder.row(row.cells)


def _sheets(root: Element, links: dict[str, Relationship]) -> Iterator[tuple[str, str]]:
    for sheet in children(root, "x:sheets"):
        link = links.get(attribute(sheet, "r:id"))
        if link is not None and link.kind == "worksheet":
            yield attribute(sheet, "name"), link.target


class _Values:
    """Turns cells into what they show."""

    def __init__(self, package: Package, links: dict[str, Relationship], root: Element) -> None:
        self._strings = _shared_strings(package, links)
        self._dates, self._percents = _formats(package, links)
        old_mac = attribute(child(root, "x:workbookPr"), "date1904") in {"1", "true"}
        # Day 60 is 29 February 1900, which never was: from then on counting starts a day earlier.
        self._epoch = datetime(1904, 1, 1) if old_mac else datetime(1899, 12, 30)  # noqa: DTZ001  # sheets know no zone

    def row(self, row: Element) -> Row:
        """The row's values; empty cells between them are kept."""
        cells: list[str] = []
        for cell in row:
            if name(cell) != "x:c":
                continue
            missing = _column(attribute(cell, "r")) - len(cells)
            cells.extend([""] * min(max(0, missing), MOST_GAPS))
            cells.append(self._value(cell))
        return Row(tuple(cells))

    def _value(self, cell: Element) -> str:
        kind = attribute(cell, "t")
        if kind == "inlineStr":
            return _string(child(cell, "x:is"))
        value = child(cell, "x:v")
        text = (value.text or "") if value is not None else ""
        if kind == "s":
            index = whole_number(text, -1)
            return self._strings[index] if 0 <= index < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        if kind in {"str", "e", "d"}:
            return text
        return self._number(text, whole_number(attribute(cell, "s"), 0))

    def _number(self, text: str, style: int) -> str:
        try:
            number = float(text)
        except ValueError:
            return text
        if style in self._dates:
            return self._date(number)
        if style in self._percents:
            return f"{number * 100:.10g}%"
        return f"{number:.15g}"  # Excel shows 15 digits at most

    def _date(self, number: float) -> str:
        try:
            moment = self._epoch + timedelta(seconds=round(number * 86_400))
        except (OverflowError, ValueError):
            return f"{number:.15g}"
        if number < 1:
            return f"{moment:%H:%M:%S}"
        return f"{moment:%Y-%m-%d}" if number == int(number) else f"{moment:%Y-%m-%d %H:%M:%S}"


def _shared_strings(package: Package, links: dict[str, Relationship]) -> list[str]:
    for link in links.values():
        if link.kind == "sharedStrings":
            content = package.read(link.target)
            try:
                return [_string(item) for item in each_named(content or b"", "x:si")]
            except XmlDamaged as broken:
                raise package.damaged(f"{link.target}: {broken}") from broken
    return []


def _string(item: Element | None) -> str:
    """The text of a string, without the pronunciation that may stand beside it."""
    if item is None:
        return ""
    if name(item) == "x:t":
        return item.text or ""
    return "".join(_string(each) for each in item if name(each) != PHONETIC)


def _formats(package: Package, links: dict[str, Relationship]) -> tuple[set[int], set[int]]:
    """Which cell styles show dates, and which percentages."""
    styles = next((link.target for link in links.values() if link.kind == "styles"), "")
    root = package.optional_xml(styles) if styles else None
    codes = {
        whole_number(attribute(each, "numFmtId"), 0): NOT_CODE.sub(
            "", attribute(each, "formatCode")
        )
        for each in children(root, "x:numFmts")
    }
    dates, percents = set[int](), set[int]()
    for index, style in enumerate(children(root, "x:cellXfs")):
        number_format = whole_number(attribute(style, "numFmtId"), 0)
        code = codes.get(number_format, "")
        if number_format in DATE_FORMATS or DATE_CODE.search(code):
            dates.add(index)
        elif number_format in PERCENT_FORMATS or "%" in code:
            percents.add(index)
    return dates, percents


def _column(reference: str) -> int:
    """The column of a cell such as "AB12", from 0; 0 where there is no reference."""
    column = 0
    for char in reference:
        if not "A" <= char <= "Z":
            break
        column = column * 26 + ord(char) - 64
    return max(0, column - 1)
