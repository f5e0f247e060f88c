"""What a child process does while a test waits to kill it, or for it to crash.

    python child_work.py OPERATION HOME [PATH ...]

prints `ready`, waits for a line, does the operation and ends with exit code 0.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from fake_embedder import FakeEmbedder

from ragkb.app import App, open_app
from ragkb.errors import RagError
from ragkb.settings import Settings


def do_import(app: App, paths: Sequence[str]) -> None:
    """Import files into the base `kb`."""
    report = app.importing.import_files(app.bases.find("kb"), paths, lambda _: None)
    assert report.failed_files == []


def do_update(app: App, paths: Sequence[str]) -> None:
    """Split a document anew; its name stands for a path, then the chunk size."""
    name, size = paths
    app.documents.update(app.bases.find("kb"), name, size, lambda _: None)


def do_delete(app: App, paths: Sequence[str]) -> None:
    """Delete documents, those that are there."""
    base = app.bases.find("kb")
    stored = {document.name for document in app.documents.page(base).documents}
    for name in paths:
        if name in stored:
            app.documents.delete(base, name)


def do_merge(app: App, paths: Sequence[str]) -> None:
    """Take other databases in."""
    for path in paths:
        app.transfer.merge(path)


def do_export(app: App, paths: Sequence[str]) -> None:
    """Write exports."""
    for path in paths:
        app.transfer.export(path, force=True)


def do_open(app: App, _paths: Sequence[str]) -> None:
    """Open the file, which upgrades an old one."""
    app.bases.list_all()


OPERATIONS: dict[str, Callable[[App, Sequence[str]], None]] = {
    "import": do_import,
    "update": do_update,
    "delete": do_delete,
    "merge": do_merge,
    "export": do_export,
    "upgrade": do_open,
}


def read_everything(app: App) -> None:
    """What a user does who only reads."""
    for base in app.bases.list_all():
        for document in app.documents.page(base).documents:
            app.documents.show(base, document.name)
        app.searching.search(base, "备份 vector", 10)


def try_to_read(homes: Sequence[str]) -> None:
    """Read in each of the homes and print its name and what came of it, as JSON."""
    for home in homes:
        with opened(home) as app:
            try:
                read_everything(app)
                app.doctor.examine()
                outcome = "read"
            except RagError as error:
                outcome = type(error).__name__
            except Exception as error:  # noqa: BLE001  # whatever it is, the parent is told
                outcome = f"UNEXPECTED {type(error).__name__}: {error}"
        print(json.dumps([home, outcome]), flush=True)  # noqa: T201  # to the parent


def opened(home: str) -> AbstractContextManager[App]:
    """The services of a home with the fake embedder."""
    settings = Settings(home=Path(home))
    return open_app(settings, lambda _step: None, lambda *_a, **_k: FakeEmbedder())


def started(*words: str) -> subprocess.Popen[str]:
    """This program in a child process, past its start."""
    process = subprocess.Popen(
        [sys.executable, "-X", "utf8", __file__, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.stderr and process.stderr.read()
    return process


def main() -> None:
    """Get ready, wait, work."""
    operation, home, *paths = sys.argv[1:]
    with opened(home) as app:
        for service in ("importing", "documents", "transfer", "searching", "doctor"):
            getattr(app, service)
        print("ready", flush=True)  # noqa: T201  # to the parent
        sys.stdin.readline()
        if operation == "read":
            try_to_read(paths)
        else:
            OPERATIONS[operation](app, paths)


if __name__ == "__main__":
    main()
