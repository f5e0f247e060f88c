"""Pythons that lack something."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from program import begun_with, run, without_modules

from ragkb.home import Home

Write = Callable[[str, str], Path]

# As in a Python that was built without --enable-loadable-sqlite-extensions.
NO_EXTENSIONS = "import sqlite3\nsqlite3.Connection = object\n"
NO_DRIVER = NO_EXTENSIONS + "import sys\nsys.modules['pysqlite3'] = None\n"
CREATE = ("create_kb", "--kb_name", "kb", "--chunk_size", "256")


@pytest.mark.skipif(
    importlib.util.find_spec("pysqlite3") is None, reason="no wheel of pysqlite3 on this platform"
)
@pytest.mark.case("no_ext")
def test_the_bundled_driver_stands_in_for_a_sqlite_without_extensions(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "home")
    created = run(home, *CREATE, **begun_with(tmp_path / "start", NO_EXTENSIONS))
    assert (created.code, created.errors) == (0, "")
    assert created.data["kb_name"] == "kb"


@pytest.mark.case("no_ext")
def test_without_any_driver_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    environ = begun_with(tmp_path / "start", NO_DRIVER)
    refused = run(home, *CREATE, **environ)
    assert (refused.code, refused.errors) == (1, "")
    assert refused.data == {"error": "NoExtension"}
    assert refused.message == (
        "This Python's SQLite cannot be used: pysqlite3.dbapi2 is not installed; sqlite3 cannot"
        " load extensions. Install the package pysqlite3, or a Python whose sqlite3 can load"
        " extensions."
    )


def test_nothing_needs_the_modules_that_only_posix_has(
    home: Home, tmp_path: Path, write: Write
) -> None:
    environ = without_modules(tmp_path / "start", "resource", "fcntl")
    assert run(home, *CREATE, **environ).code == 0
    path = str(write("a.txt", "向量检索依赖嵌入模型。"))
    imported = run(home, "import_doc", "--kb_name", "kb", "--file_paths", path, **environ)
    assert (imported.code, imported.errors) == (0, "")
    found = run(home, "search", "--kb_name", "kb", "--query", "检索", **environ)
    assert [chunk["doc_name"] for chunk in found.data["chunks"]] == ["a.txt"]
    assert found.data["channels"]["vector"]["answered"]
