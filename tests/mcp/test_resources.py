"""Resources, their completion, and the prompt."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from asking import Asking
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PromptReference, ResourceTemplateReference

Write = Callable[[str, str], Path]

TEMPLATE = "kb://{kb_name}/documents/{doc_name}"
ODD = "../默认 库/C:报告"


@pytest.fixture
def stocked(ask: Asking, write: Write) -> Asking:
    """A base with an odd name that holds two documents."""
    ask("create_knowledge_base", kb_name=ODD, chunk_size=64)
    paths = [str(write(name, f"text of {name}")) for name in ("报告 2024.txt", "报表.txt")]
    ask("import_document", file_paths=paths, kb_name=ODD)
    return ask


def test_the_index_and_the_template_are_listed(ask: Asking) -> None:
    (index,) = ask.run(ask.client.list_resources).resources
    (template,) = ask.run(ask.client.list_resource_templates).resource_templates
    assert (index.uri, index.mime_type) == ("kb://index", "application/json")
    assert template.uri_template == TEMPLATE


def test_the_index_leads_to_the_documents(stocked: Asking) -> None:
    (content,) = stocked.run(stocked.client.read_resource, "kb://index").contents
    (base,) = json.loads(content.text)
    assert (base["name"], base["document_count"], base["is_current"]) == (ODD, 2, False)
    uris = {each["name"]: each["uri"] for each in base["documents"]}
    assert sorted(uris) == ["报告 2024.txt", "报表.txt"]
    for name, uri in uris.items():
        (text,) = stocked.run(stocked.client.read_resource, uri).contents
        assert text.text.strip() == f"text of {name}"


def test_what_does_not_exist_has_the_protocols_code_and_our_sentence(stocked: Asking) -> None:
    uri = f"kb://{quote(ODD, safe='')}/documents/none.txt"
    with pytest.raises(MCPError) as missing:
        stocked.run(stocked.client.read_resource, uri)
    assert missing.value.error.code == INVALID_PARAMS
    assert "There is no document named 'none.txt'" in missing.value.error.message
    with pytest.raises(MCPError, match="There is no knowledge base named 'none'"):
        stocked.run(stocked.client.read_resource, "kb://none/documents/none.txt")


def test_names_are_completed(stocked: Asking) -> None:
    ref = ResourceTemplateReference(uri=TEMPLATE)

    def completed(argument: str, value: str, **chosen: str) -> list[str]:
        given = {"name": argument, "value": value}
        answer = stocked.run(stocked.client.complete, ref, given, chosen or None)
        assert answer.completion.total == len(answer.completion.values)
        return answer.completion.values

    assert completed("kb_name", "../") == [ODD]
    assert completed("kb_name", "x") == []
    assert completed("doc_name", "报告", kb_name=ODD) == ["报告 2024.txt"]
    assert sorted(completed("doc_name", "", kb_name=ODD)) == ["报告 2024.txt", "报表.txt"]


def test_what_cannot_be_completed_is_answered_with_nothing(stocked: Asking) -> None:
    template, prompt = ResourceTemplateReference(uri=TEMPLATE), PromptReference(name="x")
    for ref, argument, chosen in (
        (template, "doc_name", None),
        (template, "doc_name", {"kb_name": "none"}),
        (template, "other", None),
        (prompt, "kb_name", None),
    ):
        given = {"name": argument, "value": ""}
        assert stocked.run(stocked.client.complete, ref, given, chosen).completion.values == []


def test_the_prompt_asks_for_sources(ask: Asking) -> None:
    (prompt,) = ask.run(ask.client.list_prompts).prompts
    assert prompt.name == "answer_with_sources"
    assert prompt.arguments is not None
    (argument,) = prompt.arguments
    assert (argument.name, argument.required) == ("question", True)
    got = ask.run(ask.client.get_prompt, "answer_with_sources", {"question": "保修期多长？"})
    (message,) = got.messages
    assert "保修期多长？" in message.content.text
    assert "tool search" in message.content.text
