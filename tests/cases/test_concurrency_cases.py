"""Several processes on one base, and one that dies."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply, Request, answer, text_vector
from invariants import problems
from numbered import numbered_line, numbered_lines
from program import killed, outcome, run, start
from stored_vectors import misplaced_vectors, stored_vectors

from ragkb.app import App
from ragkb.database import create_sqlite_engine
from ragkb.home import Home

Ask = Callable[..., dict[str, Any]]
Write = Callable[[str, str], Path]

FILES, CHUNKS_PER_FILE = 10, 20
PATIENCE = 60  # seconds; only a hang needs them


@pytest.fixture
def environ(endpoint: EndpointServer) -> dict[str, str]:
    """Settings of a process that uses the endpoint server."""
    return {"RAGKB_EMBEDDING_MODEL": "mock", "RAGKB_EMBEDDING_ENDPOINT": endpoint.url}


class Gate:
    """An endpoint's behaviour: passages wait, from the n-th request on, until it is opened."""

    def __init__(self, first: int = 1) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self._before = first - 1

    def __call__(self, request: Request) -> Reply:
        is_passages = len(request.texts) > 1
        if is_passages and self._before > 0:
            self._before -= 1
        elif is_passages:
            self.reached.set()
            self.opened.wait(PATIENCE)
        return answer(request)


def written(write: Write, folder: str, files: int, first: int = 0) -> dict[str, str]:
    """Files with 20 chunks each, as path: text."""
    texts = [numbered_lines(CHUNKS_PER_FILE, first + 100 * number) for number in range(files)]
    return {str(write(f"{folder}/{n}.txt", text)): text for n, text in enumerate(texts)}


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("lock_two_writers")
def test_two_imports_at_once_and_a_search_beside_them(
    home: Home, remote_app: App, environ: dict[str, str], write: Write
) -> None:
    def texts(folder: str) -> list[str]:
        files = (write(f"{folder}/{folder}{n}.txt", f"{folder} 文档 {n}。") for n in range(50))
        return [str(file) for file in files]

    imports = [
        start(home, "import_doc", "--file_paths", *texts(folder), **environ)
        for folder in ("north", "south")
    ]
    searches = [run(home, "search", "--query", "文档", **environ)]
    while any(process.poll() is None for process in imports):
        searches.append(run(home, "search", "--query", "文档", **environ))
    ended = [outcome(process) for process in imports]
    assert [each.data["success_count"] for each in ended] == [50, 50]
    assert [(each.code, each.errors) for each in ended + searches if each.code or each.errors] == []
    base = remote_app.bases.find("kb")
    names = [document.name for document in remote_app.documents.page(base).documents]
    assert names == sorted(f"{folder}{n}.txt" for folder in ("north", "south") for n in range(50))
    assert {each.status for each in remote_app.documents.page(base).documents} == {"ready"}
    assert len(stored_vectors(home)) == 100
    assert misplaced_vectors(home, text_vector) == []
    assert problems(remote_app, base) == []


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("lock_read_during_import")
def test_a_search_waits_for_no_writer(
    home: Home, endpoint: EndpointServer, environ: dict[str, str], write: Write
) -> None:
    gate = Gate()
    endpoint.always(gate)
    importing = start(home, "import_doc", "--file_paths", *written(write, "a", FILES), **environ)
    try:
        assert gate.reached.wait(PATIENCE)
        writing = create_sqlite_engine(home.database, begin="IMMEDIATE")
        with writing.begin():  # the write lock is free while vectors are on their way, and is ours
            found = run(home, "search", "--query", "LS00105", **environ)
        writing.dispose()
        assert importing.poll() is None
    finally:
        gate.opened.set()
    ended = outcome(importing)
    assert (found.code, found.data["chunks"][0]["content"]) == (0, numbered_line(105))
    assert (ended.code, ended.data["success_count"]) == (0, FILES)


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("kill_mid_import", requests=(2, 12))
def test_a_kill_while_vectors_are_made_leaves_whole_documents(
    home: Home,
    ask_remote: Ask,
    remote_app: App,
    endpoint: EndpointServer,
    environ: dict[str, str],
    write: Write,
    requests: tuple[int, ...],
) -> None:
    for turn, request in enumerate(requests, start=1):
        files = written(write, f"t{turn}", FILES, 1000 * turn)
        gate = Gate(request)
        endpoint.always(gate)
        importing = start(home, "import_doc", "--file_paths", *files, **environ)
        assert gate.reached.wait(PATIENCE)
        killed(importing)
        gate.opened.set()
        endpoint.always(answer)
        assert_whole(ask_remote, files, at_least=FILES)
        assert len(stored_vectors(home)) < turn * FILES * CHUNKS_PER_FILE
        assert ask_remote("search", "--query", f"LS0{turn}905")["data"]["chunks"][0][
            "content"
        ] == numbered_line(1000 * turn + 905)
        done = ask_remote("embed")
        assert (done["code"], done["data"]["missing"]) == (0, 0)
        assert len(stored_vectors(home)) == turn * FILES * CHUNKS_PER_FILE
    assert misplaced_vectors(home, text_vector) == []
    assert problems(remote_app, remote_app.bases.find("kb")) == []


@pytest.mark.usefixtures("remote_kb")
@pytest.mark.case("kill_mid_import")
def test_a_kill_while_files_are_stored_leaves_documents_absent_or_complete(
    home: Home, ask_remote: Ask, remote_app: App, environ: dict[str, str], write: Write
) -> None:
    files = written(write, "a", FILES)
    importing = start(home, "import_doc", "--file_paths", *files, **environ)
    base = remote_app.bases.find("kb")
    while importing.poll() is None and remote_app.documents.page(base, limit=0).total < 2:
        pass
    killed(importing)
    assert_whole(ask_remote, files, at_least=2)
    again = ask_remote("import_doc", "--file_paths", *files)
    assert (again["code"], again["data"]["success_count"]) == (0, FILES)
    assert_whole(ask_remote, files, at_least=FILES)
    assert len(stored_vectors(home)) == FILES * CHUNKS_PER_FILE
    assert problems(remote_app, remote_app.bases.find("kb")) == []


def assert_whole(ask: Ask, files: dict[str, str], at_least: int) -> None:
    """Each of the files that became a document is one with its whole text and all its chunks."""
    documents = ask("list_doc")["data"]["documents"]
    stored = {each["name"]: each for each in documents if each["file_path"] in files}
    assert len(stored) >= at_least
    for name, document in stored.items():
        assert document["chunk_count"] == CHUNKS_PER_FILE
        content = ask("show_doc", "--doc_name", name)["data"]["content"]
        assert content == files[document["file_path"]]
