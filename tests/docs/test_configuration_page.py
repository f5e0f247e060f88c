"""docs/configuration.md: the settings, their defaults, the files of the home."""

import dataclasses
import os
from pathlib import Path

from pages import ROOT, blocks, code_of, read, rows, section

from ragkb.embeddings import BUILTIN_MODEL
from ragkb.home import Home
from ragkb.settings import SETTINGS, Settings, load_settings

TEXT = read(ROOT / "docs" / "configuration.md")
DEFAULTS = {field.name: field.default for field in dataclasses.fields(Settings)}
SPOKEN = {
    "home": "the platform's folder for a user's data",
    "lang": "`zh` in a Chinese locale, else `en`",
    "embedding_model": f"none: `{BUILTIN_MODEL}` is used",
}


def test_the_table_holds_every_setting_with_its_default() -> None:
    documented = [row[:3] for row in rows(section(TEXT, "All settings"))]
    assert documented == [
        [
            f"`{setting.variable}`",
            f"`{setting.name}`" if setting.in_file else "none",
            SPOKEN.get(setting.name) or default_of(setting.name),
        ]
        for setting in SETTINGS
    ]


def default_of(name: str) -> str:
    return "none" if DEFAULTS[name] in ("", None, ()) else f"`{DEFAULTS[name]}`"


def test_the_spoken_defaults_are_true(tmp_path: Path) -> None:
    environ = {"RAGKB_HOME": str(tmp_path)}
    assert load_settings({**environ, "LC_ALL": "zh_CN.UTF-8"}).lang == "zh"
    assert load_settings({**environ, "LC_ALL": "de_DE.UTF-8"}).lang == "en"
    assert DEFAULTS["embedding_model"] == ""
    assert load_settings({}).home.is_absolute()


def test_the_example_of_the_file_is_read(tmp_path: Path) -> None:
    (example,) = (block.code for block in blocks(TEXT) if block.language == "toml")
    (tmp_path / "config.toml").write_text(example, encoding="utf-8")
    settings = load_settings({"RAGKB_HOME": str(tmp_path), "RAGKB_TOP_K": "3"})
    assert (settings.lang, settings.embedding_model) == ("zh", "text-embedding-v4")
    assert settings.top_k == 3


def test_the_files_of_the_home_are_those_listed() -> None:
    home = Home(Path("home"))
    paths = (home.database, home.selection, home.folder / "config.toml", home.keys, home.backups)
    documented = [code_of(row[0]).rstrip("/") for row in rows(section(TEXT, "The home folder"))]
    assert documented == [path.relative_to(home.folder).as_posix() for path in paths]


def test_a_key_in_the_environment_is_kept_by_name_only(tmp_path: Path) -> None:
    from ragkb.cli.main import main

    environ = {**os.environ, "RAGKB_HOME": str(tmp_path), "EMBEDDING_KEY": "sk-not-to-be-kept"}
    words = "create_kb --kb_name work --chunk_size 512 --embedding_model m --embedding_endpoint"
    key = ["--embedding_api_key", "env:EMBEDDING_KEY"]
    assert main([*words.split(), "https://api.example.com/v1", *key], environ) == 0
    kept = Home(tmp_path).keys.read_text(encoding="utf-8")
    assert "env:EMBEDDING_KEY" in kept
    assert "sk-not-to-be-kept" not in kept
