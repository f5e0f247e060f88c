"""The program as the user starts it: a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkb.home import Home


@dataclass(frozen=True)
class Outcome:
    """How a process ended; `data` and `message` are those of its one JSON object."""

    code: int
    message: str
    data: dict[str, Any]
    errors: str


def start(home: Home, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    """Start `rag-server ARGUMENTS --json` in that home, in English."""
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "ragkb", *arguments, "--json"],
        env={**os.environ, "RAGKB_HOME": str(home.folder), "RAGKB_LANG": "en", **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def outcome(process: subprocess.Popen[str]) -> Outcome:
    """Wait for the end; standard output must be one JSON object and nothing else."""
    out, errors = process.communicate()
    printed = json.loads(out)
    return Outcome(process.returncode, printed["message"], printed["data"], errors)


def run(home: Home, *arguments: str, **environ: str) -> Outcome:
    """Start it and wait for the end."""
    return outcome(start(home, *arguments, **environ))


def killed(process: subprocess.Popen[str]) -> None:
    """End it at once, as a power cut would."""
    process.kill()
    process.communicate()


def begun_with(folder: Path, code: str) -> dict[str, str]:
    """An environment in which every Python, child processes too, runs `code` before all else."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


def without_modules(folder: Path, *modules: str) -> dict[str, str]:
    """An environment in which these modules cannot be imported."""
    return begun_with(folder, f"import sys\nsys.modules.update(dict.fromkeys({modules}))\n")
