"""What real embedding endpoints do, seen from an import: no wrong vector, nothing lost."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docx import Document
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
from invariants import problems
from numbered import numbered_line, numbered_lines
from program import run
from stored_vectors import misplaced_vectors, stored_vectors

from ragkb.app import App
from ragkb.home import Home
from ragkb.services.vector_making import PROBE

Ask = Callable[..., dict[str, Any]]
Write = Callable[[str, str], Path]
Item = dict[str, Any]

KEY = "sk-SECRET123"
TOO_MANY = "input batch size 136 > maximum allowed batch size 64"


def import_doc(ask: Ask, *paths: Path, **environ: str) -> dict[str, Any]:
    return ask("import_doc", "--file_paths", *(str(path) for path in paths), **environ)


def chunk_batches(endpoint: EndpointServer) -> list[list[str]]:
    """What was sent, without the text that a base's model is recognised by."""
    return [batch for batch in endpoint.batches if batch != [PROBE]]


def edited(edit: Callable[[list[Item]], list[Item]]) -> Behaviour:
    """The answer for several texts after a change to its items; that for one text is right."""

    def behave(request: Request) -> Reply:
        right = items(request.texts)
        return data(edit(right) if len(right) > 1 else right)

    return behave


def vector_count(home: Home) -> int:
    """How many chunks have a vector; each must be that of its own text."""
    assert misplaced_vectors(home, text_vector) == []
    return len(stored_vectors(home))


def assert_failed_but_stored(report: dict[str, Any], reason: str) -> None:
    """The one file of an import is listed as failed for that reason, its text kept."""
    assert (report["code"], report["data"]["success_count"]) == (1, 0)
    (failed,) = report["data"]["failed_files"]
    assert failed["stored"]
    assert re.search(reason, failed["error"])


def assert_found_by_keyword(ask: Ask, *numbers: int) -> None:
    for number in numbers:
        best = ask("search", "--query", f"LS{number:05d}")["data"]["chunks"][0]
        assert best["content"] == numbered_line(number)
        assert best["keyword_score"] > 0


def assert_embed_completes(ask: Ask, endpoint: EndpointServer, home: Home, chunks: int) -> None:
    """Once the endpoint is well, `embed` makes what is missing."""
    endpoint.always(answer)
    done = ask("embed")
    assert (done["code"], done["data"]["missing"]) == (0, 0)
    assert vector_count(home) == chunks
    assert {each["status"] for each in ask("list_doc")["data"]["documents"]} == {"ready"}


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("nan_vector", values=(float("nan"), None))
def test_a_vector_with_nan_is_never_stored(
    ask_remote: Ask,
    endpoint: EndpointServer,
    home: Home,
    write: Write,
    values: tuple[float | None, ...],
) -> None:
    spoilt = numbered_line(1)

    def spoil(value: float | None) -> Behaviour:
        def behave(request: Request) -> Reply:
            right = items(request.texts)
            for item, text in zip(right, request.texts, strict=True):
                if text == spoilt:
                    item["embedding"][2] = value
            return data(right)

        return behave

    path = write("a.txt", numbered_lines(3))
    for value in values:
        endpoint.always(spoil(value))
        assert_failed_but_stored(import_doc(ask_remote, path), "NaN")
        assert vector_count(home) == 2
        assert spoilt not in [text for text, _ in stored_vectors(home)]
        assert_found_by_keyword(ask_remote, 0, 1, 2)
    assert_embed_completes(ask_remote, endpoint, home, 3)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("dim_changes")
def test_another_dimension_is_refused_with_both_numbers(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    assert import_doc(ask_remote, write("old.txt", numbered_lines(3)))["code"] == 0
    endpoint.always(answer_of(16))
    report = import_doc(ask_remote, write("new.txt", numbered_lines(2, 10)))
    assert_failed_but_stored(report, r"16 dimensions.*holds 8")
    assert vector_count(home) == 3
    assert_found_by_keyword(ask_remote, 1, 10)
    assert_embed_completes(ask_remote, endpoint, home, 5)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_order")
def test_each_chunk_gets_the_vector_of_its_index(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    endpoint.always(edited(lambda right: right[::-1]))
    assert import_doc(ask_remote, write("a.txt", numbered_lines(4)))["code"] == 0
    assert vector_count(home) == 4


def missing_last(right: list[Item]) -> list[Item]:
    return right[:3]


def without_the_third(right: list[Item]) -> list[Item]:
    return [right[0], right[1], right[3]]


def all_first(right: list[Item]) -> list[Item]:
    return [{**item, "index": 0} for item in right]


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_short", edit=missing_last, reason="expected 4 vectors, got 3")
@pytest.mark.case("emb_gap", edit=without_the_third, reason="expected 4 vectors, got 3")
@pytest.mark.case("emb_dupidx", edit=all_first, reason="indexes 0, 0, 0, 0 instead of 0 to 3")
def test_an_answer_that_does_not_fit_the_question_gives_no_vectors(
    ask_remote: Ask,
    endpoint: EndpointServer,
    home: Home,
    write: Write,
    edit: Callable[[list[Item]], list[Item]],
    reason: str,
) -> None:
    endpoint.always(edited(edit))
    report = import_doc(ask_remote, write("a.txt", numbered_lines(4)))
    assert_failed_but_stored(report, reason)
    assert vector_count(home) == 0
    endpoint.always(answer)
    assert_found_by_keyword(ask_remote, 0, 3)
    assert_embed_completes(ask_remote, endpoint, home, 4)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_batch10", limit=at_most(10), chunks=25, asked=10, sent=[5, 10, 10])
@pytest.mark.case(
    "emb_batch64", limit=at_most(64, TOO_MANY, 413), chunks=136, asked=136, sent=[8, 64, 64, 136]
)
def test_batches_keep_to_the_limit_of_the_endpoint(
    ask_remote: Ask,
    endpoint: EndpointServer,
    home: Home,
    write: Write,
    limit: Behaviour,
    chunks: int,
    asked: int,
    sent: list[int],
) -> None:
    endpoint.always(limit)
    path = write("a.txt", numbered_lines(chunks))
    report = import_doc(ask_remote, path, RAGKB_EMBEDDING_BATCH_SIZE=str(asked))
    assert report["data"]["success_files"][0]["chunk_count"] == chunks
    assert vector_count(home) == chunks
    assert sorted(len(batch) for batch in chunk_batches(endpoint)) == sent


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_empty")
def test_no_blank_text_is_ever_sent(
    ask_remote: Ask, endpoint: EndpointServer, write: Write, tmp_path: Path
) -> None:
    endpoint.always(refusing(lambda request: any(not t.strip() for t in request.texts), "blank"))
    word = Document()
    for heading in ("第一章", "第二章"):
        word.add_heading(heading)
        for blank in ("", " ", "\u3000"):
            word.add_paragraph(blank)
    word.save(str(tmp_path / "a.docx"))
    text = write("a.txt", "# 第一节\n\n\n \n# 第二节\n\u3000\n\n\t\n")
    assert import_doc(ask_remote, text, tmp_path / "a.docx")["code"] == 0
    assert all(text.strip() for batch in endpoint.batches for text in batch)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_429_retry_after")
def test_a_busy_endpoint_is_asked_again_when_it_says(
    endpoint: EndpointServer, home: Home, write: Write
) -> None:
    endpoint.script(status(429, retry_after="1"), status(429, retry_after="1"))
    begun = time.monotonic()
    path = str(write("a.txt", numbered_lines(3)))
    assert run(home, "import_doc", "--file_paths", path).code == 0
    assert time.monotonic() - begun >= 2
    assert len(endpoint.requests) == 4  # two refusals, the probe, the chunks
    assert vector_count(home) == 3


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_429_forever")
def test_an_endpoint_that_stays_busy_is_given_up(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    endpoint.always(status(429))
    paths = [write(f"{number}.txt", numbered_lines(3, 10 * number)) for number in range(3)]
    empty = write("empty.txt", "")
    report = import_doc(ask_remote, *paths, empty)
    assert (report["code"], report["data"]["failed_count"]) == (1, 4)
    failed = {Path(file["file_path"]).name: file for file in report["data"]["failed_files"]}
    assert [failed[path.name]["stored"] for path in paths] == [True, True, True]
    assert all("still answered 429" in failed[path.name]["error"] for path in paths)
    assert not failed["empty.txt"]["stored"]
    assert 1 < len(endpoint.requests) < 200
    endpoint.always(answer)
    assert_found_by_keyword(ask_remote, 0, 10, 20)
    assert_embed_completes(ask_remote, endpoint, home, 9)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_500_503")
def test_an_endpoint_that_stumbles_is_asked_again(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    endpoint.script(status(500), status(503))
    assert import_doc(ask_remote, write("a.txt", numbered_lines(3)))["code"] == 0
    assert len(endpoint.requests) == 4  # two failures, the probe, the chunks
    assert vector_count(home) == 3


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_html_200")
def test_a_login_page_is_no_answer(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    endpoint.always(raw("<!DOCTYPE html><html><title>Log in</title></html>"))
    report = import_doc(ask_remote, write("a.txt", numbered_lines(1)))
    assert_failed_but_stored(report, "HTML page, not JSON")
    assert len(endpoint.requests) == 1
    assert_embed_completes(ask_remote, endpoint, home, 1)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("emb_partial_batch")
def test_a_batch_that_fails_for_good_leaves_the_whole_text_findable(
    ask_remote: Ask, remote_app: App, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    second = {numbered_line(number) for number in range(10, 20)}
    fails = status(500)
    endpoint.always(lambda r: fails(r) if second & {*r.texts} else answer(r))
    path = write("a.txt", numbered_lines(25))
    assert_failed_but_stored(import_doc(ask_remote, path), "still answered 500")
    assert vector_count(home) == 15
    assert not second & {text for text, _ in stored_vectors(home)}
    assert [each["status"] for each in ask_remote("list_doc")["data"]["documents"]] == ["failed"]
    assert_found_by_keyword(ask_remote, 0, 10, 15, 19, 24)
    endpoint.always(answer)
    again = import_doc(ask_remote, path)
    assert (again["code"], again["data"]["success_count"]) == (0, 1)
    assert vector_count(home) == 25
    assert problems(remote_app, remote_app.bases.find("kb")) == []


@pytest.mark.case("emb_url_slash", pasted="/v1/", path="/v1/embeddings")
@pytest.mark.case("emb_url_v1", pasted="/v1", path="/v1/embeddings")
@pytest.mark.case(
    "emb_url_deep", pasted="/compatible-mode/v1", path="/compatible-mode/v1/embeddings"
)
def test_an_address_is_understood_as_it_is_pasted(
    ask_remote: Ask, endpoint: EndpointServer, write: Write, pasted: str, path: str
) -> None:
    ask_remote(
        "create_kb", "--kb_name", "kb", "--chunk_size", "12", "--embedding_model", "own",
        "--embedding_endpoint", endpoint.url + pasted,
    )  # fmt: skip
    imported = ask_remote(
        "import_doc", "--kb_name", "kb", "--file_paths", str(write("a.txt", numbered_lines(1)))
    )
    assert imported["code"] == 0
    assert {(request.path, request.model) for request in endpoint.requests} == {(path, "own")}


@pytest.mark.case("emb_url_bad", addresses=("ftp://x", "not a url"))
def test_what_is_no_address_makes_no_base(ask_remote: Ask, addresses: tuple[str, ...]) -> None:
    for address in addresses:
        refused = ask_remote(
            "create_kb", "--kb_name", "kb", "--chunk_size", "12", "--embedding_model", "m",
            "--embedding_endpoint", address,
        )  # fmt: skip
        assert (refused["code"], refused["data"]["error"]) == (1, "InvalidEndpoint")
        assert f"'{address}'" in refused["message"]
    assert ask_remote("list_kb")["data"]["count"] == 0


@pytest.mark.case("emb_key_leak")
def test_a_key_is_shown_nowhere_and_stored_in_one_place(
    ask_remote: Ask, endpoint: EndpointServer, home: Home, write: Write
) -> None:
    def echo(request: Request) -> Reply:
        header = request.headers["Authorization"]
        return json_reply({"error": {"message": f"bad key: {header}"}}, 401, **{"X-Echo": header})

    endpoint.always(echo)
    created = ask_remote(
        "create_kb", "--kb_name", "kb", "--chunk_size", "12", "--embedding_model", "m",
        "--embedding_endpoint", endpoint.url, "--embedding_api_key", KEY,
    )  # fmt: skip
    path = str(write("a.txt", numbered_lines(1)))
    calls = (("import_doc", "--kb_name", "kb", "--file_paths", path), ("list_kb",))
    imported, listed = (run(home, *call, RAGKB_LOG_LEVEL="debug") for call in calls)
    assert (created["code"], imported.code, listed.code) == (0, 1, 0)
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "bad key" in imported.data["failed_files"][0]["error"]
    assert KEY not in repr((created, imported, listed, ask_remote("list_doc", "--kb_name", "kb")))
    files = [file for file in home.folder.rglob("*") if file.is_file()]
    assert [file for file in files if KEY.encode() in file.read_bytes()] == [home.keys]
