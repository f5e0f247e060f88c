"""Resources, their completion, and the prompt: for clients that offer these to the user."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from ragkb.errors import NotFound, RagError
from ragkb.mcp.answers import compact
from ragkb.mcp.backend import Backend
from ragkb.mcp.searching import document_uri
from ragkb.mcp.wording import label, refusal, sentences
from ragkb.messages import Language, say

INDEX = "kb://index"
DOCUMENT = "kb://{kb_name}/documents/{doc_name}"
MOST_NAMES = 100  # of the documents of each base in the index; also the protocol's most completions


class Resources:
    """What the resources and the completion are answered with."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def index(self) -> str:
        """All bases, with the first of their documents, as JSON."""
        with as_resource_errors(self._backend.language):
            bases = self._backend.app.bases.list_all()
            return compact(
                [
                    {
                        "name": base.name,
                        "is_current": base.is_current,
                        "document_count": base.document_count,
                        "documents": self._documents(base.name),
                    }
                    for base in bases
                ]
            )

    def document(self, kb_name: str, doc_name: str) -> str:
        """The whole text of a document."""
        with as_resource_errors(self._backend.language):
            return self._backend.app.documents.show(self._backend.base(kb_name), doc_name).content

    async def complete(
        self,
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        """Names of bases, or of the documents of the base that was already chosen."""
        if not isinstance(ref, ResourceTemplateReference) or ref.uri != DOCUMENT:
            return None
        chosen = (context.arguments or {}) if context else {}
        return await anyio.to_thread.run_sync(
            self._names, argument.name, argument.value, chosen.get("kb_name")
        )

    def _names(self, argument: str, value: str, kb_name: str | None) -> Completion | None:
        if argument == "kb_name":
            names = [base.name for base in self._backend.app.bases.list_all()]
        elif argument == "doc_name" and kb_name:
            try:
                names = [*self._backend.app.documents.names(self._backend.base(kb_name))]
            except NotFound:
                return None
        else:
            return None
        fitting = [name for name in names if name.casefold().startswith(value.casefold())]
        more = len(fitting) > MOST_NAMES
        return Completion(values=fitting[:MOST_NAMES], total=len(fitting), has_more=more)

    def _documents(self, kb_name: str) -> list[dict[str, str]]:
        names = self._backend.app.documents.names(self._backend.base(kb_name), MOST_NAMES)
        return [{"name": name, "uri": document_uri(kb_name, name)} for name in names]


def add_resources(server: MCPServer[Any], backend: Backend) -> None:
    """Register both resources and the completion."""
    resources, language = Resources(backend), backend.language
    server.resource(
        INDEX,
        name="index",
        title=label("resource.index.title", language),
        description=sentences("resource.index", language),
        mime_type="application/json",
    )(resources.index)
    server.resource(
        DOCUMENT,
        name="document",
        title=label("resource.document.title", language),
        description=sentences("resource.document", language),
        mime_type="text/plain",
        # names may look like paths (`../x`, `C:x`), but no path is made of them
        security=ResourceSecurity(exempt_params={"kb_name", "doc_name"}),
    )(resources.document)
    server.completion()(resources.complete)


def add_prompt(server: MCPServer[Any], language: Language) -> None:
    """Register the prompt that answers with sources."""

    def answer_with_sources(question: str) -> str:
        return say("prompt.text", language, question=question)

    prompt = Prompt.from_function(
        answer_with_sources,
        title=label("prompt.title", language),
        description=sentences("prompt.description", language),
    )
    for argument in prompt.arguments or ():
        argument.description = label(f"prompt.{argument.name}", language)
    server.add_prompt(prompt)


@contextmanager
def as_resource_errors(language: Language) -> Generator[None]:
    """Word our errors for the client; what does not exist has a code of its own."""
    try:
        yield
    except NotFound as error:
        raise ResourceNotFoundError(refusal(error, language)) from error
    except RagError as error:
        raise ResourceError(refusal(error, language)) from error
