"""Counting list items: their visible numbers are not in the text but follow from the lists."""

import re
from dataclasses import dataclass, field

from ragkb.readers.numerals import written

PLACEHOLDER = re.compile(r"%([1-9])")
BULLET = "•"


@dataclass(frozen=True)
class Level:
    """One level of a list: `text` is a pattern such as `%1.%2`."""

    number_format: str
    text: str
    start: int = 1
    legal: bool = False  # all numbers in decimals, whatever their own format
    style: str = ""


@dataclass
class ListDefinition:
    """A list's levels, and how far each has been counted."""

    levels: dict[int, Level]
    counts: dict[int, int] = field(default_factory=dict[int, int])

    def next_label(self, depth: int, restart: int | None = None) -> str:
        """Count one item; return what stands before it, with a blank behind, or nothing."""
        level = self.levels.get(depth)
        if level is None:
            return ""
        self._count(depth, restart)
        if level.number_format == "bullet":
            return f"{BULLET} "
        if level.number_format == "none":
            return ""
        text = PLACEHOLDER.sub(lambda match: self._number(level, int(match[1]) - 1), level.text)
        return f"{text.strip()} " if text.strip() else ""

    def _count(self, depth: int, restart: int | None) -> None:
        if restart is not None:
            self.counts[depth] = restart
        elif depth in self.counts:
            self.counts[depth] += 1
        else:
            self.counts[depth] = self.levels[depth].start
        for deeper in [each for each in self.counts if each > depth]:
            del self.counts[deeper]
        for above in range(depth):
            if above in self.levels:
                self.counts.setdefault(above, self.levels[above].start)

    def _number(self, level: Level, depth: int) -> str:
        numbered, number = self.levels.get(depth), self.counts.get(depth)
        if numbered is None or number is None:
            return ""
        return str(number) if level.legal else written(number, numbered.number_format)
