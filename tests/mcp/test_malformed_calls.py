"""Whatever a client sends to the tools, the server answers and lives."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import Asking, text_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.types import CallToolResult

from ragkb.mcp.answers import MOST_CHARACTERS
from ragkb.mcp.boundary import RagServer

CALLS = 1000 if os.environ.get("RAGKB_SOAK") else 150
TOOLS = (
    "create_knowledge_base", "delete_knowledge_base", "list_knowledge_bases",
    "select_knowledge_base", "import_document", "import_folder", "search", "list_documents",
    "delete_document", "update_document", "export_database", "import_database", "no_such_tool",
)  # fmt: skip
ARGUMENTS = (
    "kb_name", "chunk_size", "embedding_model", "embedding_endpoint", "embedding_api_key",
    "file_paths", "path", "include", "prune", "query", "top_k", "neighbors", "limit", "offset",
    "doc_name", "export_path", "source_db_path", "extra",
)  # fmt: skip

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        "",
        "null",
        "kb",
        "a.txt",
        "/",
        "/etc/passwd",
        "../x",
        "~",
        "builtin:use-m3",
        "http://[",
        "*" * 300,
    ]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
calls = st.tuples(
    st.sampled_from(TOOLS), st.dictionaries(st.sampled_from(ARGUMENTS), values, max_size=6)
)


@pytest.mark.soak
def test_every_malformed_call_is_answered(
    serve: Callable[..., RagServer],
    connect: Callable[..., Asking],
    write: Callable[[str, str], Path],
    tmp_path: Path,
) -> None:
    ask = connect(serve(allowed_roots=(tmp_path / "files",)))
    ask("create_knowledge_base", kb_name="kb", chunk_size=64)
    ask("select_knowledge_base", kb_name="kb")
    ask("import_document", file_paths=[str(write("a.txt", "text"))])

    @settings(
        max_examples=CALLS,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    @given(calls)
    def answered(call: tuple[str, dict[str, object]]) -> None:
        tool, arguments = call
        result = ask.run(ask.client.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        said = text_of(result)
        assert 0 < len(said) <= MOST_CHARACTERS
        assert "unexpected" not in said
        assert "Traceback" not in said

    answered()
    assert not ask.result("list_knowledge_bases").is_error
