"""From the boxes that OCR finds to running text: columns, lines, joined lines. Pure functions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragkb.readers.pdf_lines import HYPHEN_MARKS, is_chinese, page_text

LEAST_LINES = 3  # of text on each side of a gap that divides columns
FULL = 0.6  # of its column's width, on average: lines of running text, not cells of a table
# A word that was divided at a line's end; a hyphen between others belongs there.
DIVIDED = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


@dataclass(frozen=True)
class Box:
    """A piece of a line as OCR finds it, in pixels from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    @property
    def middle(self) -> float:
        """Half its height."""
        return (self.top + self.bottom) / 2


def text_of(boxes: Sequence[Box]) -> str:
    """The text of a page in reading order, wrapped lines joined."""
    lines = [line_text(line) for part in columns(boxes) for line in lines_of(part)]
    return page_text(DIVIDED.sub(f"{HYPHEN_MARKS[0]}\n", "\n".join(lines)))


def columns(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Take a page apart into what is read one after the other.

    Two columns of running text stand left and right of a gap; what reaches over the gap, such as a
    title, comes before the columns that begin below it.
    """
    gap = _gap_between_columns(boxes)
    if gap is None:
        yield list(boxes)
        return
    beside = [box for box in boxes if not box.left < gap < box.right]
    above = float("-inf")
    for over in lines_of([box for box in boxes if box.left < gap < box.right]):
        yield from _beside(gap, [box for box in beside if above <= box.middle < over[0].middle])
        yield over
        above = over[0].middle
    yield from _beside(gap, [box for box in beside if box.middle >= above])


def _beside(gap: float, boxes: Sequence[Box]) -> Iterator[list[Box]]:
    yield [box for box in boxes if box.right <= gap]
    yield [box for box in boxes if box.left >= gap]


def _gap_between_columns(boxes: Sequence[Box]) -> float | None:
    """Where the page's columns part, in its middle third, if they do."""
    if len(boxes) < 2 * LEAST_LINES:
        return None
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    third = (right - left) / 3
    places = [box.left - 1 for box in boxes if left + third < box.left < right - third]
    if not places:
        return None
    gap = min(places, key=lambda place: sum(box.left < place < box.right for box in boxes))
    sides = (
        ([box for box in boxes if box.right <= gap], gap - left),
        ([box for box in boxes if box.left >= gap], right - gap),
    )
    return gap if all(_is_running_text(side, width) for side, width in sides) else None


def _is_running_text(boxes: Sequence[Box], width: float) -> bool:
    if len(boxes) < LEAST_LINES:
        return False
    return sum(box.right - box.left for box in boxes) >= FULL * width * len(boxes)


def lines_of(boxes: Sequence[Box]) -> list[list[Box]]:
    """Boxes side by side are one line, from the left; the lines come from the top."""
    lines: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box.middle):
        last = lines[-1][-1] if lines else None
        if last is not None and abs(box.middle - last.middle) < _half_height(box, last):
            lines[-1].append(box)
        else:
            lines.append([box])
    return [sorted(line, key=lambda box: box.left) for line in lines]


def _half_height(one: Box, other: Box) -> float:
    return min(one.bottom - one.top, other.bottom - other.top) / 2


def line_text(line: Sequence[Box]) -> str:
    """The pieces of a line: Chinese ones that touch are joined, others get a blank between them."""
    text = line[0].text
    for before, box in pairwise(line):
        touching = box.left - before.right < _half_height(box, before)
        chinese = is_chinese(before.text[-1:]) and is_chinese(box.text[:1])
        text += box.text if touching and chinese else f" {box.text}"
    return text
