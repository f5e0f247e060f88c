"""The address that is POSTed to, from whatever spelling of it people paste."""

import re
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from ragkb.errors import InvalidEndpoint

_SECRET_NAME = re.compile(r"key|token|secret|passw|signature|auth", re.IGNORECASE)


def normalise_endpoint(endpoint: str) -> str:
    """Return the URL of the `embeddings` resource.

    A bare host gets `/v1/embeddings`; a path gets `/embeddings` unless it ends in it. A query is
    kept (some gateways want `?api-version=...`). Raises InvalidEndpoint for what is no http(s)
    address and for one that carries a password or a key, which would be stored and shown.
    """
    address = endpoint.strip()
    parts = _split(address)
    if "@" in parts.netloc or any(_SECRET_NAME.search(name) for name, _ in parse_qsl(parts.query)):
        raise InvalidEndpoint(_without_secrets(parts), carries_key=True)
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/") or "/v1"
    if not path.endswith("/embeddings"):
        path += "/embeddings"
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, parts.query, ""))


def _split(address: str) -> SplitResult:
    """Take an http(s) address with a host apart, or refuse it."""
    try:
        parts = urlsplit(address)
        _ = parts.port, (parts.hostname or "").encode("idna")  # what is wrong shows only here
    except ValueError:
        raise InvalidEndpoint(address) from None
    host = re.fullmatch(r"[\w.:-]+", parts.hostname or "")
    if parts.scheme not in ("http", "https") or not host or not address.isprintable():
        raise InvalidEndpoint(_without_secrets(parts) if "@" in parts.netloc else address)
    return parts


def _without_secrets(parts: SplitResult) -> str:
    """The address as it may be shown."""
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
