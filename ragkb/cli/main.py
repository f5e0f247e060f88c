"""The entry point: arguments in, exit code out, and the one place that catches everything."""

import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragkb import __version__
from ragkb.cli import (
    database,
    demo,
    doctor,
    documents,
    importing,
    knowledge_bases,
    reembedding,
    searching,
    serving,
    setup,
)
from ragkb.cli.context import Bare, BareCommand, Command, Context
from ragkb.cli.output import Output, Reply
from ragkb.cli.parsing import help_of, help_of_all, parse, wants_json
from ragkb.errors import (
    MissingArgument,
    NotANumber,
    RagError,
    UnknownArgument,
    UnknownCommand,
)
from ragkb.log import log
from ragkb.settings import Settings, load_settings, system_language

if TYPE_CHECKING:
    from ragkb.services.embedders import OpenEmbedder

COMMANDS: tuple[Command | BareCommand, ...] = (
    *knowledge_bases.COMMANDS,
    *reembedding.COMMANDS,
    *importing.COMMANDS,
    *documents.COMMANDS,
    *searching.COMMANDS,
    *database.COMMANDS,
    *doctor.COMMANDS,
    *demo.COMMANDS,
    *serving.COMMANDS,
    *setup.COMMANDS,
)
USAGE_ERRORS = (MissingArgument, UnknownArgument, UnknownCommand, NotANumber)
DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def run() -> None:
    """What the console scripts call."""
    sys.exit(main(sys.argv[1:], os.environ))


def main(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    open_embedder: "OpenEmbedder | None" = None,
) -> int:
    """Do what the arguments say; the exit code. 0 done, 1 refused or failed, 2 usage, 3 partly."""
    output = Output(system_language(environ), as_json=wants_json(arguments))
    try:
        settings = load_settings(environ)
        output.language = settings.lang
        log.set_level(settings.log_level)
        return _dispatch(arguments, settings, output, open_embedder)
    except RagError as error:
        output.refuse(error.text(output.language), type(error).__name__)
        return USAGE if isinstance(error, USAGE_ERRORS) else FAILED
    except BrokenPipeError:
        # the reader of our output has had enough (`| head`); Python would complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        output.refuse(output.say("interrupted"), "Interrupted")
        return INTERRUPTED
    except Exception:  # noqa: BLE001  # the edge of the process
        return _unexpected(output)


def _dispatch(
    arguments: Sequence[str],
    settings: Settings,
    output: Output,
    open_embedder: "OpenEmbedder | None",
) -> int:
    call = parse(arguments, [command.grammar for command in COMMANDS])
    if call.command == "--version":
        output.show(Reply(f"ragkb {__version__}", {"version": __version__}))
        return DONE
    commands = {command.grammar.name: command for command in COMMANDS}
    if call.wants_help:
        chosen = commands.get(call.command)
        grammars = [command.grammar for command in COMMANDS]
        language = settings.lang
        page = help_of(chosen.grammar, language) if chosen else help_of_all(grammars, language)
        output.show(Reply(page))
        return DONE if arguments else USAGE

    command = commands[call.command]
    if isinstance(command, BareCommand):
        reply = command.run(Bare(settings, call.values, output))
        output.show(reply)
        return reply.exit_code
    from ragkb.app import open_app
    from ragkb.cli.upgrading import UpgradeTeller

    with (
        UpgradeTeller(output) as teller,
        open_app(settings, teller.tell, open_embedder) as app,
    ):
        reply = command.run(Context(app, call.values, output))
    output.show(reply)
    return reply.exit_code


def _unexpected(output: Output) -> int:
    incident = uuid.uuid4().hex[:8]
    log.exception("unexpected error", incident=incident)
    output.refuse(output.say("unexpected", incident=incident), "Unexpected")
    return FAILED
