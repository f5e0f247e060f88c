"""Understanding what providers write when they refuse, and showing it without secrets."""

import json

import pytest

from ragkb.embeddings.refusal import Kind, masked, read_refusal
from ragkb.secret import Secret

MANY, MUCH, LONG = Kind.TOO_MANY_TEXTS, Kind.TOO_MUCH_TEXT, Kind.TEXT_TOO_LONG


@pytest.mark.parametrize(
    ("words", "kind", "limit"),
    [
        ("Value error, batch size is invalid, it should not be larger than 10.", MANY, 10),
        ("input batch size 136 > maximum allowed batch size 64", MANY, 64),
        ("batch size 136 > maximum allowed batch size 32", MANY, 32),
        ("Too many inputs in request, split into more batches.", MANY, None),
        ("invalid request: total number of texts must be at most 96 - received 136", MANY, 96),
        ("* BatchEmbedContents: at most 100 requests can be in one batch", MANY, 100),
        ("List should have at most 8 items after validation, not 136", MANY, 8),
        ("Expected an array with maximum length 128, but got an array of 136", MANY, 128),
        ("input length is larger than the largest allowed size 128", MANY, 128),
        ("input数组最大不得超过64条", MANY, 64),
        ("Too many tokens in batch. Max is 16384 got 17555", MUCH, None),
        ("Too many tokens overall, split into more batches.", MUCH, None),
        ("The max allowed tokens per submitted batch is 120000.", MUCH, None),
        ("Requested 300001 tokens, max 300000 tokens per request", MUCH, None),
        ("Request payload size exceeds the limit: 4194304 bytes.", MUCH, None),
        ("This model's maximum context length is 8192 tokens", LONG, None),
        ("`inputs` must have less than 512 tokens. Given: 600", LONG, None),
        (
            "input (992 tokens) is too large to process. increase the physical batch size",
            LONG,
            None,
        ),
        ("the input length exceeds the context length", LONG, None),
        ("Range of input length should be [1, 8192]", LONG, None),
        ("输入内容过长", LONG, None),
        ("model not found", Kind.OTHER, None),
        ("invalid parameter: model", Kind.OTHER, None),
    ],
)
def test_the_words_of_providers_are_understood(words: str, kind: Kind, limit: int | None) -> None:
    body = json.dumps({"error": {"message": words}}).encode()
    refusal = read_refusal(400, body, 136, None)
    assert (refusal.kind, refusal.limit) == (kind, limit)


def test_a_413_without_words_is_about_size() -> None:
    assert read_refusal(413, b"", 5, None).kind is Kind.TOO_LARGE


def test_a_limit_that_the_request_keeps_is_not_believed() -> None:
    body = b"batch size must not be larger than 64"
    assert read_refusal(400, body, 64, None).limit is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "a"}}', "a"),
        ('{"error": "b"}', "b"),
        ('{"code": 20042, "message": "c", "data": null}', "c"),
        ('{"detail": [{"msg": "d", "loc": ["body"]}]}', "d"),
        ('{"detail": "e"}', "e"),
        ('{"error_code": 336003, "error_msg": "f"}', "f"),
        ("plain\n words", "plain words"),
        ("", "no explanation"),
        ("<html><body>502</body></html>", "an HTML page"),
        ("{}", "{}"),
        ("[" * 100_000, "[" * 200),
        ("x" * 300, "x" * 200),
    ],
)
def test_the_providers_sentence_is_found(body: str, words: str) -> None:
    assert read_refusal(400, body.encode(), 1, None).words == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the key is hunter2hunter2.", "the key is ***."),
        ("Incorrect API key provided: sk-SECR**T123.", "Incorrect API key provided: ***"),
        ("密钥sk-abcd1234无效", "密钥***无效"),
        ('{"Authorization": "Bearer abc"}', '{"Authorization": "***"}'),
        ("Authorization: Basic dXNlcjpwdw==", "Authorization: *** dXNlcjpwdw=="),
        ("api_key=abc def", "api_key=*** def"),
        ("got Bearer a1b2c3", "got Bearer ***"),
        ("request 0123456789abcdef0123456789abcdef", "request ***"),
        ("Bearer authentication required", "Bearer authentication required"),
        (
            "第1段文字A太长了第1段文字A太长了第1段文字A太长了",
            "第1段文字A太长了第1段文字A太长了第1段文字A太长了",
        ),
        ("maximum 8192 tokens: 9000", "maximum 8192 tokens: 9000"),
    ],
)
def test_keys_and_what_looks_like_one_are_masked(text: str, shown: str) -> None:
    assert masked(text, Secret("hunter2hunter2")) == shown
