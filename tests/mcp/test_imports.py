"""Imports that take longer than a client waits: progress, budget, cancellation, calling again."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from asking import Asking, data_of
from gated_embedder import PATIENCE, GatedEmbedder
from invariants import problems
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from ragkb.app import App
from ragkb.mcp.boundary import RagServer

Serve = Callable[..., RagServer]
Connect = Callable[..., Asking]
Write = Callable[[str, str], Path]

SHORT, LONG = 0.2, 600.0  # seconds of a call's budget
CLIENTS_PATIENCE = 60.0 if os.environ.get("RAGKB_SOAK") else 0.2  # seconds; most have 60


@pytest.fixture
def embedder() -> Iterator[GatedEmbedder]:
    gated = GatedEmbedder()
    yield gated
    gated.open()


@pytest.fixture
def files(write: Write) -> list[str]:
    """Six files of some chunks each; no sentence comes twice."""
    return [str(write(f"in/{n}.txt", f"file {n}\n" + sentences(n))) for n in range(6)]


def sentences(file: int) -> str:
    numbers = range(100 * file, 100 * file + 20)
    return "\n".join(f"One two three four five six seven {number}." for number in numbers)


@pytest.fixture
def patient(serve: Serve, connect: Connect) -> Asking:
    """A client of a server that waits for imports."""
    return with_base(connect(serve(mcp_call_seconds=LONG)))


@pytest.fixture
def hasty(serve: Serve, connect: Connect) -> Asking:
    """A client of a server that answers before imports have ended."""
    return with_base(connect(serve(mcp_call_seconds=SHORT)))


def with_base(ask: Asking) -> Asking:
    ask("create_knowledge_base", kb_name="kb", chunk_size=64)
    ask("select_knowledge_base", kb_name="kb")
    return ask


def begun(ask: Asking, tool: str, **arguments: Any) -> "Future[CallToolResult]":
    """A call that has not been answered yet."""
    return ask.portal.start_task_soon(partial(ask.client.call_tool, tool, arguments))


def assert_everything_is_there(app: App, files: list[str]) -> None:
    base = app.bases.find("kb")
    documents = app.documents.page(base).documents
    assert sorted(each.file_path or "" for each in documents) == sorted(
        str(Path(path).resolve()) for path in files
    )
    assert {each.status for each in documents} == {"ready"}
    assert problems(app, base) == []


def test_progress_increases_and_ends_with_everything(
    patient: Asking, embedder: GatedEmbedder, files: list[str]
) -> None:
    embedder.open()
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def call() -> CallToolResult:
        arguments = {"file_paths": files}
        return await patient.client.call_tool("import_document", arguments, progress_callback=note)

    assert not patient.portal.call(call).is_error
    values = [progress for progress, _, _ in told]
    assert values == sorted(set(values))
    assert all(total is not None and progress <= total for progress, total, _ in told)
    assert {message for _, _, message in told} <= {Path(path).name for path in files}


def test_other_calls_are_answered_meanwhile(
    patient: Asking, embedder: GatedEmbedder, files: list[str]
) -> None:
    importing = begun(patient, "import_document", file_paths=files)
    assert embedder.reached.wait(PATIENCE)
    assert patient("search", query="310")["chunks"][0]["doc_name"] == "3.txt"
    states = [each["status"] for each in patient("list_documents")["documents"]]
    assert states == ["pending"] * 6
    assert not importing.done()
    embedder.open()
    imported = data_of(importing.result(PATIENCE))
    assert imported["success_count"] == 6


def test_after_its_budget_a_call_says_what_is_pending_and_the_work_goes_on(
    hasty: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    paths = [files[0] + ".none", *files]
    first = hasty("import_document", file_paths=paths)
    assert (first["total"], first["success_count"]) == (7, 0)
    assert first["pending_count"] >= 6
    assert "Call again with the same arguments" in first["notes"][0]
    assert embedder.reached.wait(PATIENCE)
    second = hasty("import_document", file_paths=paths)
    assert (second["failed_count"], second["pending_count"]) == (1, 6)
    assert second["pending_files"] == [str(Path(path).resolve()) for path in files]
    embedder.open()
    while (last := hasty("import_document", file_paths=paths))["pending_count"]:
        pass
    assert (last["success_count"], last["failed_count"]) == (6, 1)
    assert_everything_is_there(app, files)
    assert len(embedder.embedded) == len(set(embedder.embedded))


def test_a_folder_goes_on_in_the_background_too(
    hasty: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    folder = str(Path(files[0]).parent)
    first = hasty("import_folder", path=folder)
    assert (first["total"], first["pending_count"], first["vanished"]) == (6, 6, [])
    embedder.open()
    while hasty("import_folder", path=folder)["pending_count"]:
        pass
    assert_everything_is_there(app, files)


def test_calls_that_ask_for_the_same_wait_for_the_same_work(
    patient: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    calls = [begun(patient, "import_document", file_paths=files) for _ in range(3)]
    assert embedder.reached.wait(PATIENCE)
    embedder.open()
    for call in calls:
        imported = data_of(call.result(PATIENCE))
        assert [each["status"] for each in imported["success_files"]] == ["imported"] * 6
    assert_everything_is_there(app, files)


def test_other_files_of_the_same_base_wait_their_turn(
    patient: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    first = begun(patient, "import_document", file_paths=files[:4])
    assert embedder.reached.wait(PATIENCE)
    second = begun(patient, "import_document", file_paths=files[2:])
    embedder.open()
    results = [data_of(each.result(PATIENCE)) for each in (first, second)]
    assert [each["status"] for each in results[0]["success_files"]] == ["imported"] * 4
    assert [each["status"] for each in results[1]["success_files"]] == [
        *["unchanged"] * 2,
        *["imported"] * 2,
    ]
    assert_everything_is_there(app, files)


def test_a_call_that_is_given_up_stops_between_two_batches_and_can_be_made_again(
    patient: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    async def give_up() -> None:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(patient.client.call_tool, "import_document", {"file_paths": files})
                await anyio.to_thread.run_sync(embedder.reached.wait, PATIENCE)
                scope.cancel()

    patient.portal.call(give_up)
    embedder.let(1)
    embedded = len(embedder.embedded)
    assert patient("list_documents")["total"] == 6
    again = begun(patient, "import_document", file_paths=files)
    assert embedder.reached.wait(PATIENCE)
    assert len(embedder.embedded) <= embedded + 5
    embedder.open()
    imported = data_of(again.result(PATIENCE))
    assert [each["status"] for each in imported["success_files"]] == ["unchanged"] * 6
    assert_everything_is_there(app, files)


@pytest.mark.soak
def test_an_import_three_times_as_long_as_the_clients_patience_is_complete_in_the_end(
    patient: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    """The client gives up after a moment, again and again; each time a few batches get through."""

    async def call() -> CallToolResult:
        arguments = {"file_paths": files}
        return await patient.client.call_tool(
            "import_document", arguments, read_timeout_seconds=CLIENTS_PATIENCE
        )

    given_up = 0
    while True:
        try:
            imported = data_of(patient.portal.call(call))
        except MCPError:
            given_up += 1
            if given_up == 3:
                embedder.open()
            else:
                embedder.let(2)
            continue
        break
    assert given_up >= 3
    assert (imported["success_count"], imported["total"]) == (6, 6)
    assert_everything_is_there(app, files)


def test_a_document_is_embedded_anew_in_the_background(
    hasty: Asking, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    embedder.open()
    while hasty("import_document", file_paths=files)["pending_count"]:
        pass
    embedder.shut()
    updated = hasty("update_document", doc_name="0.txt", chunk_size=32)
    assert updated["pending_count"] > 0
    assert "still being made in the background" in updated["notes"][0]
    embedder.open()
    while hasty("list_documents", limit=1)["documents"][0]["status"] != "ready":
        pass
    assert_everything_is_there(app, files)


def test_a_server_that_ends_stops_its_work_between_two_batches(
    serve: Serve, app: App, embedder: GatedEmbedder, files: list[str]
) -> None:
    from mcp import Client

    async def main() -> None:
        async with Client(serve(mcp_call_seconds=SHORT)) as client:
            await client.call_tool("create_knowledge_base", {"kb_name": "kb", "chunk_size": 64})
            arguments = {"file_paths": files, "kb_name": "kb"}
            await client.call_tool("import_document", arguments)
            embedder.let(1)

    anyio.run(main)
    documents = app.documents.page(app.bases.find("kb")).documents
    assert {each.status for each in documents} == {"pending"}
    assert len(embedder.embedded) < 20
