"""Five hundred chunks against an endpoint that fails, and a program that is killed meanwhile."""

import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from endpoint_server import (
    Behaviour,
    EndpointServer,
    Reply,
    Request,
    answer,
    reset,
    slowly,
    status,
    text_vector,
)
from invariants import problems
from numbered import CHUNK_SIZE, numbered_lines
from program import killed, run, start
from stored_vectors import misplaced_vectors, stored_vectors

from ragkb.app import App, open_app
from ragkb.embeddings import normalise_endpoint
from ragkb.embeddings.patience import Patience
from ragkb.embeddings.remote import RemoteEmbedder
from ragkb.home import Home
from ragkb.secret import Secret
from ragkb.settings import Settings

Write = Callable[[str, str], Path]

CHUNKS = 500
KILLS = 10 if os.environ.get("RAGKB_SOAK") else 2
PATIENCE = 60  # seconds; only a hang needs them
STEADY = Patience(batch=60, unreachable=60, first_wait=0.001, longest_wait=0.02, rest=0.05)


class Unsteady:
    """Answers 30 of 100 requests with a 429, a 500, a reset or slowly, by a fixed seed."""

    def __init__(self) -> None:
        self._chance = random.Random(20_261_130)
        self._lock = threading.Lock()
        self._failures: tuple[Behaviour, ...] = (status(429), status(500), reset, slowly(0.02))
        self.answered: list[tuple[str, ...]] = []
        self.failed = 0

    def __call__(self, request: Request) -> Reply:
        with self._lock:
            chosen = self._chance.choice(self._failures) if self._chance.random() < 0.3 else answer
            if chosen in self._failures[:3]:
                self.failed += 1
            else:
                self.answered.append(tuple(request.texts))
        return chosen(request)


@pytest.fixture
def app(settings: Settings) -> Iterator[App]:
    def open_steady(
        model: str, *, endpoint: str, api_key: Secret | None, batch_size: int
    ) -> RemoteEmbedder:
        address = normalise_endpoint(endpoint)
        return RemoteEmbedder(model, address, api_key, batch_size=batch_size, patience=STEADY)

    with open_app(settings, lambda _copy: None, open_steady) as opened:
        yield opened


@pytest.mark.soak
def test_an_unsteady_endpoint_gives_every_chunk_its_own_vector_once(
    app: App, home: Home, endpoint: EndpointServer, write: Write
) -> None:
    unsteady = Unsteady()
    endpoint.always(unsteady)
    app.bases.create("kb", CHUNK_SIZE, embedding_model="mock", embedding_endpoint=endpoint.url)
    path = str(write("lines.txt", numbered_lines(CHUNKS)))
    report = app.importing.import_files(app.bases.find("kb"), [path], lambda _: None)
    assert report.failed_files == []
    assert len(stored_vectors(home)) == CHUNKS
    assert misplaced_vectors(home, text_vector) == []
    assert problems(app, app.bases.find("kb")) == []
    assert unsteady.failed > 5
    assert [texts for texts, count in Counter(unsteady.answered).items() if count > 1] == []


class Pause:
    """Holds the n-th request for passages until the program that sent it is dead."""

    def __init__(self, number: int) -> None:
        self._left = number
        self._lock = threading.Lock()
        self.reached, self.over = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Reply:
        with self._lock:
            self._left -= len(request.texts) > 1
            here = self._left <= 0
        if here and not self.over.is_set():
            self.reached.set()
            self.over.wait(PATIENCE)
        return answer(request)


@pytest.mark.soak
def test_an_import_killed_again_and_again_is_completed_and_sends_little_twice(
    home: Home, endpoint: EndpointServer, write: Write
) -> None:
    environ = {"RAGKB_EMBEDDING_MODEL": "mock", "RAGKB_EMBEDDING_ENDPOINT": endpoint.url}
    run(home, "create_kb", "--kb_name", "kb", "--chunk_size", str(CHUNK_SIZE), **environ)
    run(home, "select_kb", "--kb_name", "kb", **environ)
    path = str(write("lines.txt", numbered_lines(CHUNKS)))
    chance = random.Random(7)
    for _ in range(KILLS):
        pause = Pause(chance.randint(1, 9))
        endpoint.always(pause)
        process = start(home, "import_doc", "--file_paths", path, **environ)
        while not pause.reached.wait(0.1) and process.poll() is None:
            continue
        killed(process)
        pause.over.set()
    endpoint.always(answer)
    finished = run(home, "import_doc", "--file_paths", path, **environ)
    assert (finished.code, finished.data["failed_count"]) == (0, 0)
    assert len(stored_vectors(home)) == CHUNKS
    assert misplaced_vectors(home, text_vector) == []
    sent = Counter(text for batch in endpoint.batches if len(batch) > 1 for text in batch)
    lanes, batch = 4, 10  # what may be under way at a kill
    assert sum(count - 1 for count in sent.values()) <= KILLS * lanes * batch
