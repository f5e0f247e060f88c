"""From starting `rag-server mcp` to its answer to `initialize`, as a ratio to a bare server.

The bare one has one empty tool on the same SDK. Usage: python benchmarks/mcp_start.py [--json].
Medians of processes that take turns.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 9
MOST = 1.3
BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", log_level="WARNING")
@server.tool()
def empty() -> str:
    return ""
server.run()
"""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


def main() -> int:
    """Print both medians and their ratio; 1 when it is above the limit."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "RAGKB_HOME": folder}
        commands = {
            "bare server": [sys.executable, "-c", BARE],
            "rag-server mcp": [sys.executable, "-m", "ragkb", "mcp"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(RUNS + 1):
            for name, command in commands.items():
                seconds = answered(command, environ)
                if number:  # the first run of each fills the caches
                    times[name].append(seconds)
    bare, ours = (statistics.median(each) for each in times.values())
    ratio = ours / bare
    if "--json" in sys.argv:
        print(json.dumps({"bare_s": bare, "ragkb_s": ours, "ratio": ratio}))
    else:
        print(f"bare server: {bare * 1000:.0f} ms")
        print(f"rag-server mcp: {ours * 1000:.0f} ms, ratio {ratio:.2f} (limit {MOST})")
    return int(ratio > MOST)


def answered(command: list[str], environ: dict[str, str]) -> float:
    """Seconds from the start of a server to the line that it answers."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        line = server.stdout.readline()
        seconds = time.perf_counter() - begin
        server.stdin.close()
    assert json.loads(line)["id"] == 1
    return seconds


if __name__ == "__main__":
    sys.exit(main())
