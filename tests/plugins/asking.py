"""The SDK's client of an MCP server, asked from plain functions."""

from collections.abc import Callable
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal
from mcp import Client
from mcp.types import CallToolResult, TextContent


class Asking:
    """A client of a server; `ask("search", query="x")` gives what the tool answered."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured result of a call that must succeed."""
        result = self.result(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return result.structured_content

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that must be refused."""
        result = self.result(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def result(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The whole result."""
        return self.portal.call(self.client.call_tool, tool, arguments)

    def run(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """The result of one of the client's coroutines."""
        return self.portal.call(partial(function, *arguments, **options))


def data_of(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result."""
    assert result.structured_content is not None
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
