"""Sentences as an AI client is shown them: one language, or both in one line."""

from collections.abc import Mapping

from ragkb.errors import RagError
from ragkb.messages import CATALOGUE, Language, Note, say


def label(key: str, language: Language, **values: object) -> str:
    """A title or a parameter's description; both languages as `English / 中文`."""
    if language == "both":
        return f"{say(key, 'en', **values)} / {say(key, 'zh', **values)}"
    return say(key, language, **values)


def sentences(key: str, language: Language) -> str:
    """A description; both languages one after the other."""
    return say(key, language).replace("\n", " ")


def refusal(error: RagError, language: Language) -> str:
    """Why something was not done, naming tools instead of commands."""
    key = f"in_tool.{error.message_key}"
    return say(key, language, **error.values()) if key in CATALOGUE else error.text(language)


def remark(note: Note, language: Language) -> str:
    """A note, naming tools instead of commands."""
    return worded(note.key, note.values, language)


def worded(key: str, values: Mapping[str, object], language: Language) -> str:
    """A sentence of the catalogue, that for tools where there is one."""
    own = f"in_tool.{key}"
    return say(own if own in CATALOGUE else key, language, **values)
