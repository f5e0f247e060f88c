"""The command mcp: serve AI clients."""

import os

from ragkb.cli.context import Bare, BareCommand
from ragkb.cli.output import Reply
from ragkb.cli.parsing import Argument, Grammar
from ragkb.errors import TokenNeeded
from ragkb.services.validation import within

HOST, PORT, MOST_PORT = "127.0.0.1", 8765, 65_535


def mcp(bare: Bare) -> Reply:
    """Serve until the client leaves or a signal comes."""
    # only here: the SDK takes most of a second to load
    from ragkb.mcp.serving import serve_http, serve_stdio

    values, output = bare.values, bare.output
    if not values["http"]:
        return Reply("", exit_code=serve_stdio(bare.settings))
    host = values["host"] or HOST
    port = PORT if values["port"] is None else within("port", values["port"], 0, MOST_PORT)

    def announce(url: str) -> None:
        output.announce(output.say("mcp.listening", url=url))

    token = token_in(host, values["token-env"])
    return Reply("", exit_code=serve_http(bare.settings, host, port, token, announce))


def token_in(host: str, variable: str | None) -> str | None:
    """The token in an environment variable; one that was named must not be empty."""
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        raise TokenNeeded(host)
    return token


COMMANDS = (
    BareCommand(
        Grammar(
            "mcp",
            (
                Argument("http", flag=True),
                Argument("host"),
                Argument("port"),
                Argument("token-env"),
            ),
        ),
        mcp,
    ),
)
