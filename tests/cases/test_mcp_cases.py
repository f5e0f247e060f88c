"""What strict and what careless MCP clients met elsewhere."""

import dataclasses
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from asking import Asking
from endpoint_server import EndpointServer, Reply, Request, answer
from fake_embedder import FakeEmbedder
from invariants import problems
from mcp import Client
from numbered import numbered_lines
from raw_server import RawServer

from ragkb.app import App
from ragkb.home import Home
from ragkb.mcp.answers import MOST_CHARACTERS, compact
from ragkb.mcp.server import build_server
from ragkb.settings import Settings

Write = Callable[[str, str], Path]

DAMAGED_PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
PATIENCE = 60  # seconds; only a hang needs them


@pytest.fixture
def start(home: Home) -> Iterator[Callable[..., RawServer]]:
    """Starts `rag-server mcp` in the test's home, with cwd / and hardly any environment."""
    started: list[RawServer] = []

    def start_one(folder: Path = home.folder, **environ: str) -> RawServer:
        started.append(RawServer(folder, **environ))
        started[-1].begin()
        return started[-1]

    yield start_one
    for server in started:
        server.kill()


@pytest.fixture
def client(settings: Settings, embedder: FakeEmbedder) -> Iterator[Asking]:
    """A client of a server in this process, with a selected base."""
    english = dataclasses.replace(settings, tool_lang="en")
    server = build_server(english, open_embedder=lambda *_a, **_k: embedder)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as connected,
    ):
        ask = Asking(portal, connected)
        ask("create_knowledge_base", kb_name="kb", chunk_size=1024)
        ask("select_knowledge_base", kb_name="kb")
        yield ask


@pytest.mark.case("mcp_stdout")
@pytest.mark.case("mcp_cwd")
def test_every_line_is_a_message_and_the_home_is_found_from_anywhere(
    start: Callable[..., RawServer], write: Write, tmp_path: Path
) -> None:
    damaged = write("damaged.pdf", "")
    damaged.write_bytes(DAMAGED_PDF)
    home = Home(tmp_path / "new home")
    server = start(home.folder)
    server.tool("create_knowledge_base", kb_name="kb", chunk_size=64)
    server.tool("select_knowledge_base", kb_name="kb")
    imported = server.tool("import_document", file_paths=[str(damaged)])
    assert "is a damaged PDF file" in imported["content"][0]["text"]
    assert server.tool("search", query="x")["structuredContent"]["count"] == 0
    assert server.end() == 0
    assert server.other == []
    assert home.database.exists()
    assert home.selection.exists()


@pytest.mark.case("mcp_single_string")
def test_a_bare_path_is_a_list_of_one(client: Asking, write: Write) -> None:
    assert client("import_document", file_paths=str(write("x.txt", "text")))["total"] == 1


@pytest.mark.case("mcp_extra_arg")
def test_what_a_tool_does_not_know_is_ignored(client: Asking) -> None:
    assert client("search", query="x", unknown=1)["count"] == 0


@pytest.mark.case("mcp_missing_arg")
def test_a_missing_argument_is_named_and_the_server_lives(client: Asking) -> None:
    assert "needs the argument query" in client.refusal("search")
    assert client("list_knowledge_bases")["count"] == 1


class Slow:
    """An endpoint that answers each batch of passages after it was let."""

    def __init__(self) -> None:
        self.waiting, self._permits = threading.Event(), threading.Semaphore(0)

    def __call__(self, request: Request) -> Reply:
        if len(request.texts) > 1:
            self.waiting.set()
            assert self._permits.acquire(timeout=PATIENCE)
        return answer(request)

    def let(self, batches: int) -> None:
        self._permits.release(batches)


@pytest.mark.case("mcp_long_import")
@pytest.mark.case("mcp_retry_dup")
def test_a_long_import_shows_life_and_a_second_one_makes_no_second_copy(
    start: Callable[..., RawServer],
    remote_app: App,
    endpoint: EndpointServer,
    write: Write,
) -> None:
    slow = Slow()
    endpoint.always(slow)
    remote = {"RAGKB_EMBEDDING_MODEL": "mock", "RAGKB_EMBEDDING_ENDPOINT": endpoint.url}
    server = start(**remote)
    server.tool("create_knowledge_base", kb_name="kb", chunk_size=12)
    paths = [str(write(f"in/{n}.txt", numbered_lines(20, 100 * n))) for n in range(4)]
    arguments = {"file_paths": paths, "kb_name": "kb"}
    call = {"name": "import_document", "arguments": arguments}
    first = server.request("tools/call", **call, _meta={"progressToken": "p"})
    assert slow.waiting.wait(PATIENCE)
    assert server.tool("list_documents", kb_name="kb")["structuredContent"]["total"] == 4
    server.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": first}}
    )
    with ThreadPoolExecutor(1) as pool:  # the retry, while the first import still has a batch out
        second = pool.submit(server.call, "tools/call", **call, _meta={"progressToken": "q"})
        slow.let(1000)
        imported = second.result(PATIENCE)["result"]["structuredContent"]
    assert (imported["total"], imported["success_count"]) == (4, 4)
    told = [
        each["params"] for each in server.other if each.get("method") == "notifications/progress"
    ]
    values = [each["progress"] for each in told if each["progressToken"] == "q"]
    assert values == sorted(set(values))
    assert {each["progressToken"] for each in told} == {"p", "q"}
    assert server.end() == 0
    base = remote_app.bases.find("kb")
    documents = remote_app.documents.page(base).documents
    assert [each.name for each in documents] == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert {each.status for each in documents} == {"ready"}
    assert problems(remote_app, base) == []


@pytest.mark.case("mcp_large")
def test_large_results_are_bounded_and_say_so(client: Asking, write: Write) -> None:
    lines = [f"{number} " + "内容很长，一直说下去。" * 90 for number in range(60)]
    long = [str(write("a.txt", "\n\n".join(lines)))]
    many = [str(write(f"many/{'名' * 60}{number}.txt", "text")) for number in range(100)]
    client("import_document", file_paths=long + many)
    found = client("search", query="内容", top_k=50)
    assert len(compact(found)) <= MOST_CHARACTERS
    assert 0 < found["count"] < 50
    assert "left out to keep the answer short" in found["notes"][-1]
    listed: dict[str, Any] = client("list_documents")
    assert len(compact(listed)) <= MOST_CHARACTERS
    assert (listed["total"], listed["has_more"]) == (101, True)
    assert listed["next_offset"] == listed["count"] < 100
