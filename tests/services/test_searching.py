"""Search: both channels, ranked together, never an error shown as nothing found."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder

from ragkb.app import App
from ragkb.errors import BlankQuery, EndpointUnreachable, OutOfRange
from ragkb.services.knowledge_bases import BaseInfo

Write = Callable[[str, str], Path]


@pytest.fixture
def base(app: App) -> BaseInfo:
    app.bases.create("kb", 64)
    return app.bases.select("kb")


def put(app: App, write: Write, kb_name: str = "kb", **texts: str) -> BaseInfo:
    paths = [str(write(f"{kb_name}/{name}.txt", content)) for name, content in texts.items()]
    report = app.importing.import_files(app.bases.find(kb_name), paths, lambda _: None)
    assert len(report.success_files) == len(texts)
    return app.bases.find(kb_name)


@pytest.mark.usefixtures("base")
def test_a_hit_tells_where_it_stands(app: App, write: Write) -> None:
    base = put(app, write, 甲="前言。向量检索依赖嵌入模型。", 乙="值班手册规定。")
    hit = app.searching.search(base, "向量", 5).hits[0]
    assert (hit.doc_name, hit.chunk_index, hit.start, hit.end) == ("甲.txt", 0, 0, 14)
    assert hit.content == "前言。向量检索依赖嵌入模型。"
    assert hit.passage in hit.content
    assert 0 < hit.keyword_score <= 1
    assert hit.vector_score is not None
    assert hit.score == 1


@pytest.mark.usefixtures("base")
def test_top_k_bounds_the_answer_and_too_many_are_clamped(app: App, write: Write) -> None:
    base = put(app, write, **{f"d{n}": f"水果 number {n}" for n in range(6)})
    assert len(app.searching.search(base, "水果", 4).hits) == 4
    result = app.searching.search(base, "水果", 100_000)
    assert len(result.hits) == 6
    assert [note.key for note in result.notes] == ["note.top_k_clamped"]


@pytest.mark.parametrize("top_k", [0, -1])
def test_too_few_are_refused(app: App, base: BaseInfo, top_k: int) -> None:
    with pytest.raises(OutOfRange):
        app.searching.search(base, "x", top_k)


def test_a_blank_query_is_refused(app: App, base: BaseInfo) -> None:
    with pytest.raises(BlankQuery):
        app.searching.search(base, " \u3000\n", 5)


def test_an_empty_base_says_that_it_is_empty(app: App, base: BaseInfo) -> None:
    result = app.searching.search(base, "anything", 5)
    assert result.hits == ()
    assert [note.key for note in result.notes] == ["note.empty_base"]


@pytest.mark.usefixtures("base")
def test_when_the_embedder_is_down_keywords_answer_and_the_reason_is_given(
    app: App, write: Write, embedder: FakeEmbedder
) -> None:
    base = put(app, write, a="向量检索", b="值班")
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    result = app.searching.search(base, "检索", 5)
    assert [hit.doc_name for hit in result.hits] == ["a.txt"]
    assert [(channel.name, channel.answered) for channel in result.channels] == [
        ("keyword", True),
        ("vector", False),
    ]
    assert isinstance(result.channels[1].problem, EndpointUnreachable)


@pytest.mark.usefixtures("base")
def test_equal_texts_are_given_once(app: App, write: Write) -> None:
    base = put(app, write, a="同样的 文字。", b="同样的文字。", c="别的文字")
    first, second = app.searching.search(base, "同样的文字", 5).hits
    assert first.doc_name in ("a.txt", "b.txt")
    assert second.doc_name == "c.txt"


def test_a_small_base_beside_a_large_one_gives_its_top_k(app: App, write: Write) -> None:
    app.bases.create("small", 64)
    app.bases.create("large", 64)
    lines = "\n".join(f"流水号{n:05}，水果仓库第{n}箱，登记入库完毕。" for n in range(5000))
    large = app.importing.import_files(
        app.bases.find("large"), [str(write("large.txt", lines))], lambda _: None, 16
    )
    assert large.success_files[0].chunk_count >= 5000
    small = put(app, write, "small", a="苹果", b="香蕉", c="蔬菜")
    for query in ("流水号", "苹果", "anything"):
        assert len(app.searching.search(small, query, 3).hits) == 3


@pytest.mark.usefixtures("base")
def test_the_nearest_window_of_a_long_chunk_is_its_passage(app: App, write: Write) -> None:
    filler = "这一句话只是为了占据空间而写下的无关紧要的内容，没有别的意思。" * 3
    app.bases.create("long", 512)
    put(app, write, "long", a=f"{filler}向量数据库使用余弦相似度。{filler}")
    hit = app.searching.search(app.bases.find("long"), "向量数据库使用余弦相似度", 1).hits[0]
    assert "余弦相似度" in hit.passage
    assert len(hit.passage) < len(hit.content)


@pytest.mark.usefixtures("base")
def test_neighbors_end_where_the_document_ends(app: App, write: Write) -> None:
    base = put(app, write, a="\n\n".join(f"{n} {'and so on ' * 25}" for n in range(4)))
    first = app.searching.search(base, "0", 1).hits[0]
    assert first.chunk_index == 0
    assert [index for index, _ in app.searching.neighbors(base, first, 2)] == [1, 2]
    assert app.searching.neighbors(base, first, 0) == []
    for wrong in (-1, 4):
        with pytest.raises(OutOfRange):
            app.searching.neighbors(base, first, wrong)
