"""How far a long call is: measured on the work's thread, told to the client by the call."""

import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import anyio.from_thread
from mcp.server.mcpserver import Context

if TYPE_CHECKING:
    from ragkb.services.import_report import ImportReport, Progress

LONGEST_SILENCE = 10.0  # seconds; clients take a silent call for a dead one
SIGN_OF_LIFE = 0.01


@dataclass
class Meter:
    """Files looked at and chunks embedded, each of those known so far, and the report until now.

    The work calls it between its commits, which is where it can be stopped.
    """

    files_done: int = 0
    files_known: int = 0
    chunks_done: int = 0
    chunks_known: int = 0
    name: str = ""
    report: "ImportReport | None" = None

    def take(self, progress: "Progress") -> None:
        """Note an import's progress."""
        self.report = progress.report
        if progress.stage == "files":
            self.files_done, self.files_known = progress.done, progress.total
            self.name = PurePath(progress.name).name
        else:
            self.chunks_done, self.chunks_known = progress.done, progress.total
        anyio.from_thread.check_cancelled()

    def batch(self, chunks: int) -> None:
        """Note a batch of chunks that was embedded."""
        self.chunks_done += chunks
        anyio.from_thread.check_cancelled()

    @property
    def done(self) -> int:
        """Everything done; it never decreases."""
        return self.files_done + self.chunks_done

    @property
    def known(self) -> int:
        """Everything to be done as far as it is known."""
        return max(self.files_known + self.chunks_known, self.done)


class Reporter:
    """Tells the client of one call how far the work is, with values that strictly increase."""

    def __init__(self, context: Context[Any, Any], meter: Meter) -> None:
        self._context = context
        self._meter = meter
        self._told = 0.0
        self._when = time.monotonic()

    async def report(self) -> None:
        """Say what is new, or, after a long silence, that the work is alive."""
        value = float(self._meter.done)
        if value <= self._told:
            if time.monotonic() - self._when < LONGEST_SILENCE:
                return
            value = self._told + SIGN_OF_LIFE
        self._told, self._when = value, time.monotonic()
        total = max(self._meter.known, value)
        await self._context.report_progress(value, total, self._meter.name or None)
