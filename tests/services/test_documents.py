"""Documents: listed, shown, split anew, deleted from both indexes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems

from ragkb.app import App
from ragkb.errors import NoSuchDocument, OutOfRange
from ragkb.services.knowledge_bases import BaseInfo

Write = Callable[[str, str], Path]
TEXT = "".join(f"第{number}种水果是红色的苹果。第{number}种是黄色的香蕉。" for number in range(10))


@pytest.fixture
def base(app: App, write: Write) -> BaseInfo:
    app.bases.create("kb", 64)
    base = app.bases.select("kb")
    app.importing.import_files(base, [str(write("水果.txt", TEXT))], lambda _: None)
    return app.bases.find("kb")


def quiet(_: int) -> None:
    pass


def test_the_list_pages_by_name(app: App, base: BaseInfo, write: Write) -> None:
    paths = [str(write(f"{letter}.txt", letter * 9)) for letter in "dbca"]
    app.importing.import_files(base, paths, lambda _: None)
    page = app.documents.page(base, limit=2, offset=1)
    assert [document.name for document in page.documents] == ["b.txt", "c.txt"]
    assert page.total == 5


def test_a_document_is_shown_as_it_was_read(app: App, base: BaseInfo) -> None:
    shown = app.documents.show(base, "水果.txt")
    assert shown.content.strip() == TEXT
    assert (shown.file_type, shown.encoding) == ("txt", "utf-8")


def test_an_unknown_document_is_refused_with_the_names_there_are(app: App, base: BaseInfo) -> None:
    for act in (app.documents.show, app.documents.delete):
        with pytest.raises(NoSuchDocument) as refused:
            act(base, "水.txt")
        assert refused.value.existing == ("水果.txt",)


def test_an_update_needs_no_file_and_says_so(app: App, base: BaseInfo, tmp_path: Path) -> None:
    (tmp_path / "files" / "水果.txt").unlink()
    before = app.documents.page(base).documents[0].chunk_count
    updated = app.documents.update(base, "水果.txt", 16, quiet)
    assert updated.chunk_count > before
    assert [note.key for note in updated.notes] == ["note.source_gone"]
    assert app.documents.page(base).documents[0].status == "ready"
    assert problems(app, base) == []


def test_an_update_says_when_the_file_has_changed(app: App, base: BaseInfo, write: Write) -> None:
    write("水果.txt", "全新的内容")
    updated = app.documents.update(base, "水果.txt", 32, quiet)
    assert [note.key for note in updated.notes] == ["note.source_changed"]
    assert app.documents.show(base, "水果.txt").content.strip() == TEXT


def test_a_refused_update_changes_nothing(app: App, base: BaseInfo) -> None:
    before = app.documents.page(base)
    with pytest.raises(OutOfRange):
        app.documents.update(base, "水果.txt", 0, quiet)
    assert app.documents.page(base) == before


def test_deleted_text_is_not_found_again(app: App, base: BaseInfo, write: Write) -> None:
    app.importing.import_files(base, [str(write("b.txt", "蔬菜是绿色的。"))], lambda _: None)
    app.documents.delete(base, "水果.txt")
    hits = app.searching.search(app.bases.find("kb"), "苹果香蕉", 5).hits
    assert [hit.doc_name for hit in hits] == ["b.txt"]
    assert problems(app, base) == []


def test_splitting_anew_embeds_only_what_is_new(
    app: App, base: BaseInfo, embedder: FakeEmbedder
) -> None:
    before = len(embedder.embedded)
    app.documents.update(base, "水果.txt", 16, quiet)
    assert len(embedder.embedded) > before + 1
    before = len(embedder.embedded)
    app.documents.update(app.bases.find("kb"), "水果.txt", 16, quiet)
    assert embedder.embedded[before:] == []
    assert app.documents.page(base).documents[0].status == "ready"
    assert problems(app, base) == []


def test_equal_chunks_inherit_one_vector_each(app: App, base: BaseInfo, write: Write) -> None:
    repeated = "同样的一句话在这里重复。\n" * 40
    app.importing.import_files(base, [str(write("重复.txt", repeated))], lambda _: None, 16)
    updated = app.documents.update(app.bases.find("kb"), "重复.txt", 16, quiet)
    assert updated.chunk_count > 2
    assert updated.embedding.failed == {}
    assert problems(app, base) == []


def test_a_document_that_was_split_is_found_before_it_is_embedded(
    app: App, base: BaseInfo, embedder: FakeEmbedder
) -> None:
    before = len(embedder.embedded)
    split = app.documents.split(base, "水果.txt", 16)
    assert len(embedder.embedded) == before
    (document,) = app.documents.page(base).documents
    assert (document.id, document.status) == (split.doc_id, "pending")
    assert document.chunk_count == split.chunk_count
    assert app.documents.names(base) == ("水果.txt",)
    assert app.documents.names(base, 0) == ()
