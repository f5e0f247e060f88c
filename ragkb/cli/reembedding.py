"""The command reembed_kb: another embedding model for a base, and the way back."""

from ragkb.cli.context import Context, command
from ragkb.cli.importing import PARTLY
from ragkb.cli.knowledge_bases import EMBEDDING, given_key
from ragkb.cli.output import Reply
from ragkb.cli.parsing import Argument


def reembed_kb(context: Context) -> Reply:
    """Change the model of a base, undo the last change, or settle it."""
    base, output = context.base(), context.output
    if context.values["rollback"]:
        model = context.app.reembedding.roll_back(base)
        data = {"kb_name": base.name, "embedding_model": model}
        return Reply(output.say("result.reembed_kb.back", kb_name=base.name, model=model), data)
    if context.values["drop-old"]:
        count = context.app.reembedding.drop_old(base)
        data = {"kb_name": base.name, "dropped": count}
        return Reply(output.say("result.reembed_kb.dropped", kb_name=base.name, count=count), data)
    return _change(context)


def _change(context: Context) -> Reply:
    base, output, values = context.base(), context.output, context.values
    done = 0
    with output.progress() as move:

        def on_batch(chunks: int) -> None:
            nonlocal done
            done += chunks
            move(output.say("progress.chunks"), done, total)

        total = context.app.documents.count_chunks(base)
        result = context.app.reembedding.change_model(
            base,
            on_batch,
            model=values["embedding_model"],
            endpoint=values["embedding_endpoint"],
            api_key=given_key(values["embedding_api_key"]),
        )
    facts = {"kb_name": base.name, "embedded": result.embedded, "missing": result.missing}
    key = "result.reembed_kb" if result.switched else "result.reembed_kb.partly"
    reason = result.failure.text(output.language) if result.failure else ""
    return Reply(
        output.say(key, model=result.model, **facts),
        {**facts, "embedding_model": result.model, "switched": result.switched},
        reason,
        exit_code=0 if result.switched else (PARTLY if result.embedded else 1),
    )


COMMANDS = (
    command(
        "reembed_kb",
        reembed_kb,
        *EMBEDDING,
        Argument("rollback", flag=True),
        Argument("drop-old", flag=True),
        in_base=True,
    ),
)
