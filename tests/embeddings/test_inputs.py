"""Cutting long texts, and putting the vectors of pieces together."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.embeddings.inputs import pieces, sendable, weighted_mean

MANY = 2000 if os.environ.get("RAGKB_SOAK") else 100


@settings(derandomize=True, deadline=None, max_examples=MANY)
@given(st.text(alphabet="ab 字。，.!\n", max_size=300), st.integers(1, 50))
def test_pieces_give_the_text_back_and_keep_to_the_limit(text: str, limit: int) -> None:
    cut = list(pieces(text, limit))
    assert "".join(cut) == text
    assert all(len(piece) <= limit for piece in cut)
    assert len(cut) <= 2 * len(text) / limit + 2  # each but the last fills half a window


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("第一句话。第二句话。第三", 8, ["第一句话。", "第二句话。第三"]),
        ("One is here. Two is there.", 15, ["One is here.", " Two is there."]),
        ("version 1.25 of it", 12, ["version ", "1.25 of it"]),
        ("甲乙丙，丁戊己庚", 6, ["甲乙丙，", "丁戊己庚"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
    ],
)
def test_a_cut_falls_after_a_sentence_a_word_or_a_comma(
    text: str, limit: int, expected: list[str]
) -> None:
    assert list(pieces(text, limit)) == expected


def test_a_longer_piece_counts_more() -> None:
    # (3*[1,0] + 4*[0,1]) / 7 has the direction of [3,4], whose length is 5.
    rows = np.array([[1, 0], [0, 1]], dtype=np.float32)
    np.testing.assert_allclose(weighted_mean(rows, [3, 4]), [0.6, 0.8], atol=1e-7)


def test_blank_texts_are_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="text 1 is blank"):
        sendable(["a", "\u3000\t"])
