"""Answers: the same facts as data and as compact text, never longer than a client takes."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from mcp.types import CallToolResult, TextContent

from ragkb.mcp.wording import worded
from ragkb.messages import Language

# Chinese is about a token for each character and clients refuse above 25,000 tokens.
MOST_CHARACTERS = 20_000

_Item = TypeVar("_Item")


def answer(content: Mapping[str, Any], *, failed: bool = False) -> CallToolResult:
    """A result; characters that no JSON can carry (undecodable file names) become `?`."""
    text = compact(content).encode("utf-8", "replace").decode()
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=failed,
    )


def compact(content: object) -> str:
    """JSON without white space, Chinese as it is."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=_plain)


def size(content: object) -> int:
    """How many characters something takes in an answer."""
    return len(compact(content))


def fitting(items: Sequence[_Item], room: int) -> list[_Item]:
    """The first items that together take at most `room` characters; at least one."""
    kept: list[_Item] = []
    for item in items:
        room -= size(item) + 1
        if kept and room < 0:
            break
        kept.append(item)
    return kept


def shortened_lists(
    content: Mapping[str, Any], names: Sequence[str], language: Language
) -> dict[str, Any]:
    """An answer whose lists are cut so that it fits; a note for each list says so.

    Lists named first keep more: each may use what the ones before it have left.
    """
    shown = {**content, "notes": list(content.get("notes", ()))}
    room = MOST_CHARACTERS - size({**shown, **{name: [] for name in names}})
    for name in names:
        items = content[name]
        kept = fitting(items, max(room, 0))
        room -= size(kept)
        shown[name] = kept
        if len(kept) < len(items):
            values = {"name": name, "shown": len(kept), "total": len(items)}
            shown["notes"].append(worded("answer.fewer_items", values, language))
    return shown


def largest(build: Callable[[int], _Item], most: int) -> _Item:
    """What `build` makes of the largest length up to `most` with which it fits into an answer."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if size(build(middle)) <= MOST_CHARACTERS:
            low = middle
        else:
            high = middle - 1
    return build(low)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
