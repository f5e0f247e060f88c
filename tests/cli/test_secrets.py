"""Keys planted in every setting are shown by no command and stored in one place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from endpoint_server import EndpointServer

from ragkb.cli.main import COMMANDS, main
from ragkb.home import Home

SHARED, OWN, NEW = "sk-SHARED-1234567", "sk-OWN-7654321", "sk-NEW-1122334"
NOT_RUN = {"mcp", "demo", "delete_kb"}  # a server, a home of its own, and what comes last


def test_after_all_commands_at_debug_level_no_key_is_anywhere_but_in_the_secrets_file(
    home: Home,
    endpoint: EndpointServer,
    write: Callable[[str, str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environ = {
        **os.environ,
        "RAGKB_HOME": str(home.folder),
        "RAGKB_LANG": "both",
        "RAGKB_LOG_LEVEL": "debug",
        "RAGKB_EMBEDDING_MODEL": "mock",
        "RAGKB_EMBEDDING_ENDPOINT": endpoint.url,
        "RAGKB_EMBEDDING_API_KEY": SHARED,
        "RAGKB_NEW_KEY": NEW,
    }
    path, exported = str(write("a.txt", "向量检索。\n" * 9)), str(tmp_path / "export.db")
    own = ("--embedding_model", "m", "--embedding_endpoint", f"{endpoint.url}/v1")
    calls = (
        ("create_kb", "--kb_name", "shared", "--chunk_size", "16"),
        ("create_kb", "--kb_name", "own", "--chunk_size", "16", *own, "--embedding_api_key", OWN),
        ("list_kb",),
        ("select_kb", "--kb_name", "own"),
        ("import_doc", "--file_paths", path),
        ("import_doc", "--kb_name", "shared", "--file_paths", path),
        ("import_dir", "--path", str(tmp_path / "files")),
        ("embed",),
        ("list_doc",),
        ("show_doc", "--doc_name", "a.txt"),
        ("search", "--query", "检索"),
        ("update_doc", "--doc_name", "a.txt", "--chunk_size", "8"),
        ("config_kb", "--embedding_api_key", "env:RAGKB_NEW_KEY"),
        ("reembed_kb", "--embedding_model", "n", *own[2:], "--embedding_api_key", OWN),
        ("reembed_kb", "--rollback"),
        ("doctor",),
        ("db", "upgrade"),
        ("export_db", "--export_path", exported),
        ("db", "verify", exported),
        ("import_db", "--source_db_path", exported),
        ("delete_doc", "--doc_name", "a.txt"),
        ("setup", "cursor"),
    )
    shown = ""
    for call in calls:
        for words in (call, (*call, "--json")):
            main(words, environ)
            out, err = capsys.readouterr()
            shown += out + err
    run = {" ".join(call[:2]) if call[0] == "db" else call[0] for call in calls}
    assert run == {command.grammar.name for command in COMMANDS} - NOT_RUN
    sent = {request.headers.get("Authorization") for request in endpoint.requests}
    assert {f"Bearer {SHARED}", f"Bearer {OWN}"} <= sent
    for key in (SHARED, OWN, NEW):
        assert key not in shown
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        holding = {file for file in files if key.encode() in file.read_bytes()}
        assert holding <= {home.keys}
