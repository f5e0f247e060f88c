"""The real server over HTTP."""

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from raw_server import bare_environment

from ragkb.errors import AddressInUse, TokenNeeded
from ragkb.home import Home
from ragkb.mcp.http import MOST_BYTES, Listener, is_loopback, known_names

Write = Callable[[str, str], Path]

TOKEN = "a-long-random-text"
PATIENCE = 60


class Listening:
    """`rag-server mcp --http` as a process, on a free port."""

    def __init__(self, home: Home, *arguments: str, **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ragkb", "mcp", "--http", "--port", "0", *arguments],
            env={
                **bare_environment(),
                "RAGKB_HOME": str(home.folder),
                "RAGKB_LANG": "en",
                **environ,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stderr
        self.url, self.port = address_in(self.process.stderr.readline())

    def post(self, body: str, **headers: str) -> int:
        """The status of a request made by hand."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/mcp", body.encode(), {**sent, **given})
        status = connection.getresponse().status
        connection.close()
        return status


def address_in(line: str) -> tuple[str, int]:
    found = re.search(r"http://[^:]+:(\d+)/mcp", line)
    assert found, line
    return found[0], int(found[1])


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
)


@pytest.fixture
def listen(home: Home) -> Iterator[Callable[..., Listening]]:
    started: list[Listening] = []

    def start(*arguments: str, **environ: str) -> Listening:
        started.append(Listening(home, *arguments, **environ))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.communicate()


def test_both_eras_are_served_and_strangers_are_not(
    listen: Callable[..., Listening], write: Write
) -> None:
    path = write("a.txt", "some text")
    server = listen(RAGKB_ALLOWED_ROOTS=str(path.parent))

    async def use(era: str) -> dict[str, Any]:
        async with Client(server.url, mode=era) as client:  # pyright: ignore[reportArgumentType]
            await client.call_tool("create_knowledge_base", {"kb_name": era, "chunk_size": 64})
            arguments = {"file_paths": [str(path), str(Path(__file__))], "kb_name": era}
            imported = await client.call_tool("import_document", arguments)
            return imported.structured_content or {}

    for era in ("legacy", "auto"):
        imported = anyio.run(use, era)
        assert (imported["success_count"], imported["failed_count"]) == (1, 1)
        assert "RAGKB_ALLOWED_ROOTS=" in imported["failed_files"][0]["error"]
    assert server.post(INITIALIZE) == 200
    assert server.post(INITIALIZE, Host="evil.test") == 421
    assert server.post(INITIALIZE, Origin="http://evil.test") == 403
    assert server.post(INITIALIZE, Origin=f"http://127.0.0.1:{server.port}") == 200
    assert server.post(INITIALIZE + " " * MOST_BYTES) == 413
    if sys.platform != "win32":
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 143


def test_off_loopback_a_token_is_needed_and_checked(listen: Callable[..., Listening]) -> None:
    server = listen("--host", "0.0.0.0", "--token-env", "SOME_TOKEN", SOME_TOKEN=TOKEN)
    assert server.post(INITIALIZE) == 401
    assert server.post(INITIALIZE, Authorization="Bearer wrong") == 401
    assert server.post(INITIALIZE, Authorization=f"Bearer {TOKEN}") == 200
    named = {"Authorization": f"Bearer {TOKEN}"}
    assert server.post(INITIALIZE, Host=f"host.docker.internal:{server.port}", **named) == 200
    assert server.post(INITIALIZE, Host="evil.test", **named) == 421


def test_without_a_token_nothing_is_opened_to_others() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.1", "example.test"):
        for token in (None, ""):
            with pytest.raises(TokenNeeded):
                Listener(host, 0, token)


def test_a_port_that_is_taken_is_named() -> None:
    first = Listener("127.0.0.1", 0, None)
    with pytest.raises(AddressInUse, match=r"127\.0\.0\.1:"):
        Listener("127.0.0.1", address_in(first.url)[1], None)
    first.close()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True),
        ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("localhost.evil.test", False),
    ],
)  # fmt: skip
def test_loopback_is_told_from_the_rest(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_names_are_known_with_their_port_only() -> None:
    names = known_names("127.0.0.1", 8765)
    assert names.allowed_hosts == ["127.0.0.1:8765", "[::1]:8765", "localhost:8765"]
    assert "http://localhost:8765" in names.allowed_origins
    assert "10.1.2.3:80" in known_names("10.1.2.3", 80).allowed_hosts
