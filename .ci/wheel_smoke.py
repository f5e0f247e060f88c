"""Build the wheel, check what is in it, install it alone elsewhere and use it from `/`."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# An install without the development tools: a missing dependency shows here and nowhere else.
COMMANDS = (
    ("--version",),
    ("create_kb", "--kb_name", "烟雾", "--chunk_size", "128"),
    ("select_kb", "--kb_name", "烟雾"),
    ("import_doc", "--file_paths", "SAMPLES"),
    ("search", "--query", "向量", "--json"),
    ("list_doc",),
    ("mcp",),  # ends with its input
)


def main() -> None:
    """Exit with an error as soon as something is not as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run(sys.executable, "-m", "build", "--outdir", str(work), str(ROOT))
        wheel = next(work.glob("*.whl"))
        check_content(wheel)
        python = install(wheel, work / "venv")
        use(python, work / "home")
    print("wheel: built, complete, installed and used")


def check_content(wheel: Path) -> None:
    """The wheel holds the revisions, the vocabulary and the samples, and nothing stray."""
    names = zipfile.ZipFile(wheel).namelist()
    revisions = sorted(name for name in names if name.startswith("ragkb/_alembic/"))
    wanted = sorted(
        f"ragkb/_alembic/{path.relative_to(ROOT / 'alembic').as_posix()}"
        for path in (ROOT / "alembic").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    assert revisions == wanted, (revisions, wanted)
    tracked = {"py", "mako", "typed", "gz", "txt", "docx", "doc", "pdf"}
    stray = [
        name
        for name in names
        if ".dist-info/" not in name
        and name.rsplit(".", 1)[-1] not in tracked
        and not name.endswith("/LICENSE")
    ]
    assert not stray, stray


def install(wheel: Path, venv: Path) -> Path:
    """A fresh environment with the wheel alone; its interpreter."""
    run(sys.executable, "-m", "venv", str(venv))
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    return python


def use(python: Path, home: Path) -> None:
    """The main job, from the root folder, with an empty home."""
    environ = {**os.environ, "RAGKB_HOME": str(home), "RAGKB_LANG": "en", "PYTHONUTF8": "1"}
    server = python.parent / ("rag-server.exe" if os.name == "nt" else "rag-server")
    find = "from ragkb.samples import sample_files; print(*sample_files(), sep='\\n')"
    listed = subprocess.run(
        [str(python), "-c", find],
        capture_output=True,
        encoding="utf-8",
        cwd="/",
        check=True,
        env=environ,
    )
    samples = listed.stdout.splitlines()
    for command in COMMANDS:
        words = [word for each in command for word in (samples if each == "SAMPLES" else [each])]
        done = subprocess.run(
            [str(server), *words],
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            cwd="/",
            env=environ,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        last = (done.stdout.strip().splitlines() or ["done"])[-1]
        print("  rag-server", command[0], "->", last[:100])


def run(*command: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
