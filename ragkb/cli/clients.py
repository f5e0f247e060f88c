"""AI clients: where each keeps its servers, and how it wants to be told about one."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkb.errors import UnreadableConfig

SERVER = "ragkb"


@dataclass(frozen=True)
class Launch:
    """How the server is started: absolute paths only, because clients start it anywhere."""

    command: str
    arguments: tuple[str, ...]
    environ: Mapping[str, str]

    def entry(self, **more: str) -> dict[str, Any]:
        """The server's entry in a client's configuration."""
        started = {"command": self.command, "args": [*self.arguments], "env": {**self.environ}}
        return {**more, **started}


@dataclass(frozen=True)
class Client:
    """A client; `key` holds the servers in its JSON `file`, None when there is no such file."""

    name: str
    key: str = "mcpServers"
    file: Path | None = None
    has_type: bool = False

    def configuration(self, launch: Launch) -> dict[str, Any]:
        """What is to be added to the client's configuration."""
        entry = launch.entry(type="stdio") if self.has_type else launch.entry()
        return {self.key: {SERVER: entry}}


def clients(user: Path, current: Path, environ: Mapping[str, str]) -> dict[str, Client]:
    """All clients by name, for a user's folder and the current one."""
    support = settings_folder(user, environ)
    known = (
        Client("claude-desktop", file=support / "Claude" / "claude_desktop_config.json"),
        Client("claude-code", file=current / ".mcp.json", has_type=True),
        Client("cursor", file=user / ".cursor" / "mcp.json"),
        Client("vscode", "servers", support / "Code" / "User" / "mcp.json", has_type=True),
        Client("cherry-studio"),
        Client("dify"),
    )
    return {client.name: client for client in known}


def settings_folder(user: Path, environ: Mapping[str, str]) -> Path:
    """Where desktop programs keep their settings."""
    if sys.platform == "win32":
        return Path(environ.get("APPDATA") or user / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return user / "Library" / "Application Support"
    return Path(environ.get("XDG_CONFIG_HOME") or user / ".config")


def merged(old: str, path: Path, addition: Mapping[str, Any]) -> str:
    """A configuration with one more server; everything else in it stays. UnreadableConfig."""
    try:
        content: Any = json.loads(old or "{}")
        for key, servers in addition.items():
            content[key] = {**content.get(key, {}), **servers}
    except (ValueError, TypeError, AttributeError) as error:  # no JSON, or other JSON than expected
        raise UnreadableConfig(str(path), str(error)) from error
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
