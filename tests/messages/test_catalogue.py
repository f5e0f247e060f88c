"""Every sentence exists in both languages, and every error has its sentence."""

import inspect
import re
import string
from collections.abc import Iterator

import pytest

from ragkb import errors
from ragkb.errors import NoSuchBase, RagError
from ragkb.messages import CATALOGUE, Note, say

CHINESE = re.compile("[\u4e00-\u9fff]")


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def leaves(kind: type[RagError] = RagError) -> Iterator[type[RagError]]:
    for child in kind.__subclasses__():
        yield from leaves(child) if child.__subclasses__() else (child,)


@pytest.mark.parametrize("key", CATALOGUE)
def test_both_languages_take_the_same_values(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert placeholders(english) == placeholders(chinese)


@pytest.mark.parametrize("key", [key for key in CATALOGUE if not key.startswith("example.")])
def test_the_second_text_is_chinese_where_the_first_has_words(key: str) -> None:
    english, chinese = CATALOGUE[key]
    words = re.sub(r"\{[^}]*\}|`[^`]*`", "", english)
    assert not CHINESE.search(english)
    assert bool(CHINESE.search(chinese)) == bool(re.search("[A-Za-z]{3}", words))


@pytest.mark.parametrize("kind", list(leaves()), ids=lambda kind: kind.__name__)
def test_every_error_says_a_fact_and_what_to_do(kind: type[RagError]) -> None:
    english, _ = CATALOGUE[kind.__name__]
    assert len(re.findall(r"[.?!](?: |$)|: |\{reason\}$", english)) >= 2
    values = {*inspect.signature(kind).parameters, "existing", "missing", "reason"}
    assert placeholders(english) <= values


def test_the_drawing_of_the_tree_names_every_error() -> None:
    drawing = set(re.findall(r"\w+", errors.__doc__ or ""))
    assert {kind.__name__ for kind in leaves()} <= drawing


def test_a_refusal_names_the_nearest_name_first() -> None:
    error = NoSuchBase("manual", ("zzz", "manuals"))
    assert error.text("en") == (
        "There is no knowledge base named 'manual'. Use one of these: manuals, zzz."
    )


def test_both_gives_english_then_chinese() -> None:
    assert say("state.ready", "both") == "ready\n就绪"


def test_braces_in_a_users_text_are_not_placeholders() -> None:
    note = Note("result.show_doc", {"doc_name": "{x} {0}.txt"})
    assert note.text("en") == "The text of '{x} {0}.txt'."
