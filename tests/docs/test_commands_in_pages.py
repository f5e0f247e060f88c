"""No page mentions a command, an argument, a target or a file that does not exist."""

import re
from pathlib import Path

import pytest
from pages import PAGES, READMES, ROOT, anchors, blocks, calls, links, read, spans

from ragkb.cli.main import COMMANDS
from ragkb.cli.parsing import parse

GRAMMARS = [command.grammar for command in COMMANDS]
ARGUMENTS = {
    *("--json", "--help", "--version"),
    *(f"--{each.name}" for grammar in GRAMMARS for each in grammar.arguments),
}
PLACES = ("ragkb/", "alembic/", "tests/", "docs/", ".ci/")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pages
def test_every_command_line_is_understood(page: Path) -> None:
    for words in calls(read(page)):
        call = parse(words, GRAMMARS)
        assert call.command in (words[0], " ".join(words[:2])) or call.wants_help


@pages
def test_every_argument_exists(page: Path) -> None:
    mentioned = [span.split()[0] for span in spans(read(page)) if span.startswith("--")]
    for argument in mentioned:
        known = [each for each in ARGUMENTS if each.startswith(argument)]
        assert argument in known or (argument.endswith("_") and known), argument


@pages
def test_every_make_target_exists(page: Path) -> None:
    text = read(page)
    lines = [line for block in blocks(text) for line in block.code.splitlines()]
    makefile = read(ROOT / "Makefile")
    for words in (line.split() for line in (*lines, *spans(text)) if line.startswith("make ")):
        assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), words


@pages
def test_every_file_of_the_project_exists(page: Path) -> None:
    named = [span for span in spans(read(page)) if span.startswith(PLACES)]
    assert [each for each in named if not (ROOT / each).exists()] == []


@pages
def test_links_and_their_anchors_lead_somewhere(page: Path) -> None:
    for target in links(read(page)):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(read(path)), target


def test_contributing_runs_what_ci_runs() -> None:
    told = blocks(read(ROOT / "CONTRIBUTING.md"))[0].code.splitlines()
    run = [line for line in read(ROOT / ".ci" / "run").splitlines() if line.startswith("make ")]
    assert told == run


def test_both_readmes_have_the_same_commands() -> None:
    english, chinese = (
        [[parse(words, GRAMMARS).command, *names(words)] for words in calls(read(readme))]
        for readme in READMES
    )
    assert english == chinese
    assert len(english) > 10


def test_both_readmes_have_the_same_links() -> None:
    english, chinese = (links(read(readme)) for readme in READMES)
    assert english[1:] == chinese[1:]
    assert (english[0], chinese[0]) == ("README.zh-CN.md", "README.md")


@pytest.mark.parametrize("readme", READMES, ids=lambda page: page.name)
def test_a_readme_opens_with_the_two_commands(readme: Path) -> None:
    assert [each.code for each in blocks(read(readme))[:2]] == ["make demo\n", "make test\n"]


def names(words: list[str]) -> list[str]:
    return [word for word in words if word.startswith("--")]
