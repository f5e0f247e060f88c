"""Knowledge bases: created, listed, selected, deleted with all they hold."""

import pytest

from ragkb.app import App, open_app
from ragkb.errors import (
    BaseExists,
    BaseIsCurrent,
    BlankName,
    InvalidEndpoint,
    MissingEndpoint,
    MissingModel,
    ModelUnavailable,
    NoSuchBase,
    NothingSelected,
    OutOfRange,
)
from ragkb.settings import Settings


def test_a_new_base_is_listed_and_not_selected(app: App) -> None:
    created = app.bases.create("手册", 256)
    (listed,) = app.bases.list_all()
    assert (listed.id, listed.name, listed.chunk_size) == (created.id, "手册", 256)
    assert not listed.is_current


def test_without_embedding_arguments_a_base_uses_the_built_in_model(app: App) -> None:
    base = app.bases.create("kb", 256)
    assert (base.embedding_model, base.embedding_endpoint, base.windows) == (
        "builtin:use-m3",
        None,
        True,
    )


def test_a_base_with_an_endpoint_keeps_it_and_embeds_no_windows(app: App) -> None:
    base = app.bases.create(
        "kb", 256, embedding_model="m", embedding_endpoint="https://e.example/v1"
    )
    assert (base.embedding_model, base.embedding_endpoint, base.windows) == (
        "m",
        "https://e.example/v1",
        False,
    )


def test_a_base_key_is_kept_beside_the_database_not_in_it(app: App) -> None:
    app.bases.create(
        "kb",
        256,
        embedding_model="m",
        embedding_endpoint="https://e.example/v1",
        embedding_api_key="sk-1",
    )
    assert "sk-1" in app.home.keys.read_text(encoding="utf-8")
    for file in app.home.database.parent.iterdir():
        assert b"sk-1" not in file.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"embedding_model": "m"}, MissingEndpoint),
        ({"embedding_endpoint": "https://e.example"}, MissingModel),
        ({"embedding_model": "m", "embedding_endpoint": "ftp://x"}, InvalidEndpoint),
    ],
)
def test_half_a_model_is_refused_and_nothing_is_made(
    app: App, arguments: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        app.bases.create("kb", 256, **arguments)
    assert app.bases.list_all() == []


def test_a_built_in_model_that_is_not_there_is_refused(settings: Settings) -> None:
    with open_app(settings, lambda _copy: None) as app, pytest.raises(ModelUnavailable):
        app.bases.create("kb", 256, embedding_model="builtin:nope")


def test_bad_names_and_sizes_are_refused_and_nothing_is_made(app: App) -> None:
    with pytest.raises(BlankName):
        app.bases.create("  ", 256)
    with pytest.raises(OutOfRange):
        app.bases.create("kb", 0)
    assert app.bases.list_all() == []


def test_a_tiny_chunk_size_is_allowed_with_a_hint(app: App) -> None:
    assert [note.key for note in app.bases.create("kb", 31).notes] == ["note.small_chunks"]
    assert app.bases.create("kb2", 32).notes == ()


def test_a_name_is_taken_once_but_case_matters(app: App) -> None:
    app.bases.create("kb", 256)
    app.bases.create("KB", 256)
    with pytest.raises(BaseExists):
        app.bases.create(" kb ", 256)


def test_the_selected_base_is_the_default_until_it_is_deleted(app: App) -> None:
    with pytest.raises(NothingSelected):
        app.bases.find(None)
    app.bases.create("a", 256)
    app.bases.create("b", 256)
    app.bases.select("a")
    assert app.bases.find(None).name == "a"
    assert [base.is_current for base in app.bases.list_all()] == [True, False]
    with pytest.raises(BaseIsCurrent):
        app.bases.delete("a")
    app.bases.select("b")
    assert app.bases.delete("a") == "a"
    assert [base.name for base in app.bases.list_all()] == ["b"]


def test_an_unknown_base_is_refused_with_the_names_there_are(app: App) -> None:
    app.bases.create("手册", 256)
    for act in (app.bases.find, app.bases.select, app.bases.delete):
        with pytest.raises(NoSuchBase) as refused:
            act("手测")
        assert refused.value.existing == ("手册",)


def test_deleting_a_base_forgets_its_key(app: App) -> None:
    app.bases.create(
        "kb", 256, embedding_model="m", embedding_endpoint="http://e", embedding_api_key="sk-1"
    )
    app.bases.delete("kb")
    assert "sk-1" not in app.home.keys.read_text(encoding="utf-8")
