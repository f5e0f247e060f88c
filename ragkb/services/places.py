"""Where a passage stands: the page and the headings at the passage, not at its chunk's start."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragkb.document_text import Heading
from ragkb.text.outline import Outline


@dataclass(frozen=True)
class Place:
    """A page (from 1, None without pages) and a path of headings."""

    page: int | None
    heading: str


def place_at(
    position: int,
    chunk_start: int,
    at_start: Place,
    layout: dict[str, Any],
    text: Callable[[], str],
) -> Place:
    """The place of `position` in a document, in a chunk that begins at `at_start`.

    `text` gives the document's text; it is asked only if a heading stands between the two.
    """
    pages: list[int] = layout.get("pages", [])
    page = bisect_right(pages, position) if pages else at_start.page
    headings = headings_of(layout)
    if not any(chunk_start < heading.start <= position for heading in headings):
        return Place(page, at_start.heading)
    return Place(page, Outline(text(), headings).path(position))


def headings_of(layout: dict[str, Any]) -> list[Heading]:
    """The headings in a stored layout."""
    return [Heading(*heading) for heading in layout.get("headings", ())]
