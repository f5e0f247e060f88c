"""Commands on knowledge bases: create_kb, delete_kb, list_kb, select_kb, config_kb."""

import sys
from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.output import Reply, Table, local_time
from ragkb.cli.parsing import Argument
from ragkb.errors import MissingArgument

if TYPE_CHECKING:
    from ragkb.services.knowledge_bases import BaseInfo

KB_NAME = Argument("kb_name", required=True)
EMBEDDING = (
    Argument("embedding_model"),
    Argument("embedding_endpoint"),
    Argument("embedding_api_key"),
)


def create_kb(context: Context) -> Reply:
    """Create a knowledge base."""
    values = context.values
    base = context.app.bases.create(
        values["kb_name"],
        values["chunk_size"],
        embedding_model=values["embedding_model"],
        embedding_endpoint=values["embedding_endpoint"],
        embedding_api_key=given_key(values["embedding_api_key"]),
    )
    message = context.output.say(
        "result.create_kb",
        kb_name=base.name,
        chunk_size=base.chunk_size,
        model=base.embedding_model,
    )
    data = {"kb_id": base.id, "kb_name": base.name, "chunk_size": base.chunk_size}
    return Reply(message, data, notes=base.notes)


def delete_kb(context: Context) -> Reply:
    """Delete a knowledge base."""
    name = context.app.bases.delete(context.values["kb_name"])
    return Reply(context.output.say("result.delete_kb", kb_name=name), {"kb_name": name})


def list_kb(context: Context) -> Reply:
    """List the knowledge bases."""
    bases = context.app.bases.list_all()
    say = context.output.say
    headings = (
        "",
        *(
            say(f"heading.{each}")
            for each in ("name", "chunk_size", "documents", "model", "created")
        ),
    )
    rows = tuple(
        (
            "*" if base.is_current else "",
            base.name,
            str(base.chunk_size),
            str(base.document_count),
            base.embedding_model or "",
            local_time(base.created_at),
        )
        for base in bases
    )
    current = next((base.id for base in bases if base.is_current), None)
    data = {
        "knowledge_bases": [as_data(base) for base in bases],
        "count": len(bases),
        "current_kb_id": current,
    }
    if not bases:
        return Reply(say("result.list_kb.none"), data)
    return Reply(say("result.list_kb", count=len(bases)), data, Table(headings, rows))


def select_kb(context: Context) -> Reply:
    """Make a knowledge base the current one."""
    base = context.app.bases.select(context.values["kb_name"])
    values = {"kb_name": base.name, "document_count": base.document_count}
    return Reply(context.output.say("result.select_kb", **values), {"kb_id": base.id, **values})


def config_kb(context: Context) -> Reply:
    """Change how a knowledge base reaches its embedding model."""
    values = context.values
    if not any(values[argument.name] for argument in EMBEDDING):
        raise MissingArgument("config_kb", " / ".join(f"--{each.name}" for each in EMBEDDING))
    base = context.app.model_config.change(
        context.base(),
        model=values["embedding_model"],
        endpoint=values["embedding_endpoint"],
        api_key=given_key(values["embedding_api_key"]),
    )
    data = {
        "kb_id": base.id,
        "kb_name": base.name,
        "embedding_model": base.embedding_model,
        "embedding_endpoint": base.embedding_endpoint,
    }
    message = context.output.say("result.config_kb", kb_name=base.name, model=base.embedding_model)
    return Reply(message, data, notes=base.notes)


def given_key(value: str | None) -> str | None:
    """The key that was typed; `-` reads it from standard input, out of the shell's history."""
    return sys.stdin.readline().strip() if value == "-" else value


def as_data(base: "BaseInfo") -> dict[str, Any]:
    """A base for programs."""
    return {
        "id": base.id,
        "name": base.name,
        "chunk_size": base.chunk_size,
        "embedding_model": base.embedding_model,
        "embedding_endpoint": base.embedding_endpoint,
        "document_count": base.document_count,
        "created_at": base.created_at,
        "is_current": base.is_current,
    }


COMMANDS = (
    command("create_kb", create_kb, KB_NAME, Argument("chunk_size", required=True), *EMBEDDING),
    command("list_kb", list_kb),
    command("select_kb", select_kb, KB_NAME),
    command("config_kb", config_kb, *EMBEDDING, in_base=True),
    command("delete_kb", delete_kb, KB_NAME),
)
