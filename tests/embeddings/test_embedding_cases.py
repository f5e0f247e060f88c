"""What real providers do, over real HTTP; the names begin with the ids of the known cases."""

import logging
import time
from collections.abc import Callable

import numpy as np
import pytest
from endpoint_server import (
    Behaviour,
    EndpointServer,
    Reply,
    Request,
    answer,
    answer_of,
    at_most,
    data,
    items,
    json_reply,
    raw,
    refusing,
    status,
    text_vector,
)

from ragkb.embeddings import normalise_endpoint, open_embedder
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.remote import RemoteEmbedder
from ragkb.errors import (
    BadAnswer,
    EndpointBusy,
    EndpointRefused,
    InvalidEndpoint,
    PartlyEmbedded,
    WrongDimension,
)

OpenRemote = Callable[..., RemoteEmbedder]
FOUR = ["第一段", "second", "第三段", "fourth"]


def texts(count: int) -> list[str]:
    return [f"第 {number} 段 passage" for number in range(count)]


def expected(passages: list[str]) -> np.ndarray:
    return np.stack([text_vector(passage) for passage in passages])


def edited(edit: Callable[[list[dict[str, object]]], list[dict[str, object]]]) -> Behaviour:
    """The right answer after a change to its items."""
    return lambda request: data(edit(items(request.texts)))


@pytest.mark.parametrize("value", [float("nan"), None, float("inf"), 1e999, -float("inf")])
def test_nan_vector_fails_its_own_text_only(
    endpoint: EndpointServer, remote: OpenRemote, value: float | None
) -> None:
    def spoil(right: list[dict[str, object]]) -> list[dict[str, object]]:
        return [right[0], {**right[1], "embedding": [value, *[0.5] * 7]}, right[2]]

    endpoint.always(edited(spoil))
    with pytest.raises(PartlyEmbedded) as caught:
        remote().embed_passages(FOUR[:3])
    assert caught.value.vectors.keys() == {0, 2}
    np.testing.assert_allclose(caught.value.vectors[2], text_vector(FOUR[2]), atol=1e-6)
    assert isinstance(caught.value.reason, BadAnswer)
    assert "vector 1 holds NaN" in str(caught.value)
    assert "1 of 3 texts" in str(caught.value)


def test_nan_vector_of_zeros_is_no_vector(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(edited(lambda right: [{**right[0], "embedding": [0.0] * 8}]))
    with pytest.raises(BadAnswer, match="vector 0 is all zeros"):
        remote().embed_passages(["一"])


def test_dim_changes_names_both_dimensions(endpoint: EndpointServer, remote: OpenRemote) -> None:
    embedder = remote()
    embedder.embed_passages(FOUR)
    endpoint.always(answer_of(16))
    with pytest.raises(WrongDimension) as caught:
        embedder.embed_passages(FOUR)
    assert (caught.value.expected, caught.value.got) == (8, 16)
    assert caught.value.model == "test-model"


def test_dim_changes_within_one_answer(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(lambda _r: data([*items(["a"], 8), {**items(["b"], 16)[0], "index": 1}]))
    with pytest.raises(BadAnswer, match="8 and 16 dimensions"):
        remote().embed_passages(["a", "b"])


def test_emb_order_follows_the_index(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(edited(lambda right: right[::-1]))
    np.testing.assert_allclose(remote().embed_passages(FOUR), expected(FOUR), atol=1e-6)


def test_emb_short_says_how_many_came(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(edited(lambda right: right[:3]))
    with pytest.raises(BadAnswer, match="expected 4 vectors, got 3"):
        remote().embed_passages(FOUR)
    assert len(endpoint.requests) == 1


def test_emb_gap_is_refused(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(edited(lambda right: [right[0], right[1], right[3]]))
    with pytest.raises(BadAnswer, match="expected 4 vectors, got 3"):
        remote().embed_passages(FOUR)


def test_emb_gap_with_the_right_count_is_refused(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(edited(lambda right: [*right[:3], {**right[3], "index": 4}]))
    with pytest.raises(BadAnswer, match="indexes 0, 1, 2, 4 instead of 0 to 3"):
        remote().embed_passages(FOUR)


def test_emb_dupidx_is_refused(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.always(edited(lambda right: [{**item, "index": 0} for item in right]))
    with pytest.raises(BadAnswer, match="indexes 0, 0, 0, 0 instead of 0 to 3"):
        remote().embed_passages(FOUR)


def test_emb_dupidx_without_any_index_the_order_counts(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(edited(lambda right: [{"embedding": item["embedding"]} for item in right]))
    np.testing.assert_allclose(remote().embed_passages(FOUR), expected(FOUR), atol=1e-6)


def test_emb_batch10_is_never_exceeded_by_default(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(at_most(10))
    np.testing.assert_allclose(remote().embed_passages(texts(25)), expected(texts(25)), atol=1e-6)
    assert sorted(len(batch) for batch in endpoint.batches) == [5, 10, 10]


SILICONFLOW = "input batch size 136 > maximum allowed batch size 64"


@pytest.mark.parametrize("code", [400, 413, 422])
def test_emb_batch64_takes_the_named_limit(
    endpoint: EndpointServer, remote: OpenRemote, code: int
) -> None:
    endpoint.always(at_most(64, SILICONFLOW, code))
    embedder = remote(batch_size=136)
    assert embedder.embed_passages(texts(136)).shape == (136, 8)
    assert sorted(len(batch) for batch in endpoint.batches) == [8, 64, 64, 136]
    endpoint.requests.clear()
    embedder.embed_passages(texts(136))
    assert sorted(len(batch) for batch in endpoint.batches) == [8, 64, 64]


def test_emb_empty_is_never_sent(endpoint: EndpointServer, remote: OpenRemote) -> None:
    with pytest.raises(ValueError, match="text 1 is blank"):
        remote().embed_passages(["标题", "\n", "text"])
    with pytest.raises(ValueError, match="blank"):
        remote().embed_query(" 　")
    assert endpoint.requests == []


def test_emb_429_retry_after_is_waited_for(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.script(status(429, retry_after="1"), status(429, retry_after="0"))
    begin = time.monotonic()
    vectors = remote(patience=Patience(first_wait=0.001)).embed_passages(FOUR[:3])
    assert time.monotonic() - begin >= 1
    np.testing.assert_allclose(vectors, expected(FOUR[:3]), atol=1e-6)
    assert len(endpoint.requests) == 3


def test_emb_429_forever_ends_and_the_next_files_fail_at_once(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(status(429))
    embedder = remote()
    with pytest.raises(EndpointBusy) as caught:
        embedder.embed_passages(FOUR)
    assert caught.value.status == 429
    sent = len(endpoint.requests)
    assert sent > 3
    for _ in range(200):
        with pytest.raises(EndpointBusy):
            embedder.embed_passages(FOUR)
    assert len(endpoint.requests) == sent


def test_emb_429_forever_with_a_long_retry_after_is_not_waited_for(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    endpoint.always(status(429, retry_after="3600"))
    with pytest.raises(EndpointBusy):
        remote().embed_passages(FOUR)
    assert len(endpoint.requests) == 1


def test_emb_500_503_is_tried_again(endpoint: EndpointServer, remote: OpenRemote) -> None:
    endpoint.script(status(500), status(503))
    np.testing.assert_allclose(remote().embed_passages(FOUR), expected(FOUR), atol=1e-6)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("<!DOCTYPE html><html><title>Log in</title></html>", "HTML page, not JSON"),
        ("\n <html></html>", "HTML page, not JSON"),
        ("", "empty"),
        ("ok", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an object"),
        ('{"result": []}', "no list `data`"),
        ('{"error": {"message": "quota of sk-abcdef12 exceeded"}}', r"quota of \*\*\* exceeded"),
        ('{"data": [{"index": 0}]}', "without an embedding"),
        ('{"data": [{"index": 0, "embedding": []}]}', "without numbers"),
        ('{"data": [{"index": 0, "embedding": ["1", "2"]}]}', "other things than numbers"),
        ('{"data": [{"index": 0, "embedding": "%%%"}]}', "neither numbers nor base64"),
    ],
)
def test_emb_html_200_is_named_and_not_tried_again(
    endpoint: EndpointServer, remote: OpenRemote, body: str, named: str
) -> None:
    endpoint.always(raw(body))
    with pytest.raises(BadAnswer, match=named):
        remote().embed_passages(["一"])
    assert len(endpoint.requests) == 1


def test_emb_partial_batch_keeps_what_was_done(
    endpoint: EndpointServer, remote: OpenRemote
) -> None:
    passages = texts(25)
    bad = "the model cannot read this"
    endpoint.always(refusing(lambda request: passages[13] in request.texts, bad))
    with pytest.raises(PartlyEmbedded) as caught:
        remote().embed_passages(passages)
    assert caught.value.vectors.keys() == set(range(25)) - {13}
    assert all(
        np.allclose(vector, text_vector(passages[place]), atol=1e-6)
        for place, vector in caught.value.vectors.items()
    )
    assert caught.value.reason.values()["reason"] == bad


@pytest.mark.parametrize(
    ("pasted", "path"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),  # emb_url_slash
        ("/v1", "/v1/embeddings"),  # emb_url_v1
        ("/v1/embeddings", "/v1/embeddings"),
        ("/v1/embeddings/", "/v1/embeddings"),
        ("/compatible-mode/v1", "/compatible-mode/v1/embeddings"),  # emb_url_deep
        ("/api//v3", "/api/v3/embeddings"),
        ("/openai/x?api-version=1", "/openai/x/embeddings?api-version=1"),
    ],
)
def test_emb_url_slash_v1_deep_are_understood(
    endpoint: EndpointServer, remote: OpenRemote, pasted: str, path: str
) -> None:
    remote(url=f" {endpoint.url}{pasted} ").embed_passages(["一"])
    assert [request.path for request in endpoint.requests] == [path]


@pytest.mark.parametrize(
    "bad", ["ftp://x", "not a url", "", "http://", "http://h:port/v1", "http://a b/v1", "h/v1"]
)
def test_emb_url_bad_is_refused(bad: str) -> None:
    with pytest.raises(InvalidEndpoint) as caught:
        normalise_endpoint(bad)
    assert caught.value.message_key == "InvalidEndpoint"


@pytest.mark.parametrize(
    "secret", ["https://user:hunter2@h/v1", "https://h/v1?api-key=hunter2", "ftp://u:hunter2@h/"]
)
def test_emb_url_bad_never_shows_what_it_carried(secret: str) -> None:
    with pytest.raises(InvalidEndpoint) as caught:
        normalise_endpoint(secret)
    assert "hunter2" not in f"{caught.value} {caught.value!r}"


def test_emb_key_leak_is_masked_everywhere(
    endpoint: EndpointServer, remote: OpenRemote, caplog: pytest.LogCaptureFixture
) -> None:
    def echo(request: Request) -> Reply:
        header = request.headers["Authorization"]
        words = f"bad header Authorization: {header} ({header[-7:]}SECRET123)"
        return json_reply({"error": {"message": words}}, 401, **{"X-Echo": header})

    endpoint.always(echo)
    key = "sk-SECRET123"
    with caplog.at_level(logging.DEBUG):
        embedder = remote(key=key)
        with pytest.raises(EndpointRefused) as caught:
            embedder.embed_passages(["一"])
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {key}"
    assert caught.value.status == 401
    assert caught.value.message_key == "EndpointRefused.key"
    assert "bad header" in caught.value.reason
    shown = [str(caught.value), repr(caught.value), caplog.text, repr(vars(embedder))]
    shown += [caught.value.text("both"), repr(caught.value.__context__)]
    assert not [text for text in shown if key in text]


def test_emb_key_leak_a_key_of_no_header_is_named_not_shown() -> None:
    from ragkb.errors import BadSetting
    from ragkb.secret import Secret

    with pytest.raises(BadSetting) as caught:
        open_embedder("m", endpoint="http://h", api_key=Secret("sk-密钥"))
    assert "密钥" not in str(caught.value)


def test_emb_key_leak_a_pasted_line_end_is_no_part_of_the_key(endpoint: EndpointServer) -> None:
    from ragkb.secret import Secret

    embedder = open_embedder("m", endpoint=endpoint.url, api_key=Secret("sk-abc\r\n"))
    embedder.embed_passages(["一"])
    embedder.close()
    assert endpoint.requests[0].headers["Authorization"] == "Bearer sk-abc"
    assert endpoint.requests[0].model == "m"


@pytest.mark.parametrize("code", [400, 401, 403, 404])
def test_a_status_that_waiting_does_not_change_is_not_tried_again(
    endpoint: EndpointServer, remote: OpenRemote, code: int
) -> None:
    endpoint.always(status(code, "模型不存在"))
    with pytest.raises(EndpointRefused) as caught:
        remote().embed_passages(FOUR)
    assert (caught.value.status, caught.value.reason) == (code, "模型不存在")
    # A 400 may be about these texts: a harmless one is tried to tell.
    assert [len(batch) for batch in endpoint.batches] == ([4, 1] if code == 400 else [4])


def test_the_script_of_the_endpoint_ends_in_right_answers(endpoint: EndpointServer) -> None:
    endpoint.script(status(500))
    request = Request("/", {}, "m", ["一"])
    assert endpoint.next_reply(request).status == 500
    assert endpoint.next_reply(request) == answer(request)
