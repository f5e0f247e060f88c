"""The settings of one run: arguments over environment over config.toml over defaults.

`SETTINGS` is the one table of them; the documentation is checked against it.
"""

import locale
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ragkb.errors import BadSetting
from ragkb.messages import LANGUAGES, Language
from ragkb.secret import Secret


@dataclass(frozen=True)
class Settings:
    """What a run needs to know beside its arguments; the field names are those of config.toml.

    `tool_lang` is the language of what AI clients read: `lang` where it was set, else both.
    """

    home: Path
    lang: Language = "en"
    tool_lang: Language = "both"
    top_k: int = 5
    embedding_model: str = ""
    embedding_endpoint: str = ""
    embedding_api_key: Secret | None = None
    embedding_batch_size: int = 10
    keyword_weight: float = 0.3
    vector_weight: float = 0.7
    jaccard_weight: float = 0.1
    max_file_mb: int = 200
    allowed_roots: tuple[Path, ...] = ()
    allowed_endpoints: tuple[str, ...] = ()
    mcp_call_seconds: float = 45.0
    log_level: str = "warning"


@dataclass(frozen=True)
class Setting:
    """One row of the table: a name in config.toml, how text becomes a value, what is expected."""

    name: str
    parse: Callable[[str], object]
    expected: str
    in_file: bool = True

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"RAGKB_{self.name.upper()}"


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    return parse


def _weight(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise ValueError(text)
    return value


def _folders(text: str) -> tuple[Path, ...]:
    folders = [Path(each.strip()).expanduser() for each in text.split(os.pathsep) if each.strip()]
    if not all(folder.is_absolute() for folder in folders):
        raise ValueError(text)
    return tuple(folders)


def _addresses(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _one_of(*values: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in values:
            raise ValueError(text)
        return text.lower()

    return parse


SETTINGS = (
    Setting("home", lambda text: Path(text).expanduser().absolute(), "a folder", in_file=False),
    Setting("lang", _one_of(*LANGUAGES), "zh, en or both"),
    Setting("top_k", _whole(1, 100), "a whole number from 1 to 100"),
    Setting("embedding_model", str, "a model's name"),
    Setting("embedding_endpoint", str, "the base address of an embedding service"),
    Setting("embedding_api_key", Secret, "an API key", in_file=False),
    Setting("embedding_batch_size", _whole(1, 2048), "a whole number from 1 to 2048"),
    Setting("keyword_weight", _weight, "a number from 0 to 1"),
    Setting("vector_weight", _weight, "a number from 0 to 1"),
    Setting("jaccard_weight", _weight, "a number from 0 to 1"),
    Setting("max_file_mb", _whole(1, 100_000), "a size in megabytes"),
    Setting("allowed_roots", _folders, f"absolute folders, separated by {os.pathsep}"),
    Setting(
        "allowed_endpoints", _addresses, "addresses of embedding services, separated by blanks"
    ),
    Setting("mcp_call_seconds", _seconds, "a number of seconds above 0, at most 3600"),
    Setting(
        "log_level", _one_of("debug", "info", "warning", "error"), "debug, info, warning or error"
    ),
)


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the environment and the home's config.toml; BadSetting names what cannot be meant."""
    given = {
        setting.name: _parsed(setting, setting.variable, environ[setting.variable])
        for setting in SETTINGS
        if environ.get(setting.variable, "").strip()
    }
    home = cast("Path", given.pop("home", None) or default_home())
    values: dict[str, Any] = {"lang": system_language(environ)}
    chosen = _from_file(home / "config.toml") | given
    values |= chosen
    values["tool_lang"] = chosen.get("lang", "both")
    return Settings(home=home, **values)


def default_home() -> Path:
    """The platform's folder for a user's data, never the current directory."""
    from platformdirs import user_data_path

    return user_data_path("ragkb", appauthor=False)


def system_language(environ: Mapping[str, str]) -> Language:
    """`zh` where the user's locale is Chinese, else `en`."""
    names = (environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "") or locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def _from_file(path: Path) -> dict[str, object]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise BadSetting(str(path), str(error), "a readable TOML file in UTF-8") from error
    known = {setting.name: setting for setting in SETTINGS if setting.in_file}
    for name, value in content.items():
        if name not in known:
            raise BadSetting(f"{path}: {name}", str(value), "one of: " + ", ".join(known))
    return {
        name: _parsed(known[name], f"{path}: {name}", str(value)) for name, value in content.items()
    }


def _parsed(setting: Setting, source: str, text: str) -> object:
    try:
        return setting.parse(text.strip())
    except ValueError as error:
        raise BadSetting(source, text, setting.expected) from error
