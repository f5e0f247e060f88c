"""Names of knowledge bases."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., dict[str, Any]]


def create(ask: Ask, name: str) -> dict[str, Any]:
    return ask("create_kb", "--kb_name", name, "--chunk_size", "256")


def names(ask: Ask) -> list[str]:
    return [base["name"] for base in ask("list_kb")["data"]["knowledge_bases"]]


@pytest.mark.case("name_kb_dup")
def test_a_name_is_taken_once(ask: Ask) -> None:
    assert create(ask, "手册")["code"] == 0
    refused = create(ask, "手册")
    assert (refused["code"], refused["data"]["error"]) == (1, "BaseExists")
    assert "'手册'" in refused["message"]
    assert names(ask) == ["手册"]


@pytest.mark.case("name_kb_empty")
def test_a_blank_name_is_refused(ask: Ask) -> None:
    for blank in ("", "   ", "\u3000"):
        refused = create(ask, blank)
        assert (refused["code"], refused["data"]["error"]) == (1, "BlankName")
        assert "kb_name" in refused["message"]
    assert names(ask) == []


@pytest.mark.case("name_kb_case")
def test_names_that_differ_in_case_are_two(ask: Ask) -> None:
    assert [create(ask, name)["code"] for name in ("KB", "kb")] == [0, 0]
    assert names(ask) == ["KB", "kb"]
    assert ask("select_kb", "--kb_name", "kb")["code"] == 0
    assert ask("delete_kb", "--kb_name", "KB")["code"] == 0
    assert names(ask) == ["kb"]
    assert ask("select_kb", "--kb_name", "Kb")["data"]["error"] == "NoSuchBase"
