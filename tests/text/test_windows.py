import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.text.windows import windows

EXAMPLES = 5000 if os.environ.get("RAGKB_SOAK") else 150
CHINESE = "这一句话正好有二十个汉字加上一个句号呀。"  # 20 characters
ENGLISH = "Ten short words make up one English sentence of fifty-nine."  # 59 letters, 17.7


def contents(text: str) -> list[str]:
    return [text[start:end] for start, end in windows(text)]


def assert_whole(text: str) -> None:
    parts = contents(text)
    assert len(parts) <= 16
    assert "".join("".join(part.split()) for part in parts) == "".join(text.split())
    assert all(part == part.strip() != "" for part in parts)


def test_a_window_holds_about_sixty_chinese_characters() -> None:
    assert contents(CHINESE * 7) == [CHINESE * 3, CHINESE * 3, CHINESE]


def test_a_window_holds_about_forty_english_words() -> None:
    text = " ".join([ENGLISH] * 7)
    assert [part.count(".") for part in contents(text)] == [3, 3, 1]


def test_a_short_text_is_one_window() -> None:
    assert windows("  知识库。 Short. ") == [(2, 13)]


def test_a_blank_text_has_none() -> None:
    assert windows("") == windows(" \n\u3000") == []


@pytest.mark.parametrize(
    "text", [CHINESE * 500, f"{ENGLISH} " * 300, "字" * 20_000, "a" * 90_000, "a b\n" * 9_000]
)
def test_a_long_chunk_has_at_most_sixteen_that_hold_all_of_it(text: str) -> None:
    assert_whole(text)
    assert len(windows(text)) >= 8


def test_a_long_sentence_is_cut_near_its_clauses() -> None:
    text = "这个分句一共有十个字，" * 18
    assert all(part.endswith("，") for part in contents(text))
    assert len(contents(text)) == 3


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from([CHINESE, ENGLISH, "长" * 80, "w" * 300, "word ", "，", "\n", "  "]),
            max_size=60,
        ).map("".join),
    )
)
def test_windows_hold_every_visible_character_once(text: str) -> None:
    assert_whole(text)
