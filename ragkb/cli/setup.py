"""The command setup: tell an AI client how to start the server."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from ragkb.cli.clients import SERVER, Client, Launch, clients, merged
from ragkb.cli.context import Bare, BareCommand
from ragkb.cli.output import Reply
from ragkb.cli.parsing import Argument, Grammar
from ragkb.errors import NoConfigFile, UnknownClient, UnreadableConfig
from ragkb.home import write_atomically
from ragkb.messages import Note
from ragkb.settings import Settings

DIFY_COMMAND = "--http --host 0.0.0.0 --port 8765 --token-env RAGKB_TOKEN"
DIFY_ADDRESS = "http://host.docker.internal:8765/mcp"


def setup(bare: Bare) -> Reply:
    """Show the configuration for a client, or write it."""
    known = clients(Path.home(), Path.cwd(), os.environ)
    client = known.get(bare.values["client"])
    if client is None:
        raise UnknownClient(bare.values["client"], ", ".join(known))
    launch = launch_of(bare.settings)
    if bare.values["write"]:
        return _write(bare, client, launch)
    message = bare.output.say(f"setup.{client.name}", path=client.file)
    shown = shown_for(client, launch)
    data = {"client": client.name, "path": client.file, "configuration": shown}
    body = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False, indent=2)
    if bare.output.as_json:
        return Reply(message, data)
    return Reply("", data, f"{message}\n\n{body}")


def launch_of(settings: Settings) -> Launch:
    """How this very program is started again, with the settings that a client would not pass on."""
    environ = {"RAGKB_HOME": str(settings.home)}
    if settings.allowed_roots:
        environ["RAGKB_ALLOWED_ROOTS"] = os.pathsep.join(map(str, settings.allowed_roots))
    if settings.allowed_endpoints:
        environ["RAGKB_ALLOWED_ENDPOINTS"] = " ".join(settings.allowed_endpoints)
    return Launch(sys.executable, ("-m", "ragkb", "mcp"), environ)


def shown_for(client: Client, launch: Launch) -> "dict[str, Any] | str":
    """A client's configuration: JSON, or what is to be typed."""
    if client.name == "claude-code":
        return claude_code_command(launch)
    if client.name == "dify":
        started = command_line((launch.command, *launch.arguments))
        headers = {"Authorization": "Bearer <RAGKB_TOKEN>"}
        fields = {"name": SERVER, "server_identifier": SERVER, "server_url": DIFY_ADDRESS}
        wanted = json.dumps(fields | {"headers": headers}, indent=2)
        return f"{started} {DIFY_COMMAND}\n\n{wanted}"
    return client.configuration(launch)


def claude_code_command(launch: Launch) -> str:
    """`claude mcp add`; its options stand before the name."""
    environ = [
        word for name, value in launch.environ.items() for word in ("--env", f"{name}={value}")
    ]
    add = ("claude", "mcp", "add", "--scope", "user", "--transport", "stdio", SERVER, *environ)
    return command_line((*add, "--", launch.command, *launch.arguments))


def command_line(words: tuple[str, ...]) -> str:
    """Words as they are typed into this platform's shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def _write(bare: Bare, client: Client, launch: Launch) -> Reply:
    path = client.file
    if path is None:
        raise NoConfigFile(client.name)
    try:
        old = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except (OSError, ValueError) as error:
        raise UnreadableConfig(str(path), str(error)) from error
    content = merged(old, path, client.configuration(launch))
    notes: tuple[Note, ...] = ()
    if old:
        copy = path.with_name(f"{path.name}.{datetime.now().astimezone():%Y%m%d-%H%M%S-%f}.bak")
        shutil.copy2(path, copy)
        notes = (Note("note.setup_copy", {"path": copy}),)
    write_atomically(path.resolve(), content)
    data = {"client": client.name, "path": path, "configuration": client.configuration(launch)}
    return Reply(bare.output.say("setup.written", path=path), data, notes=notes)


COMMANDS = (
    BareCommand(
        Grammar(
            "setup",
            (Argument("client", required=True, positional=True), Argument("write", flag=True)),
        ),
        setup,
    ),
)
