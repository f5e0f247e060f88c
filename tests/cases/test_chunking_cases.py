"""Chunk sizes that cannot be meant, and texts that are hard to cut."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invariants import problems
from numbered import CHUNK_SIZE
from program import begun_with, run

from ragkb.app import App
from ragkb.errors import NotANumber, OutOfRange
from ragkb.home import Home
from ragkb.services import validation
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.text.splitting import split
from ragkb.text.tokens import count_tokens

Write = Callable[[str, str], Path]
Ask = Callable[..., dict[str, Any]]

# Characters of two and more tokens each, outside the basic plane and inside it.
RARE = "𠮷野家的𪚥龘䶮，𡃁仔食𩜠魚。㐀㐁㐂，丂丄丅：𠀀𠀁𠀂𠀃！\n𬱖𫖯𫓧𬭊𬬭，鿔鿕鿖。\n"
EMOJI = "家庭👨‍👩‍👧‍👦旅行🏳️‍🌈，👍🏽好的。\n🇨🇳🇩🇪 flags 👩🏿‍🚀 and 1️⃣ keycaps\n"


@pytest.mark.case("ch_str", given="512", meant=512)
def test_a_number_in_quotes_counts_as_that_number(
    app: App, base: BaseInfo, write: Write, given: object, meant: int
) -> None:
    assert validation.chunk_size(given) == meant
    path = str(write("a.txt", "短文。"))
    assert app.importing.import_files(base, [path], lambda _: None, given).failed_files == []
    assert app.documents.page(base).documents[0].chunk_size == meant


@pytest.mark.case("ch_float", given=512.5)
@pytest.mark.case("ch_bool", given=True)
def test_what_is_no_whole_number_is_refused(
    app: App, base: BaseInfo, write: Write, given: object
) -> None:
    with pytest.raises(NotANumber):
        validation.chunk_size(given)
    with pytest.raises(NotANumber) as refused:
        app.importing.import_files(base, [str(write("a.txt", "x"))], lambda _: None, given)
    assert (refused.value.argument, refused.value.value) == ("chunk_size", given)
    assert app.documents.page(base).total == 0


@pytest.mark.case("ch_huge", given=1_000_000_000)
def test_a_chunk_size_that_no_model_reads_is_refused_with_the_limit(
    app: App, base: BaseInfo, write: Write, given: int
) -> None:
    assert len(split(RARE * 9, given)) == 1
    path = str(write("a.txt", RARE))
    with pytest.raises(OutOfRange) as refused:
        app.importing.import_files(base, [path], lambda _: None, given)
    assert "32768" in refused.value.text("en")
    assert app.documents.page(base).total == 0


@pytest.mark.case("ch_one")
def test_a_chunk_size_of_one_never_cuts_a_character(app: App, base: BaseInfo, write: Write) -> None:
    chunks = split(RARE, 1)
    assert any(chunk.tokens > 1 for chunk in chunks)
    assert all(chunk.end - chunk.start == 1 for chunk in chunks if chunk.tokens > 1)
    assert_whole(RARE, [RARE[chunk.start : chunk.end] for chunk in chunks])
    report = app.importing.import_files(base, [str(write("a.txt", RARE))], lambda _: None, 1)
    assert report.success_files[0].chunk_count == len(chunks)
    assert problems(app, base) == []


@pytest.mark.case("ch_fffd_sweep")
def test_no_chunk_size_loses_doubles_or_breaks_a_character(
    app: App, base: BaseInfo, write: Write
) -> None:
    for text in (RARE, EMOJI):
        for size in range(1, 65):
            chunks = split(text, size)
            assert_whole(text, [text[chunk.start : chunk.end] for chunk in chunks])
            assert all(c.tokens <= size or c.end - c.start == 1 for c in chunks)
    path = str(write("a.txt", EMOJI))
    for size in (1, 7, 64):
        app.importing.import_files(base, [path], lambda _: None, size)
        assert problems(app, base) == []  # each chunk is a slice of the text
        assert app.documents.show(base, "a.txt").content.strip() == EMOJI.strip()


def assert_whole(text: str, pieces: list[str]) -> None:
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert not [piece for piece in pieces if "\ufffd" in piece]


@pytest.mark.case("ch_linear")
def test_one_endless_word_takes_time_by_its_length(app: App, base: BaseInfo, write: Write) -> None:
    seconds: dict[int, float] = {}
    for length in (10_000, 100_000, 1_000_000):
        begun = time.process_time()
        chunks = split("a" * length, 256)
        seconds[length] = time.process_time() - begun
        assert sum(chunk.end - chunk.start for chunk in chunks) == length
        assert max(chunk.tokens for chunk in chunks) <= 256
    # ten times the text: 10 if linear, 100 if quadratic
    assert seconds[1_000_000] < 30 * seconds[100_000]
    path = str(write("a.txt", "a" * 100_000))
    assert app.importing.import_files(base, [path], lambda _: None, 256).failed_files == []


@pytest.mark.case("ch_offline")
def test_counting_tokens_needs_no_network(home: Home, kb: str, tmp_path: Path) -> None:
    no_network = begun_with(
        tmp_path / "offline",
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto'):\n"
        "        raise OSError('no network')\n"
        "sys.addaudithook(refuse)\n",
    )
    (tmp_path / "empty").mkdir()
    environ = {**no_network, "TIKTOKEN_CACHE_DIR": str(tmp_path / "empty")}
    text = "向量检索依赖嵌入模型。值班人员应在五分钟内响应告警。" * 20
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    path = str(tmp_path / "a.txt")
    imported = run(home, "import_doc", "--kb_name", kb, "--file_paths", path, **environ)
    assert imported.code == 0
    assert imported.data["success_files"][0]["chunk_count"] >= count_tokens(text) / CHUNK_SIZE
    assert [*(tmp_path / "empty").iterdir()] == []
