"""The selected knowledge base, kept in state.json and read again on every call."""

import json

from ragkb.home import Home, write_atomically


def selected_base(home: Home) -> str | None:
    """The id of the selected knowledge base; None when the file is missing, empty or broken."""
    try:
        state = json.loads(home.selection.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    chosen = state.get("current_kb_id") if isinstance(state, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # any JSON may stand there
    return chosen if isinstance(chosen, str) else None


def select_base(home: Home, kb_id: str | None) -> None:
    """Make a knowledge base the selected one."""
    write_atomically(home.selection, json.dumps({"current_kb_id": kb_id}))
