"""docs/architecture.md: the map names what there is, in the order of the layers."""

import re
import tomllib
from typing import Any

from pages import ROOT, blocks, read, section

TEXT = read(ROOT / "docs" / "architecture.md")
MAP = blocks(section(TEXT, "The map"))[0].code


def test_the_map_names_every_part_of_the_package() -> None:
    package = ROOT / "ragkb"
    folders = [f"{path.parent.name}/" for path in package.glob("*/__init__.py")]
    modules = [path.name for path in package.glob("*.py") if not path.name.startswith("__")]
    assert [name for name in (*folders, *modules) if f" {name} " not in f"{MAP} "] == []


def test_the_map_stands_in_the_order_of_the_layers() -> None:
    configured: Any = tomllib.loads(read(ROOT / "pyproject.toml"))
    (contract,) = configured["tool"]["importlinter"]["contracts"]
    layers = [re.findall(r"\b[a-z]\w+", layer) for layer in contract["layers"]]
    lines = [min(line_of(part) for part in layer) for layer in layers if layer]
    assert len(lines) > 10
    assert lines == sorted(lines)


def line_of(part: str) -> int:
    """The line of the map on which a part stands."""
    lines = MAP.splitlines()
    (found,) = (n for n, line in enumerate(lines) if re.search(rf" {part}(/|\.py)( |$)", line))
    return found
