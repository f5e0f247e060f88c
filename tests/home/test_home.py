"""The small files of a home: tolerated when broken, replaced in one step."""

import json
import sys
from pathlib import Path

import pytest

from ragkb.errors import MissingKey
from ragkb.home import Home, write_atomically
from ragkb.home.keys import forget_key, key_of_base, store_keys
from ragkb.home.selection import select_base, selected_base
from ragkb.secret import Secret

ADDRESS = "https://e.example/v1"


@pytest.fixture
def folder(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_selection_is_read_back(folder: Home) -> None:
    select_base(folder, "kb-1")
    assert selected_base(folder) == "kb-1"
    assert json.loads(folder.selection.read_text(encoding="utf-8")) == {"current_kb_id": "kb-1"}


@pytest.mark.parametrize(
    "content", [None, "", "not json", "[1]", "{}", '{"current_kb_id": 7}', "\x00"]
)
def test_a_missing_or_broken_selection_is_no_selection(folder: Home, content: str | None) -> None:
    if content is not None:
        folder.selection.parent.mkdir()
        folder.selection.write_text(content, encoding="utf-8")
    assert selected_base(folder) is None


def test_reading_a_selection_creates_nothing(folder: Home) -> None:
    selected_base(folder)
    assert list(folder.folder.iterdir()) == []


def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_goes_only_to_the_endpoint_that_it_was_given_for(folder: Home) -> None:
    store_keys(folder, {"kb-1": (ADDRESS, "sk-1")})
    assert key_of_base(folder, "kb-1", ADDRESS, {}) == Secret("sk-1")
    assert key_of_base(folder, "kb-1", "https://other.example/v1", {}) is None
    assert key_of_base(folder, "kb-2", ADDRESS, {}) is None


def test_a_key_named_by_variable_is_looked_up_when_used(folder: Home) -> None:
    store_keys(folder, {"kb-1": (ADDRESS, "env:RAGKB_MY_KEY")})
    assert "sk-9" not in folder.keys.read_text(encoding="utf-8")
    assert key_of_base(folder, "kb-1", ADDRESS, {"RAGKB_MY_KEY": "sk-9"}) == Secret("sk-9")
    with pytest.raises(MissingKey) as refused:
        key_of_base(folder, "kb-1", ADDRESS, {})
    assert refused.value.variable == "RAGKB_MY_KEY"


def test_forgetting_one_key_keeps_the_others(folder: Home) -> None:
    store_keys(folder, {"kb-1": (ADDRESS, "sk-1"), "kb-2": (ADDRESS, "sk-2")})
    assert forget_key(folder, "kb-1")
    assert not forget_key(folder, "kb-1")
    assert key_of_base(folder, "kb-2", ADDRESS, {}) == Secret("sk-2")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_secrets_are_readable_by_their_owner_only(folder: Home) -> None:
    store_keys(folder, {"kb-1": (ADDRESS, "sk-1")})
    assert folder.keys.stat().st_mode & 0o777 == 0o600


def test_a_secret_is_not_shown_by_printing_it() -> None:
    secret = Secret("sk-1")
    assert "sk-1" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "sk-1"
