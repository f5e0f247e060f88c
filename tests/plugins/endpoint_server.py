"""An embeddings endpoint on 127.0.0.1 that can misbehave in the ways real ones do.

    endpoint.script(status(429, retry_after="1"), reset, answer)   # for the next three requests
    endpoint.always(at_most(10))                                   # for all others

Each behaviour is a function from the Request to a Reply. A text's vector depends on the text only
(`text_vector`), so that a test can tell whether a vector sits on its own text.
"""

import base64
import hashlib
import json
import socket
import ssl
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from ragkb.embeddings.embedder import Vector


@dataclass(frozen=True)
class Request:
    """What came in."""

    path: str
    headers: dict[str, str]
    model: str
    texts: list[str]


@dataclass(frozen=True)
class Reply:
    """What goes out; `seconds` passes between the parts of the body, `cut` ends without one."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    parts: int = 1
    seconds: float = 0
    cut: bool = False


Behaviour = Callable[[Request], Reply]


def text_vector(text: str, dimension: int = 8) -> Vector:
    """The vector that the endpoint gives for a text: from its hash, unit length."""
    digest = hashlib.shake_256(text.encode("utf-8", "replace")).digest(dimension)
    values = np.frombuffer(digest, np.uint8).astype(np.float64) - 127.5
    return (values / np.linalg.norm(values)).astype(np.float32)


def json_reply(content: object, status: int = 200, **headers: str) -> Reply:
    """Any JSON; NaN is written as such."""
    return Reply(
        status, json.dumps(content).encode(), {"Content-Type": "application/json", **headers}
    )


def items(texts: Sequence[str], dimension: int = 8) -> list[dict[str, Any]]:
    """The members of `data` in a right answer."""
    return [
        {"object": "embedding", "index": index, "embedding": text_vector(text, dimension).tolist()}
        for index, text in enumerate(texts)
    ]


def data(content: Sequence[object]) -> Reply:
    """An answer with these members of `data`."""
    return json_reply({"object": "list", "data": list(content)})


def answer(request: Request) -> Reply:
    """The right answer, of 8 dimensions."""
    return data(items(request.texts))


def answer_of(dimension: int) -> Behaviour:
    """The right answer of another dimension."""
    return lambda request: data(items(request.texts, dimension))


def in_base64(request: Request) -> Reply:
    """What an endpoint answers that ignores `encoding_format`."""
    texts = enumerate(request.texts)
    encoded = [
        {"index": index, "embedding": base64.b64encode(text_vector(text).tobytes()).decode()}
        for index, text in texts
    ]
    return data(encoded)


def status(code: int, words: str = "busy", *, retry_after: str = "") -> Behaviour:
    """An error in OpenAI's form."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    return lambda _request: json_reply({"error": {"message": words}}, code, **headers)


def raw(body: str, code: int = 200, content_type: str = "text/html") -> Behaviour:
    """Any text."""
    return lambda _request: Reply(code, body.encode(), {"Content-Type": content_type})


def reset(_request: Request) -> Reply:
    """The connection breaks instead of an answer."""
    return Reply(cut=True)


def slowly(seconds: float, parts: int = 1) -> Behaviour:
    """The right answer in parts, each after so many seconds."""

    def behave(request: Request) -> Reply:
        right = answer(request)
        return Reply(right.status, right.body, right.headers, parts=parts, seconds=seconds)

    return behave


def refusing(
    applies: Callable[[Request], bool], words: str, code: int = 400, otherwise: Behaviour = answer
) -> Behaviour:
    """Refuses the requests that a predicate picks out."""
    refusal = status(code, words)
    return lambda request: refusal(request) if applies(request) else otherwise(request)


def at_most(limit: int, words: str | None = None, code: int = 400) -> Behaviour:
    """Takes so many texts at once, and says so like DashScope unless told other words."""
    said = words or f"batch size is invalid, it should not be larger than {limit}."
    return refusing(lambda request: len(request.texts) > limit, said, code)


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that break off are part of the tests."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]


class EndpointServer:
    """The endpoint: `url` is its base address, `requests` what came in, in order."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self._script: deque[Behaviour] = deque()
        self._always: Behaviour = answer
        self._lock = threading.Lock()
        self.server = _QuietServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base address, without `/v1`."""
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def batches(self) -> list[list[str]]:
        """The texts of each request."""
        return [request.texts for request in self.requests]

    def script(self, *behaviours: Behaviour) -> None:
        """What to do at the next requests, in order."""
        self._script.extend(behaviours)

    def always(self, behaviour: Behaviour) -> None:
        """What to do when the script has ended."""
        self._always = behaviour

    def close(self) -> None:
        """Stop listening."""
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def next_reply(self, request: Request) -> Reply:
        """Record a request and choose the reply."""
        with self._lock:
            self.requests.append(request)
            behaviour = self._script.popleft() if self._script else self._always
        return behaviour(request)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or each answer waits for an acknowledgement

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                content = json.loads(body)
                headers = dict(self.headers.items())
                request = Request(self.path, headers, content["model"], content["input"])
                send(self, endpoint.next_reply(request))

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # as inherited
                """Print nothing."""

        return Handler


def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    """Write a reply; a client that has left is no error."""
    if reply.cut:
        # With linger 0 the client sees a reset, not an orderly end.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        handler.connection.close()
        return
    try:
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        size = -(-len(reply.body) // reply.parts) or 1
        for start in range(0, len(reply.body), size):
            time.sleep(reply.seconds)
            handler.wfile.write(reply.body[start : start + size])
    except OSError:
        handler.close_connection = True


@pytest.fixture
def endpoint() -> Iterator[EndpointServer]:
    """A healthy endpoint, to be scripted."""
    server = EndpointServer()
    yield server
    server.close()
