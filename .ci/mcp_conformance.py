"""The real server under the protocol's own tools: inspector, conformance suite, bundle validator.

They come from npm, with a Node of their own, into build/npm. Where npm cannot be reached this says
so loudly and passes: the tests of the project do not depend on it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "build" / "npm"
PACKAGES = (
    "node@22.23.3",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.1.16",
    "@anthropic-ai/mcpb@2.1.2",
)
NAMES = (
    "create_knowledge_base", "delete_knowledge_base", "list_knowledge_bases",
    "select_knowledge_base", "import_document", "import_folder", "search", "list_documents",
    "delete_document", "update_document", "export_database", "import_database",
)  # fmt: skip
# Those that need no tools made for them.
SCENARIOS = (
    "server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
    "completion-complete", "server-sse-multiple-streams", "dns-rebinding-protection",
)  # fmt: skip
REFUSED = 5  # the inspector's exit code for a tool that answered with an error
SERVER = (sys.executable, "-m", "ragkb", "mcp")


def main() -> int:
    """Exit with an error as soon as something is not as it should be."""
    if not installed():
        print("SKIPPED: npm cannot be reached, so inspector and conformance suite did not run.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        environ = environment(Path(folder))
        inspect(environ)
        with listening(environ) as url:
            conform(environ, url, Path(folder))
        bundle(environ, Path(folder))
    return 0


def installed() -> bool:
    """Whether the tools are there, installed now if they are not."""
    npm = shutil.which("npm")
    if npm is None:
        return False
    TOOLS.mkdir(parents=True, exist_ok=True)
    wanted = TOOLS / "wanted.json"
    if wanted.exists() and json.loads(wanted.read_text(encoding="utf-8")) == list(PACKAGES):
        return True
    command = (npm, "install", "--no-audit", "--no-fund", "--prefix", str(TOOLS), *PACKAGES)
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        return False
    wanted.write_text(json.dumps(PACKAGES), encoding="utf-8")
    return True


def environment(folder: Path) -> dict[str, str]:
    """A home and a user's folder that are thrown away, and the tools' own Node first."""
    own = str(TOOLS / "node_modules" / ".bin")
    return {
        **os.environ,
        "PATH": os.pathsep.join((own, os.environ["PATH"])),
        "HOME": str(folder),
        "RAGKB_HOME": str(folder / "home"),
    }


def inspect(environ: dict[str, str]) -> None:
    """Names, strict schemas, a call in each era, and the exit code of a refusal."""
    for era in ("legacy", "modern"):
        listed = inspector(environ, "tools/list", "--protocol-era", era)
        names = tuple(tool["name"] for tool in listed["result"]["tools"])
        assert names == NAMES, names
        called = ("--protocol-era", era, "--tool-name", "list_knowledge_bases")
        assert not inspector(environ, "tools/call", *called)["result"]["isError"]
    strict = ("mcp-inspector", "--cli", "-q", *SERVER, "--method", "tools/list", "--strict")
    run(environ, *strict)
    refusal = ("--tool-name", "delete_document", "--tool-arg", "doc_name=nope")
    inspector(environ, "tools/call", *refusal, code=REFUSED)
    print(f"inspector: {len(NAMES)} tools, strict schemas, both eras, refusals")


def inspector(
    environ: dict[str, str], method: str, *options: str, code: int = 0
) -> dict[str, dict]:
    """What the inspector printed, which must end with that code."""
    begin = ("mcp-inspector", "--cli", "-q", "--format", "json")
    return json.loads(run(environ, *begin, *SERVER, "--method", method, *options, code=code))


@contextmanager
def listening(environ: dict[str, str]) -> Generator[str]:
    """The server over HTTP; its address."""
    command = (*SERVER, "--http", "--port", "0")
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stderr
        found = re.search(r"http://\S+/mcp", server.stderr.readline())
        assert found
        try:
            yield found[0]
        finally:
            server.terminate()


def conform(environ: dict[str, str], url: str, folder: Path) -> None:
    """Each scenario by itself."""
    for scenario in SCENARIOS:
        out = str(folder / "results")
        run(environ, "conformance", "server", "--url", url, "--scenario", scenario, "-o", out)
        print(f"conformance: {scenario} passed")


def bundle(environ: dict[str, str], folder: Path) -> None:
    """The bundle's manifest as its own tool sees it."""
    made = folder / "ragkb.mcpb"
    run(environ, sys.executable, str(ROOT / ".ci" / "mcpb.py"), str(made))
    run(environ, "mcpb", "unpack", str(made), str(folder / "unpacked"))
    run(environ, "mcpb", "validate", str(folder / "unpacked" / "manifest.json"))
    print("mcpb: packed and valid")


def run(environ: dict[str, str], *command: str, code: int = 0) -> str:
    """What a command printed, which must end with that code."""
    program = shutil.which(command[0], path=environ["PATH"]) or command[0]
    done = subprocess.run(
        (program, *command[1:]),
        env=environ,
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
