"""How many requests run at once: more while all goes well, fewer when the endpoint objects."""

import threading
from collections.abc import Generator
from contextlib import contextmanager


class Lanes:
    """Starts with one request at a time, doubles with each success up to `most`, halves at 429.

    Beginning with one means that a batch over the endpoint's limit is refused once, not four times.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._open = 1
        self._busy = 0
        self._changed = threading.Condition()

    @contextmanager
    def lane(self) -> Generator[None]:
        """Wait for a free lane and hold it."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy < self._open)
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def widen(self) -> None:
        """A request succeeded."""
        with self._changed:
            self._open = min(self.most, self._open * 2)
            self._changed.notify_all()

    def narrow(self) -> None:
        """The endpoint wants fewer requests."""
        with self._changed:
            self._open = max(1, self._open // 2)

    def start_over(self) -> None:
        """What the endpoint takes is unknown again: one request at a time until one succeeds."""
        with self._changed:
            self._open = 1
