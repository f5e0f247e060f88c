"""How long to wait for an endpoint, and when to try again."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from threading import Event

from tenacity import RetryCallState, Retrying, retry_if_exception_type, sleep_using_event
from tenacity.wait import wait_random_exponential


@dataclass(frozen=True)
class Patience:
    """Bounds in seconds."""

    connect: float = 10
    request: float = 60
    """One request until the last byte of its answer."""
    batch: float = 90
    """One batch of passages with all its retries."""
    query: float = 10
    """The same for a query: somebody waits."""
    unreachable: float = 20
    """Retries while no connection comes about at all."""
    first_wait: float = 0.5
    longest_wait: float = 20
    rest: float = 30
    """How long an endpoint that kept failing is left alone."""


class TryAgain(Exception):
    """An attempt that failed in a way that may pass."""

    def __init__(self, reason: str, *, status: int = 0, after: float = 0, within: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.after = after
        self.within = within


def retrying(patience: Patience, cancelled: Event) -> Retrying:
    """Return the policy: exponential with jitter, Retry-After honoured, bounded by `within`."""
    backoff = wait_random_exponential(multiplier=patience.first_wait, max=patience.longest_wait)

    def wait(state: RetryCallState) -> float:
        # Half of the jittered wait is certain, or a third of the retries would come at once.
        return max(_failure(state).after, patience.first_wait / 2 + backoff(state) / 2)

    def hopeless(state: RetryCallState) -> bool:
        spent = state.seconds_since_start or 0
        return spent + state.upcoming_sleep > _failure(state).within

    return Retrying(
        retry=retry_if_exception_type(TryAgain),
        wait=wait,
        stop=hopeless,
        sleep=sleep_using_event(cancelled),
        reraise=True,
    )


def _failure(state: RetryCallState) -> TryAgain:
    failure = state.outcome.exception() if state.outcome else None
    assert isinstance(failure, TryAgain)
    return failure


def seconds_of(retry_after: str, date: str, now: Callable[[], float] = time.time) -> float:
    """Read a Retry-After header: seconds, or a date, which counts from the answer's own Date.

    The endpoint's clock need not be ours. What is neither gives 0.
    """
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    until = _timestamp(retry_after)
    if until is None:
        return 0.0
    start = _timestamp(date)
    return max(0.0, until - (now() if start is None else start))


def _timestamp(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
