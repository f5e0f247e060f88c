"""Vectors for texts: a local model that needs nothing, or an OpenAI-compatible endpoint.

Importing this package is cheap: numpy, httpx and the models load when an embedder is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragkb.embeddings.endpoint import normalise_endpoint
from ragkb.errors import BadSetting, MissingEndpoint
from ragkb.secret import Secret

if TYPE_CHECKING:
    from ragkb.embeddings.embedder import Embedder

__all__ = ["BUILTIN_MODEL", "BUILTIN_PREFIX", "normalise_endpoint", "open_embedder"]

BUILTIN_PREFIX = "builtin:"
BUILTIN_MODEL = "builtin:use-m3"


def open_embedder(
    model: str, *, endpoint: str | None, api_key: Secret | None, batch_size: int = 10
) -> Embedder:
    """Return the embedder of that name: a `builtin:` one, else one that asks `endpoint`.

    Nothing is loaded or sent yet. `batch_size` bounds the texts of one request; built-in models
    have their own. Keep the embedder for as long as its base is used: it remembers the endpoint's
    limits and failures. Raises ModelUnavailable, MissingEndpoint, InvalidEndpoint, and BadSetting
    for a key that no HTTP header can carry.
    """
    if model.startswith(BUILTIN_PREFIX):
        from ragkb.embeddings.builtin import BuiltinEmbedder

        return BuiltinEmbedder(model)
    if not endpoint:
        raise MissingEndpoint(model)
    from ragkb.embeddings.remote import RemoteEmbedder

    key = _checked(api_key) if api_key else None
    return RemoteEmbedder(model, normalise_endpoint(endpoint), key, batch_size=batch_size)


def _checked(api_key: Secret) -> Secret | None:
    """Drop the line end of a pasted key; an empty key is none."""
    key = api_key.reveal().strip()
    if not key.isascii() or not key.isprintable():
        raise BadSetting("embedding_api_key", str(api_key), "printable ASCII characters only")
    return Secret(key) if key else None
