"""A base's key, address and model name change without embedding anything again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder, OppositeEmbedder

from ragkb.app import App, open_app
from ragkb.errors import VectorsDiffer, WrongDimension
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.settings import Settings

Write = Callable[[str, str], Path]
ADDRESS = "http://a.example/v1"


@pytest.fixture
def models() -> dict[str, FakeEmbedder]:
    names = ("m", "alias", "builtin:use-m3")
    return {name: FakeEmbedder(8, model=name) for name in names}


@pytest.fixture
def app(settings: Settings, models: dict[str, FakeEmbedder]) -> Iterator[App]:
    def open_embedder(model: str, **_: object) -> FakeEmbedder:
        return models[model]

    with open_app(settings, lambda _copy: None, open_embedder) as opened:
        yield opened


@pytest.fixture
def base(app: App, write: Write) -> BaseInfo:
    app.bases.create(
        "kb", 64, embedding_model="m", embedding_endpoint=ADDRESS, embedding_api_key="sk-old"
    )
    base = app.bases.select("kb")
    app.importing.import_files(base, [str(write("a.txt", "向量检索"))], lambda _: None)
    return app.bases.find("kb")


def test_another_name_of_the_same_model_keeps_the_vectors(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    changed = app.model_config.change(base, model="alias")
    assert changed.embedding_model == "alias"
    assert app.embedding.count_missing(changed) == 0
    assert app.searching.search(changed, "向量检索", 1).hits[0].vector_score is not None
    assert len(models["alias"].embedded) == 1


def test_another_model_is_refused_and_nothing_changes(
    app: App, base: BaseInfo, models: dict[str, FakeEmbedder]
) -> None:
    models["other"] = OppositeEmbedder(8, model="other")
    models["wide"] = FakeEmbedder(16, model="wide")
    with pytest.raises(VectorsDiffer):
        app.model_config.change(base, model="other")
    with pytest.raises(WrongDimension) as refused:
        app.model_config.change(base, model="wide")
    assert (refused.value.expected, refused.value.got) == (8, 16)
    assert app.bases.find("kb") == base


def test_a_new_key_is_kept_for_the_same_address(app: App, base: BaseInfo) -> None:
    app.model_config.change(base, api_key="sk-new")
    kept = app.home.keys.read_text(encoding="utf-8")
    assert "sk-new" in kept
    assert "sk-old" not in kept


def test_a_new_address_does_not_get_the_old_key(app: App, base: BaseInfo) -> None:
    changed = app.model_config.change(base, endpoint="http://b.example/v1")
    assert [note.key for note in changed.notes] == ["note.key_forgotten"]
    assert "sk-old" not in app.home.keys.read_text(encoding="utf-8")


def test_a_base_without_vectors_takes_any_model(app: App, models: dict[str, FakeEmbedder]) -> None:
    models["wide"] = FakeEmbedder(16, model="wide")
    app.bases.create("empty", 64)
    changed = app.model_config.change(
        app.bases.find("empty"), model="wide", endpoint="http://b.example"
    )
    assert (changed.embedding_model, changed.windows) == ("wide", False)
    assert models["wide"].embedded == []
