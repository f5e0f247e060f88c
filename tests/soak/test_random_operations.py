"""Random imports, updates and deletes: after each, chunks and both indexes agree."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems

from ragkb.app import App
from ragkb.errors import EndpointUnreachable
from ragkb.services.knowledge_bases import BaseInfo

OPERATIONS = 300 if os.environ.get("RAGKB_SOAK") else 60
WORDS = (
    *("向量", "检索", "数据库", "备份", "告警", "值班", "年假"),
    *("vector", "search", "backup", "C++", "v1.2.3", "E-4042", "don't"),
)
NAMES = [f"{name}.txt" for name in ("甲", "乙", "丙", "a", "b")]


def some_text(chance: random.Random) -> str:
    sentences = (
        " ".join(chance.choices(WORDS, k=chance.randint(1, 12))) + chance.choice("。.！\n")
        for _ in range(chance.randint(1, 30))
    )
    return "".join(sentences)


@pytest.mark.soak
def test_after_each_of_many_random_operations_the_indexes_agree(
    app: App, embedder: FakeEmbedder, write: Callable[[str, str], Path]
) -> None:
    chance = random.Random(20_261_130)
    app.bases.create("kb", 32)
    base = app.bases.select("kb")

    def import_some() -> None:
        if chance.random() < 0.2:
            embedder.fail_next(EndpointUnreachable("http://e", "refused"))
        chosen = chance.sample(NAMES, k=chance.randint(1, 3))
        paths = [str(write(name, some_text(chance))) for name in chosen]
        app.importing.import_files(app.bases.find("kb"), paths, lambda _: None)

    def update_one(base: BaseInfo, name: str) -> None:
        app.documents.update(base, name, chance.choice([8, 16, 64]), lambda _: None)

    def delete_one(base: BaseInfo, name: str) -> None:
        app.documents.delete(base, name)

    def embed_all(base: BaseInfo, _name: str) -> None:
        app.embedding.complete_base(base, lambda _: None)

    for number in range(OPERATIONS):
        stored = [document.name for document in app.documents.page(base).documents]
        if not stored or chance.random() < 0.5:
            import_some()
        else:
            act = chance.choice([update_one, delete_one, embed_all])
            act(app.bases.find("kb"), chance.choice(stored))
        assert problems(app, base) == [], f"after operation {number}"
        documents = app.documents.page(app.bases.find("kb")).documents
        wrong = [
            each.name
            for each in documents
            if (each.status == "ready") != (not each.missing_vectors)
        ]
        assert wrong == [], f"after operation {number}"
