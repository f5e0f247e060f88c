"""What the user sees of an upgrade that happens on the way to something else."""

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from ragkb.cli.output import Output
from ragkb.messages import CATALOGUE
from ragkb.migrations import Upgraded, Upgrading


class UpgradeTeller:
    """A sentence at the begin, a bar on a terminal, then what was found; all on stderr."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._bar = ExitStack()
        self._move: Callable[[str, int, int], None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def tell(self, step: Upgrading | Upgraded) -> None:
        """Show one step."""
        if isinstance(step, Upgraded):
            self._bar.close()
            self._report(step)
        elif self._move is None:
            say = self._output.say
            self._output.announce(say("upgrading", path=step.path, chunks=step.total // 2))
            self._move = self._bar.enter_context(self._output.progress())
        else:
            self._move(self._output.say("progress.upgrade"), step.done, step.total)

    def _report(self, done: Upgraded) -> None:
        for name, count in done.found.items():
            if count and f"upgrade.{name}" in CATALOGUE:
                self._output.announce(self._output.say(f"upgrade.{name}", count=count))
        self._output.announce(self._output.say("upgraded", copy=done.copy))
