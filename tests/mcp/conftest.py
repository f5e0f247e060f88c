"""Servers in this process and the SDK's client beside them, asked from plain functions."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from asking import Asking
from fake_embedder import FakeEmbedder
from mcp import Client

from ragkb.mcp.boundary import RagServer
from ragkb.mcp.server import build_server
from ragkb.settings import Settings

ERAS = ("legacy", "auto")  # with a handshake (2025-11-25), and without (2026-07-28)


@pytest.fixture
def tool_settings(settings: Settings) -> Settings:
    """The settings of the servers: answers in English."""
    return dataclasses.replace(settings, tool_lang="en")


@pytest.fixture
def serve(tool_settings: Settings, embedder: FakeEmbedder) -> Callable[..., RagServer]:
    """Builds a server of the test's home with the fake embedder; options change its settings."""

    def build(*, remote: bool = False, **changes: Any) -> RagServer:
        changed = dataclasses.replace(tool_settings, **changes)
        return build_server(changed, remote=remote, open_embedder=lambda *_a, **_k: embedder)

    return build


@pytest.fixture
def connect() -> Iterator[Callable[..., Asking]]:
    """Connects a client to a server, until the end of the test."""
    with ExitStack() as stack:

        def connect_to(server: RagServer, era: str = "auto") -> Asking:
            portal = stack.enter_context(start_blocking_portal())
            client = Client(server, mode=era)  # pyright: ignore[reportArgumentType]
            stack.enter_context(portal.wrap_async_context_manager(client))
            return Asking(portal, client)

        yield connect_to


@pytest.fixture(params=ERAS)
def ask(
    request: pytest.FixtureRequest,
    serve: Callable[..., RagServer],
    connect: Callable[..., Asking],
) -> Asking:
    """A client in each protocol era."""
    return connect(serve(), request.param)


@pytest.fixture
def kb(ask: Asking) -> str:
    """A selected base."""
    ask("create_knowledge_base", kb_name="kb", chunk_size=64)
    ask("select_knowledge_base", kb_name="kb")
    return "kb"
