"""Vectors of an old file are used on if the model in use made them, and only then."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fake_embedder import FakeEmbedder, bigram_vector
from invariants import problems
from legacy_files import legacy_database
from stored_vectors import stored_vectors

from ragkb.app import App, open_app
from ragkb.errors import EndpointUnreachable
from ragkb.home import Home
from ragkb.services.adopting import fit, likeness
from ragkb.settings import Settings

DIMENSION = 32
TEXTS = ("告警五分钟内响应。", "先确认告警级别，", "再通知负责人。", "备份在凌晨。", "年假十天。")


@pytest.fixture
def old(tmp_path: Path) -> Home:
    """An old file whose base `ops` has five chunks with vectors of 32 numbers and of length 3."""
    home = Home(tmp_path / "old")
    legacy_database(home.database)
    connection = sqlite3.connect(home.database)
    connection.execute("UPDATE documents SET content = ? WHERE id = 'doc-3'", ("".join(TEXTS),))
    for number, text in enumerate(TEXTS):
        vector = np.pad(3 * bigram_vector(text, DIMENSION), (0, 1024 - DIMENSION))
        connection.execute(
            "INSERT INTO chunks (id, doc_id, content, chunk_index, embedding)"
            " VALUES (?, ?, ?, ?, ?)",
            (f"n{number}", "doc-3", text, number, vector.astype("<f4").tobytes()),
        )
    connection.commit()
    connection.close()
    return home


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(DIMENSION)


@pytest.fixture
def app(old: Home, embedder: FakeEmbedder) -> Iterator[App]:
    with open_app(
        Settings(home=old.folder), lambda _step: None, lambda *_a, **_k: embedder
    ) as opened:
        yield opened


def test_three_chunks_prove_the_model_and_all_vectors_are_searched(
    app: App, old: Home, embedder: FakeEmbedder
) -> None:
    adoption = app.adopting.adopt(app.bases.find("ops"))
    assert (adoption.adopted, len(embedder.embedded)) == (5, 4)  # the probe and three chunks
    base = app.bases.find("ops")
    assert (base.embedding_model, base.embedding_dim, base.windows) == (
        "builtin:use-m3", DIMENSION, False,
    )  # fmt: skip
    assert app.embedding.complete_base(base, lambda _: None).embedded == 0
    assert len(embedder.embedded) == 4
    assert {each.status for each in app.documents.page(base).documents} == {"ready"}
    stored = dict(stored_vectors(old))
    for text in TEXTS:
        assert np.allclose(stored[text], bigram_vector(text, DIMENSION), atol=1e-6)
    best = app.searching.search(base, TEXTS[3], 1).hits[0]
    assert (best.content, best.vector_score) == (TEXTS[3], pytest.approx(1, abs=1e-5))
    assert problems(app, base) == []


def test_another_model_adopts_nothing_and_says_what_happens(app: App) -> None:
    class Other(FakeEmbedder):
        def embed_passages(self, texts):  # type: ignore[no-untyped-def]
            return super().embed_passages(texts)[:, ::-1]

    with open_app(app.settings, lambda _step: None, lambda *_a, **_k: Other(DIMENSION)) as later:
        adoption = later.adopting.adopt(later.bases.find("ops"))
        assert adoption.adopted == 0
        assert "config_kb" in adoption.notes[0].text("en")
        report = later.embedding.complete_base(adoption.base, lambda _: None)
        assert report.embedded == 5
        base = later.bases.find("ops")
        assert problems(later, base) == []
        kinds = [each.note.key for each in later.doctor.examine().findings]
        assert "doctor.superseded" in kinds
        later.doctor.examine(fix=True)
        left = [each.models for each in later.doctor.examine().bases if each.name == "ops"]
        assert left == [(("builtin:use-m3", DIMENSION, 5),)]


def test_a_model_that_does_not_answer_changes_nothing(app: App, embedder: FakeEmbedder) -> None:
    embedder.fail_next(EndpointUnreachable("http://e", "refused"))
    with pytest.raises(EndpointUnreachable):
        app.adopting.adopt(app.bases.find("ops"))
    assert app.bases.find("ops").embedding_dim is None
    assert app.adopting.adopt(app.bases.find("ops")).adopted == 5


def test_a_base_without_old_vectors_asks_for_nothing(app: App, embedder: FakeEmbedder) -> None:
    base = app.bases.create("new", 64)
    assert app.adopting.adopt(base).adopted == 0
    assert embedder.embedded == []


def test_embed_adopts_and_says_so(
    old: Home, rag_server: Callable[..., int], capsys: pytest.CaptureFixture[str], home: Home
) -> None:
    shutil.copyfile(old.database, home.database)
    assert rag_server("embed", "--kb_name", "ops") == 0
    assert "Note: 5 vectors of the old file are used on" in capsys.readouterr().out


def test_likeness_takes_missing_numbers_for_zeros() -> None:
    long, short = np.array([3, 4, 0, 0], np.float32), np.array([0.6, 0.8], np.float32)
    assert likeness(long, short) == pytest.approx(1)
    assert likeness(np.array([0, 1, 1, 0], np.float32), short) == pytest.approx(0.8 / 2**0.5)
    assert likeness(np.zeros(4, np.float32), short) == 0


def test_a_fitted_vector_has_the_dimension_and_length_one() -> None:
    assert np.frombuffer(fit(np.array([3, 4, 0], "<f4").tobytes(), 2), "<f4") == pytest.approx(
        [0.6, 0.8]
    )
    assert np.frombuffer(fit(np.array([2], "<f4").tobytes(), 3), "<f4") == pytest.approx([1, 0, 0])
