"""What every command's function is given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragkb.cli.output import Output, Reply
from ragkb.cli.parsing import Argument, Grammar
from ragkb.settings import Settings

if TYPE_CHECKING:  # these load SQLAlchemy, which help, `mcp` and `setup` do without
    from ragkb.app import App
    from ragkb.services.knowledge_bases import BaseInfo

KB_NAME = Argument("kb_name")


@dataclass(frozen=True)
class Context:
    """The services, the values that were typed, and where to print."""

    app: "App"
    values: dict[str, Any]
    output: Output

    def base(self) -> "BaseInfo":
        """The base that this call works in: the named one, else the selected one."""
        return self.app.bases.find(self.values["kb_name"])


@dataclass(frozen=True)
class Command:
    """A grammar and what it does."""

    grammar: Grammar
    run: Callable[[Context], Reply]


@dataclass(frozen=True)
class Bare:
    """What a command is given that opens no database."""

    settings: Settings
    values: dict[str, Any]
    output: Output


@dataclass(frozen=True)
class BareCommand:
    """A command that opens no database, and so loads none of its libraries."""

    grammar: Grammar
    run: Callable[[Bare], Reply]


def command(
    name: str, run: Callable[[Context], Reply], *arguments: Argument, in_base: bool = False
) -> Command:
    """A command; `in_base` adds the optional `--kb_name`."""
    return Command(Grammar(name, (*arguments, *((KB_NAME,) if in_base else ()))), run)
