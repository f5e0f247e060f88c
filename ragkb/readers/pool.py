"""A few child processes that read files: started when needed, reused, replaced when worn."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from ragkb.document_text import DocumentText
from ragkb.errors import FileMissing, UnreadablePath
from ragkb.readers.child_process import ChildProcess
from ragkb.readers.limits import ReaderLimits
from ragkb.readers.ocr import NeedsOcr, Ocr, ocr_installed


class Readers:
    """Reads files in child processes; safe to call from several threads at once.

    A crash, a hang or a bomb is the failure of that one file. Children start with the first file
    and end with `close`; `with Readers() as readers:` closes by itself. One child more, with more
    memory, reads by OCR what needs it, where the extra is installed.
    """

    def __init__(self, limits: ReaderLimits | None = None, workers: int | None = None) -> None:
        self._limits = limits or ReaderLimits()
        ocr = Ocr.ELSEWHERE if ocr_installed() else Ocr.MISSING
        self._children = Children(self._limits, workers or min(4, os.cpu_count() or 1), ocr)
        self._recognising = Children(self._limits.for_ocr(), 1, Ocr.HERE)

    def read(self, path: Path) -> DocumentText:
        """Return what the file at `path` says; raises a FileRefused that names `path`."""
        size = _size(path)
        try:
            return self._children.read(path, self._limits.deadline(size))
        except NeedsOcr as scan:
            pages = scan.pages
        return self._recognising.read(path, self._limits.deadline(size, pages))

    def close(self) -> None:
        """End the children; a file that is being read fails."""
        self._children.close()
        self._recognising.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Children:
    """Children of one kind: at most `most` at a time."""

    def __init__(self, limits: ReaderLimits, most: int, ocr: Ocr) -> None:
        self._limits = limits
        self._ocr = ocr
        self._slots = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._idle: list[ChildProcess] = []
        self._closed = False
        self.alive: set[ChildProcess] = set()

    def read(self, path: Path, seconds: float) -> DocumentText:
        """Let a child read the file; raises a FileRefused or NeedsOcr."""
        with self._slots, self._child(path) as child:
            return child.read(path, seconds)

    def close(self) -> None:
        """End them all."""
        with self._lock:
            self._closed = True
            children, self.alive = self.alive, set()
            self._idle.clear()
        for child in children:
            child.end()

    @contextmanager
    def _child(self, path: Path) -> Generator[ChildProcess]:
        child = self._take(path)
        try:
            yield child
        finally:
            self._give_back(child)

    def _take(self, path: Path) -> ChildProcess:
        with self._lock:
            if self._closed:
                raise RuntimeError("these readers are closed")
            if self._idle:
                return self._idle.pop()
        try:
            child = ChildProcess(self._limits, self._ocr)
        except OSError as failure:
            raise UnreadablePath(str(path), failure.strerror or str(failure)) from failure
        with self._lock:
            self.alive.add(child)
        return child

    def _give_back(self, child: ChildProcess) -> None:
        with self._lock:
            if child.usable and not self._closed:
                self._idle.append(child)
                return
            self.alive.discard(child)
        child.end()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError as missing:
        raise FileMissing(str(path)) from missing
    except (OSError, ValueError) as failure:  # ValueError: a NUL in the name
        reason = getattr(failure, "strerror", None) or str(failure)
        raise UnreadablePath(str(path), reason) from failure
