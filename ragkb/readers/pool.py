"""A few child processes that read files: started when needed, reused, replaced when worn."""

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

import ragkb
from ragkb.document_text import DocumentText
from ragkb.errors import (
    FileMissing,
    ReaderCrashed,
    ReadingTimedOut,
    UnreadablePath,
)
from ragkb.readers.answers import document_from_frame
from ragkb.readers.frames import BrokenFrame, read_frame, write_frame
from ragkb.readers.limits import ReaderLimits

FILES_PER_CHILD = 200
RESIDENT_TO_REPLACE = (
    300_000_000  # a child that grew this far starts the next file with little room
)
GRACE = 2.0  # seconds that the child has beyond its own deadline to say so itself
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")


class Readers:
    """Reads files in child processes; safe to call from several threads at once.

    A crash, a hang or a bomb is the failure of that one file. Children start with the first file
    and end with `close`; `with Readers() as readers:` closes by itself.
    """

    def __init__(self, limits: ReaderLimits | None = None, workers: int | None = None) -> None:
        self._limits = limits or ReaderLimits()
        self._slots = threading.BoundedSemaphore(workers or min(4, os.cpu_count() or 1))
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._closed = False

    def read(self, path: Path) -> DocumentText:
        """Return what the file at `path` says; raises a FileRefused that names `path`."""
        size = _size(path)
        with self._slots, self._child(path) as child:
            return child.read(path, self._limits.deadline(size))

    def close(self) -> None:
        """End the children; a file that is being read fails."""
        with self._lock:
            self._closed = True
            children, self._all = self._all, set()
            self._idle.clear()
        for child in children:
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _child(self, path: Path) -> Generator["_Child"]:
        child = self._take(path)
        try:
            yield child
        finally:
            self._give_back(child)

    def _take(self, path: Path) -> "_Child":
        with self._lock:
            if self._closed:
                raise RuntimeError("these readers are closed")
            if self._idle:
                return self._idle.pop()
        try:
            child = _Child(self._limits)
        except OSError as failure:
            raise UnreadablePath(str(path), failure.strerror or str(failure)) from failure
        with self._lock:
            self._all.add(child)
        return child

    def _give_back(self, child: "_Child") -> None:
        with self._lock:
            if child.usable and not self._closed:
                self._idle.append(child)
                return
            self._all.discard(child)
        child.end()


class _Child:
    """One process that reads one file at a time."""

    def __init__(self, limits: ReaderLimits) -> None:
        self.usable = True
        self._limits = limits
        self._served = 0
        arguments = [str(limits.memory_bytes), str(limits.text_chars)]
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-P", "-X", "utf8", "-m", "ragkb.readers.child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._requests = cast("BinaryIO", self._process.stdin)
        self._answers = cast("BinaryIO", self._process.stdout)

    def read(self, path: Path, seconds: float) -> DocumentText:
        """Return the document; raises a FileRefused. Not `usable` after the process failed."""
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            self._process.kill()

        timer = threading.Timer(seconds + GRACE, stop)
        timer.daemon = True
        timer.start()
        try:
            return self._exchange(path, seconds)
        except (BrokenFrame, OSError) as broken:
            self.usable = False
            if stopped.is_set():
                raise ReadingTimedOut(str(path), round(seconds)) from None
            raise ReaderCrashed(str(path)) from broken
        finally:
            timer.cancel()

    def end(self) -> None:
        """Kill the process and free its pipes."""
        self.usable = False
        self._process.kill()
        self._process.wait()
        for pipe in (self._requests, self._answers):
            _close_quietly(pipe)

    def _exchange(self, path: Path, seconds: float) -> DocumentText:
        request = {"path": os.fsencode(path.absolute()).hex(), "seconds": seconds}
        write_frame(self._requests, request)
        head, text = read_frame(self._answers, text_limit=4 * self._limits.text_chars)
        self._served += 1
        worn = self._served >= FILES_PER_CHILD or head["resident"] > RESIDENT_TO_REPLACE
        self.usable = not worn and "ending" not in head
        if "crashed" in head:
            raise BrokenFrame(head["crashed"])
        return document_from_frame(head, text, str(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError as missing:
        raise FileMissing(str(path)) from missing
    except (OSError, ValueError) as failure:  # ValueError: a NUL in the name
        reason = getattr(failure, "strerror", None) or str(failure)
        raise UnreadablePath(str(path), reason) from failure


def _environment() -> dict[str, str]:
    """The environment of a child: no secrets, and the way to this very package."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not any(word in name.upper() for word in SECRET_WORDS)
    }
    package = str(Path(ragkb.__file__).parent.parent)
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (package, kept.get("PYTHONPATH"))))
    return kept


def _close_quietly(pipe: BinaryIO) -> None:
    try:
        pipe.close()
    except OSError:  # unsent bytes for a dead child
        return
