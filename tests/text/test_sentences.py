import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.text.sentences import sentence_spans

EXAMPLES = 5000 if os.environ.get("RAGKB_SOAK") else 150


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["他来了。", "你好吗？", "好！", "那么……", "走吧；", "再见"],
        ["他说：“你好。”", "然后走了。"],
        ["（完。）", "下一句。"],
        ["你好!", "请问?!", "在吗。"],
        ["One.", "Two!", "Three?", 'He said "yes."', "Then (he left.)", "So"],
    ],
)
def test_sentences_end_at_their_marks_and_closing_quotes(expected: list[str]) -> None:
    chinese = expected[0][0] > "\u3000"
    assert sentences(("" if chinese else " ").join(expected)) == expected


@pytest.mark.parametrize(
    "whole",
    [
        "Use v1.2.3 or 3.14 of example.com now.",
        "Tools, e.g. hammers, i.e. Heavy ones.",
        "See Dr. Smith and Mrs. Jones.",
        "J. R. Smith wrote it.",
        "It was approx. five, etc. and more.",
        "See Fig. 3 and p. 12 of No. 7.",
        "1. Introduction",
        "版本3.14发布于www.example.com?a=b上",
        "a!b?c",
    ],
)
def test_a_full_stop_within_a_sentence_does_not_end_it(whole: str) -> None:
    assert sentences(whole) == [whole]


def test_a_word_that_may_be_an_abbreviation_ends_a_sentence_before_another_word() -> None:
    assert sentences("He said no. Then he left.") == ["He said no.", "Then he left."]


def test_a_line_end_ends_a_sentence_and_blank_lines_are_none() -> None:
    assert sentences("  表头\t列\n\n \n行1\t2\r\nend  ") == ["表头\t列", "行1\t2", "end"]
    assert sentences(" \n\t ") == []


def test_only_the_asked_part_is_cut() -> None:
    text = "One. Two. Three."
    assert sentence_spans(text, 5, 9) == [(5, 9)]


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(st.text(st.sampled_from("ab1.。！?!”\"' \n\t知😀…-,")))
def test_sentences_hold_every_visible_character_once(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(sentence.split()) for sentence in sentences(text)) == "".join(
        text.split()
    )
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
