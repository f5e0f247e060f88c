"""A base gets another model while it goes on answering, and can go back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder, OppositeEmbedder
from invariants import problems

from ragkb.app import App, open_app
from ragkb.errors import EndpointUnreachable, NoModelChange, OldVectorsKept
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.settings import Settings

Write = Callable[[str, str], Path]
OLD, NEW = "http://old.example/v1", "http://new.example/v1"
TEXTS = {f"{n}.txt": f"文档{n}：向量检索与数据库备份，第{n}号。" for n in range(30)}


@pytest.fixture
def models() -> dict[str, FakeEmbedder]:
    return {
        "old": FakeEmbedder(8, model="old"),
        "new": OppositeEmbedder(16, model="new", batch_size=4),
    }


@pytest.fixture
def app(settings: Settings, models: dict[str, FakeEmbedder]) -> Iterator[App]:
    def open_embedder(model: str, **_: object) -> FakeEmbedder:
        return models[model]

    with open_app(settings, lambda _copy: None, open_embedder) as opened:
        yield opened


@pytest.fixture
def base(app: App, write: Write) -> BaseInfo:
    app.bases.create(
        "kb", 64, embedding_model="old", embedding_endpoint=OLD, embedding_api_key="sk-old"
    )
    base = app.bases.select("kb")
    paths = [str(write(name, text)) for name, text in TEXTS.items()]
    app.importing.import_files(base, paths, lambda _: None)
    return app.bases.find("kb")


def quiet(_: int) -> None:
    pass


def change(app: App, base: BaseInfo, **arguments: str) -> object:
    values = {"model": "new", "endpoint": NEW, "api_key": "sk-new"} | arguments
    return app.reembedding.change_model(base, quiet, **values)


def test_the_new_model_answers_once_all_is_embedded(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    result = app.reembedding.change_model(base, quiet, model="new", endpoint=NEW)
    assert (result.switched, result.embedded, result.missing) == (True, 30, 0)
    changed = app.bases.find("kb")
    assert (changed.embedding_model, changed.embedding_dim) == ("new", 16)
    hit = app.searching.search(changed, TEXTS["7.txt"], 1).hits[0]
    assert hit.vector_score == pytest.approx(-1.0, abs=1e-4)  # passages are the opposite of queries
    assert problems(app, changed) == []
    assert len(models["old"].queries) == 0


def test_while_it_is_embedded_the_old_model_answers(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    def search_meanwhile(_: int) -> None:
        hits = app.searching.search(app.bases.find("kb"), TEXTS["7.txt"], 1).hits
        assert hits[0].vector_score == pytest.approx(1.0, abs=1e-4)

    app.reembedding.change_model(base, search_meanwhile, model="new", endpoint=NEW)
    assert len(models["old"].queries) == 8  # 30 chunks in batches of 4


def test_after_a_failure_the_same_call_goes_on(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    batches = 0

    def fail_at_the_third(_: int) -> None:
        nonlocal batches
        batches += 1
        if batches == 2:
            models["new"].fail_next(EndpointUnreachable(NEW, "refused"))

    first = app.reembedding.change_model(base, fail_at_the_third, model="new", endpoint=NEW)
    assert (first.switched, first.embedded, first.missing) == (False, 8, 22)
    assert isinstance(first.failure, EndpointUnreachable)
    assert app.bases.find("kb").embedding_model == "old"
    assert problems(app, base) == []
    again = app.reembedding.change_model(base, quiet, model=None)
    assert (again.switched, again.embedded) == (True, 22)


def test_a_document_imported_meanwhile_is_embedded_too(
    app: App, base: BaseInfo, write: Write
) -> None:
    late = str(write("late.txt", "迟到的文档"))
    imported: list[str] = []

    def import_once(_: int) -> None:
        if not imported:
            imported.append(late)
            app.importing.import_files(app.bases.find("kb"), [late], lambda _: None)

    first = app.reembedding.change_model(base, import_once, model="new", endpoint=NEW)
    assert (first.switched, first.missing) == (False, 1)
    assert app.reembedding.change_model(base, quiet, model=None).switched
    assert problems(app, app.bases.find("kb")) == []


def test_a_change_can_be_undone_without_embedding_anything(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    change(app, base)
    before = {name: len(model.embedded) for name, model in models.items()}
    assert app.reembedding.roll_back(base) == "old"
    back = app.bases.find("kb")
    assert (back.embedding_model, back.embedding_endpoint, back.embedding_dim) == ("old", OLD, 8)
    assert {name: len(model.embedded) for name, model in models.items()} == before
    hit = app.searching.search(back, TEXTS["7.txt"], 1).hits[0]
    assert hit.vector_score == pytest.approx(1.0, abs=1e-4)
    assert problems(app, back) == []


def test_what_came_after_the_change_waits_for_its_old_vectors_when_it_is_undone(
    app: App, base: BaseInfo, write: Write
) -> None:
    change(app, base)
    app.importing.import_files(
        app.bases.find("kb"), [str(write("late.txt", "迟到的文档"))], lambda _: None
    )
    app.reembedding.roll_back(base)
    back = app.bases.find("kb")
    assert app.embedding.count_missing(back) == 1
    states = {d.name: d.status for d in app.documents.page(back).documents}
    assert states["late.txt"] == "pending"
    assert app.embedding.complete_base(back, quiet).embedded == 1


def test_a_change_is_settled_by_dropping_the_old_vectors(app: App, base: BaseInfo) -> None:
    change(app, base)
    with pytest.raises(OldVectorsKept):
        change(app, app.bases.find("kb"), model="old", endpoint=OLD)
    assert app.reembedding.drop_old(base) == 30
    with pytest.raises(NoModelChange):
        app.reembedding.roll_back(base)
    assert change(app, app.bases.find("kb"), model="old", endpoint=OLD).switched  # type: ignore[attr-defined]


def test_each_key_goes_with_its_endpoint_there_and_back(app: App, base: BaseInfo) -> None:
    def kept() -> str:
        return app.home.keys.read_text(encoding="utf-8")

    change(app, base)
    assert "sk-old" in kept()
    assert "sk-new" in kept()
    app.reembedding.roll_back(base)
    assert "sk-old" in kept()
    assert "sk-new" not in kept()
    change(app, app.bases.find("kb"))
    app.reembedding.drop_old(base)
    assert "sk-old" not in kept()
    assert "sk-new" in kept()


def test_without_a_change_there_is_nothing_to_go_on_with(app: App, base: BaseInfo) -> None:
    with pytest.raises(NoModelChange):
        app.reembedding.change_model(base, quiet, model=None)
    for act in (app.reembedding.roll_back, app.reembedding.drop_old):
        with pytest.raises(NoModelChange):
            act(base)


def test_another_choice_midway_starts_anew(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    models["third"] = FakeEmbedder(8, model="third")
    models["new"].fail_next(EndpointUnreachable(NEW, "refused"))
    change(app, base)
    result = app.reembedding.change_model(base, quiet, model="third", endpoint=NEW)
    assert (result.switched, result.embedded) == (True, 30)
    assert app.bases.find("kb").embedding_model == "third"
