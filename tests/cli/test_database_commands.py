"""The commands on whole databases and the doctor, as they are typed."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from legacy_files import legacy_database, neglect
from transferring import Stock, run_sql

from ragkb.cli.main import main
from ragkb.home import Home

Call = Callable[..., int]
Capture = pytest.CaptureFixture[str]
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(rag_server: Call, capsys: Capture, home: Home, stock: Stock) -> Ask:
    """Calls with --json in a home with the base `kb`; the object, the exit code, stderr."""
    shutil.copyfile(stock.database, home.database)

    def call(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        code = rag_server(*arguments, "--json")
        out, err = capsys.readouterr()
        return {**json.loads(out), "code": code, "errors": err}

    return call


def test_export_verify_import(ask: Ask, tmp_path: Path) -> None:
    path = str(tmp_path / "out.db")
    exported = ask("export_db", "--export_path", path)
    assert (exported["code"], exported["data"]["export_path"]) == (0, path)
    assert exported["data"]["knowledge_bases"][0]["chunks"] == 8
    assert ask("export_db", "--export_path", path)["data"]["error"] == "ExportExists"
    assert ask("export_db", "--export_path", path, "--force")["code"] == 0
    assert ask("db", "verify", path)["data"]["is_true"]
    plan = ask("import_db", "--source_db_path", path, "--dry-run")
    assert plan["data"]["dry_run"]
    assert list(plan["data"]["renamed"]) == ["kb"]
    assert ask("list_kb")["data"]["count"] == 1
    merged = ask("import_db", "--source_db_path", path)["data"]
    assert (merged["imported_kb_count"], merged["imported_doc_count"]) == (1, 2)
    assert ask("list_kb")["data"]["count"] == 2
    run_sql(tmp_path / "out.db", "UPDATE chunks SET tokens = 0")
    changed = ask("db", "verify", path)
    assert (changed["code"], changed["success"]) == (1, False)


def test_paths_are_relative_to_the_callers_folder(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ask("export_db", "--export_path", "out.db")["code"] == 0
    assert (tmp_path / "out.db").exists()
    assert ask("import_db", "--source_db_path", "out.db")["code"] == 0


def test_doctor_ends_with_1_until_all_problems_are_repaired(ask: Ask, home: Home) -> None:
    healthy = ask("doctor")
    assert (healthy["code"], healthy["data"]["problem_count"]) == (0, 0)
    run_sql(home.database, "UPDATE chunks SET content = 'forged' WHERE id = 1")
    assert ask("doctor")["code"] == 1
    fixed = ask("doctor", "--fix")
    assert fixed["code"] == 0
    repaired = [each["kind"] for each in fixed["data"]["findings"] if each["repaired"]]
    assert "doctor.split" in repaired
    assert ask("doctor")["code"] == 0


def test_doctor_speaks_to_a_person(rag_server: Call, capsys: Capture, ask: Ask, home: Home) -> None:
    run_sql(home.database, "UPDATE documents SET status = 'pending'")
    assert rag_server("doctor") == 0
    out = capsys.readouterr().out
    assert str(home.database) in out
    assert "notice    2 documents of 'kb' have another state than their vectors." in out
    assert "Worth knowing: 1." in out


@pytest.fixture
def old_home(tmp_path: Path) -> Path:
    """A neglected home of the predecessor."""
    legacy_database(tmp_path / "old" / "database" / "kb.db")
    neglect(tmp_path / "old" / "database" / "kb.db")
    return tmp_path / "old"


def test_any_command_upgrades_an_old_file_and_says_what_it_met(
    old_home: Path, capsys: Capture
) -> None:
    environ = {**os.environ, "RAGKB_HOME": str(old_home), "RAGKB_LANG": "en"}
    assert main(["list_kb", "--json"], environ) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["data"]["count"] == 2
    lines = err.splitlines()
    assert lines[0].startswith("Upgrading ")
    assert "Rows of the old vector index that belonged to deleted chunks: 3, left out." in lines
    assert "Vectors that were padded with zeros, cut to their real dimension: 1." in lines
    assert "backups" in lines[-1]
    assert main(["list_kb", "--json"], environ) == 0
    assert capsys.readouterr().err == ""


def test_an_operator_upgrades_the_file_in_use_or_another(
    old_home: Path, tmp_path: Path, capsys: Capture, rag_server: Call
) -> None:
    file = old_home / "database" / "kb.db"
    before = file.read_bytes()
    assert rag_server("db", "upgrade", str(file), "--dry-run", "--json") == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["found"], data["is_due"], data["chunks"]) == ("0001", True, 6)
    assert file.read_bytes() == before
    assert rag_server("db", "upgrade", str(file)) == 0
    assert "was upgraded from schema 0001" in capsys.readouterr().out
    assert len(list((old_home / "backups").iterdir())) == 1
    assert "sk-old-SECRET" in (old_home / "secrets.json").read_text(encoding="utf-8")
    assert rag_server("db", "upgrade", str(file)) == 0
    assert "nothing to do" in capsys.readouterr().out
    alone = tmp_path / "alone" / "old.db"
    legacy_database(alone)
    assert rag_server("db", "upgrade", str(alone)) == 0
    assert {path.name for path in alone.parent.iterdir()} >= {"backups", "secrets.json", "old.db"}
    assert rag_server("db", "upgrade", str(tmp_path / "none.db")) == 1


@pytest.mark.parametrize("words", [["db"], ["db", "verfy", "x"]])
def test_half_a_command_of_two_words_gets_a_suggestion(
    rag_server: Call, capsys: Capture, words: list[str]
) -> None:
    assert rag_server(*words) == 2
    assert "`rag-server db verify`" in capsys.readouterr().err


def test_a_value_without_a_name_is_asked_for_by_its_kind(rag_server: Call, capsys: Capture) -> None:
    assert rag_server("db", "verify") == 2
    assert "db verify needs FILE." in capsys.readouterr().err
    assert rag_server("db", "verify", "a", "b") == 2
