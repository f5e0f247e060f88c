"""Remote embedders that wait milliseconds."""

from collections.abc import Callable, Iterator

import pytest
from endpoint_server import EndpointServer

from ragkb.embeddings import normalise_endpoint
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.remote import RemoteEmbedder
from ragkb.secret import Secret

HASTY = Patience(
    connect=2,
    request=2,
    batch=0.4,
    query=0.2,
    unreachable=0.1,
    first_wait=0.001,
    longest_wait=0.02,
    rest=1000,
)

OpenRemote = Callable[..., RemoteEmbedder]


@pytest.fixture
def hasty() -> Patience:
    """Bounds of milliseconds, to be varied."""
    return HASTY


@pytest.fixture
def remote(endpoint: EndpointServer) -> Iterator[OpenRemote]:
    """Opens embedders at the endpoint, or at `url`; closes them after the test."""
    opened: list[RemoteEmbedder] = []

    def open_remote(
        *,
        url: str | None = None,
        key: str | None = None,
        batch_size: int = 10,
        patience: Patience = HASTY,
    ) -> RemoteEmbedder:
        address = normalise_endpoint(url or endpoint.url)
        secret = Secret(key) if key else None
        embedder = RemoteEmbedder(
            "test-model", address, secret, batch_size=batch_size, patience=patience
        )
        opened.append(embedder)
        return embedder

    yield open_remote
    for embedder in opened:
        embedder.close()
