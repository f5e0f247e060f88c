"""docs/tools.md: tools, arguments, keys of results, hints and limits are those of the server."""

import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.types import Tool
from pages import ROOT, code_of, read, rows, section

from ragkb.mcp.answers import MOST_CHARACTERS
from ragkb.mcp.http import MOST_BYTES, PATH
from ragkb.mcp.server import build_server
from ragkb.settings import Settings

TEXT = read(ROOT / "docs" / "tools.md")
RESULT = re.compile(r"^- (result|each of `(\w+)`): (.+)$", re.MULTILINE)
HINTS = re.compile(r"^- hints: (.+)$", re.MULTILINE)
SERVER = build_server(Settings(home=Path("home"), tool_lang="en"))
TOOLS: list[Tool] = anyio.run(SERVER.list_tools)

tools = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def test_every_tool_has_a_section_and_nothing_else_has() -> None:
    sections = [name for name in re.findall(r"^## (\w+)$", TEXT, re.MULTILINE) if "_" in name]
    assert sorted([*sections, "search"]) == sorted(tool.name for tool in TOOLS)


@tools
def test_the_description_is_what_the_client_reads(tool: Tool) -> None:
    assert section(TEXT, tool.name).strip().startswith(tool.description or "nothing")


@tools
def test_the_arguments_are_those_of_the_schema(tool: Tool) -> None:
    documented = {code_of(row[0]): row[1:3] for row in rows(section(TEXT, tool.name))}
    required = tool.input_schema.get("required", [])
    assert documented == {
        name: ["yes" if name in required else "no", kind_of(described)]
        for name, described in tool.input_schema["properties"].items()
    }


def kind_of(described: dict[str, Any]) -> str:
    return "list of strings" if described["type"] == "array" else described["type"]


@tools
def test_the_keys_of_the_result_are_those_of_the_schema(tool: Tool) -> None:
    found = RESULT.findall(section(TEXT, tool.name))
    documented = {name: re.findall(r"`(\w+)`", listed) for _, name, listed in found}
    schema = tool.output_schema
    assert schema is not None
    expected = {"": [*schema["properties"]]}
    for name, described in schema["properties"].items():
        members = described.get("items") or described.get("additionalProperties")
        if isinstance(members, dict) and "$ref" in members:
            definition = schema["$defs"][members["$ref"].rsplit("/", 1)[-1]]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # JSON
            expected[name] = [*definition["properties"]]
    assert documented == expected


@tools
def test_the_hints_are_those_of_the_tool(tool: Tool) -> None:
    (listed,) = HINTS.findall(section(TEXT, tool.name))
    hints = tool.annotations
    assert hints is not None
    said = listed.split(", ")
    assert ("reads only" in said) == hints.read_only_hint
    assert ("destroys" in said) == hints.destructive_hint
    assert ("idempotent" in said) == hints.idempotent_hint
    assert ("may use the network" in said) == hints.open_world_hint


def test_the_limits_are_those_of_the_server() -> None:
    assert f"{MOST_CHARACTERS:,} characters" in section(TEXT, "search")
    assert f"above {MOST_BYTES // 2**20} MB" in section(TEXT, "Over HTTP")
    assert f"at `{PATH}`" in TEXT


def test_the_resources_and_the_prompt_are_those_of_the_server() -> None:
    named = [code_of(row[0]) for row in rows(section(TEXT, "Resources and the prompt"))]
    (resource,) = anyio.run(SERVER.list_resources)
    (template,) = anyio.run(SERVER.list_resource_templates)
    (prompt,) = anyio.run(SERVER.list_prompts)
    assert named == [resource.uri, template.uri_template]
    assert f"`{prompt.name}`" in TEXT
