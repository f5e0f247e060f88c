"""The one place where calls come in and errors go out."""

import uuid
from collections.abc import Sequence
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from ragkb.errors import RagError
from ragkb.log import log
from ragkb.mcp.arguments import given, refused
from ragkb.mcp.wording import refusal, worded
from ragkb.messages import Language


class RagServer(MCPServer[None]):
    """An MCP server whose refusals say a fact and the next step.

    A RagError is worded for the client. Anything else that a tool raises is logged with an id, and
    only that id is answered.
    """

    def __init__(self, tools: Sequence[Tool], language: Language, **options: Any) -> None:
        super().__init__("ragkb", tools=[*tools], **options)
        self._known = {tool.name: tool for tool in tools}
        self._language: Language = language

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        tool = self._known.get(name)
        if tool is None:
            values = {"name": name, "known": ", ".join(self._known)}
            raise ToolError(worded("UnknownTool", values, self._language))
        try:
            return await super().call_tool(name, given(tool.parameters, arguments), context)
        except ToolError as error:
            raise ToolError(self._sentence(tool, error)) from error

    def _sentence(self, tool: Tool, error: ToolError) -> str:
        cause = error.__cause__
        if isinstance(cause, RagError):
            return refusal(cause, self._language)
        if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
            return refusal(refused(tool.name, tool.parameters, cause), self._language)
        incident = uuid.uuid4().hex[:8]
        log.exception("unexpected error", incident=incident, tool=tool.name)
        return worded("unexpected", {"incident": incident}, self._language)
