"""The project's pages, taken apart: code, tables, sections, links."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
PAGES = (
    *READMES,
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
SEPARATOR = re.compile(r"\|[-|]+\|")


class Block(NamedTuple):
    """A fenced block of code."""

    language: str
    code: str


def read(path: Path) -> str:
    """The text of a page."""
    return path.read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """The fenced blocks, in order."""
    return [Block(*found) for found in BLOCK.findall(text)]


def spans(text: str) -> list[str]:
    """The inline code, in order; what stands in blocks is not part of it."""
    return SPAN.findall(BLOCK.sub("", text))


def calls(text: str) -> list[list[str]]:
    """The arguments of every `rag-server` line in blocks and inline code, in order of kind."""
    lines = [line for block in blocks(text) for line in block.code.splitlines()]
    words = [shlex.split(line) for line in (*lines, *spans(text)) if line.startswith("rag-server ")]
    return [each[1:] for each in words]


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next of the same or a higher level."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n", text, re.MULTILINE)
    assert found, heading
    rest = text[found.end() :]
    following = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: following.start()] if following else rest


def rows(text: str) -> Iterator[list[str]]:
    """The cells of all rows of tables, headings left out."""
    lines = BLOCK.sub("", text).splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("|") and not SEPARATOR.match(line) and not SEPARATOR.match(following):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def code_of(cell: str) -> str:
    """The one piece of inline code in a cell, or the cell itself."""
    return cell.strip("`")


def anchors(text: str) -> set[str]:
    """What GitHub makes of the headings: lower case, no punctuation, hyphens for blanks."""
    titles = HEADING.findall(BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(text: str) -> list[str]:
    """The targets of all links."""
    return LINK.findall(SPAN.sub("", BLOCK.sub("", text)))
