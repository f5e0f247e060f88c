"""docs/usage.md: commands, arguments, keys of results and exit codes are those of the program."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from fake_embedder import FakeEmbedder
from pages import ROOT, calls, code_of, read, rows, section

from ragkb.cli.main import COMMANDS
from ragkb.cli.parsing import Grammar, parse
from ragkb.errors import EndpointUnreachable
from ragkb.readers import SUPPORTED_TYPES

TEXT = read(ROOT / "docs" / "usage.md")
GRAMMARS = [command.grammar for command in COMMANDS]
DATA = re.compile(r"^- (data|each of `(\w+)`): (.+)$", re.MULTILINE)
EXIT_CODES = re.compile(r"^- exit codes: (.+)$", re.MULTILINE)

Keys = dict[str, set[str]]
Call = Callable[..., int]
Write = Callable[[str, str], Path]
Capture = pytest.CaptureFixture[str]

grammars = pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)


class Answers:
    """Calls with --json and gathers, for each command, all keys that its results had."""

    def __init__(self, rag_server: Call, capsys: Capture) -> None:
        self._rag_server = rag_server
        self._capsys = capsys
        self.keys: dict[str, Keys] = {}

    def __call__(self, *words: str, code: int = 0) -> None:
        assert self._rag_server(*words, "--json") == code
        data = json.loads(self._capsys.readouterr().out)["data"]
        found = self.keys.setdefault(name_of(words), {})
        for name, keys in keys_of(data).items():
            found.setdefault(name, set()).update(keys)


@pytest.fixture
def answers(rag_server: Call, capsys: Capture) -> Answers:
    return Answers(rag_server, capsys)


def name_of(words: Sequence[str]) -> str:
    """The command that a call means."""
    return parse(words, GRAMMARS).command


def keys_of(data: dict[str, Any]) -> Keys:
    """The keys of an object, under `""`, and of the objects in its members."""
    found: Keys = {"": set(data) - {"notes"}}
    for name, value in data.items():
        if objects := objects_in(value):
            found[name] = {key for each in objects for key in each}
    return found


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects that a list or an object holds."""
    if isinstance(value, dict):
        value = [*cast("dict[str, object]", value).values()]
    members = cast("list[dict[str, Any]]", value if isinstance(value, list) else [])
    return [each for each in members if hasattr(each, "keys")]


def documented_keys(command: str) -> Keys:
    found = DATA.findall(section(TEXT, command))
    return {name: set(re.findall(r"`(\w+)`", listed)) for _, name, listed in found}


def documented_codes(command: str) -> set[int]:
    (listed,) = EXIT_CODES.findall(section(TEXT, command))
    return {int(code) for code in re.findall(r"\d+", re.sub(r"\(.*?\)", "", listed))}


@grammars
def test_every_command_has_its_arguments_in_a_table(grammar: Grammar) -> None:
    typed = ("`--", *(f"`{each.spelling}`" for each in grammar.arguments))
    table = [row for row in rows(section(TEXT, grammar.name)) if row[0].startswith(typed)]
    documented = [(code_of(name), needed == "yes") for name, needed, _ in table]
    accepted = [(each.spelling, each.required) for each in grammar.arguments]
    assert documented == accepted


@grammars
def test_every_command_has_an_example_in_its_section(grammar: Grammar) -> None:
    assert grammar.name in [name_of(words) for words in calls(section(TEXT, grammar.name))]


def test_every_section_is_a_command() -> None:
    sections = re.findall(r"^## ([a-z]\w+(?: [a-z]+)?)$", TEXT, re.MULTILINE)
    assert sections == [grammar.name for grammar in sorted(GRAMMARS, key=in_the_page)]


def in_the_page(grammar: Grammar) -> int:
    return TEXT.index(f"\n## {grammar.name}\n")


def test_the_keys_of_results_are_those_documented(
    answers: Answers, write: Write, tmp_path: Path
) -> None:
    good, folder = write("a.txt", "向量检索。"), str(tmp_path / "files")
    (tmp_path / "files" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    write("empty.txt", "")
    answers("create_kb", "--kb_name", "kb", "--chunk_size", "64")
    answers("create_kb", "--kb_name", "other", "--chunk_size", "64")
    answers("list_kb")
    answers("select_kb", "--kb_name", "kb")
    answers("config_kb", "--embedding_model", "builtin:use-m3")
    answers("delete_kb", "--kb_name", "other")
    answers("import_doc", "--file_paths", str(good), str(tmp_path / "none"), code=3)
    answers("import_dir", "--path", folder, code=3)
    answers("embed")
    answers("list_doc")
    answers("show_doc", "--doc_name", "a.txt")
    answers("search", "--query", "检索")
    answers("update_doc", "--doc_name", "a.txt", "--chunk_size", "32")
    answers("delete_doc", "--doc_name", "a.txt")
    answers("import_doc", "--file_paths", str(good))
    answers("reembed_kb", "--embedding_model", "builtin:other")
    answers("reembed_kb", "--rollback")
    answers("reembed_kb", "--embedding_model", "builtin:other")
    answers("reembed_kb", "--drop-old")
    answers("export_db", "--export_path", str(tmp_path / "out.db"))
    answers("db", "verify", str(tmp_path / "out.db"))
    answers("db", "upgrade")
    answers("import_db", "--source_db_path", str(tmp_path / "out.db"))
    good.unlink()
    answers("doctor")
    answers("demo")
    answers("setup", "cursor")
    answers.keys["mcp"] = {}  # it speaks the protocol, and prints nothing of its own
    assert answers.keys == {grammar.name: documented_keys(grammar.name) for grammar in GRAMMARS}


def test_a_refusal_has_the_key_that_is_documented(answers: Answers) -> None:
    answers("select_kb", "--kb_name", "none", code=1)
    assert answers.keys == {"select_kb": {"": {"error"}}}
    assert "`data` holds `error`" in TEXT


def test_the_commands_that_end_partly_done_are_those_documented(
    answers: Answers, write: Write, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    down = EndpointUnreachable("http://127.0.0.1:1", "refused")
    sentences = (f"Sentence {number} says one two three four five." for number in range(200))
    long = write("a.txt", " ".join(sentences))
    write("b.txt", "Short.")
    answers("create_kb", "--kb_name", "kb", "--chunk_size", "64")
    answers("select_kb", "--kb_name", "kb")
    embedder.fail_next(down)
    answers("import_dir", "--path", str(tmp_path / "files"), code=3)
    answers("import_doc", "--file_paths", str(long), str(tmp_path / "none"), code=3)
    embedder.fail_next(down)
    answers("update_doc", "--doc_name", "a.txt", "--chunk_size", "12", code=3)
    embedder.fail_next(down)
    answers("import_doc", "--file_paths", str(write("c.txt", "Late.")), code=1)
    embedder.fail_next(None, down)
    answers("embed", code=3)
    embedder.fail_next(None, None, down)
    answers("reembed_kb", "--embedding_model", "builtin:other", code=3)
    partly = {"import_doc", "import_dir", "update_doc", "embed", "reembed_kb"}
    for grammar in GRAMMARS:
        assert documented_codes(grammar.name) == {0, 1, 2, *([3] if grammar.name in partly else [])}


def test_the_kinds_of_files_are_those_that_have_a_reader() -> None:
    assert f"These can be: {SUPPORTED_TYPES}." in TEXT
