"""The server as a process: its streams, its signals, its end.

Nothing here imports the SDK before `serve_stdio` or `serve_http` is called: what a library prints
while it is imported must not reach the client.
"""

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragkb.settings import Settings

if TYPE_CHECKING:
    from ragkb.mcp.boundary import RagServer
    from ragkb.mcp.server import Moments

# A client that closes our input kills us after 2 seconds; work between commits is safe to lose.
GRACE = 1.5


class End:
    """How the process ends: by itself, or at the latest a while after its last client has gone."""

    def __init__(self) -> None:
        self.code = 0

    def lost_clients(self) -> None:
        """Leave within the grace time, whatever hangs; a read of our input always does."""
        timer = threading.Timer(GRACE, os._exit, (self.code,))
        timer.daemon = True
        timer.start()

    def closed(self) -> None:
        """The database is closed; after a signal nothing else is worth waiting for."""
        if self.code:
            os._exit(self.code)

    async def on_signal(self, stop: Callable[[], None]) -> None:
        """Wait for SIGINT or SIGTERM, then stop."""
        import anyio

        if sys.platform == "win32":  # asyncio cannot watch signals there; KeyboardInterrupt comes
            return
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                self.code = 128 + number
                stop()
                return


def serve_stdio(settings: Settings) -> int:
    """Serve one client over standard input and output until it closes them; the exit code."""
    end = End()
    with quick_imports(), stdout_as_stderr():
        import anyio

        from ragkb.mcp.server import Moments

        server = _build(settings, Moments(print_on_stderr, end.lost_clients, end.closed))

    async def serve() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(end.on_signal, group.cancel_scope.cancel)
            await server.run_stdio_async()
            group.cancel_scope.cancel()

    anyio.run(serve)
    return end.code


def serve_http(
    settings: Settings, host: str, port: int, token: str | None, announce: Callable[[str], None]
) -> int:
    """Serve over streamable HTTP until a signal comes; the exit code.

    Port 0 takes a free one; `announce` is told the address. TokenNeeded when other machines could
    reach the server without a token, AddressInUse.
    """
    end = End()
    with quick_imports():
        import anyio

        from ragkb.mcp.http import Listener, authorisation
        from ragkb.mcp.server import Moments

        listener = Listener(host, port, token)
        options = authorisation(listener.url, token)
        moments = Moments(end=end.lost_clients, closed=end.closed)
        server = _build(settings, moments, remote=True, **options)

    async def serve() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(end.on_signal, listener.stop)
            announce(listener.url)
            await listener.serve(server)
            group.cancel_scope.cancel()

    anyio.run(serve)
    return end.code


@contextmanager
def stdout_as_stderr() -> Generator[None]:
    """Send to stderr what is printed meanwhile, by Python or by C."""
    wire = os.dup(1)
    os.dup2(2, 1)
    sys.stdout.flush()  # only now: what was printed before must not reach the client either
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(wire, 1)
        os.close(wire)


@contextmanager
def quick_imports() -> Generator[None]:
    """Import without collecting garbage: a quarter of the start-up time goes into looking at it."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def print_on_stderr() -> None:
    """Send prints to stderr, once the SDK has taken the wire from standard output for itself.

    Else what is printed without a flush would come out on the wire when the process ends.
    """
    sys.stdout = sys.stderr


def _build(settings: Settings, moments: "Moments", **options: Any) -> "RagServer":
    from ragkb.mcp.server import build_server

    level = settings.log_level.upper()
    # before the SDK does: its handler takes seconds for one long line
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s %(message)s")
    return build_server(settings, moments=moments, log_level=level, **options)
