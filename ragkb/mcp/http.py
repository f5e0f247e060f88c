"""Streamable HTTP: who may connect, by which names the server is called, and its socket."""

import hmac
import ipaddress
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from ragkb.errors import AddressInUse, TokenNeeded

PATH = "/mcp"
MOST_BYTES = 4 * 1024 * 1024  # of one request
LINGER = 1  # seconds that open streams have to end
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
IN_CONTAINERS = "host.docker.internal"  # the name by which a container calls its host


class Listener:
    """A bound socket and what is served on it."""

    def __init__(self, host: str, port: int, token: str | None) -> None:
        if not is_loopback(host) and not token:
            raise TokenNeeded(host)
        self._host = host
        self._socket = bound(host, port)
        self._port: int = self._socket.getsockname()[1]
        self._running: uvicorn.Server | None = None

    @property
    def url(self) -> str:
        """The address that clients use."""
        return f"http://{in_url(self._host)}:{self._port}{PATH}"

    async def serve(self, server: MCPServer[Any]) -> None:
        """Answer requests until `stop`."""
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=MOST_BYTES,
            transport_security=known_names(self._host, self._port),
        )
        config = uvicorn.Config(
            app, log_config=None, access_log=False, timeout_graceful_shutdown=LINGER
        )
        self._running = _Server(config)
        await self._running.serve(sockets=[self._socket])

    def close(self) -> None:
        """Give the address back."""
        self._socket.close()

    def stop(self) -> None:
        """End `serve`."""
        if self._running:
            self._running.should_exit = True


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals to the process, which closes the database too."""
        yield


class OneToken:
    """Admits the clients that know the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Compare in constant time."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="token", scopes=[])


def authorisation(url: str, token: str | None) -> dict[str, Any]:
    """MCPServer's options for a token; without one, none."""
    if not token:
        return {}
    # no resource address: clients would begin an OAuth flow that does not exist
    settings = AuthSettings(issuer_url=AnyHttpUrl(url), resource_server_url=None)
    return {"token_verifier": OneToken(token), "auth": settings}


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def known_names(host: str, port: int) -> TransportSecuritySettings:
    """The Host and Origin headers that are accepted: a web page's own name is none of them."""
    names = {*LOOPBACK, in_url(host)}
    if not is_loopback(host):
        names |= {IN_CONTAINERS, socket.gethostname(), socket.getfqdn(), *own_addresses()}
    hosts = sorted(f"{name}:{port}" for name in names)
    origins = [f"{scheme}://{each}" for each in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def own_addresses() -> set[str]:
    """The addresses of this machine, as they stand in a URL."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return set()
    return {in_url(str(entry[4][0])) for entry in found}


def in_url(host: str) -> str:
    """A host as it stands in a URL: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


def bound(host: str, port: int) -> socket.socket:
    """A socket on that address; AddressInUse when it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two programs have the same port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # clients may connect as soon as the address is announced
    except OSError as error:
        listening.close()
        raise AddressInUse(f"{in_url(host)}:{port}", error.strerror or str(error)) from error
    return listening
