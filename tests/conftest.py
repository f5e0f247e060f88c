"""Homes and apps for tests: a real SQLite file, copied from one that was migrated once."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_embedder import FakeEmbedder

from ragkb.app import App, open_app
from ragkb.cli.main import main
from ragkb.home import Home
from ragkb.migrations import prepare
from ragkb.settings import Settings

pytest_plugins = ("endpoint_server", "transferring")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database."""
    home = Home(tmp_path_factory.mktemp("template"))
    prepare(home, lambda _connection, _moved: None, lambda _step: None)(home.database)
    return home.database


@pytest.fixture
def home(tmp_path: Path, template: Path) -> Home:
    """A home with an empty, migrated database."""
    home = Home(tmp_path / "home")
    home.database.parent.mkdir(parents=True)
    shutil.copyfile(template, home.database)
    return home


@pytest.fixture
def settings(home: Home) -> Settings:
    """The default settings in that home."""
    return Settings(home=home.folder)


@pytest.fixture
def embedder() -> FakeEmbedder:
    """The embedder that every base of the test's app uses."""
    return FakeEmbedder()


@pytest.fixture
def app(settings: Settings, embedder: FakeEmbedder) -> Iterator[App]:
    """The services of that home with the fake embedder."""
    with open_app(settings, lambda _copy: None, lambda *_a, **_k: embedder) as opened:
        yield opened


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a text file into a folder `files` and gives its path."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write_file


@pytest.fixture
def rag_server(home: Home, embedder: FakeEmbedder) -> Callable[..., int]:
    """Calls the command line in this process, in English, with the fake embedder."""

    def call(*arguments: str, **environ: str) -> int:
        values = {**os.environ, "RAGKB_HOME": str(home.folder), "RAGKB_LANG": "en", **environ}
        return main(arguments, values, lambda *_a, **_k: embedder)

    return call


def quiet(*_: Any) -> None:
    """Takes progress and drops it."""
