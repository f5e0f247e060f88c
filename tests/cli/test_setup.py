"""Clients are told how to start the server, or have it written down for them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragkb.cli.clients import Launch, clients, merged, settings_folder
from ragkb.errors import UnreadableConfig
from ragkb.home import Home

Call = Callable[..., int]
Capture = pytest.CaptureFixture[str]

LAUNCH = Launch("/opt/python", ("-m", "ragkb", "mcp"), {"RAGKB_HOME": "/data"})
WRITABLE = ("claude-desktop", "claude-code", "cursor", "vscode")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, which is also the current one."""
    folder = tmp_path / "user"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return folder


def printed(capsys: Capture) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.usefixtures("user")
def test_a_client_is_shown_what_would_be_written(
    name: str, rag_server: Call, capsys: Capture, home: Home
) -> None:
    assert rag_server("setup", name, "--json") == 0
    shown = printed(capsys)["data"]["configuration"]
    assert rag_server("setup", name, "--write", "--json") == 0
    data = printed(capsys)["data"]
    if name != "claude-code":
        assert shown == data["configuration"]
    written = json.loads(Path(data["path"]).read_text(encoding="utf-8"))
    assert written == data["configuration"]
    ((key, servers),) = written.items()
    assert key == ("servers" if name == "vscode" else "mcpServers")
    entry = servers["ragkb"]
    assert (entry["command"], entry["args"]) == (sys.executable, ["-m", "ragkb", "mcp"])
    assert entry["env"] == {"RAGKB_HOME": str(home.folder)}
    assert entry.get("type", "stdio") == "stdio"


def test_other_servers_and_settings_stay_and_the_old_file_is_kept(
    user: Path, rag_server: Call, capsys: Capture
) -> None:
    path = user / ".cursor" / "mcp.json"
    path.parent.mkdir()
    old = '\ufeff{"theme": "暗", "mcpServers": {"other": {"command": "x"}}}'
    path.write_text(old, encoding="utf-8")
    assert rag_server("setup", "cursor", "--write") == 0
    new = json.loads(path.read_text(encoding="utf-8"))
    assert new["theme"] == "暗"
    assert sorted(new["mcpServers"]) == ["other", "ragkb"]
    (copy,) = path.parent.glob("*.bak")
    assert copy.read_text(encoding="utf-8") == old
    assert str(copy) in capsys.readouterr().out


@pytest.mark.parametrize("old", ['{"mcpServers": [', '{"a": 1} // why', "[]", '{"mcpServers": 5}'])
def test_a_file_that_is_not_understood_is_not_touched(
    old: str, user: Path, rag_server: Call, capsys: Capture
) -> None:
    path = user / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(old, encoding="utf-8")
    assert rag_server("setup", "cursor", "--write") == 1
    assert "was not changed" in capsys.readouterr().err
    assert [each.read_text(encoding="utf-8") for each in path.parent.iterdir()] == [old]


@pytest.mark.usefixtures("user")
def test_settings_that_a_client_would_not_pass_on_are_written_down(
    rag_server: Call, capsys: Capture, tmp_path: Path
) -> None:
    environ = {"RAGKB_ALLOWED_ROOTS": str(tmp_path), "RAGKB_EMBEDDING_API_KEY": "sk-secret"}
    assert rag_server("setup", "cursor", "--json", **environ) == 0
    out = capsys.readouterr().out
    entry = json.loads(out)["data"]["configuration"]["mcpServers"]["ragkb"]
    assert entry["env"]["RAGKB_ALLOWED_ROOTS"] == str(tmp_path)
    assert "sk-secret" not in out


@pytest.mark.usefixtures("user")
def test_clients_without_a_file_are_told_what_to_enter(rag_server: Call, capsys: Capture) -> None:
    for name, wanted in (
        ("cherry-studio", '"mcpServers"'),
        ("dify", "/mcp"),
        ("claude-code", "--env"),
    ):
        assert rag_server("setup", name) == 0
        out = capsys.readouterr().out
        assert wanted in out
        assert sys.executable in out
    assert rag_server("setup", "dify", "--write") == 1
    assert "without --write" in capsys.readouterr().err
    assert rag_server("setup", "emacs") == 1
    assert "claude-desktop, claude-code, cursor" in capsys.readouterr().err
    assert rag_server("setup") == 2


def test_each_platform_keeps_settings_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    user = Path("/users/ann")
    expected = {
        "linux": user / ".config",
        "darwin": user / "Library" / "Application Support",
        "win32": Path("/roaming"),
    }
    for platform, folder in expected.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert settings_folder(user, {"APPDATA": "/roaming"}) == folder
        desktop = clients(user, user, {"APPDATA": "/roaming"})["claude-desktop"]
        assert desktop.file == folder / "Claude" / "claude_desktop_config.json"


def test_an_entry_of_ours_is_replaced() -> None:
    first = merged("", Path("x"), {"mcpServers": {"ragkb": {"command": "old"}}})
    second = json.loads(merged(first, Path("x"), {"mcpServers": {"ragkb": LAUNCH.entry()}}))
    assert second == {"mcpServers": {"ragkb": LAUNCH.entry()}}
    with pytest.raises(UnreadableConfig):
        merged("nonsense", Path("x"), {})
