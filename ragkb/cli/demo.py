"""The command demo: the main job on the sample documents, in a home that is thrown away."""

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ragkb.cli.context import Context, command
from ragkb.cli.importing import lines_of, moving
from ragkb.cli.output import Reply
from ragkb.cli.searching import show

if TYPE_CHECKING:
    from ragkb.app import App

KB_NAME = "demo"
CHUNK_SIZE = 256
TOP_K = 3


def demo(context: Context) -> Reply:
    """Create, select, import and search, with nothing configured and nothing kept."""
    from ragkb.app import open_app

    with tempfile.TemporaryDirectory(prefix="ragkb-demo-") as folder:
        settings = dataclasses.replace(
            context.app.settings,
            home=Path(folder),
            embedding_model="",
            embedding_endpoint="",
            embedding_api_key=None,
        )
        with open_app(settings, lambda _copy: None) as app:
            found = _run(Context(app, context.values, context.output))
    message = context.output.say("result.demo")
    return Reply(message, {"kb_name": KB_NAME, "searches": found}, exit_code=0)


def _run(context: Context) -> list[dict[str, object]]:
    from ragkb.samples import DEMO_QUERIES, sample_files

    app, output = context.app, context.output
    base = app.bases.create(KB_NAME, CHUNK_SIZE)
    app.bases.select(KB_NAME)
    tell = output.announce if output.as_json else print
    tell(output.say("demo.created", kb_name=KB_NAME, model=base.embedding_model))
    with output.progress() as move:
        paths = [str(path) for path in sample_files()]
        report = app.importing.import_files(base, paths, moving(output, move))
    tell("\n".join(lines_of(output, report)))
    return [_search(context, app, query.query, output.say(query.kind)) for query in DEMO_QUERIES]


def _search(context: Context, app: "App", query: str, kind: str) -> dict[str, object]:
    output = context.output
    result = app.searching.search(app.bases.find(KB_NAME), query, TOP_K)
    tell = output.announce if output.as_json else print
    tell("\n" + output.say("demo.search", kind=kind, query=query))
    tell("\n".join(show(output, number, hit) for number, hit in enumerate(result.hits, start=1)))
    first = result.hits[0].doc_name if result.hits else None
    return {"query": query, "first": first, "documents": [hit.doc_name for hit in result.hits]}


COMMANDS = (command("demo", demo),)
