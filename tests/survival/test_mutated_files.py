"""Files with flipped bits and lost ends: a clear error or a right result, nothing else."""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from child_work import started
from invariants import problems
from legacy_files import legacy_database, neglect
from transferring import Stock, content_of, digest

from ragkb.app import App
from ragkb.errors import RagError

MUTANTS = 500 if os.environ.get("RAGKB_SOAK") else 30
PATIENCE = 600 if os.environ.get("RAGKB_SOAK") else 60  # seconds; only a hang needs them


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory, stock: Stock) -> list[bytes]:
    """An export, a live file, and one of the predecessor."""
    old = tmp_path_factory.mktemp("old") / "old.db"
    legacy_database(old)
    neglect(old)
    return [stock.export.read_bytes(), stock.database.read_bytes(), old.read_bytes()]


def mutants(originals: list[bytes], seed: int) -> Iterator[bytes]:
    """Damaged files, the same ones every time."""
    chance = random.Random(seed)
    for number in range(MUTANTS):
        content = bytearray(originals[number % len(originals)])
        kind = chance.choice(("bits", "bits", "header", "cut", "page", "swap"))
        if kind == "cut":
            del content[chance.randrange(1, len(content)) :]
        elif kind == "page":
            page = chance.randrange(len(content) // 4096) * 4096
            content[page : page + 4096] = chance.randbytes(4096)
        elif kind == "swap":
            one, other = (chance.randrange(len(content) // 4096) * 4096 for _ in range(2))
            content[one : one + 4096] = content[other : other + 4096]
        else:
            most = 200 if kind == "header" else len(content)
            for _ in range(chance.randint(1, 8)):
                content[chance.randrange(most)] ^= 1 << chance.randrange(8)
        yield bytes(content)


@pytest.mark.soak
def test_a_damaged_source_is_refused_or_merged_rightly(
    filled: App, originals: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "mutant.db"
    refused = 0
    before = content_of(filled.home.database)
    for number, content in enumerate(mutants(originals, 1)):
        path.write_bytes(content)
        try:
            merged = filled.transfer.merge(str(path))
        except RagError as error:
            refused += bool(error.text("en") and error.text("zh"))
            assert content_of(filled.home.database) == before, number
        else:
            for base in merged.bases:
                assert problems(filled, filled.bases.find(base.new_name)) == [], number
                filled.bases.delete(base.new_name)
            after = content_of(filled.home.database)
            assert after == before, number
        assert path.read_bytes() == content
    assert MUTANTS // 4 < refused < MUTANTS
    assert problems(filled, filled.bases.find("kb")) == []


@pytest.mark.soak
def test_a_damaged_live_file_is_read_or_refused_and_never_changed(
    stock: Stock, tmp_path: Path
) -> None:
    homes: dict[str, str] = {}
    for number, content in enumerate(mutants([stock.database.read_bytes()], 2)):
        path = tmp_path / str(number) / "database" / "kb.db"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        homes[str(path.parent.parent)] = digest(path)
    idle = tmp_path / "idle"
    process = started("read", str(idle), *homes)
    try:
        out, errors = process.communicate("\n", PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
    outcomes = dict(json.loads(line) for line in out.splitlines())
    assert process.returncode == 0, errors[-2000:]
    assert list(outcomes) == list(homes)
    strange = {home: what for home, what in outcomes.items() if what.startswith("UNEXPECTED")}
    assert strange == {}
    changed = [
        home for home, was in homes.items() if digest(Path(home) / "database" / "kb.db") != was
    ]
    assert changed == []
    kinds = set(outcomes.values())
    assert {"read", "DatabaseDamaged"} <= kinds
