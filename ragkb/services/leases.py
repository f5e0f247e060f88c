"""Claims on documents, so that two programs do not embed the same ones."""

import os
import socket
import sys
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from ragkb.models import now
from ragkb.repositories.store import UnitOfWork

# Longer than a batch with all its retries takes; prolonged with every batch.
LEASE = timedelta(minutes=3)


def new_owner() -> str:
    """A name for this worker that tells where it runs."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def claim(work: UnitOfWork, owner: str, doc_ids: Sequence[str]) -> list[str]:
    """Claim what is free, expired, or held by a process of this machine that has died."""
    leases = work.leases(owner)
    held = {
        doc_id
        for doc_id, (holder, expires_at) in leases.holders(doc_ids).items()
        if expires_at > now() and not has_died(holder)
    }
    free = [doc_id for doc_id in doc_ids if doc_id not in held]
    leases.take(free, now() + LEASE)
    return free


def has_died(owner: str) -> bool:
    """Whether a worker ran on this machine and is gone."""
    host, pid, _ = owner.rsplit(":", 2)
    return host == socket.gethostname() and not is_running(int(pid))


def is_running(pid: int) -> bool:
    """Whether a process of that number exists on this machine."""
    if sys.platform == "win32":
        return _is_running_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_running_on_windows(pid: int) -> bool:
    # os.kill would end the process there, whatever the signal
    import ctypes

    synchronize, still_waiting = 0x00100000, 0x102
    kernel = cast("Any", ctypes).windll.kernel32
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    waiting = kernel.WaitForSingleObject(handle, 0)
    kernel.CloseHandle(handle)
    return bool(waiting == still_waiting)
