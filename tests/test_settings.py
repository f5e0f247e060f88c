"""Environment over config.toml over defaults; what cannot be meant is named."""

import os
from pathlib import Path

import pytest

from ragkb.errors import BadSetting
from ragkb.secret import Secret
from ragkb.settings import SETTINGS, load_settings


def test_defaults_hold_without_environment_and_file(tmp_path: Path) -> None:
    settings = load_settings({"RAGKB_HOME": str(tmp_path), "LANG": "C"})
    assert (settings.home, settings.lang, settings.top_k) == (tmp_path, "en", 5)
    assert (settings.keyword_weight, settings.vector_weight) == (0.3, 0.7)


def test_the_default_home_is_not_the_current_folder() -> None:
    assert load_settings({}).home.is_absolute()
    assert Path.cwd() not in (load_settings({}).home, *load_settings({}).home.parents)


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    content = 'top_k = 7\nlang = "zh"\nembedding_model = "m"\n'
    (tmp_path / "config.toml").write_text(content, encoding="utf-8")
    settings = load_settings({"RAGKB_HOME": str(tmp_path), "RAGKB_TOP_K": "9"})
    assert (settings.top_k, settings.lang, settings.embedding_model) == (9, "zh", "m")


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh_CN.UTF-8", "zh"), ("zh_TW.Big5", "zh"), ("en_US.UTF-8", "en"), ("de_DE", "en")],
)
def test_the_language_is_that_of_the_locale(tmp_path: Path, locale: str, language: str) -> None:
    assert load_settings({"RAGKB_HOME": str(tmp_path), "LANG": locale}).lang == language


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAGKB_TOP_K", "0"),
        ("RAGKB_TOP_K", "many"),
        ("RAGKB_LANG", "fr"),
        ("RAGKB_VECTOR_WEIGHT", "2"),
        ("RAGKB_ALLOWED_ROOTS", "relative/folder"),
        ("RAGKB_MCP_CALL_SECONDS", "0"),
        ("RAGKB_MCP_CALL_SECONDS", "inf"),
    ],
)
def test_an_impossible_setting_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(BadSetting) as refused:
        load_settings({"RAGKB_HOME": str(tmp_path), name: value})
    assert (refused.value.setting, refused.value.value) == (name, value)


@pytest.mark.parametrize("content", ["top_q = 5", "= broken", 'embedding_api_key = "sk-1"'])
def test_a_mistake_in_the_file_is_named_with_the_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.toml").write_text(content, encoding="utf-8")
    with pytest.raises(BadSetting) as refused:
        load_settings({"RAGKB_HOME": str(tmp_path)})
    assert str(tmp_path / "config.toml") in refused.value.setting


def test_a_key_in_the_settings_is_a_secret(tmp_path: Path) -> None:
    settings = load_settings({"RAGKB_HOME": str(tmp_path), "RAGKB_EMBEDDING_API_KEY": "sk-1"})
    assert settings.embedding_api_key == Secret("sk-1")
    assert "sk-1" not in repr(settings)


def test_every_setting_has_its_variable() -> None:
    assert SETTINGS[0].variable == "RAGKB_HOME"
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)


def test_lists_are_taken_apart(tmp_path: Path) -> None:
    roots = os.pathsep.join([str(tmp_path / "a"), "", f" {tmp_path / 'b c'} "])
    settings = load_settings(
        {
            "RAGKB_HOME": str(tmp_path),
            "RAGKB_ALLOWED_ROOTS": roots,
            "RAGKB_ALLOWED_ENDPOINTS": "http://a  https://b/v1",
        }
    )
    assert settings.allowed_roots == (tmp_path / "a", tmp_path / "b c")
    assert settings.allowed_endpoints == ("http://a", "https://b/v1")


def test_tools_speak_both_languages_until_one_is_chosen(tmp_path: Path) -> None:
    environ = {"RAGKB_HOME": str(tmp_path), "LANG": "zh_CN.UTF-8"}
    assert load_settings(environ).tool_lang == "both"
    assert load_settings({**environ, "RAGKB_LANG": "en"}).tool_lang == "en"
    (tmp_path / "config.toml").write_text('lang = "zh"', encoding="utf-8")
    assert load_settings(environ).tool_lang == "zh"
