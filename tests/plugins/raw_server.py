"""`rag-server mcp` as a process, spoken to in JSON-RPC: every byte that it prints is looked at."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PROTOCOL = "2025-11-25"
PATIENCE = 60  # seconds; only a hang needs them


class RawServer:
    """A server process; `call` waits for an answer, `other` gathers what came beside it."""

    def __init__(self, home: Path, *arguments: str, **environ: str) -> None:
        self.other: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ragkb", "mcp", *arguments],
            cwd=Path(sys.executable).anchor,
            env={**bare_environment(), "RAGKB_HOME": str(home), "RAGKB_LANG": "en", **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._number = 0
        self._errors: list[bytes] = []
        self._draining = threading.Thread(target=self._drain, daemon=True)
        self._draining.start()

    def begin(self) -> dict[str, Any]:
        """The handshake; what the server says of itself."""
        client = {"name": "test", "version": "1"}
        answer = self.call(
            "initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=client
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.call("tools/call", name=name, arguments=arguments)["result"]

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        number = self.request(method, **params)
        while True:
            message = self.receive()
            if message.get("id") == number:
                return message
            self.other.append(message)

    def request(self, method: str, /, **params: Any) -> int:
        """Send a request; its id."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def send(self, message: object) -> None:
        """Send anything as a line."""
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, line: bytes) -> None:
        """Send bytes."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line, which must be one message."""
        assert self.process.stdout
        return parsed(self.process.stdout.readline())

    def end(self) -> int:
        """Close its input and wait for the end; its exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> int:
        """Wait for the end; whatever it still printed must be messages."""
        assert self.process.stdout
        self.other += [parsed(line) for line in self.process.stdout.readlines()]
        code = self.process.wait(PATIENCE)
        self._draining.join(PATIENCE)
        return code

    @property
    def errors(self) -> str:
        """What it has printed on stderr until now."""
        return b"".join(self._errors).decode("utf-8", "replace")

    def kill(self) -> None:
        """Make sure that it is gone."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def _drain(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._errors.append(line)


def parsed(line: bytes) -> dict[str, Any]:
    """A line as a JSON-RPC message."""
    message = json.loads(line.decode("utf-8"))
    assert message["jsonrpc"] == "2.0"
    return message


def bare_environment() -> dict[str, str]:
    """What clients pass on: hardly anything."""
    kept = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "HOME", "USERPROFILE")
    return {name: os.environ[name] for name in kept if name in os.environ}
