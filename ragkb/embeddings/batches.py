"""How much goes into one request: what was asked for, and less where the endpoint objects."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragkb.embeddings.refusal import Kind, Refusal

Items = Sequence[tuple[int, str]]
"""Texts with their positions in the caller's list."""


@dataclass
class BatchLimits:
    """Texts and characters of one request; both only ever shrink.

    A lost update between threads costs one refused request more and nothing else.
    """

    texts: int
    characters: int

    def next_batch(self, items: Items) -> Items:
        """Return the longest start of `items` within the limits, at least one item."""
        total = 0
        for taken, (_, text) in enumerate(items[: self.texts]):
            total += len(text)
            if taken and total > self.characters:
                return items[:taken]
        return items[: self.texts]

    def learn(self, refusal: Refusal, batch: Items) -> bool:
        """Remember what a refusal says about requests as such; False if it says nothing."""
        match refusal.kind:
            case Kind.TOO_MANY_TEXTS:
                self._at_most(refusal.limit or len(batch) // 2, self.characters)
            case Kind.TOO_MUCH_TEXT:
                self._at_most(self.texts, characters_in(batch) // 2)
            case Kind.TOO_LARGE:
                self._at_most(len(batch) // 2, characters_in(batch) // 2)
            case _:
                return False
        return True

    def halves_came_through(self, batch: Items) -> None:
        """A batch was refused, each half of it accepted: half as much it is."""
        self._at_most(self.texts, max(characters_in(half) for half in halves(batch)))

    def _at_most(self, texts: int, characters: int) -> None:
        self.texts = max(1, min(self.texts, texts))
        self.characters = max(1, min(self.characters, characters))


def halves(batch: Items) -> tuple[Items, Items]:
    """Cut a batch of two or more in the middle."""
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]


def characters_in(batch: Items) -> int:
    """The length of all texts together."""
    return sum(len(text) for _, text in batch)
