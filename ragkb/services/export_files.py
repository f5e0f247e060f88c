"""The file of an export: written beside its place, then put there in one step."""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ragkb.errors import ExportUnwritable
from ragkb.services.leases import is_running


def refuse_unwritable(target: Path) -> None:
    """ExportUnwritable where no file can be put."""
    if target.is_dir():
        raise ExportUnwritable(str(target), "it is a folder")
    if not target.parent.is_dir():
        raise ExportUnwritable(str(target), f"there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        raise ExportUnwritable(str(target), "it is a pipe or a device")


@contextmanager
def partial_file(target: Path) -> Generator[Path]:
    """An empty file beside the target, readable by its owner only, gone when the block is left.

    Those of exports that were killed are removed as well: their name tells who made them.
    """
    machine = f".{target.name}.{socket.gethostname()}."
    for stale in target.parent.glob(f"{glob_literal(machine)}*.partial*"):
        process = stale.name.removeprefix(machine).partition(".")[0]
        if process.isdecimal() and not is_running(int(process)):
            stale.unlink(missing_ok=True)
    partial = target.with_name(f"{machine}{os.getpid()}.partial")
    try:
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
    except OSError as error:
        raise ExportUnwritable(str(target), error.strerror or str(error)) from error
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def glob_literal(text: str) -> str:
    """A text as a pattern that matches itself only."""
    return "".join(f"[{each}]" if each in "[*?" else each for each in text)


def flush(path: Path) -> None:
    """Have the disk keep a file before it gets its name."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
