"""Vectors: each on its own chunk, resumable, claimed by one worker."""

import os
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder, OppositeEmbedder
from legacy_files import legacy_database

from ragkb.app import App, open_app
from ragkb.errors import VectorsDiffer
from ragkb.home import Home
from ragkb.models import now
from ragkb.repositories.store import Store
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.leases import claim, has_died, new_owner
from ragkb.services.vector_making import pack_chunks, texts_of
from ragkb.settings import Settings

Write = Callable[[str, str], Path]


@pytest.fixture
def store(app: App) -> Store:
    return app.store


@pytest.fixture
def base(app: App) -> BaseInfo:
    app.bases.create("kb", 16)
    return app.bases.select("kb")


def test_a_chunk_of_one_window_is_embedded_once() -> None:
    assert texts_of("短句。", with_windows=True) == ["短句。"]


def test_a_long_chunk_is_embedded_whole_and_window_by_window() -> None:
    text = "这是第一个相当长的句子，它有许多许多的字，用来占满第一个窗口的位置，确实足够长了。" * 4
    whole, *rest = texts_of(text, with_windows=True)
    assert whole == text
    assert "".join(rest) == text
    assert texts_of(text, with_windows=False) == [text]


def test_a_chunk_is_packed_only_when_all_its_texts_have_vectors() -> None:
    import numpy as np

    from ragkb.repositories.embeddings import ChunkToEmbed

    batch = [ChunkToEmbed(1, "d", "a"), ChunkToEmbed(2, "d", "b"), ChunkToEmbed(3, "d", "c")]
    vector = np.ones(2, dtype=np.float32)
    found = {0: vector, 1: vector, 3: vector}
    packed = pack_chunks(batch, [["a"], ["b", "b1"], ["c"]], found)
    assert sorted(packed) == [1, 3]


def test_another_dimension_later_is_refused_and_the_old_vectors_stay(
    app: App, base: BaseInfo, write: Write, settings: Settings
) -> None:
    app.importing.import_files(base, [str(write("a.txt", "one two"))], lambda _: None)
    wide = FakeEmbedder(16)
    with open_app(settings, lambda _copy: None, lambda *_a, **_k: wide) as later:
        report = later.importing.import_files(
            later.bases.find("kb"), [str(write("b.txt", "three"))], lambda _: None
        )
        error = report.failed_files[0].error
        assert "16" in error.text("en")
        assert "8" in error.text("en")
    hits = app.searching.search(app.bases.find("kb"), "one two", 5).hits
    assert hits[0].vector_score == pytest.approx(1.0, abs=1e-5)


def test_an_upgraded_base_gets_the_default_model_with_its_windows(tmp_path: Path) -> None:
    home = Home(tmp_path)
    legacy_database(home.database)
    with open_app(
        Settings(home=tmp_path), lambda _copy: None, lambda *_a, **_k: FakeEmbedder()
    ) as app:
        base = app.bases.find("ops")
        assert (base.embedding_model, base.windows) == (None, False)
        file = tmp_path / "a.txt"
        file.write_text("one two", encoding="utf-8")
        app.importing.import_files(base, [str(file)], lambda _: None)
        base = app.bases.find("ops")
        assert (base.embedding_model, base.windows) == ("builtin:use-m3", True)


def test_two_workers_do_not_claim_the_same_document(
    app: App, base: BaseInfo, write: Write, store: Store
) -> None:
    app.importing.import_files(base, [str(write("a.txt", "one"))], lambda _: None)
    doc_id = app.documents.page(base).documents[0].id
    first, second = new_owner(), new_owner()
    with store.write() as work:
        assert claim(work, first, [doc_id]) == [doc_id]
    with store.write() as work:
        assert claim(work, second, [doc_id]) == []
        assert claim(work, first, [doc_id]) == [doc_id]


def test_a_dead_or_late_workers_claim_is_taken_over(
    app: App, base: BaseInfo, write: Write, store: Store
) -> None:
    app.importing.import_files(base, [str(write("a.txt", "one"))], lambda _: None)
    doc_id = app.documents.page(base).documents[0].id
    with store.write() as work:
        work.leases("elsewhere:1:x").take([doc_id], now() - timedelta(seconds=1))
        assert claim(work, new_owner(), [doc_id]) == [doc_id]
    nobody = 2**22 + 1  # above the highest process number of Linux
    with store.write() as work:
        work.leases(f"{socket.gethostname()}:{nobody}:x").take([doc_id], now() + timedelta(hours=1))
        assert claim(work, new_owner(), [doc_id]) == [doc_id]


def test_a_worker_on_another_machine_is_not_taken_for_dead() -> None:
    assert not has_died(f"{socket.gethostname()}:{os.getpid()}:x")
    assert not has_died("another-machine:1:x")


def test_a_silently_changed_model_of_the_same_dimension_is_refused(
    app: App, base: BaseInfo, write: Write, settings: Settings
) -> None:
    app.importing.import_files(base, [str(write("a.txt", "one two"))], lambda _: None)
    other = OppositeEmbedder()
    with open_app(settings, lambda _copy: None, lambda *_a, **_k: other) as later:
        report = later.importing.import_files(
            later.bases.find("kb"), [str(write("b.txt", "three"))], lambda _: None
        )
        assert [type(file.error) for file in report.failed_files] == [VectorsDiffer]
        assert later.embedding.count_missing(later.bases.find("kb")) == 1
