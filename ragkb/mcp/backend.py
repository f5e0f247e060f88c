"""The services behind a server: opened at the first call, closed when the server ends."""

import importlib
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread

from ragkb.log import log
from ragkb.mcp.work import Works
from ragkb.messages import Language
from ragkb.services.access import Access
from ragkb.settings import Settings

if TYPE_CHECKING:  # ours load SQLAlchemy and numpy: not before the first answer
    from anyio.abc import TaskGroup

    from ragkb.app import App
    from ragkb.migrations import Upgraded, Upgrading
    from ragkb.services.embedders import OpenEmbedder
    from ragkb.services.knowledge_bases import BaseInfo

HEAVY = ("ragkb.services.searching", "ragkb.services.folders", "ragkb.text.tokens")


class Backend:
    """What the tools of one server share."""

    def __init__(
        self, settings: Settings, access: Access, open_embedder: "OpenEmbedder | None" = None
    ) -> None:
        self.settings = settings
        self.access = access
        self.language: Language = settings.tool_lang
        self.works = Works()
        self._open_embedder = open_embedder
        self._opening = threading.Lock()
        self._opened: App | None = None
        self._stack = ExitStack()
        self._group: TaskGroup | None = None
        self._messages = 0

    @property
    def app(self) -> "App":
        """The services; safe to ask for from several threads."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def base(self, kb_name: str | None) -> "BaseInfo":
        """The base that a call works in: the named one, else the selected one, read anew."""
        return self.app.bases.find(kb_name)

    @asynccontextmanager
    async def running(self, on_end: Callable[[], None]) -> AsyncGenerator[None]:
        """The time in which calls are answered; `on_end` is called before anything is closed."""
        try:
            async with self.works.open() as group:
                self._group = group
                try:
                    yield
                finally:
                    self._group = None
                    on_end()
        finally:
            with self._opening:
                self._opened = None
                self._stack.close()

    def note_message(self) -> None:
        """Count a client's messages: at the second it has its first answer, and libraries load."""
        self._messages += 1
        if self._messages == 2 and self._group:
            self._group.start_soon(anyio.to_thread.run_sync, load_libraries)

    def _open(self) -> "App":
        from ragkb.app import open_app

        opened = open_app(
            self.settings, self._on_upgrade, self._open_embedder, admit=self.access.admit
        )
        app = self._stack.enter_context(opened)
        # made here, on one thread: a property that two threads ask for at once is made twice
        _ = app.bases, app.documents, app.importing, app.folders, app.searching, app.transfer
        return app

    def _on_upgrade(self, step: "Upgrading | Upgraded") -> None:
        from ragkb.migrations import Upgraded

        if isinstance(step, Upgraded):
            log.warning("the database was upgraded", copy=str(step.copy))


def load_libraries() -> None:
    """Import what the first call will need."""
    for name in HEAVY:
        importlib.import_module(name)
