"""The headings of a PDF: entries of its outline (bookmarks) that stand as lines on their page."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragkb.document_text import Heading

DEEPEST = 9


@dataclass(frozen=True)
class Entry:
    """An entry of the outline; level from 1, page from 0."""

    title: str
    level: int
    page: int


def headings(text: str, offsets: tuple[int, ...], entries: Iterable[Entry]) -> tuple[Heading, ...]:
    """Find the entries' lines in `text`, whose pages begin at `offsets`; others are left out."""
    lines = _lines_by_page(text, offsets)
    found: dict[int, Heading] = {}
    for entry in entries:
        place = lines.get(entry.page, {}).get(_key(entry.title))
        if place is not None and place[0] not in found:
            found[place[0]] = Heading(*place, min(entry.level, DEEPEST))
    return tuple(found[start] for start in sorted(found))


def _lines_by_page(text: str, offsets: tuple[int, ...]) -> dict[int, dict[str, tuple[int, int]]]:
    """For each page its lines, as keys, with where they stand; the first of equal ones."""
    pages: dict[int, dict[str, tuple[int, int]]] = {}
    for start, end in _lines(text):
        page = bisect_right(offsets, start) - 1
        pages.setdefault(page, {}).setdefault(_key(text[start:end]), (start, end))
    return pages


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if text[start:end].strip():
            yield start, end
        start = end + 1


def _key(line: str) -> str:
    """Outlines and pages differ in blanks and letter case."""
    return "".join(line.split()).casefold()
