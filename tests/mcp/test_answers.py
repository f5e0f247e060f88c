"""Answers stay within what a client takes, and say how to get the rest."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import Asking, data_of, text_of
from fake_embedder import FakeEmbedder

from ragkb.app import App
from ragkb.mcp.answers import (
    MOST_CHARACTERS,
    answer,
    compact,
    fitting,
    largest,
    shortened_lists,
    size,
)
from ragkb.mcp.boundary import RagServer

Write = Callable[[str, str], Path]


def test_items_are_taken_while_they_fit() -> None:
    assert fitting(["aa", "bb", "cc"], 10) == ["aa", "bb"]
    assert fitting(["a" * 50], 10) == ["a" * 50]
    assert fitting([], 10) == []


def test_the_largest_length_that_fits_is_found() -> None:
    assert size(largest(lambda length: "x" * length, 100)) == 102
    assert size(largest(lambda length: "x" * length, 100_000)) == MOST_CHARACTERS


def test_lists_are_cut_with_a_note_and_the_first_named_keeps_more() -> None:
    names = [f"{number:04d}" + "x" * 96 for number in range(300)]
    content = {"total": 600, "failed": names[:150], "done": names}
    shown = shortened_lists(content, ("failed", "done"), "en")
    assert size(shown) <= MOST_CHARACTERS + 200  # the notes about what was cut
    assert (shown["total"], len(shown["failed"])) == (600, 150)
    assert shown["notes"] == [
        f"done shows the first {len(shown['done'])} of 300 to keep the answer short."
    ]
    assert shown["done"] == names[: len(shown["done"])]


def test_what_fits_is_not_changed() -> None:
    assert shortened_lists({"a": [1, 2]}, ("a",), "en") == {"a": [1, 2], "notes": []}


def test_file_names_that_are_no_text_are_shown_with_a_mark() -> None:
    result = answer({"name": "a\udcff.txt", "文": "字"})
    assert result.structured_content == {"name": "a?.txt", "文": "字"}
    assert text_of(result) == compact(result.structured_content)
    json.loads(result.model_dump_json())


@pytest.mark.usefixtures("kb")
def test_long_chunks_are_cut_with_the_way_to_the_rest(ask: Asking, write: Write) -> None:
    paths = [
        str(write(f"长 {number}.txt", f"检索 {number} " + "内容很长，一直说下去。" * 800))
        for number in range(4)
    ]
    ask("import_document", file_paths=paths, chunk_size=32_768)
    result = ask.result("search", query="检索", top_k=4)
    assert 15_000 < len(text_of(result)) <= MOST_CHARACTERS
    found = data_of(result)
    assert found["count"] == 4
    for chunk in found["chunks"]:
        uri = f"kb://kb/documents/%E9%95%BF%20{chunk['doc_name'][2]}.txt"
        assert chunk["content"].endswith(f"more characters; the whole text is the resource {uri}]")
        text = ask.run(ask.client.read_resource, uri).contents[0].text
        assert chunk["content"].split("…")[0] == text[: len(chunk["content"].split("…")[0])]
        assert text[chunk["start"] : chunk["end"]].startswith(chunk["content"].split("…")[0])


@pytest.mark.usefixtures("kb")
def test_many_chunks_are_fewer_rather_than_empty(ask: Asking, write: Write) -> None:
    lines = [f"项目 {number}：" + f"第{number}项说明。" * 40 for number in range(120)]
    ask("import_document", file_paths=[str(write("a.txt", "\n\n".join(lines)))], chunk_size=400)
    result = ask.result("search", query="项目", top_k=100, neighbors=1)
    assert len(text_of(result)) <= MOST_CHARACTERS
    found = data_of(result)
    assert 0 < found["count"] == len(found["chunks"]) < 100
    assert "were left out to keep the answer short" in found["notes"][-1]
    assert all(len(chunk["content"]) >= 100 for chunk in found["chunks"])


def test_five_thousand_documents_come_in_pages_that_miss_none(
    app: App,
    serve: Callable[..., RagServer],
    connect: Callable[..., Asking],
    embedder: FakeEmbedder,
) -> None:
    from ragkb.models import Document

    ask = connect(serve())
    base = app.bases.create("kb", 64)
    app.bases.select("kb")
    with app.store.write() as work:
        for number in range(5000):
            row = Document(
                id=f"{number:036d}",
                kb_id=base.id,
                name=f"文档 {number:05d} {'长' * (number % 60)}.txt",
                file_path=f"/folder/{number}",
                file_type="txt",
                content="",
                content_sha256="",
                layout={},
                chunk_size=64,
                status="ready",
            )
            work.session.add(row)
    seen: list[str] = []
    offset = 0
    while True:
        result = ask.result("list_documents", offset=offset)
        assert len(text_of(result)) <= MOST_CHARACTERS
        page = data_of(result)
        assert page["total"] == 5000
        seen += [document["name"] for document in page["documents"]]
        if not page["has_more"]:
            break
        offset = page["next_offset"]
    assert len(seen) == len(set(seen)) == 5000
    assert embedder.embedded == []
