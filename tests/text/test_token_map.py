import os

from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.text.token_map import TokenMap
from ragkb.text.tokens import SLICE, count_tokens

EXAMPLES = 5000 if os.environ.get("RAGKB_SOAK") else 200

# Words with every kind of neighbour that the encoding treats in its own way.
WORDS = st.sampled_from(
    (
        *(
            "word",
            "It's",
            "DON'T",
            "camelCase",
            "知识库",
            "龘龘",
            "éa\u0301",
            "12345",
            "v1.2",
            "…",
            "。”",
        ),
        *(" ", "  ", "\n", "\r\n", " \n ", "\t", "'", "'s", "，", ".", "/", "//", "-"),
        *("😀", "𪚥", "a" * 70),
    )
)
TEXTS = st.one_of(st.lists(WORDS, max_size=60).map("".join), st.text(max_size=80))


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(TEXTS, st.data())
def test_a_part_has_as_many_tokens_as_when_it_is_encoded_alone(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert TokenMap(text).count(start, end) == count_tokens(text[start:end])


def test_a_part_across_two_slices_is_counted_alone() -> None:
    text = "word " * (SLICE // 5 + 20)
    start, end = SLICE - 52, SLICE + 53
    assert TokenMap(text).count(start, end) == count_tokens(text[start:end])


def test_places_among_the_tokens() -> None:
    # "hello", " world", then the four tokens of one character
    tokens = TokenMap("hello world𪚥")
    assert [tokens.before(position) for position in (0, 4, 5, 10, 11, 12)] == [0, 0, 1, 1, 2, 6]
    assert [tokens.reach(count) for count in (0, 1, 2, 5, 99)] == [0, 5, 11, 12, 12]
    assert TokenMap("").before(0) == 0
