"""The child's own limits: address space, and a watchdog on resident memory and time.

The address-space limit is a hard net (native code aborts when it runs into it); macOS ignores it
and Windows has none. The watchdog works everywhere and can still say why: ctypes, lxml and zlib let
go of the interpreter's lock while they work, so this thread runs.
"""

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

from ragkb.errors import FileRefused, ReadingTimedOut, ReadingTooLarge
from ragkb.readers.answers import refusal_to_head
from ragkb.readers.frames import write_frame
from ragkb.readers.limits import ReaderLimits

LOOK_EVERY = 0.03  # seconds; native code that inflates a bomb gains a few MB in that time


def limit_address_space(size: int) -> None:
    """Bound this process's address space to `size` bytes, where the platform can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if sys.platform == "darwin":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def resident_bytes() -> int:
    """Memory that this process holds now (macOS: the most that it ever held); 0 if unknown."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123  # 30 times a second
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return _resident_bytes_on_windows()
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _resident_bytes_on_windows() -> int:
    if sys.platform != "win32":
        return 0
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS of psapi.h."""

        _fields_ = (
            ("cb", wintypes.DWORD),
            ("PageFaultCount", wintypes.DWORD),
            *(
                (name, ctypes.c_size_t)
                for name in ("peak", "resident", "a", "b", "c", "d", "e", "f")
            ),
        )

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    kernel = ctypes.WinDLL("kernel32")
    kernel.GetCurrentProcess.restype = wintypes.HANDLE
    kernel.K32GetProcessMemoryInfo.argtypes = (wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD)
    found = kernel.K32GetProcessMemoryInfo(
        kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb
    )
    return int(counters.resident) if found else 0


class Watchdog:
    """Ends this process, after saying why, when the file in hand takes too much memory or time."""

    def __init__(self, limits: ReaderLimits, answers: BinaryIO) -> None:
        self._limits = limits
        self._answers = answers
        self._lock = threading.Lock()
        self._path = ""
        self._ends: float | None = None
        self._seconds = 0.0
        self._at_work = threading.Event()  # an idle child costs nothing
        threading.Thread(target=self._watch, daemon=True).start()

    @contextmanager
    def during(self, path: str, seconds: float) -> Generator[None]:
        """Watch while the block runs."""
        with self._lock:
            self._path, self._seconds, self._ends = path, seconds, time.monotonic() + seconds
        self._at_work.set()
        try:
            yield
        finally:
            self._at_work.clear()
            with self._lock:
                self._ends = None

    def _watch(self) -> None:
        while self._at_work.wait():
            time.sleep(LOOK_EVERY)
            with self._lock:
                refusal = self._judge()
                if refusal is not None:
                    write_frame(
                        self._answers, refusal_to_head(refusal) | {"resident": 0, "ending": True}
                    )
                    os._exit(1)

    def _judge(self) -> FileRefused | None:
        if self._ends is None:
            return None
        if resident_bytes() > self._limits.resident_bytes:
            megabytes = self._limits.resident_bytes // 1_000_000
            return ReadingTooLarge(self._path, f"{megabytes} MB")
        if time.monotonic() > self._ends:
            return ReadingTimedOut(self._path, round(self._seconds))
        return None
