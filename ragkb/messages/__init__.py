"""The catalogue of every sentence a user reads, in English and Chinese.

Each entry is a pair `(English, Chinese)` with the same `{placeholders}`. Data that a user gave
(names, paths) keeps its own language and is put in as it is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragkb.messages import commands, doctor, failures, results, tools

Language = Literal["en", "zh", "both"]
LANGUAGES: tuple[Language, ...] = ("en", "zh", "both")

CATALOGUE: dict[str, tuple[str, str]] = {
    **failures.TEXTS,
    **commands.TEXTS,
    **results.TEXTS,
    **doctor.TEXTS,
    **tools.TEXTS,
}


@dataclass(frozen=True)
class Note:
    """Something worth saying beside a result, worded only where it is shown."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])

    def text(self, language: Language) -> str:
        """The sentence."""
        return say(self.key, language, **self.values)

    def to_json(self) -> str:
        """The note as it is stored, to be worded when it is shown."""
        return json.dumps({"key": self.key, "values": dict(self.values)}, default=str)

    @classmethod
    def from_json(cls, text: str) -> "Note":
        """A stored note."""
        return cls(**json.loads(text))


def say(key: str, language: Language, /, **values: object) -> str:
    """Return the catalogue's sentence for `key` with `values` filled in.

    `both` gives the English sentence, then the Chinese one, on two lines.
    """
    english, chinese = CATALOGUE[key]
    if language == "en":
        return english.format(**values)
    if language == "zh":
        return chinese.format(**values)
    return f"{english.format(**values)}\n{chinese.format(**values)}"
