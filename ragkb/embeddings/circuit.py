"""An endpoint that keeps failing is left alone for a while, so that the next files fail at once."""

import threading
import time
from copy import copy

from ragkb.errors import BadAnswer, EmbeddingFailed, EndpointRefused

_FAILURES = 3


class Circuit:
    """Opens after failures in a row; after `rest` seconds one request may try again.

    A batch that failed after all its retries has failed often enough by itself; answers that came
    but cannot be used count singly, because the next batch may do better.
    """

    def __init__(self, rest: float) -> None:
        self._rest = rest
        self._lock = threading.Lock()
        self._failures = 0
        self._last: EmbeddingFailed | None = None
        self._resting_until = 0.0

    def check(self) -> None:
        """Raise the last failure while the circuit is open."""
        with self._lock:
            if self._last is None or self._failures < _FAILURES:
                return
            now = time.monotonic()
            if now < self._resting_until:
                raise copy(self._last)  # one traceback each
            self._resting_until = now + self._rest  # this caller tries; the others go on waiting

    def succeeded(self) -> None:
        """Close it."""
        with self._lock:
            self._failures, self._last = 0, None

    def failed(self, failure: EmbeddingFailed) -> None:
        """Count a batch that got no vectors."""
        with self._lock:
            self._failures += 1 if isinstance(failure, (BadAnswer, EndpointRefused)) else _FAILURES
            self._last = failure
            self._resting_until = time.monotonic() + self._rest
