"""The real server over standard input and output."""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import begun_with
from raw_server import RawServer

from ragkb.app import App
from ragkb.home import Home

Start = Callable[..., RawServer]
Write = Callable[[str, str], Path]

HEAVY = (
    "sqlalchemy",
    "alembic",
    "numpy",
    "pypdf",
    "pypdfium2",
    "docx",
    "lxml",
    "tiktoken",
    "httpx",
)
# Prints at import time and from C, flushed and not, as careless libraries do.
NOISE = """
import os, sys
class Loud:
    def find_spec(self, name, path=None, target=None):
        if name in ("mcp", "numpy", "ragkb.app", "uvicorn"):
            print("noise while importing", name)
            os.write(1, b"noise from C\\n")
        return None
sys.meta_path.insert(0, Loud())
"""
MODULES = """
import atexit, os, sys
def note():
    if "mcp.server" in sys.modules:
        with open(os.environ["NOTED"], "w") as file:
            file.write(" ".join(sys.modules))
atexit.register(note)
"""
DAMAGED_PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"


@pytest.fixture
def start(home: Home) -> Iterator[Start]:
    """Starts servers in the test's home."""
    started: list[RawServer] = []

    def start_one(*arguments: str, **environ: str) -> RawServer:
        started.append(RawServer(home.folder, *arguments, **environ))
        return started[-1]

    yield start_one
    for server in started:
        server.kill()


def test_a_session_in_a_bare_environment_prints_messages_only(
    start: Start, home: Home, write: Write, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(DAMAGED_PDF)
    server = start(
        **begun_with(tmp_path / "noise", NOISE),
        PYTHONIOENCODING="gbk",
        LC_ALL="C",
        RAGKB_LANG="both",
    )
    assert server.begin()["serverInfo"]["name"] == "ragkb"
    assert len(server.call("tools/list")["result"]["tools"]) == 12
    assert not server.tool("create_knowledge_base", kb_name="é😀库", chunk_size=64)["isError"]
    assert not server.tool("select_knowledge_base", kb_name="é😀库")["isError"]
    paths = [str(damaged), str(write("檢索é😀.txt", "向量检索依赖嵌入模型。"))]
    imported = server.tool("import_document", file_paths=paths)["structuredContent"]
    assert (imported["success_count"], imported["failed_count"]) == (1, 1)
    found = server.tool("search", query="检索")["structuredContent"]
    assert [chunk["doc_name"] for chunk in found["chunks"]] == ["檢索é😀.txt"]
    assert found["channels"]["vector"]["answered"]
    refused = server.tool("list_documents", kb_name="啊")
    assert "没有名为“啊”的知识库" in refused["content"][0]["text"]
    assert server.end() == 0
    assert server.other == []
    assert "noise" in server.errors
    # SQLite removes its companions when the last connection is closed in good order
    assert [path.name for path in home.database.parent.iterdir() if "kb" in path.name] == ["kb.db"]


def test_a_server_survives_what_clients_do(start: Start, app: App) -> None:
    server = start()
    server.begin()
    for line in (b"garbage\n", b"{\n", b"\xff\xfe\n", b"[]\n", b'"text"\n', b"\n"):
        server.send_bytes(line)
    for name in ("one", "two"):  # selected by another program meanwhile
        app.bases.create(name, 64)
        app.bases.select(name)
        assert server.tool("list_documents")["structuredContent"]["kb_name"] == name
    found = server.tool("search", query="词" * 1_000_000)
    assert not found["isError"]
    assert len(json.dumps(found)) < 50_000
    assert not server.tool("list_knowledge_bases")["isError"]
    assert server.end() == 0
    assert server.errors == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals on Windows")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_closes_the_database_and_ends_the_process(
    start: Start, home: Home, number: int, code: int
) -> None:
    server = start()
    server.begin()
    server.tool("create_knowledge_base", kb_name="kb", chunk_size=64)
    server.process.send_signal(number)
    assert server.ended() == code
    assert [path.name for path in home.database.parent.iterdir()] == ["kb.db"]


def test_nothing_heavy_is_loaded_before_the_first_answer(start: Start, tmp_path: Path) -> None:
    noted = tmp_path / "modules"
    server = start(**begun_with(tmp_path / "start", MODULES), NOTED=str(noted))
    client = {"name": "test", "version": "1"}
    server.call("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
    assert server.end() == 0
    loaded = noted.read_text(encoding="utf-8").split()
    assert "ragkb.mcp.server" in loaded
    assert [name for name in HEAVY if name in loaded] == []
