"""docs/file-format.md: tables, columns, index tables, and a program that reads the vectors."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import ROOT, blocks, code_of, read, rows, section

from ragkb.app import App
from ragkb.database import create_sqlite_engine
from ragkb.migrations import HEAD
from ragkb.models import Model

TEXT = read(ROOT / "docs" / "file-format.md")


def test_the_tables_are_those_of_the_models() -> None:
    tables = re.findall(r"^### (\w+)$", TEXT, re.MULTILINE)
    assert sorted(tables) == sorted(Model.metadata.tables)


@pytest.mark.parametrize("table", Model.metadata.tables)
def test_the_columns_are_those_of_the_model(table: str) -> None:
    documented = [code_of(row[0]) for row in rows(section(TEXT, table))]
    assert documented == [column.name for column in Model.metadata.tables[table].columns]


def test_the_revision_is_the_present_one() -> None:
    assert f"this page describes revision `{HEAD}`" in TEXT


@pytest.fixture
def filled(app: App, write: Callable[[str, str], Path]) -> App:
    """A base with one document of one chunk and its vectors.

    Its ten sentences count 11.3 Chinese characters each, so that five fit a window of 60.
    """
    base = app.bases.create("kb", 512)
    files = [str(write("a.txt", "向量检索按意思查找文字。" * 10))]
    report = app.importing.import_files(base, files, lambda _progress: None)
    assert not report.failed_files
    return app


def test_the_index_tables_are_made_as_described(filled: App) -> None:
    base = filled.bases.find("kb")
    described = {
        code_of(name).replace("<id>", base.id.replace("-", "")): re.findall("`(.+?)`", made)[0]
        for name, made in rows(section(TEXT, "The index tables"))
    }
    engine = create_sqlite_engine(filled.home.database)
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
        ).all()
    engine.dispose()
    assert {name: sql.split(" USING ")[1] for name, sql in found} == {
        name: made.replace("<dimension>", "8") for name, made in described.items()
    }


def test_the_program_on_the_page_reads_the_vectors(filled: App) -> None:
    (program,) = (block.code for block in blocks(TEXT) if block.language == "python")
    script = f"import sys\npath = sys.argv[1]\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", script, str(filled.home.database)],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout == "a.txt 0 8 2\n"
