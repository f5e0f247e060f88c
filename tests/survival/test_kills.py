"""A process is killed at a random moment: what it leaves is whole, and doing it again completes."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from child_work import started
from invariants import problems
from legacy_files import legacy_database
from numbered import CHUNK_SIZE, numbered_lines
from transferring import Stock, app_in, fill

from ragkb.app import App
from ragkb.home import Home

KILLS = 100 if os.environ.get("RAGKB_SOAK") else 5
PATIENCE = 120  # seconds; only a hang needs them
OPERATIONS = ("import", "merge", "export", "upgrade", "update", "delete")
UNFINISHED = {"doctor.missing_vectors", "doctor.unsettled"}
OF_OLD_FILES = {"doctor.unknown_vectors", "doctor.no_text"}
FILES, LINES = 12, 20


class Scene:
    """A home before the operation, and what the operation is given."""

    def __init__(self, folder: Path, operation: str, stock: Stock, source: Path) -> None:
        self.home = Home(folder / "home")
        self.operation = operation
        self.paths: list[str] = []
        self.home.database.parent.mkdir(parents=True)
        if operation == "upgrade":
            legacy_database(self.home.database)
            return
        shutil.copyfile(source, self.home.database)
        if operation == "import":
            for number in range(FILES):
                path = folder / f"new{number}.txt"
                path.write_text(numbered_lines(LINES, 100 * number), encoding="utf-8")
                self.paths.append(str(path))
        elif operation == "merge":
            self.paths = [str(stock.export), str(source)]
        elif operation == "export":
            self.paths = [str(folder / "out.db")]
        elif operation == "update":
            self.paths = ["0-big.txt", "40"]
        else:
            self.paths = ["0-big.txt", "0-一.txt", "0-two.txt"]

    def run(self, moment: float | None) -> bool:
        """Do it, killed after so many seconds; whether it was killed before it ended."""
        process = started(self.operation, str(self.home.folder), *self.paths)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        try:
            process.wait(PATIENCE if moment is None else moment)
        except subprocess.TimeoutExpired:
            assert moment is not None, "it hangs"
            process.kill()
        errors = process.communicate()[1]
        if process.returncode == 0:
            return False
        assert moment is not None, errors
        assert process.returncode < 0, errors  # it did not fail by itself
        return True


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Path:
    """A database with a base of one large document and two small ones."""
    folder = tmp_path_factory.mktemp("survival")
    with app_in(folder / "own", template) as app:
        fill(app, folder / "files", ["kb"])
        big = folder / "0-big.txt"
        big.write_text(numbered_lines(300), encoding="utf-8")
        assert app.bases.find("kb").chunk_size == CHUNK_SIZE
        app.importing.import_files(app.bases.find("kb"), [str(big)], lambda _: None)
    return Home(folder / "own").database


@pytest.mark.soak
def test_whatever_is_killed_leaves_whole_documents_and_can_be_done_again(
    tmp_path: Path, template: Path, stock: Stock, source: Path
) -> None:
    chance = random.Random(20_261_130)
    for number in range(KILLS):
        operation = OPERATIONS[number % len(OPERATIONS)]
        longest = 0.4
        while True:  # until it is killed before it ends
            folder = tmp_path / f"{number}-{longest:.3f}"
            folder.mkdir()
            scene = Scene(folder, operation, stock, source)
            if scene.run(chance.uniform(0, longest)):
                break
            longest /= 2
        with app_in(scene.home.folder, template) as app:
            assert_whole(app, scene, f"kill {number}: {operation}")
        assert not scene.run(None)
        with app_in(scene.home.folder, template) as app:
            assert_complete(app, scene, f"after kill {number}: {operation}")
        if operation == "upgrade":
            files = [*scene.home.database.parent.iterdir()]
            assert [file for file in files if b"sk-old-SECRET" in file.read_bytes()] == []
        shutil.rmtree(folder)


def assert_whole(app: App, scene: Scene, moment: str) -> None:
    seen = app.doctor.examine()
    assert seen.problems == (), moment
    kinds = {each.note.key for each in seen.findings if "source" not in each.note.key}
    assert kinds <= UNFINISHED | OF_OLD_FILES, moment
    for base in app.bases.list_all():
        assert problems(app, base) == [], moment
    names = [base.name for base in app.bases.list_all()]
    if scene.operation == "merge":
        assert len(names) in (1, 3, 4), moment  # each source came whole or not at all
    for export in scene.home.folder.parent.glob("out.db"):
        assert app.transfer.verify(str(export)).is_true, moment


def assert_complete(app: App, scene: Scene, moment: str) -> None:
    for base in app.bases.list_all():
        app.embedding.complete_base(base, lambda _: None)
        assert problems(app, app.bases.find(base.name)) == [], moment
    seen = app.doctor.examine()
    assert seen.problems == (), moment
    assert not {each.note.key for each in seen.findings} & UNFINISHED, moment
    checks: dict[str, Callable[[], bool]] = {
        "import": lambda: documents_in(app) == FILES + 3,
        "delete": lambda: documents_in(app) == 0,
        "update": lambda: chunks_of_big(app) < 150,
        "merge": lambda: len(app.bases.list_all()) >= 4,
        "export": lambda: app.transfer.verify(scene.paths[0]).is_true,
        "upgrade": lambda: len(app.bases.list_all()) == 2,
    }
    assert checks[scene.operation](), moment
    if scene.operation == "export":
        assert [path.name for path in Path(scene.paths[0]).parent.glob(".*")] == [], moment
    if scene.operation == "upgrade":
        assert [*scene.home.backups.glob("*.partial")] == [], moment


def documents_in(app: App) -> int:
    return app.bases.find("kb").document_count


def chunks_of_big(app: App) -> int:
    documents = app.documents.page(app.bases.find("kb")).documents
    return next(each.chunk_count for each in documents if each.name == "0-big.txt")
