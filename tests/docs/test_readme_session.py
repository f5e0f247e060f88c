"""What the READMEs show is what happens: the session runs, the demo prints its excerpt."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from endpoint_server import EndpointServer
from pages import READMES, blocks, read, section

from ragkb.cli.main import main
from ragkb.samples import sample_files

SAMPLES = {path.suffix: path for path in sample_files()}
KEY = "sk-of-the-session"

readmes = pytest.mark.parametrize("readme", READMES, ids=lambda page: page.name)
Call = Callable[[list[str]], int]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the command line as a user does, with a home and a current folder of its own."""
    files = tmp_path / "files"
    files.mkdir()
    monkeypatch.chdir(files)
    monkeypatch.setenv("RAGKB_HOME", str(tmp_path / "home"))

    def call_with(words: list[str]) -> int:
        return main(words, os.environ)

    return call_with


def session(readme: Path) -> list[list[str]]:
    """The words of each line of the longest block of commands."""
    found = [block.code for block in blocks(read(readme)) if block.code.startswith("rag-server ")]
    return [shlex.split(line)[1:] for line in max(found, key=len).splitlines()]


def values_of(argument: str, words: list[str]) -> list[str]:
    """What stands after `--argument`, up to the next one."""
    if argument not in words:
        return []
    rest = words[words.index(argument) + 1 :]
    ends = (place for place, word in enumerate(rest) if word.startswith("--"))
    return rest[: next(ends, len(rest))]


def make_files(words: list[str]) -> None:
    """Put samples where the line expects the user's own files."""
    for name in values_of("--file_paths", words):
        shutil.copyfile(SAMPLES[Path(name).suffix], name)
    for folder in values_of("--path", words):
        Path(folder).mkdir()
        for sample in sample_files():
            shutil.copyfile(sample, Path(folder) / sample.name)


@readmes
def test_the_session_succeeds_line_by_line(
    readme: Path,
    call: Call,
    endpoint: EndpointServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    lines = session(readme)
    assert len(lines) == 10
    for words in lines:
        make_files(words)
        for value in values_of("--embedding_endpoint", words):
            words[words.index(value)] = f"{endpoint.url}/v1"
        for value in values_of("--embedding_api_key", words):
            monkeypatch.setenv(value.removeprefix("env:"), KEY)
        assert call(words) == 0, words
        printed = capsys.readouterr()
        assert printed.out.strip()
        assert printed.err == ""
    assert {each.headers["Authorization"] for each in endpoint.requests} == {f"Bearer {KEY}"}
    assert {each.model for each in endpoint.requests} == set(
        values_of("--embedding_model", lines[0])
    )


@readmes
def test_the_search_of_the_session_is_answered_by_both_channels(
    readme: Path, call: Call, endpoint: EndpointServer, capsys: Capture
) -> None:
    lines = {words[0]: words for words in session(readme)}
    created = [*lines["create_kb"][:5], "--embedding_model", "m", "--embedding_endpoint"]
    make_files(lines["import_dir"])
    for words in ([*created, endpoint.url], lines["select_kb"], lines["import_dir"]):
        assert call(words) == 0
    capsys.readouterr()
    assert call([*lines["search"], "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["count"] == int(values_of("--top_k", lines["search"])[0])
    assert all(channel["answered"] for channel in data["channels"].values())


@readmes
def test_the_demo_prints_its_excerpt(
    readme: Path,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.setenv("RAGKB_LANG", "zh" if "zh" in readme.name else "en")
    assert call(["demo"]) == 0
    printed = without_scores(capsys.readouterr().out)
    excerpt = without_scores(blocks(read(readme))[2].code)
    pieces = [piece.strip() for line in excerpt.splitlines() for piece in line.split("...")]
    place = 0
    for piece in filter(None, pieces):
        found = printed.find(piece, place)
        assert found >= 0, piece
        place = found + len(piece)


def without_scores(text: str) -> str:
    """Scores differ in the last digit from processor to processor."""
    return re.sub(r"\d\.\d\d", "#", text)


def test_the_upgrade_section_names_the_places(legacy_home: Path, capsys: Capture) -> None:
    environ = {**os.environ, "RAGKB_HOME": str(legacy_home), "RAGKB_LANG": "en"}
    assert main(["list_doc", "--json"], environ) == 0
    out, err = capsys.readouterr()
    (copy,) = (legacy_home / "backups").iterdir()
    assert str(copy) in err
    assert json.loads(out)["data"]["total"] == 2
    assert "sk-old-SECRET" in (legacy_home / "secrets.json").read_text(encoding="utf-8")
    assert b"sk-old-SECRET" in copy.read_bytes()
    for readme, heading in zip(
        READMES, ("Coming from an old kb.db", "从旧的 kb.db 升级"), strict=True
    ):
        told = section(read(readme), heading)
        for place in ("backups/", "secrets.json", "database/state.json", "database/kb.db"):
            assert place in told


@pytest.fixture
def legacy_home(tmp_path: Path) -> Path:
    """A home as the predecessor left it, its first base selected."""
    from legacy_files import legacy_database

    legacy_database(tmp_path / "database" / "kb.db")
    state = json.dumps({"current_kb_id": "kb-1"})
    (tmp_path / "database" / "state.json").write_text(state, encoding="utf-8")
    return tmp_path
