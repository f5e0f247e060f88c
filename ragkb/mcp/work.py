"""Work that may outlive the call that asked for it: imports, above all.

A call waits for its work as long as its time budget allows and tells how far it is. Then the work
goes on in the server, and the same call again waits for the same work. A call that its client has
given up stops the work between two commits.
"""

import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Generic, TypeVar, cast

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.mcpserver import Context

from ragkb.log import log
from ragkb.mcp.progress import Meter, Reporter

MOST_THREADS = 4
LOOK_SECONDS = 0.2  # at most five progress notifications a second

_Result = TypeVar("_Result")


class Work(Generic[_Result]):
    """A function running, or waiting to run, on a thread; `result` or `error` once it has ended."""

    def __init__(self, run: Callable[[Meter], _Result]) -> None:
        self.run = run
        self.meter = Meter()
        self.result: _Result | None = None
        self.error: Exception | None = None
        self.ended = anyio.Event()
        self.scope = anyio.CancelScope()
        self.callers = 0


class Works:
    """The work of one server; that of one lane is done one after the other."""

    def __init__(self) -> None:
        self._group: TaskGroup | None = None
        self._under_way: dict[Hashable, Work[Any]] = {}
        self._lanes: defaultdict[Hashable, anyio.Lock] = defaultdict(anyio.Lock)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TaskGroup]:
        """Accept work; at the end what runs is stopped between two commits."""
        self._threads = anyio.CapacityLimiter(MOST_THREADS)
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield group
            finally:
                self._group = None
                group.cancel_scope.cancel()

    async def within(
        self,
        key: Hashable,
        lane: Hashable,
        run: Callable[[Meter], _Result],
        seconds: float,
        context: Context[Any, Any],
    ) -> Work[_Result]:
        """The work that `run` does, ended or, when it takes longer than `seconds`, going on.

        If the same `key` is under way already, that work is waited for instead. The client of
        `context` is told the progress meanwhile. Raises what the work raised.
        """
        # work of one key always has one kind of result
        known = cast("Work[_Result] | None", self._under_way.get(key))
        work = known or self._begin(key, lane, run)
        reporter = Reporter(context, work.meter)
        work.callers += 1
        try:
            with anyio.move_on_after(seconds):
                while not work.ended.is_set():
                    with anyio.move_on_after(LOOK_SECONDS):
                        await work.ended.wait()
                    await reporter.report()
        except anyio.get_cancelled_exc_class():
            if work.callers == 1:
                self._give_up(key, work)
            raise
        finally:
            work.callers -= 1
        if work.error is not None:
            raise work.error
        return work

    def _begin(
        self, key: Hashable, lane: Hashable, run: Callable[[Meter], _Result]
    ) -> Work[_Result]:
        if self._group is None:
            raise RuntimeError("the server is closing")
        work = Work(run)
        self._under_way[key] = work
        self._group.start_soon(self._do, key, lane, work)
        return work

    def _give_up(self, key: Hashable, work: Work[Any]) -> None:
        """Stop work; the same call again begins anew, after what is under way has stopped."""
        self._forget(key, work)
        work.scope.cancel()

    async def _do(self, key: Hashable, lane: Hashable, work: Work[Any]) -> None:
        try:
            with work.scope:
                async with self._lanes[lane]:
                    run = partial(work.run, work.meter)
                    work.result = await anyio.to_thread.run_sync(run, limiter=self._threads)
        except Exception as error:  # noqa: BLE001  # an edge: the callers raise it, or nobody is left
            work.error = error
            if not work.callers:
                log.exception("work in the background failed", incident=uuid.uuid4().hex[:8])
        finally:
            self._forget(key, work)
            work.ended.set()

    def _forget(self, key: Hashable, work: Work[Any]) -> None:
        if self._under_way.get(key) is work:
            del self._under_way[key]
