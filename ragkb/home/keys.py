"""API keys of knowledge bases that have their own, in secrets.json.

A key is kept together with the endpoint it was given for and goes to no other. Callers that write
hold the database's write lock, so that two programs do not overwrite each other's change.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from ragkb.errors import MissingKey
from ragkb.home import Home, write_atomically
from ragkb.secret import Secret


def key_of_base(home: Home, kb_id: str, endpoint: str, environ: Mapping[str, str]) -> Secret | None:
    """The key stored for a base's endpoint; `env:NAME` is looked up now. MissingKey if unset."""
    entry = _read(home).get(kb_id)
    if entry is None or entry.get("endpoint") != endpoint:
        return None
    return resolve_key(entry["api_key"], environ)


def resolve_key(text: str, environ: Mapping[str, str]) -> Secret:
    """The key that a text means: itself, or the value of the variable in `env:NAME`."""
    if not text.startswith("env:"):
        return Secret(text)
    variable = text.removeprefix("env:")
    if not environ.get(variable):
        raise MissingKey(variable)
    return Secret(environ[variable])


def store_keys(home: Home, keys: Mapping[str, tuple[str, str]]) -> None:
    """Keep `{kb_id: (endpoint, key or env:NAME)}` beside the keys already there."""
    entries = _read(home)
    for kb_id, (endpoint, api_key) in keys.items():
        entries[kb_id] = {"endpoint": endpoint, "api_key": api_key}
    write_atomically(home.keys, json.dumps(entries, ensure_ascii=False, indent=2))


def forget_key(home: Home, kb_id: str) -> bool:
    """Remove the key of a base; whether there was one."""
    entries = _read(home)
    if entries.pop(kb_id, None) is None:
        return False
    write_atomically(home.keys, json.dumps(entries, ensure_ascii=False, indent=2))
    return True


def move_key(home: Home, kb_id: str, new_id: str) -> None:
    """Keep a key under another name in place of what is there; without one the other is removed."""
    entries = _read(home)
    moved = entries.pop(kb_id, None)
    gone = entries.pop(new_id, None)
    if moved is not None:
        entries[new_id] = moved
    if moved is not None or gone is not None:
        write_atomically(home.keys, json.dumps(entries, ensure_ascii=False, indent=2))


def _read(home: Home) -> dict[str, dict[str, str]]:
    try:
        content: Any = json.loads(home.keys.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return cast("dict[str, dict[str, str]]", content)
