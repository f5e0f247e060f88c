"""One child process as the parent sees it: a request, an answer, a deadline."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO, cast

import ragkb
from ragkb.document_text import DocumentText
from ragkb.errors import ReaderCrashed, ReadingTimedOut
from ragkb.readers.answers import document_from_frame
from ragkb.readers.frames import BrokenFrame, read_frame, write_frame
from ragkb.readers.limits import ReaderLimits
from ragkb.readers.ocr import Ocr

FILES_PER_CHILD = 200
# Share of its memory: a child that grew this far starts the next file with little room.
# Loaded models are meant to stay.
WORN = {Ocr.MISSING: 0.2, Ocr.ELSEWHERE: 0.2, Ocr.HERE: 0.5}
GRACE = 2.0  # seconds that the child has beyond its own deadline to say so itself
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")


class ChildProcess:
    """The parent's end of one process that reads one file at a time."""

    def __init__(self, limits: ReaderLimits, ocr: Ocr) -> None:
        self.usable = True
        self._limits = limits
        self._worn_at = limits.memory_bytes * WORN[ocr]
        self._served = 0
        arguments = [str(limits.memory_bytes), str(limits.text_chars), ocr.name]
        self.process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, "-P", "-X", "utf8", "-m", "ragkb.readers.child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._requests = cast("BinaryIO", self.process.stdin)
        self._answers = cast("BinaryIO", self.process.stdout)

    def read(self, path: Path, seconds: float) -> DocumentText:
        """Return the document; raises a FileRefused or NeedsOcr.

        Not `usable` after the process failed.
        """
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            self.process.kill()

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
        self.process.kill()
        self.process.wait()
        for pipe in (self._requests, self._answers):
            _close_quietly(pipe)

    def _exchange(self, path: Path, seconds: float) -> DocumentText:
        request = {"path": os.fsencode(path.absolute()).hex(), "seconds": seconds}
        write_frame(self._requests, request)
        head, text = read_frame(self._answers, text_limit=4 * self._limits.text_chars)
        self._served += 1
        worn = self._served >= FILES_PER_CHILD or head["resident"] > self._worn_at
        self.usable = not worn and "ending" not in head
        if "crashed" in head:
            raise BrokenFrame(head["crashed"])
        return document_from_frame(head, text, str(path))


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
