"""Homes, apps and foreign database files for tests of export, merge and repair."""

import hashlib
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_embedder import FakeEmbedder

from ragkb.app import App, open_app
from ragkb.database import create_sqlite_engine, sqlite_driver
from ragkb.home import Home
from ragkb.settings import Settings

TOPICS = ("备份", "告警", "年假", "vector", "backup", "索引", "检索", "E-4042", "C++", "会议")


@contextmanager
def app_in(folder: Path, template: Path, embedder: FakeEmbedder | None = None) -> Generator[App]:
    """The services of another home, which begins as a copy of `template`."""
    home = Home(folder)
    if not home.database.exists():
        home.database.parent.mkdir(parents=True)
        shutil.copyfile(template, home.database)
    model = embedder or FakeEmbedder()
    with open_app(Settings(home=folder), lambda _step: None, lambda *_a, **_k: model) as app:
        yield app


def fill(app: App, folder: Path, names: Iterable[str], chunks: int = 4) -> None:
    """Bases of two documents each, with so many chunks of one line in each document."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        base = app.bases.create(name, 12)
        paths: list[str] = []
        for document in ("一.txt", "two.txt"):
            path = folder / f"{number}-{document}"
            lines = (
                f"{TOPICS[(number + line) % len(TOPICS)]}记录{number}号{document[0]}{line:04d}。"
                for line in range(chunks)
            )
            path.write_text("\n".join(lines), encoding="utf-8")
            paths.append(str(path))
        report = app.importing.import_files(base, paths, lambda _: None)
        assert report.failed_files == []


@dataclass(frozen=True)
class Stock:
    """Files to copy: a database with the base `kb`, a home with `kb` and `笔记`, its export."""

    database: Path
    home: Path
    export: Path


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Stock:
    """What many tests begin with, made once."""
    folder = tmp_path_factory.mktemp("stock")
    with app_in(folder / "own", template) as app:
        fill(app, folder / "files", ["kb"])
    with app_in(folder / "home", template) as app:
        fill(app, folder / "source-files", ["kb", "笔记"])
        app.transfer.export(str(folder / "out.db"))
    return Stock(Home(folder / "own").database, folder / "home", folder / "out.db")


@pytest.fixture
def filled(app: App, stock: Stock) -> App:
    """The test's app with a base `kb`: two documents of four chunks each, all embedded."""
    shutil.copyfile(stock.database, app.home.database)
    return app


@pytest.fixture
def source(tmp_path: Path, template: Path, stock: Stock) -> Iterator[App]:
    """The app of another home with two bases, of which `kb` has the name of one in `filled`."""
    shutil.copytree(stock.home, tmp_path / "source")
    with app_in(tmp_path / "source", template) as app:
        yield app


@pytest.fixture
def exported(tmp_path: Path, stock: Stock) -> Path:
    """An export of what is in `source`."""
    return Path(shutil.copyfile(stock.export, tmp_path / "exported.db"))


def answers(app: App, kb_name: str, queries: Iterable[str]) -> list[list[tuple[Any, ...]]]:
    """For each query the passages and scores, without ids."""
    base = app.bases.find(kb_name)
    return [
        [
            (hit.doc_name, hit.chunk_index, hit.content, round(hit.score, 9), hit.vector_score)
            for hit in app.searching.search(base, query, 10).hits
        ]
        for query in queries
    ]


def connect(path: Path) -> Any:
    """A plain connection that commits each statement; it must be closed."""
    connection = sqlite_driver().connect(str(path))
    connection.isolation_level = None
    return connection


def run_sql(path: Path, *statements: str) -> None:
    """Change a file behind the program's back; the vector extension is there."""
    engine = create_sqlite_engine(path, foreign_keys=False)
    connection: Any = engine.raw_connection()
    for statement in statements:
        connection.execute(statement)
    connection.close()
    engine.dispose()


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def content_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of the tables that hold the truth."""
    connection = connect(path)
    try:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("knowledge_bases", "documents", "chunks", "embeddings")
        }
    finally:
        connection.close()
