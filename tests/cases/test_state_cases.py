"""The selected base, and what becomes of it when its file is lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ragkb.home import Home

Ask = Callable[..., dict[str, Any]]

DELETED = "00000000-0000-4000-8000-000000000000"
LOST = (None, "", "{", "no json", "[]", "7", "{}", '{"current_kb_id": 7}')


@pytest.mark.case("delete_current")
def test_the_selected_base_is_not_deleted(ask: Ask, kb: str) -> None:
    refused = ask("delete_kb", "--kb_name", kb)
    assert (refused["code"], refused["data"]["error"]) == (1, "BaseIsCurrent")
    assert "'kb' is the selected knowledge base" in refused["message"]
    assert ask("list_kb")["data"]["count"] == 1


@pytest.mark.case("state_missing")
def test_a_lost_selection_is_said_and_made_anew_in_one_step(ask: Ask, kb: str, home: Home) -> None:
    for content in (*LOST, json.dumps({"current_kb_id": DELETED})):
        if content is None:
            home.selection.unlink()
        else:
            home.selection.write_text(content, encoding="utf-8")
        refused = ask("search", "--query", "x")
        assert (refused["code"], refused["data"]["error"]) == (1, "NothingSelected")
        assert "select_kb" in refused["message"]
        found = home.selection.read_text(encoding="utf-8") if home.selection.exists() else None
        assert found == content  # who only reads does not write
        chosen = ask("select_kb", "--kb_name", kb)["data"]["kb_id"]
        assert json.loads(home.selection.read_text(encoding="utf-8")) == {"current_kb_id": chosen}
        assert [file.name for file in home.selection.parent.glob("*state.json*")] == ["state.json"]
        assert ask("search", "--query", "x")["code"] == 0
