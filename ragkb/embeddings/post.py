"""One POST to an embeddings endpoint: sent, tried again while that may help, its answer checked."""

from __future__ import annotations

import json
import logging
import ssl
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache
from threading import Event
from typing import NoReturn

import httpx

from ragkb.embeddings.answer import Answer, UnusableAnswer, read_answer
from ragkb.embeddings.lanes import Lanes
from ragkb.embeddings.patience import Patience, TryAgain, retrying, seconds_of
from ragkb.embeddings.refusal import WORDS_SHOWN, Refusal, blames_text, masked, read_refusal
from ragkb.errors import (
    BadAnswer,
    EndpointBusy,
    EndpointRefused,
    EndpointUnreachable,
    InvalidEndpoint,
)
from ragkb.secret import Secret

_UNFIT = (400, 413, 422)
_PASSING = (408, 425, 429)
_THIS_MACHINE = ("all://localhost", "all://127.0.0.1", "all://[::1]")


class Refused(Exception):
    """The endpoint refused this very request; less text, or other text, may be accepted."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.words)
        self.refusal = refusal


class _Bearer(httpx.Auth):
    """Puts the key into the one header that carries it, at the last moment."""

    def __init__(self, key: Secret) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        yield request


class EmbeddingsResource:
    """The endpoint's `embeddings` resource for one model, over one pool of connections.

    TLS is verified. Proxies come from the environment, except for this machine's own addresses: a
    proxy could not reach them. Redirects are not followed, for they would carry the key along.
    """

    def __init__(
        self, url: str, model: str, key: Secret | None, patience: Patience, lanes: Lanes
    ) -> None:
        self.url = _checked(url)
        self._model = model
        self._key = key
        self._patience = patience
        self._lanes = lanes
        self._client: httpx.Client | None = None
        self._opening = threading.Lock()

    def close(self) -> None:
        """Close all connections."""
        if self._client:
            self._client.close()

    def post(self, texts: Sequence[str], seconds: float, cancelled: Event) -> Answer:
        """Return the answer for these texts within about so many seconds, retries included.

        Raises Refused when fewer or other texts may fare better, else EmbeddingFailed.
        """
        request = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        body = json.dumps(request, ensure_ascii=False).encode()
        retries = retrying(self._patience, cancelled)
        try:
            return retries(self._attempt, body, len(texts), seconds, cancelled)
        except TryAgain as failure:
            if failure.status:
                waited = round(failure.within)
                raise EndpointBusy(self.url, failure.status, waited) from None
            raise EndpointUnreachable(self.url, failure.reason) from None

    def _attempt(self, body: bytes, texts: int, seconds: float, cancelled: Event) -> Answer:
        if cancelled.is_set():
            raise CancelledError
        with self._errors_mapped(seconds):
            response, content = self._exchange(body, texts, min(self._patience.request, seconds))
        if not response.is_success:
            self._refuse(response, content, texts, seconds)
        try:
            return read_answer(content, texts)
        except UnusableAnswer as unusable:
            raise BadAnswer(self.url, self._shown(str(unusable))) from None

    def _exchange(self, body: bytes, texts: int, seconds: float) -> tuple[httpx.Response, bytes]:
        """Send once. The deadline holds for the whole answer, however slowly it drips."""
        deadline = time.monotonic() + seconds
        timeout = httpx.Timeout(seconds, connect=min(self._patience.connect, seconds))
        most = 1_000_000 + 256_000 * texts
        client = self._opened()
        with client.stream("POST", self.url, content=body, timeout=timeout) as response:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if len(content) > most:
                    raise BadAnswer(self.url, f"it is larger than {most:,} bytes")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout(f"no complete answer within {seconds:g} s")
        return response, bytes(content)

    def _refuse(
        self, response: httpx.Response, body: bytes, texts: int, seconds: float
    ) -> NoReturn:
        """Raise what an error status means: wait, send something else, or give up."""
        status, headers = response.status_code, response.headers
        if response.is_redirect:
            target = self._shown(headers["location"])
            raise EndpointRefused(self.url, status, f"it redirects to {target}")
        refusal = read_refusal(status, body, texts, self._key)
        if status in _UNFIT or (status >= 500 and blames_text(body)):
            raise Refused(refusal)
        if (status in _PASSING or status >= 500) and b"insufficient_quota" not in body:
            if status == 429:
                self._lanes.narrow()
            after = seconds_of(headers.get("retry-after", ""), headers.get("date", ""))
            raise TryAgain(refusal.words, status=status, after=after, within=seconds)
        raise EndpointRefused(self.url, status, refusal.words)

    @contextmanager
    def _errors_mapped(self, seconds: float) -> Generator[None]:
        """Turn httpx's exceptions, which hold the request and its headers, into ours."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            reason = self._shown(str(error) or type(error).__name__)
            if _is_tls(error):
                raise EndpointUnreachable(self.url, reason) from None
            raise TryAgain(reason, within=min(seconds, self._patience.unreachable)) from None
        except httpx.TransportError as error:
            reason = self._shown(str(error) or type(error).__name__)
            raise TryAgain(reason, within=seconds) from None
        except httpx.DecodingError:
            raise BadAnswer(self.url, "it cannot be decompressed") from None

    def _opened(self) -> httpx.Client:
        with self._opening:
            if not self._client:
                self._client = self._open()
            return self._client

    def _open(self) -> httpx.Client:
        # httpcore's debug lines show the headers of answers, and an endpoint may echo ours.
        logging.getLogger("httpcore").setLevel(logging.INFO)
        try:
            return httpx.Client(
                auth=_Bearer(self._key) if self._key else None,
                headers={"Content-Type": "application/json", "Accept": "application/json"},
                mounts=dict.fromkeys(_THIS_MACHINE),
                follow_redirects=False,
                verify=_tls_context(),
            )
        except (ImportError, ValueError) as error:  # a proxy of a kind that httpx cannot use
            reason = f"the proxy set in the environment: {self._shown(str(error))}"
            raise EndpointUnreachable(self.url, reason) from None

    def _shown(self, text: str) -> str:
        return masked(text, self._key)[:WORDS_SHOWN]


@cache
def _tls_context() -> ssl.SSLContext:
    """Reading all root certificates takes 20 to 50 ms: once for all endpoints."""
    return httpx.create_ssl_context()


def _checked(url: str) -> str:
    """Refuse host names that cannot be looked up."""
    try:
        _ = httpx.URL(url).host
    except (httpx.InvalidURL, UnicodeError):
        raise InvalidEndpoint(url) from None
    return url


def _is_tls(error: BaseException | None) -> bool:
    """Whether a TLS failure, which does not pass, is behind a connection error."""
    while error:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
