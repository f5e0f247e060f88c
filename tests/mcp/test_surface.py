"""What tools/list shows: names, plain schemas, short texts, all four hints."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from asking import Asking
from mcp.types import Tool

from ragkb.mcp.boundary import RagServer

Serve = Callable[..., RagServer]
Connect = Callable[..., Asking]

CHINESE = re.compile("[\u4e00-\u9fff]")
LATIN = re.compile("[A-Za-z]{3}")
REQUIRED = {
    "create_knowledge_base": ["kb_name", "chunk_size"],
    "delete_knowledge_base": ["kb_name"],
    "list_knowledge_bases": [],
    "select_knowledge_base": ["kb_name"],
    "import_document": ["file_paths"],
    "import_folder": ["path"],
    "search": ["query"],
    "list_documents": [],
    "delete_document": ["doc_name"],
    "update_document": ["doc_name", "chunk_size"],
    "export_database": ["export_path"],
    "import_database": ["source_db_path"],
}
OPTIONAL = {
    "create_knowledge_base": {"embedding_model", "embedding_endpoint", "embedding_api_key"},
    "import_document": {"chunk_size", "kb_name"},
    "import_folder": {"include", "prune", "kb_name"},
    "search": {"top_k", "neighbors", "kb_name"},
    "list_documents": {"limit", "offset", "kb_name"},
    "delete_document": {"kb_name"},
    "update_document": {"kb_name"},
}
READING = {"list_knowledge_bases", "search", "list_documents"}
DESTROYING = {"delete_knowledge_base", "delete_document", "update_document", "import_folder"}


def tools_of(ask: Asking) -> dict[str, Tool]:
    return {tool.name: tool for tool in ask.run(ask.client.list_tools).tools}


def keys_in(schema: Any) -> Iterator[tuple[str, Any]]:
    """All keys with their values, however deep."""
    if isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from keys_in(each)
    if isinstance(schema, dict):
        for key, value in cast("dict[str, Any]", schema).items():
            yield key, value
            yield from keys_in(value)


def test_the_tools_and_their_arguments_are_those_of_the_contract(ask: Asking) -> None:
    tools = tools_of(ask)
    assert {name: tool.input_schema.get("required", []) for name, tool in tools.items()} == REQUIRED
    for name, tool in tools.items():
        arguments = {*REQUIRED[name], *OPTIONAL.get(name, set())}
        assert set(tool.input_schema["properties"]) == arguments


def test_input_schemas_are_flat(ask: Asking) -> None:
    for tool in tools_of(ask).values():
        for key, value in keys_in(tool.input_schema):
            assert key not in ("anyOf", "oneOf", "allOf", "$ref", "$defs", "default", "title")
            assert value is not None
            assert key != "type" or isinstance(value, str)
        for described in tool.input_schema["properties"].values():
            assert described["type"] in ("string", "integer", "boolean", "array")
            assert described["description"]


def test_every_tool_has_all_four_hints(ask: Asking) -> None:
    for name, tool in tools_of(ask).items():
        hints = tool.annotations
        assert hints is not None
        assert hints.read_only_hint is (name in READING)
        assert hints.destructive_hint is (name in DESTROYING)
        assert hints.idempotent_hint is not None
        assert hints.open_world_hint is (
            name in ("search", "import_document", "import_folder", "update_document")
        )


def test_everything_is_short(serve: Serve, connect: Connect) -> None:
    for language in ("both", "en", "zh"):
        ask = connect(serve(tool_lang=language))
        listed = ask.run(ask.client.list_tools)
        sent = json.dumps(
            listed.model_dump(mode="json", by_alias=True, exclude_none=True),
            ensure_ascii=False,
            separators=(",", ":"),
        )
        assert len(sent.encode()) <= 24_000
        for tool in listed.tools:
            assert len(f"mcp__ragkb__{tool.name}") <= 60
            assert 0 < len(tool.description or "") <= 400
        assert len((ask.client.instructions or "").encode()) < 1000


@pytest.mark.parametrize("language", ["en", "zh", "both"])
def test_texts_are_in_the_language_that_was_set(
    serve: Serve, connect: Connect, language: str
) -> None:
    ask = connect(serve(tool_lang=language))
    texts = [ask.client.instructions or "", ask.refusal("search", query="x")]
    for tool in tools_of(ask).values():
        texts += [tool.title or "", tool.description or ""]
        properties: dict[str, Any] = tool.input_schema["properties"]
        texts += [described["description"] for described in properties.values()]
    for text in texts:
        assert bool(CHINESE.search(text)) == (language != "en")
        assert language == "zh" or LATIN.search(text)


def test_output_schemas_are_objects_and_results_fit_them(ask: Asking) -> None:
    for tool in tools_of(ask).values():
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
