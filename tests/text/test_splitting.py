import os
import re
import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.document_text import Heading
from ragkb.text.splitting import ChunkSpan, split
from ragkb.text.tokens import count_tokens

EXAMPLES = 5000 if os.environ.get("RAGKB_SOAK") else 100

FAMILY = "👨‍👩‍👧‍👦"
HARD = {
    "one word": "a" * 8_000,
    "Chinese without punctuation": "汉字测试" * 1_000,
    "line ends": "\n" * 8_000,
    "one letter a line": "a\n" * 2_000,
    "blank lines with white space": "a\n   \n\t\n" * 800,
    "spaces inside": "a" + " " * 8_000 + "b",
    "full stops": ". " * 2_000,
    "dots": "." * 8_000 + "x",
    "quotes": "。”" * 1_500,
    "flags": "🇨🇳" * 1_000,
    "families": FAMILY * 300,
    "accents": "a" + "\u0301" * 4_000,
    "rare": "𠮷野家的𪚥龘䶮" * 400,
    "base64": "aB3+/" * 1_000,
}


def contents(text: str, chunks: list[ChunkSpan]) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in chunks]


def assert_sound(text: str, limit: int, chunks: list[ChunkSpan]) -> None:
    """Nothing lost or doubled, nothing blank, nothing over the limit, counts true."""
    parts = contents(text, chunks)
    assert "".join("".join(part.split()) for part in parts) == "".join(text.split())
    ends = [0, *(chunk.end for chunk in chunks)]
    for before, chunk, part in zip(ends, chunks, parts, strict=False):
        assert chunk.start >= before
        assert part == part.strip() != ""
        assert chunk.tokens == count_tokens(part)
        assert chunk.tokens <= limit or len(part) == 1


PIECES = st.sampled_from(
    (
        *(
            "One short sentence. ",
            "第一句话，有逗号。",
            "标题",
            "\n",
            "\n\n",
            "  ",
            "word ",
            "𪚥龘",
            FAMILY,
        ),
        *(
            "é\u0301\u0302",
            "🇨🇳🇩🇪",
            "v1.2.3 ",
            "a" * 60,
            "单元格\t1\t2\n",
            "“好。”",
            "\u3000",
            "\u200b",
            "…",
        ),
    )
)
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(TEXTS, st.one_of(st.integers(1, 12), st.sampled_from([20, 50, 100_000])), st.data())
def test_chunks_are_sound_on_any_text(text: str, limit: int, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    headings = [
        Heading(start, end, data.draw(st.integers(1, 9)))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    assert_sound(text, limit, split(text, limit, headings=headings))


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("limit", [1, 7, 64])
def test_chunks_are_sound_on_hard_texts(name: str, limit: int) -> None:
    text = HARD[name][: 300 * limit]
    assert_sound(text, limit, split(text, limit))


@pytest.mark.parametrize("name", ["rare_cjk.txt", "emoji_zwj.txt"])
def test_chunks_are_sound_on_rare_characters_of_the_corpus(name: str) -> None:
    corpus = os.environ.get("RAGKB_CORPUS") or Path(__file__).parents[2] / "../shared/corpus"
    path = Path(corpus) / "txt" / name
    if not path.exists():
        pytest.skip(f"no corpus at {corpus}")
    text = path.read_text(encoding="utf-8")[:400]
    for limit in range(1, 65):
        assert_sound(text, limit, split(text, limit))


def test_a_chunk_holds_whole_sentences() -> None:
    # Each sentence has 6 tokens, so four fit 25.
    text = " ".join(["One two three four five."] * 9)
    assert [part.count(".") for part in contents(text, split(text, 25))] == [4, 4, 1]


def test_a_paragraph_that_fits_is_not_cut() -> None:
    paragraph = "One two three four five. " * 3
    text = f"One two three four five.\n{paragraph}\n{paragraph}"
    assert contents(text, split(text, 20)) == [
        "One two three four five.",
        paragraph.strip(),
        paragraph.strip(),
    ]


def test_table_rows_are_not_cut() -> None:
    rows = [f"row {number}\tvalue {number}\tanother cell" for number in range(60)]
    text = "\n".join(rows)
    parts = contents(text, split(text, 50))
    assert [line for part in parts for line in part.splitlines()] == rows
    assert len(parts) < 20


def with_headings(text: str) -> tuple[str, list[Heading]]:
    """Lines that begin with # are headings, one # for each level."""
    found = re.finditer(r"^(#+) .*$", text, re.MULTILINE)
    return text, [Heading(line.start(), line.end(), len(line[1])) for line in found]


BODY = "One two three four five."  # 6 tokens


def test_a_heading_stays_with_what_follows() -> None:
    text, headings = with_headings(
        "\n".join(f"{BODY}\n{BODY}\n# A\n## B\n{BODY}" for _ in range(9))
    )
    for limit in range(18, 60):
        for part in contents(text, split(text, limit, headings=headings)):
            assert not part.splitlines()[-1].startswith("#")


def test_what_follows_a_heading_is_cut_rather_than_the_heading_left_alone() -> None:
    text, headings = with_headings(f"# Title\n{BODY} {BODY} {BODY}")
    parts = contents(text, split(text, 20, headings=headings))
    assert parts == [f"# Title\n{BODY} {BODY}", BODY]


def test_a_heading_alone_fills_a_chunk_only_when_nothing_fits_beside_it() -> None:
    text, headings = with_headings(f"# One two three four five\n{BODY}")
    parts = contents(text, split(text, 6, headings=headings))
    assert parts == ["# One two three four five", BODY]


def test_small_sections_share_a_chunk_and_a_new_one_begins_at_a_heading() -> None:
    text, headings = with_headings("\n".join(f"# {name}\n{BODY}\n{BODY}" for name in "ABCDEFGH"))
    chunks = split(text, 50, headings=headings)
    assert [part.count("#") for part in contents(text, chunks)] == [3, 3, 2]
    assert [chunk.heading for chunk in chunks] == ["# A", "# D", "# G"]


def test_a_chunk_knows_its_page_and_its_headings() -> None:
    text, headings = with_headings(f"{BODY}\n# A\n## B\n{BODY}\n{BODY}")
    pages = (0, text.index("## B"), len(text) - len(BODY))
    chunks = split(text, 12, headings=headings, pages=pages)
    assert [(chunk.page, chunk.heading) for chunk in chunks] == [
        (1, ""),
        (1, "# A"),
        (3, "# A > ## B"),
    ]
    assert split(text, 12)[0].page is None


def test_a_long_sentence_is_cut_at_its_clauses_else_between_words() -> None:
    text = "一二三四五六七八九十，" * 8
    assert all(part.endswith("，") for part in contents(text, split(text, 40)))
    text = "word " * 50
    assert {word for part in contents(text, split(text, 7)) for word in part.split()} == {"word"}
    text = "长" * 12 + "Kubernetes" + "长" * 12
    assert any("Kubernetes" in part for part in contents(text, split(text, 14)))


def test_what_a_reader_sees_as_one_character_is_not_cut_when_it_fits() -> None:
    size = count_tokens(FAMILY)
    text = FAMILY * 12
    assert all(len(part) % len(FAMILY) == 0 for part in contents(text, split(text, size + 3)))
    flags = "🇨🇳🇩🇪🇫🇷" * 6
    assert all(len(part) % 2 == 0 for part in contents(flags, split(flags, 9)))
    accents = "e\u0301\u0323" * 20
    assert all(part.startswith("e") for part in contents(accents, split(accents, 10)))


def test_a_blank_text_has_no_chunks() -> None:
    assert split("", 9) == []
    assert split(" \n\u3000\t\n", 9) == []


def test_a_chunk_size_beyond_the_text_gives_one_chunk() -> None:
    text = f" {BODY}\n\n{BODY} "
    assert contents(text, split(text, 10**9)) == [text.strip()]


def work(text: str) -> int:
    """Split a text; return how many characters were encoded and how many functions called."""
    done = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal done
        done += event == "call"
        if event == "call" and frame.f_code is count_tokens.__code__:
            done += len(frame.f_locals["text"])

    sys.setprofile(count)
    try:
        split(text, 8)
    finally:
        sys.setprofile(None)
    return done


@pytest.mark.parametrize("name", sorted(HARD.keys() - {"line ends", "spaces inside"}))
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    text = HARD[name]
    assert work(text) <= 5 * work(text[-(len(text) // 4) :]) + 1000
