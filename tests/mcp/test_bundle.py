"""What is published about the server: the registry's entry, and a bundle that starts."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT, read
from raw_server import RawServer

from ragkb import __version__
from ragkb.settings import SETTINGS

VARIABLES = {setting.variable for setting in SETTINGS}


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """A bundle that was just packed, unpacked."""
    bundle = tmp_path / "ragkb.mcpb"
    command = [sys.executable, str(ROOT / ".ci" / "mcpb.py"), str(bundle)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    return folder


def test_the_registrys_entry_is_that_of_this_version() -> None:
    entry: Any = json.loads(read(ROOT / "server.json"))
    (package,) = entry["packages"]
    assert (entry["version"], package["version"]) == (__version__, __version__)
    assert {each["name"] for each in package["environmentVariables"]} <= VARIABLES
    assert len(entry["description"]) <= 100
    named = re.findall(r"<!-- mcp-name: (\S+) -->", read(ROOT / "README.md"))
    assert named == [entry["name"]]


def test_the_bundle_starts_and_describes_itself(unpacked: Path, tmp_path: Path) -> None:
    manifest: Any = json.loads(read(unpacked / "manifest.json"))
    assert manifest["version"] == __version__
    assert (unpacked / manifest["server"]["entry_point"]).exists()
    started = manifest["server"]["mcp_config"]
    assert set(started["env"]) <= VARIABLES
    assert started["args"][-2:] == ["rag-server", "mcp"]
    assert not [path for path in unpacked.rglob("*") if "__pycache__" in path.parts]
    server = RawServer(tmp_path / "home", PYTHONPATH=str(unpacked), PYTHONDONTWRITEBYTECODE="1")
    try:
        assert server.begin()["serverInfo"]["version"] == __version__
        listed = server.call("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in manifest["tools"]] == [tool["name"] for tool in listed]
        assert [tool["description"] for tool in manifest["tools"]] == [
            tool["description"] for tool in listed
        ]
        assert not server.tool("create_knowledge_base", kb_name="kb", chunk_size=64)["isError"]
        assert server.end() == 0
    finally:
        server.kill()
