"""The vector index: many chunks, deleted rows, numbers used again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder, bigram_vector
from invariants import problems
from numbered import numbered_line, numbered_lines
from stored_vectors import count_rows, misplaced_vectors, stored_vectors

from ragkb.app import App
from ragkb.services.knowledge_bases import BaseInfo

Write = Callable[[str, str], Path]


@pytest.fixture
def embedder() -> FakeEmbedder:
    """One that takes many chunks at once."""
    return FakeEmbedder(batch_size=500)


def put(app: App, base: BaseInfo, *paths: Path) -> int:
    """Import files; how many chunks they have."""
    report = app.importing.import_files(base, [str(path) for path in paths], lambda _: None)
    assert report.failed_files == []
    return sum(file.chunk_count for file in report.success_files)


@pytest.mark.case("knn_over_4096")
def test_a_base_of_more_chunks_than_a_knn_query_may_ask_for_is_searched(
    app: App, base: BaseInfo, write: Write
) -> None:
    assert put(app, base, write("long.txt", numbered_lines(5_000))) == 5_000
    base = app.bases.find(base.name)
    for top_k, given in ((5, 5), (100_000, 100)):
        hits = app.searching.search(base, "流水号LS04999", top_k).hits
        assert len(hits) == given
        assert hits[0].content == numbered_line(4999)
        assert hits[0].vector_score is not None


@pytest.mark.case("deleted_rows")
def test_a_deleted_document_leaves_no_row_and_is_not_found(
    app: App, base: BaseInfo, write: Write
) -> None:
    texts = {"苹果.txt": "苹果是红色的。", "香蕉.txt": "香蕉是黄色的。", "海洋.txt": "海洋很深。"}
    put(app, base, *(write(name, text) for name, text in texts.items()))
    base = app.bases.find(base.name)
    assert app.searching.search(base, texts["苹果.txt"], 3).hits[0].doc_name == "苹果.txt"
    app.documents.delete(base, "苹果.txt")
    hits = app.searching.search(base, texts["苹果.txt"], 3).hits
    assert {hit.doc_name for hit in hits} == {"香蕉.txt", "海洋.txt"}
    assert len(hits) == 2
    assert count_rows(app.home, "chunks") == count_rows(app.home, "embeddings") == 2
    assert problems(app, base) == []  # the indexes hold exactly these


@pytest.mark.case("rowid_reuse")
def test_a_new_document_does_not_inherit_what_a_deleted_one_left(
    app: App, base: BaseInfo, write: Write
) -> None:
    put(app, base, write("first.txt", numbered_lines(3)), write("last.txt", numbered_lines(5, 10)))
    base = app.bases.find(base.name)
    app.documents.delete(base, "last.txt")
    assert put(app, base, write("new.txt", numbered_lines(5, 20))) == 5
    for number in range(20, 25):
        best = app.searching.search(base, numbered_line(number), 8).hits[0]
        assert best.content == numbered_line(number)
        assert best.vector_score == pytest.approx(1, abs=1e-5)
    hits = app.searching.search(base, numbered_line(12), 100).hits
    assert {hit.doc_name for hit in hits} == {"first.txt", "new.txt"}
    assert len(stored_vectors(app.home)) == 8
    assert misplaced_vectors(app.home, lambda text: bigram_vector(text, 8)) == []
    assert problems(app, base) == []
