"""How the client adapts, waits and gives up."""

import math
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from endpoint_server import (
    Behaviour,
    EndpointServer,
    Reply,
    Request,
    answer,
    at_most,
    in_base64,
    raw,
    refusing,
    reset,
    slowly,
    status,
    text_vector,
)

from ragkb.embeddings.inputs import weighted_mean
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.remote import RemoteEmbedder
from ragkb.errors import (
    BadAnswer,
    EndpointBusy,
    EndpointRefused,
    EndpointUnreachable,
    InvalidEndpoint,
    PartlyEmbedded,
)

OpenRemote = Callable[..., RemoteEmbedder]


def texts(count: int) -> list[str]:
    return [f"第 {number} 段 passage" for number in range(count)]


def assert_each_on_its_own(vectors: np.ndarray, passages: list[str]) -> None:
    np.testing.assert_allclose(vectors, [text_vector(text) for text in passages], atol=1e-6)


def test_nothing_to_embed_sends_nothing(endpoint: EndpointServer, remote: OpenRemote) -> None:
    assert len(remote().embed_passages([])) == 0
    assert endpoint.requests == []


def test_a_query_is_embedded(remote: OpenRemote) -> None:
    np.testing.assert_allclose(remote().embed_query("问题"), text_vector("问题"), atol=1e-6)


def test_base64_answers_are_understood(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(in_base64)
    assert_each_on_its_own(remote().embed_passages(texts(3)), texts(3))


def test_vectors_come_back_with_unit_length(endpoint: EndpointServer, remote: OpenRemote) -> None:
    huge = '{"data": [{"embedding": [3e300, 4e300]}, {"embedding": [3e-300, -4e-300]}]}'
    endpoint.always(raw(huge))
    np.testing.assert_allclose(
        remote().embed_passages(["a", "b"]), [[0.6, 0.8], [0.6, -0.8]], atol=1e-6
    )


def test_lone_surrogates_and_nul_do_not_stop_a_batch(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    assert remote().embed_passages(["a\ud800b\0c"]).shape == (1, 8)
    assert endpoint.batches == [["a\ufffdb\ufffdc"]]


@pytest.mark.parametrize("limit", [1, 7, 10, 25, 32, 64, 2048])
@pytest.mark.parametrize("words", ["Too many inputs in request, split into more batches.", ""])
def test_a_limit_that_is_not_named_is_found_in_log2_requests(
    endpoint: EndpointServer, remote: OpenRemote, limit: int, words: str
) -> None:
    endpoint.always(at_most(limit, words, 400 if words else 413))
    embedder = remote(batch_size=256)
    passages = texts(300)
    assert_each_on_its_own(embedder.embed_passages(passages), passages)
    refused = [batch for batch in endpoint.batches if len(batch) > limit]
    assert len(refused) <= math.log2(256)
    endpoint.requests.clear()
    embedder.embed_passages(passages)
    assert all(len(batch) <= limit for batch in endpoint.batches)


@pytest.mark.parametrize(
    "words",
    [
        "Too many tokens in batch. Max is 1000 got 17555",
        "The max allowed tokens per submitted batch is 1000. Your batch has 5000 tokens",
        "Request payload size exceeds the limit: 4194304 bytes.",
        "this is too long",
    ],
)
def test_a_limit_of_tokens_in_a_request_is_found_and_remembered(
    endpoint: EndpointServer, remote: OpenRemote, words: str
) -> None:
    def over(request: Request) -> bool:
        return sum(map(len, request.texts)) > 1000

    endpoint.always(refusing(over, words))
    embedder = remote(batch_size=32)
    passages = [f"{number:03} " + "字" * 96 for number in range(64)]
    assert_each_on_its_own(embedder.embed_passages(passages), passages)
    endpoint.requests.clear()
    embedder.embed_passages(passages)
    assert not any(over(request) for request in endpoint.requests)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("This model's maximum context length is 100 tokens, you requested 250", 400),
        ("`inputs` must have less than 100 tokens. Given: 250", 413),
        ("input is too large to process. increase the physical batch size", 500),
        ("", 413),
    ],
)
def test_a_text_too_long_for_the_model_becomes_the_mean_of_its_pieces(
    endpoint: EndpointServer, remote: OpenRemote, words: str, code: int
) -> None:
    endpoint.always(refusing(lambda r: any(len(t) > 100 for t in r.texts), words, code))
    first, second = "甲" * 89 + "。", "乙" * 59 + "。"
    vectors = remote().embed_passages(["short", first + second, "短"])
    whole = weighted_mean(np.stack([text_vector(first), text_vector(second)]), [90, 60])
    np.testing.assert_allclose(vectors[1], whole, atol=1e-6)
    assert_each_on_its_own(vectors[[0, 2]], ["short", "短"])


def test_a_query_too_long_for_the_model_is_cut_too(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    too_long = "the input length exceeds the context length"
    endpoint.always(refusing(lambda r: any(len(t) > 100 for t in r.texts), too_long))
    assert remote().embed_query("why " * 200).shape == (8,)


@pytest.mark.parametrize("bad", [{0}, {9}, {3, 4}, {0, 5, 24}])
@pytest.mark.parametrize("code", [400, 422])
def test_a_text_that_is_refused_fails_alone(
    endpoint: EndpointServer, remote: OpenRemote, bad: set[int], code: int
) -> None:
    passages = texts(25)
    poison = {passages[place] for place in bad}
    endpoint.always(refusing(lambda r: bool(poison & set(r.texts)), "invalid character", code))
    with pytest.raises(PartlyEmbedded) as caught:
        remote().embed_passages(passages)
    assert caught.value.vectors.keys() == set(range(25)) - bad


def test_a_server_error_that_blames_the_text_is_not_waited_for(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    words = "failed to encode response: json: unsupported value: NaN"
    endpoint.always(refusing(lambda r: "bad" in r.texts, words, 500))
    with pytest.raises(PartlyEmbedded) as caught:
        remote().embed_passages(["good", "bad"])
    assert caught.value.vectors.keys() == {0}
    assert endpoint.batches.count(["bad"]) == 1


def test_spent_quota_is_not_waited_for(endpoint: EndpointServer, remote: OpenRemote) -> None:
    body = '{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}'
    endpoint.always(raw(body, 429, "application/json"))
    with pytest.raises(EndpointRefused) as caught:
        remote().embed_passages(texts(1))
    assert caught.value.status == 429
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("bad", [reset, status(408), status(429), status(500), status(502)])
def test_what_may_pass_is_tried_again(
    endpoint: EndpointServer, remote: OpenRemote, bad: Behaviour
) -> None:
    endpoint.script(bad, bad)
    assert_each_on_its_own(remote().embed_passages(texts(3)), texts(3))
    assert len(endpoint.requests) == 3


def test_a_date_in_retry_after_counts_from_the_endpoints_own_clock(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    # In the past by our clock and by the Date header that the server adds: no wait at all.
    past = (datetime.now(UTC) - timedelta(hours=1)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    endpoint.script(status(503, retry_after=past))
    assert remote().embed_passages(texts(1)).shape == (1, 8)
    later = (datetime.now(UTC) + timedelta(hours=1)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    endpoint.script(status(503, retry_after=later))
    with pytest.raises(EndpointBusy):
        remote().embed_passages(texts(1))


def test_an_answer_that_drips_is_given_up_after_the_time_of_one_request(
    endpoint: EndpointServer, remote: OpenRemote, hasty: Patience
) -> None:
    endpoint.always(slowly(0.02, parts=200))  # each read succeeds, the whole takes 4 s
    with pytest.raises(EndpointUnreachable, match="no complete answer"):
        remote(patience=replace(hasty, request=0.1, batch=0.15)).embed_passages(texts(1))


def test_a_silent_endpoint_is_given_up(
    endpoint: EndpointServer, remote: OpenRemote, hasty: Patience
) -> None:
    endpoint.always(slowly(0.3))
    with pytest.raises(EndpointUnreachable, match="timed out"):
        remote(patience=replace(hasty, request=0.05, batch=0.1)).embed_passages(texts(1))


def test_an_answer_without_end_is_not_read(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(lambda _request: Reply(body=b" " * 2_000_000))
    with pytest.raises(BadAnswer, match="larger than 1,256,000 bytes"):
        remote().embed_passages(texts(1))


def test_nobody_listening_is_said_soon(remote: OpenRemote) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        embedder = remote(url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(EndpointUnreachable):
            embedder.embed_passages(texts(1))


def test_a_redirect_is_not_followed_with_the_key(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    target = f"{endpoint.url}/elsewhere"
    endpoint.script(lambda _request: Reply(301, b"", {"Location": target}))
    with pytest.raises(EndpointRefused, match="redirects to") as caught:
        remote(key="sk-abcdef").embed_passages(texts(1))
    assert caught.value.message_key == "EndpointRefused.address"
    assert len(endpoint.requests) == 1


def test_an_impossible_host_is_an_invalid_endpoint(remote: OpenRemote) -> None:
    for host in ("a..b", "a" * 64, "exa<mple", "一_二.com", "xn--a.com"):
        with pytest.raises(InvalidEndpoint):
            remote(url=f"http://{host}/v1")


def test_proxies_come_from_the_environment(
    endpoint: EndpointServer, remote: OpenRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", endpoint.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    remote(url="http://embedding.example/v1").embed_passages(texts(1))
    assert endpoint.requests[0].path == "http://embedding.example/v1/embeddings"


def test_this_machine_is_reached_past_a_proxy(
    remote: OpenRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert remote().embed_passages(texts(1)).shape == (1, 8)


def test_a_proxy_that_cannot_be_used_is_named(
    remote: OpenRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:7890")
    with pytest.raises(EndpointUnreachable, match="proxy set in the environment"):
        remote().embed_passages(texts(1))


def test_a_certificate_that_nobody_signed_is_refused_at_once(
    tmp_path: Path, remote: OpenRemote
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    server = EndpointServer(context)
    try:
        address = server.url.replace("http:", "https:")
        with pytest.raises(EndpointUnreachable, match=r"(?i)certificate"):
            remote(url=address).embed_passages(texts(1))
        assert server.requests == []
    finally:
        server.close()


def self_signed(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 in one file."""
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "server.pem"
    path.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    return path


def test_the_circuit_lets_one_request_try_after_its_rest(
    endpoint: EndpointServer, remote: OpenRemote, hasty: Patience
) -> None:
    embedder = remote(patience=replace(hasty, rest=0))
    endpoint.always(status(503))
    with pytest.raises(EndpointBusy):
        embedder.embed_passages(texts(1))
    endpoint.always(answer)
    assert_each_on_its_own(embedder.embed_passages(texts(1)), texts(1))


def test_a_wrong_key_is_sent_three_times_not_two_hundred(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(status(401, "invalid api key"))
    embedder = remote()
    for _ in range(200):
        with pytest.raises(EndpointRefused, match="invalid api key"):
            embedder.embed_passages(texts(1))
    assert len(endpoint.requests) == 3


def test_an_account_in_arrears_is_not_asked_text_by_text(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    embedder = remote()
    embedder.embed_passages(texts(10))
    endpoint.requests.clear()
    endpoint.always(status(400, "Access denied, please make sure your account is in good standing"))
    for _ in range(20):
        with pytest.raises(EndpointRefused, match="good standing"):
            embedder.embed_passages(texts(10))
    assert [len(batch) for batch in endpoint.batches] == [10, 1] * 3


def test_a_failed_query_does_not_stop_an_import(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    embedder = remote()
    endpoint.always(status(503))
    for _ in range(2):
        with pytest.raises(EndpointBusy):
            embedder.embed_query("问题")
    endpoint.always(answer)
    assert embedder.embed_passages(texts(1)).shape == (1, 8)


def test_requests_run_side_by_side(endpoint: EndpointServer, remote: OpenRemote) -> None:
    meeting = threading.Barrier(4, timeout=5)

    def meet(request: Request) -> Reply:
        meeting.wait()  # breaks, and the test fails, unless four requests are under way at once
        return answer(request)

    endpoint.script(answer, answer, answer)  # one lane, then two, then four
    endpoint.always(meet)
    passages = texts(70)
    assert_each_on_its_own(remote().embed_passages(passages), passages)


def test_two_threads_may_share_an_embedder(remote: OpenRemote) -> None:
    embedder = remote()
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for _ in range(5):
                passages = [f"{name} {number}" for number in range(35)]
                assert_each_on_its_own(embedder.embed_passages(passages), passages)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(name,)) for name in "甲乙丙"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.fixture(params=range(20 if os.environ.get("RAGKB_SOAK") else 3))
def weather(request: pytest.FixtureRequest, endpoint: EndpointServer) -> Counter[str]:
    """An endpoint that fails at three requests of ten; counts the texts it answered."""
    chance = random.Random(request.param)
    lock = threading.Lock()
    answered: Counter[str] = Counter()
    bad = (status(429, retry_after="0.01"), status(500), status(503), reset, slowly(0.02, 3))

    def behave(arrived: Request) -> Reply:
        with lock:
            choice = chance.choice(bad) if chance.random() < 0.3 else answer
            reply = choice(arrived)
            if reply.status == 200 and not reply.cut:
                answered.update(arrived.texts)
        return reply

    endpoint.always(behave)
    return answered


def test_500_chunks_come_through_bad_weather_each_on_its_own(
    remote: OpenRemote, hasty: Patience, weather: Counter[str]
) -> None:
    embedder = remote(patience=replace(hasty, batch=20))
    passages = texts(500)
    for start in range(0, 500, embedder.batch_size):
        some = passages[start : start + embedder.batch_size]
        assert_each_on_its_own(embedder.embed_passages(some), some)
    assert weather == Counter(passages)  # each answered once: nothing that succeeded was repeated


@pytest.mark.skipif(sys.platform == "win32", reason="a process group gets Ctrl-C differently there")
def test_ctrl_c_ends_an_import_that_is_waiting_to_try_again(endpoint: EndpointServer) -> None:
    arrived = threading.Event()

    def busy(request: Request) -> Reply:
        arrived.set()
        return status(503, retry_after="50")(request)

    endpoint.always(busy)
    code = (
        "import sys; from ragkb.embeddings import open_embedder;"
        "open_embedder('m', endpoint=sys.argv[1], api_key=None).embed_passages(['a'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, endpoint.url], stderr=subprocess.DEVNULL
    ) as child:
        assert arrived.wait(30)
        child.send_signal(signal.SIGINT)
        assert child.wait(20) != 0  # far sooner than the 50 seconds that it was told to wait
    assert len(endpoint.requests) == 1
