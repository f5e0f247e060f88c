"""What the user sees: text or one JSON object on stdout, progress and errors on stderr."""

import json
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TextIO

from ragkb.messages import Language, Note, say


@dataclass(frozen=True)
class Table:
    """Rows under headings."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Reply:
    """A command's outcome: a sentence, data for programs, and what a person is shown beside it."""

    message: str
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    body: str | Table = ""
    notes: tuple[Note, ...] = ()
    exit_code: int = 0


class Output:
    """The two streams of one call."""

    def __init__(self, language: Language, *, as_json: bool) -> None:
        self.language: Language = language
        self.as_json = as_json
        for stream in (sys.stdout, sys.stderr):
            _never_fail_on_characters(stream)

    def say(self, key: str, /, **values: object) -> str:
        """A sentence of the catalogue in the user's language."""
        return say(key, self.language, **values)

    def show(self, reply: Reply) -> None:
        """Print a command's outcome."""
        if self.as_json:
            notes = [note.text(self.language) for note in reply.notes]
            data = {**reply.data, "notes": notes} if notes else reply.data
            self._print_json(reply.exit_code in (0, 3), reply.message, data)
            return
        if isinstance(reply.body, Table):
            print_table(reply.body)
        elif reply.body:
            print(reply.body)
        if reply.message:
            print(reply.message)
        for note in reply.notes:
            print(self.say("note.mark", note=note.text(self.language)))

    def refuse(self, message: str, error: str) -> None:
        """Print why a command was not done; `error` is the error's name for programs."""
        if self.as_json:
            self._print_json(False, message, {"error": error})
        else:
            print(message, file=sys.stderr)

    def announce(self, message: str) -> None:
        """Tell something on stderr while the command goes on."""
        print(message, file=sys.stderr)

    @contextmanager
    def progress(self) -> Generator[Callable[[str, int, int], None]]:
        """A bar on the terminal, moved by `(label, done, total)`; silent when piped or in JSON."""
        if self.as_json or not sys.stderr.isatty():
            yield lambda _label, _done, _total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task("", total=None)

            def move(label: str, done: int, total: int) -> None:
                bars.update(task, description=label, completed=done, total=total)

            yield move

    def _print_json(self, success: bool, message: str, data: dict[str, Any]) -> None:
        # what the stream cannot encode would be replaced; escapes are read by every program
        ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        content = {"success": success, "message": message, "data": data}
        print(json.dumps(content, ensure_ascii=ascii_only, default=_plain))


def print_table(table: Table) -> None:
    """A drawn table on a terminal, tab-separated lines when piped."""
    if not sys.stdout.isatty():
        for row in (table.headings, *table.rows):
            print("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.console import Console
    from rich.table import Table as RichTable

    drawn = RichTable(*table.headings, header_style="bold")
    for row in table.rows:
        drawn.add_row(*row)
    Console(markup=False, highlight=False).print(drawn)


def local_time(instant: datetime) -> str:
    """An instant as the user's clock shows it."""
    return instant.astimezone().strftime("%Y-%m-%d %H:%M")


def bullets(lines: Sequence[str]) -> str:
    """Lines as an indented list."""
    return "\n".join(f"  {line}" for line in lines)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _never_fail_on_characters(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
