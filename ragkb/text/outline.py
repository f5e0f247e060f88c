"""The headings of a text, asked by position."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ragkb.document_text import Heading

_SEPARATOR = " > "
_LONGEST_PATH = 200  # characters


class Outline:
    """Which heading a position stands under, and which lines are headings."""

    def __init__(self, text: str, headings: Sequence[Heading]) -> None:
        self._headings = sorted(headings, key=lambda heading: heading.start)
        self._starts = [heading.start for heading in self._headings]
        self._paths = _paths(text, self._headings)

    def path(self, position: int) -> str:
        """Return the headings above `position`, outermost first, as "Part > Chapter > Section".

        A heading that begins at `position` counts. Outer headings are left out when the path
        would exceed 200 characters.
        """
        at = bisect_right(self._starts, position)
        return self._paths[at - 1] if at else ""

    def is_heading(self, start: int, end: int) -> bool:
        """Whether the line `text[start:end]` ends as a heading does (a number may stand before)."""
        at = bisect_left(self._starts, end)
        return at > 0 and start < self._headings[at - 1].end >= end


def _paths(text: str, headings: Sequence[Heading]) -> list[str]:
    paths: list[str] = []
    above: list[tuple[int, str]] = []
    for heading in headings:
        while above and above[-1][0] >= heading.level:
            above.pop()
        above.append((heading.level, " ".join(text[heading.start : heading.end].split())))
        paths.append(_path([name for _, name in above if name]))
    return paths


def _path(names: list[str]) -> str:
    """Join names, dropping the outermost ones, then the end of the last, until it is short."""
    first = len(names) - 1
    length = len(names[-1]) if names else 0
    while first > 0 and length + len(_SEPARATOR) + len(names[first - 1]) <= _LONGEST_PATH:
        first -= 1
        length += len(_SEPARATOR) + len(names[first])
    path = _SEPARATOR.join(names[max(0, first) :])
    return path if len(path) <= _LONGEST_PATH else path[: _LONGEST_PATH - 1] + "…"
