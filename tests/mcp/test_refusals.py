"""What is refused says why and what to do next, and the server lives on."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import Asking
from fake_embedder import FakeEmbedder

from ragkb.errors import EndpointRefused, EndpointUnreachable
from ragkb.home import Home
from ragkb.mcp.boundary import RagServer
from ragkb.messages import CATALOGUE
from ragkb.messages.failures import TEXTS

Write = Callable[[str, str], Path]
Serve = Callable[..., RagServer]
Connect = Callable[..., Asking]

# No tool can meet these.
PEOPLE_ONLY = {
    *("UnknownArgument", "UnknownCommand", "UnknownCommand.near", "NoManifest"),
    *("VectorsDiffer", "NoModelChange", "OldVectorsKept"),
}
ENDPOINT = "https://api.example.com/v1"


def test_without_any_base_the_next_step_is_to_create_one(ask: Asking) -> None:
    assert ask.refusal("search", query="x") == (
        "There is no knowledge base yet. Call create_knowledge_base, then select_knowledge_base."
    )
    assert "Call create_knowledge_base first" in ask.refusal("select_knowledge_base", kb_name="a")


def test_without_a_selection_the_bases_are_named(ask: Asking) -> None:
    for name in ("a", "b"):
        ask("create_knowledge_base", kb_name=name, chunk_size=64)
    for tool, arguments in {
        "search": {"query": "x"},
        "list_documents": {},
        "import_document": {"file_paths": ["/x"]},
        "import_folder": {"path": "/x"},
        "delete_document": {"doc_name": "x"},
        "update_document": {"doc_name": "x", "chunk_size": 64},
    }.items():
        assert ask.refusal(tool, **arguments) == (
            "No knowledge base is selected. Give kb_name, or call select_knowledge_base. "
            "There are: a, b."
        )


@pytest.mark.usefixtures("kb")
def test_the_nearest_name_is_suggested_first(ask: Asking, write: Write) -> None:
    ask("create_knowledge_base", kb_name="manuals", chunk_size=64)
    assert ask.refusal("select_knowledge_base", kb_name="manual") == (
        "There is no knowledge base named 'manual'. Use one of these: manuals, kb."
    )
    assert "holds no documents" in ask.refusal("delete_document", doc_name="a")
    ask("import_document", file_paths=[str(write(name, name)) for name in ("a.txt", "b.txt")])
    for tool, arguments in (("delete_document", {}), ("update_document", {"chunk_size": 64})):
        assert ask.refusal(tool, doc_name="B.txt", **arguments) == (
            "There is no document named 'B.txt' in 'kb'. Use one of these: b.txt, a.txt."
        )


@pytest.mark.usefixtures("kb")
def test_names_that_are_taken_or_selected_or_blank_are_refused(ask: Asking) -> None:
    create = "create_knowledge_base"
    assert "already a knowledge base" in ask.refusal(create, kb_name="kb", chunk_size=64)
    assert "Call select_knowledge_base" in ask.refusal("delete_knowledge_base", kb_name="kb")
    assert "is blank" in ask.refusal(create, kb_name="  ", chunk_size=64)
    assert "Use at most 200" in ask.refusal(create, kb_name="x" * 201, chunk_size=64)


@pytest.mark.usefixtures("kb")
def test_numbers_out_of_bounds_are_refused_with_the_bounds(ask: Asking) -> None:
    for size in (0, -1, 32_769):
        said = ask.refusal("create_knowledge_base", kb_name="x", chunk_size=size)
        assert f"chunk_size is {size}, outside 1 to 32768" in said
    assert "outside 1 to 100" in ask.refusal("search", query="x", top_k=0)
    assert "outside 0 to 3" in ask.refusal("search", query="x", neighbors=4)
    assert "outside 1 to 100" in ask.refusal("list_documents", limit=101)
    assert "offset is -1" in ask.refusal("list_documents", offset=-1)
    assert "chunk_size is 0" in ask.refusal("import_document", file_paths=["/x"], chunk_size=0)


@pytest.mark.usefixtures("kb")
def test_many_results_are_given_as_far_as_there_may_be(ask: Asking) -> None:
    assert "At most 100" in " ".join(ask("search", query="x", top_k=1000)["notes"])
    assert "is blank" in ask.refusal("search", query=" \u200b")


def test_a_missing_argument_is_named(ask: Asking) -> None:
    assert ask.refusal("search") == ("search needs the argument query. Call it again with query.")
    assert "needs the argument kb_name" in ask.refusal("select_knowledge_base", kb_name=None)


@pytest.mark.parametrize(
    ("tool", "arguments", "wrong", "expected"),
    [
        ("create_knowledge_base", {"kb_name": "x", "chunk_size": True}, "True", "integer"),
        ("create_knowledge_base", {"kb_name": "x", "chunk_size": 20.5}, "20.5", "integer"),
        ("create_knowledge_base", {"kb_name": "x", "chunk_size": "many"}, "'many'", "integer"),
        ("create_knowledge_base", {"kb_name": ["x"], "chunk_size": 64}, "['x']", "string"),
        ("import_document", {"file_paths": 7}, "7", "array of string"),
        ("import_folder", {"path": "/x", "prune": "perhaps"}, "'perhaps'", "boolean"),
        ("search", {"query": {"text": "x" * 500}}, "…", "string"),
    ],
)
def test_a_wrong_type_is_named_with_the_right_one(
    ask: Asking, tool: str, arguments: dict[str, object], wrong: str, expected: str
) -> None:
    said = ask.refusal(tool, **arguments)
    assert wrong in said
    assert f"not of the JSON type {expected}" in said
    assert len(said) < 250


@pytest.mark.usefixtures("kb")
def test_what_careless_models_send_is_understood(ask: Asking, write: Write) -> None:
    path = str(write("a.txt", "some text"))
    absent = {"kb_name": "null", "chunk_size": "", "unknown": 1, "toolCallId": "x"}
    assert ask("import_document", file_paths=path, **absent)["success_count"] == 1
    assert ask("import_document", file_paths=f'["{path}"]')["success_count"] == 1
    found = ask("search", query="text", top_k="5", neighbors=None, kb_name="")
    assert found["count"] == 1
    assert ask("create_knowledge_base", kb_name="x", chunk_size=20.0)["chunk_size"] == 20
    assert ask("search", query="null")["kb_name"] == "kb"


def test_an_unknown_tool_lists_those_there_are(ask: Asking) -> None:
    assert "Use one of these: create_knowledge_base, " in ask.refusal("kb_search", query="x")


@pytest.mark.usefixtures("kb")
def test_paths_are_absolute_and_not_among_secrets(ask: Asking, home: Home) -> None:
    forbidden = [str(home.database), str(home.keys), str(home.folder / ".." / "home" / "x")]
    if os.name == "posix":
        forbidden += ["/etc/passwd", str(Path.home() / ".ssh" / "id_rsa"), "/x/.env"]
    for path in forbidden:
        assert "no client may use" in ask.refusal("import_document", file_paths=[path])
    relative = ask.refusal("import_document", file_paths=["notes/a.txt"])
    assert "the server has no current folder" in relative
    assert "no client may use" in ask.refusal("import_folder", path=str(home.folder))
    assert "no client may use" in ask.refusal(
        "export_database", export_path=str(home.folder / "copy.db")
    )
    assert "no client may use" in ask.refusal("import_database", source_db_path=str(home.database))


def test_with_roots_only_what_lies_in_them_may_be_used(
    serve: Serve, connect: Connect, write: Write, tmp_path: Path
) -> None:
    inside, outside = write("in/a.txt", "text"), write("out/b.txt", "text")
    ask = connect(serve(allowed_roots=(inside.parent,)))
    ask("create_knowledge_base", kb_name="kb", chunk_size=64)
    imported = ask("import_document", file_paths=[str(inside), str(outside)], kb_name="kb")
    assert imported["success_count"] == 1
    line = os.pathsep.join([str(inside.parent), str(outside.resolve().parent)])
    assert imported["failed_files"][0]["error"].endswith(f"RAGKB_ALLOWED_ROOTS={line}")
    link = inside.parent / "link.txt"
    try:
        link.symlink_to(outside)
    except OSError:
        pytest.skip("no privilege to make symbolic links")
    refused = ask.refusal("import_document", file_paths=[str(link)], kb_name="kb")
    assert "outside the folders" in refused
    assert "outside the folders" in ask.refusal("export_database", export_path=str(tmp_path / "x"))


def test_over_http_nothing_may_be_used_that_was_not_named(
    serve: Serve, connect: Connect, write: Write
) -> None:
    ask = connect(serve(remote=True, allowed_endpoints=(ENDPOINT,)))
    ask("create_knowledge_base", kb_name="kb", chunk_size=64)
    path = write("a.txt", "text")
    said = ask.refusal("import_document", file_paths=[str(path)], kb_name="kb")
    assert said.count(f"RAGKB_ALLOWED_ROOTS={path.resolve().parent}") == 1
    create = {"kb_name": "x", "chunk_size": 64, "embedding_model": "m"}
    evil = ask.refusal("create_knowledge_base", **create, embedding_endpoint="http://evil.test/v1")
    assert f"RAGKB_ALLOWED_ENDPOINTS={ENDPOINT} http://evil.test/v1" in evil
    assert ask("create_knowledge_base", **create, embedding_endpoint=f"{ENDPOINT}/")["kb_id"]


def test_endpoints_and_keys_of_a_call_are_checked(
    ask: Asking, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = {"kb_name": "x", "chunk_size": 64, "embedding_model": "m"}
    said = ask.refusal("create_knowledge_base", **create, embedding_endpoint="file:///etc/passwd")
    assert "not an http or https address" in said
    assert "Give its address as embedding_endpoint" in ask.refusal(
        "create_knowledge_base", **create
    )
    secret = {**create, "embedding_endpoint": ENDPOINT, "embedding_api_key": "env:AWS_SECRET"}
    assert "AWS_SECRET may not be read" in ask.refusal("create_knowledge_base", **secret)
    monkeypatch.setenv("RAGKB_TEST_KEY", "sk-1")
    result = ask.result(
        "create_knowledge_base", **{**secret, "embedding_api_key": "env:RAGKB_TEST_KEY"}
    )
    assert not result.is_error
    assert "RAGKB_TEST_KEY" in home.keys.read_text(encoding="utf-8")
    assert "KEY" not in result.model_dump_json()


@pytest.mark.usefixtures("kb")
def test_a_failed_embedding_leaves_the_text_and_says_so(
    ask: Asking, embedder: FakeEmbedder, write: Write
) -> None:
    path = str(write("a.txt", "some text"))
    embedder.fail_next(EndpointRefused(ENDPOINT, 401, "no"))
    failed = ask.refusal("import_document", file_paths=[path])
    assert "found by keyword, but has no vectors" in failed
    assert "Ask the user to set the right key" in failed
    (document,) = ask("list_documents")["documents"]
    assert document["status"] == "failed"
    assert "Ask the user to set the right key" in document["state"]
    assert ask("search", query="text")["count"] == 1
    assert ask("import_document", file_paths=[path])["success_count"] == 1
    embedder.fail_next(EndpointUnreachable(ENDPOINT, "refused"))
    channels = ask("search", query="text")["channels"]
    assert channels["keyword"] == {"answered": True, "reason": ""}
    assert channels["vector"]["answered"] is False
    assert "does not answer (refused)" in channels["vector"]["reason"]


class Broken(FakeEmbedder):
    """An embedder with a fault that nobody foresaw."""

    def embed_query(self, text: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        raise ZeroDivisionError(f"secret of {text}")


@pytest.fixture
def embedder(request: pytest.FixtureRequest) -> FakeEmbedder:
    broken = "unexpected" in request.node.name
    return Broken() if broken else FakeEmbedder()


@pytest.mark.usefixtures("kb")
def test_something_unexpected_is_answered_with_an_id_and_logged_with_it(
    ask: Asking, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    ask("import_document", file_paths=[str(write("a.txt", "text"))])
    said = ask.refusal("search", query="text")
    (incident,) = re.findall(r"incident (\w{8})", said)
    assert "secret" not in said
    logged = capsys.readouterr().err
    assert incident in logged
    assert "ZeroDivisionError: secret of text" in logged
    assert ask("list_documents")["total"] == 1


@pytest.mark.parametrize("key", [key for key, (text, _) in TEXTS.items() if "`rag-server" in text])
def test_a_sentence_that_names_a_command_has_one_for_tools(key: str) -> None:
    assert (f"in_tool.{key}" in CATALOGUE) != (key in PEOPLE_ONLY)


@pytest.mark.parametrize("key", [key for key in CATALOGUE if key.startswith("in_tool.")])
def test_a_sentence_for_tools_leaves_commands_to_the_user(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert "--" not in english + chinese
    assert "rag-server" not in english or "Ask the user to run" in english
