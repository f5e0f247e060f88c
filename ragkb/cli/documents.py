"""Commands on documents: list_doc, show_doc, update_doc, delete_doc."""

from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.importing import PARTLY, reasons
from ragkb.cli.output import Output, Reply, Table, bullets, local_time
from ragkb.cli.parsing import Argument

if TYPE_CHECKING:
    from ragkb.services.documents import DocumentInfo

DOC_NAME = Argument("doc_name", required=True)


def list_doc(context: Context) -> Reply:
    """List the documents of a base."""
    base, output = context.base(), context.output
    page = context.app.documents.page(base)
    data = {
        "kb_name": base.name,
        "documents": [as_data(output, each) for each in page.documents],
        "count": len(page.documents),
        "total": page.total,
    }
    if not page.total:
        return Reply(output.say("result.list_doc.none", kb_name=base.name), data)
    headings = ("name", "type", "chunks", "chunk_size", "state", "updated")
    rows = tuple(
        (
            each.name,
            each.file_type,
            str(each.chunk_count),
            str(each.chunk_size),
            state_of(output, each),
            local_time(each.updated_at),
        )
        for each in page.documents
    )
    table = Table(tuple(output.say(f"heading.{each}") for each in headings), rows)
    return Reply(output.say("result.list_doc", kb_name=base.name, count=page.total), data, table)


def show_doc(context: Context) -> Reply:
    """Print the stored text of a document."""
    shown = context.app.documents.show(context.base(), context.values["doc_name"])
    data = {
        "doc_name": shown.name,
        "title": shown.title,
        "file_path": shown.file_path,
        "file_type": shown.file_type,
        "encoding": shown.encoding,
        "pages": shown.pages,
        "characters": len(shown.content),
        "content": shown.content,
    }
    if context.output.as_json:
        return Reply(context.output.say("result.show_doc", doc_name=shown.name), data)
    return Reply("", data, shown.content.rstrip("\n"))


def update_doc(context: Context) -> Reply:
    """Split a document anew."""
    output, values = context.output, context.values
    with output.progress() as move:
        done = 0

        def on_batch(chunks: int) -> None:
            nonlocal done
            done += chunks
            move(output.say("progress.chunks"), done, done)

        updated = context.app.documents.update(
            context.base(), values["doc_name"], values["chunk_size"], on_batch
        )
    facts = {
        "doc_name": updated.doc_name,
        "chunk_count": updated.chunk_count,
        "chunk_size": updated.chunk_size,
    }
    return Reply(
        output.say("result.update_doc", **facts),
        {"doc_id": updated.doc_id, **facts},
        bullets(reasons(output, updated.embedding)),
        updated.notes,
        exit_code=PARTLY if updated.embedding.failed else 0,
    )


def delete_doc(context: Context) -> Reply:
    """Delete a document."""
    base = context.base()
    name = context.app.documents.delete(base, context.values["doc_name"])
    message = context.output.say("result.delete_doc", doc_name=name, kb_name=base.name)
    return Reply(message, {"kb_name": base.name, "doc_name": name})


def state_of(output: Output, document: "DocumentInfo") -> str:
    """A document's state in words: ready, 37 of 120 chunks embedded, failed: why."""
    if document.status == "ready":
        return output.say("state.ready")
    done = document.chunk_count - document.missing_vectors
    if document.reason is not None:
        return output.say("state.failed", reason=document.reason.text(output.language))
    return output.say("state.pending", done=done, total=document.chunk_count)


def as_data(output: Output, document: "DocumentInfo") -> dict[str, Any]:
    """A document for programs."""
    return {
        "id": document.id,
        "name": document.name,
        "file_path": document.file_path,
        "file_type": document.file_type,
        "chunk_size": document.chunk_size,
        "chunk_count": document.chunk_count,
        "missing_vectors": document.missing_vectors,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "status": document.status,
        "state": state_of(output, document),
    }


COMMANDS = (
    command("list_doc", list_doc, in_base=True),
    command("show_doc", show_doc, DOC_NAME, in_base=True),
    command(
        "update_doc", update_doc, DOC_NAME, Argument("chunk_size", required=True), in_base=True
    ),
    command("delete_doc", delete_doc, DOC_NAME, in_base=True),
)
