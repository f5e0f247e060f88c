"""The command line's grammar: commands as data, argparse underneath, our own errors on top.

argparse words its refusals in English and ends the process; here every refusal is an error of the
tree, so that it can be worded in both languages and printed as JSON.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ragkb.errors import MissingArgument, UnknownArgument, UnknownCommand
from ragkb.messages import Language, say


@dataclass(frozen=True)
class Argument:
    """One `--name`. `many` takes several values, `flag` none; else exactly one.

    A `positional` one is a value without its name.
    """

    name: str
    required: bool = False
    many: bool = False
    flag: bool = False
    positional: bool = False

    @property
    def spelling(self) -> str:
        """How it is typed, or named in a refusal."""
        return self.name.upper() if self.positional else f"--{self.name}"


@dataclass(frozen=True)
class Grammar:
    """A command's name, of one or two words, and what it takes.

    Its texts are `command.NAME` and `example.NAME`.
    """

    name: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True)
class Call:
    """What was typed: the command's name, its values by name, or that help is wanted."""

    command: str
    values: dict[str, Any]
    wants_help: bool = False


JSON = Argument("json", flag=True)
HELP = Argument("help", flag=True)


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` stands anywhere, so that even a refused call is answered in JSON."""
    return "--json" in arguments


def parse(arguments: Sequence[str], grammars: Sequence[Grammar]) -> Call:
    """Understand a command line, or raise UnknownCommand, UnknownArgument, MissingArgument."""
    words = [each for each in arguments if each != "--json"]
    if not words or words[0] in ("-h", "--help", "help"):
        return Call("", {}, wants_help=True)
    if words[0] == "--version":
        return Call("--version", {})
    known = {grammar.name: grammar for grammar in grammars}
    for length in (2, 1):
        if grammar := known.get(" ".join(words[:length])):
            return _parse_values(grammar, words[length:])
    longer = [name for name in known if name.startswith(f"{words[0]} ")]
    typed = " ".join(words[:2]) if longer else words[0]
    near = get_close_matches(typed, known, n=1) or longer
    raise UnknownCommand(typed, near[0] if near else "")


def _parse_values(grammar: Grammar, words: Sequence[str]) -> Call:
    parsed, unknown = _parser(grammar).parse_known_args(list(words))
    values = vars(parsed)
    if values.pop("help"):
        return Call(grammar.name, {}, wants_help=True)
    if unknown:
        raise UnknownArgument(grammar.name, unknown[0])
    for argument in grammar.arguments:
        value = values[argument.name]
        given = value is not None and value is not False
        if value is MISSING or value == [] or (argument.required and not given):
            raise MissingArgument(grammar.name, argument.spelling)
    return Call(grammar.name, values)


MISSING = object()  # stands for `--name` without a value


def _parser(grammar: Grammar) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-h", "--help", action="store_true")
    for argument in grammar.arguments:
        if argument.positional:
            parser.add_argument(argument.name, nargs="?")
        elif argument.flag:
            parser.add_argument(argument.spelling, action="store_true", dest=argument.name)
        elif argument.many:
            parser.add_argument(argument.spelling, nargs="*", action="extend")
        else:
            parser.add_argument(argument.spelling, nargs="?", const=MISSING, dest=argument.name)
    return parser


def help_of_all(grammars: Sequence[Grammar], language: Language) -> str:
    """The page that lists all commands."""
    width = max(len(grammar.name) for grammar in grammars)
    lines = [
        f"  {each.name:<{width}}  {say(f'command.{each.name}', language)}" for each in grammars
    ]
    return say("help.all", language, commands="\n".join(lines))


def help_of(grammar: Grammar, language: Language) -> str:
    """The page of one command: what it does, its arguments, an example."""
    usage = " ".join(["rag-server", grammar.name, *map(_usage, grammar.arguments)])
    shown = (*grammar.arguments, JSON, HELP)
    width = max(len(_label(argument)) for argument in shown)
    lines = [
        f"  {_label(each):<{width}}  {say(f'argument.{each.name}', language)}" for each in shown
    ]
    return say(
        "help.command",
        language,
        summary=say(f"command.{grammar.name}", language),
        usage=usage,
        arguments="\n".join(lines),
        example=say(f"example.{grammar.name}", language),
    )


def _label(argument: Argument) -> str:
    if argument.flag or argument.positional:
        return argument.spelling
    value = re.split("[_-]", argument.name)[-1].upper()
    return f"{argument.spelling} {value}" + (f" [{value} ...]" if argument.many else "")


def _usage(argument: Argument) -> str:
    return _label(argument) if argument.required else f"[{_label(argument)}]"
