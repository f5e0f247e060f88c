"""Public bug reports as tests.

    @pytest.mark.case("q_cpp", query="C++", first="d1")

runs the test with these arguments under the id of the report; a test may carry several cases. The
ids are listed in `ids.py`, and `table.py` tells which of them pass.
"""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from endpoint_server import EndpointServer
from numbered import CHUNK_SIZE

from ragkb.app import App, open_app
from ragkb.cli.main import main
from ragkb.embeddings import normalise_endpoint
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.remote import RemoteEmbedder
from ragkb.home import Home
from ragkb.secret import Secret
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.settings import Settings

Ask = Callable[..., dict[str, Any]]

# Enough for a healthy endpoint on a busy machine; waits before another attempt are short.
HASTY = Patience(batch=3, query=3, unreachable=1, first_wait=0.001, longest_wait=0.5, rest=1000)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "case(id, **arguments): a public bug report, by its id")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each of its cases."""
    cases = [*metafunc.definition.iter_markers("case")]
    if cases:
        values = [pytest.param(*case.kwargs.values(), id=case.args[0]) for case in cases]
        metafunc.parametrize([*cases[0].kwargs], values)


@pytest.fixture
def ask(rag_server: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> Ask:
    """Calls a command with the fake embedder; what it printed as JSON, and its exit `code`."""
    return partial(printed, capsys, rag_server)


@pytest.fixture
def ask_remote(home: Home, endpoint: EndpointServer, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The same with the endpoint server, and little patience."""

    def call(*arguments: str, **environ: str) -> int:
        settings = {
            "RAGKB_HOME": str(home.folder),
            "RAGKB_LANG": "en",
            "RAGKB_EMBEDDING_MODEL": "mock",
            "RAGKB_EMBEDDING_ENDPOINT": endpoint.url,
        }
        return main(arguments, {**os.environ, **settings, **environ}, open_hasty)

    return partial(printed, capsys, call)


@pytest.fixture
def kb(ask: Ask) -> str:
    """A selected base in which each of `numbered_lines` is a chunk."""
    assert ask("create_kb", "--kb_name", "kb", "--chunk_size", str(CHUNK_SIZE))["success"]
    assert ask("select_kb", "--kb_name", "kb")["success"]
    return "kb"


@pytest.fixture
def remote_kb(ask_remote: Ask) -> str:
    """The same with the endpoint server's model."""
    assert ask_remote("create_kb", "--kb_name", "kb", "--chunk_size", str(CHUNK_SIZE))["success"]
    assert ask_remote("select_kb", "--kb_name", "kb")["success"]
    return "kb"


@pytest.fixture
def remote_app(settings: Settings) -> Iterator[App]:
    """The services with remote embedders of little patience."""
    with open_app(settings, lambda _copy: None, open_hasty) as opened:
        yield opened


@pytest.fixture
def base(app: App, kb: str) -> BaseInfo:
    """The base `kb` for calls of the services."""
    return app.bases.find(kb)


def printed(
    capsys: pytest.CaptureFixture[str], call: Callable[..., int], *arguments: str, **environ: str
) -> dict[str, Any]:
    capsys.readouterr()
    code = call(*arguments, "--json", **environ)
    out, err = capsys.readouterr()
    return {**json.loads(out), "code": code, "errors": err}


def open_hasty(
    model: str, *, endpoint: str, api_key: Secret | None, batch_size: int
) -> RemoteEmbedder:
    address = normalise_endpoint(endpoint)
    return RemoteEmbedder(model, address, api_key, batch_size=batch_size, patience=HASTY)
