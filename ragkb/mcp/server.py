"""The server: which tools there are, what they do to the world, and how they are described."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

from ragkb import __version__
from ragkb.mcp.arguments import bare_schema, shown_schema
from ragkb.mcp.backend import Backend
from ragkb.mcp.boundary import RagServer
from ragkb.mcp.documents import DocumentTools
from ragkb.mcp.importing import ImportTools
from ragkb.mcp.knowledge_bases import KnowledgeBaseTools
from ragkb.mcp.resources import add_prompt, add_resources
from ragkb.mcp.searching import SearchTools
from ragkb.mcp.transfer import TransferTools
from ragkb.mcp.wording import label, sentences
from ragkb.services.access import Access
from ragkb.settings import Settings

if TYPE_CHECKING:
    from ragkb.services.embedders import OpenEmbedder


def nothing() -> None:
    """What is done at a moment that nobody cares for."""


@dataclass(frozen=True)
class Moments:
    """What the process does when the server takes its streams, loses its clients, is closed."""

    begin: Callable[[], None] = nothing
    end: Callable[[], None] = nothing
    closed: Callable[[], None] = nothing


def build_server(
    settings: Settings,
    *,
    remote: bool = False,
    open_embedder: "OpenEmbedder | None" = None,
    moments: Moments | None = None,
    **options: Any,
) -> RagServer:
    """The server of a home; nothing is opened before the first call.

    `remote` sets the stricter rules of HTTP; `options` are those of MCPServer.
    """
    at = moments or Moments()
    access = Access(settings.home, settings.allowed_roots, settings.allowed_endpoints, remote)
    backend = Backend(settings, access, open_embedder)

    @asynccontextmanager
    async def lifespan(_server: MCPServer[None]) -> AsyncGenerator[None]:
        at.begin()
        try:
            async with backend.running(at.end):
                yield
        finally:
            at.closed()

    async def count(context: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        backend.note_message()
        return await call_next(context)

    server = RagServer(
        tools_of(backend),
        backend.language,
        title=label("tools.title", backend.language),
        version=__version__,
        instructions=sentences("tools.instructions", backend.language),
        lifespan=lifespan,
        middleware=[count],
        **options,
    )
    add_resources(server, backend)
    add_prompt(server, backend.language)
    return server


def tools_of(backend: Backend) -> list[Tool]:
    """All tools, described in the backend's language."""
    bases, imports = KnowledgeBaseTools(backend), ImportTools(backend)
    documents, searches = DocumentTools(backend), SearchTools(backend)
    transfers = TransferTools(backend)
    hints: dict[Callable[..., Any], ToolAnnotations] = {
        bases.create_knowledge_base: does(),
        bases.delete_knowledge_base: does(destroys=True),
        bases.list_knowledge_bases: does(reads=True),
        bases.select_knowledge_base: does(idempotent=True),
        imports.import_document: does(idempotent=True, network=True),
        imports.import_folder: does(destroys=True, idempotent=True, network=True),
        searches.search: does(reads=True, network=True),
        documents.list_documents: does(reads=True),
        documents.delete_document: does(destroys=True),
        documents.update_document: does(destroys=True, idempotent=True, network=True),
        transfers.export_database: does(),
        transfers.import_database: does(),
    }
    return [described(backend, function, hint) for function, hint in hints.items()]


def does(
    *, reads: bool = False, destroys: bool = False, idempotent: bool = False, network: bool = False
) -> ToolAnnotations:
    """What a tool does; all four hints, because clients assume the worst of a missing one."""
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=destroys,
        idempotent_hint=reads or idempotent,
        open_world_hint=network,
    )


def described(backend: Backend, function: Callable[..., Any], hints: ToolAnnotations) -> Tool:
    """A method as a tool, with its texts from the catalogue and plain schemas."""
    key, language = f"tools.{function.__name__}", backend.language
    tool = Tool.from_function(
        function,
        title=label(f"{key}.title", language),
        description=sentences(key, language),
        annotations=hints,
    )
    tool.parameters = shown_schema(tool.parameters, language, top_k=backend.settings.top_k)
    tool.fn_metadata.output_schema = bare_schema(tool.fn_metadata.output_schema)
    return tool
