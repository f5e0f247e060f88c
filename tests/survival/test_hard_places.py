"""Full disks, locks, folders that cannot be written, truncated files: an outcome and a sentence."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_embedder import FakeEmbedder
from invariants import problems
from legacy_files import legacy_database
from numbered import numbered_lines
from program import run
from sqlalchemy import Engine, event
from transferring import Stock, app_in, connect, content_of, digest, run_sql

from ragkb.app import App, open_app
from ragkb.database import sqlite_driver, translated
from ragkb.errors import (
    DatabaseBusy,
    DatabaseReadOnly,
    DiskFailed,
    NoSpace,
    NotEnoughSpace,
    RagError,
)
from ragkb.home import Home
from ragkb.settings import Settings

Write = Callable[[str, str], Path]
MEGABYTES = 12


@contextmanager
def full_after(pages: int) -> Generator[None]:
    """Databases that are opened meanwhile cannot grow beyond so many pages."""

    def limit(connection: Any, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)


def pages_of(path: Path) -> int:
    return path.stat().st_size // 4096


def test_an_import_on_a_full_disk_changes_nothing_and_goes_on_later(
    filled: App, template: Path, write: Write
) -> None:
    before = content_of(filled.home.database)
    path = str(write("big.txt", numbered_lines(600)))
    pages = pages_of(filled.home.database)
    with (
        full_after(pages + 4),
        app_in(filled.home.folder, template) as cramped,
        pytest.raises(NoSpace),
    ):
        cramped.importing.import_files(cramped.bases.find("kb"), [path], lambda _: None)
    assert content_of(filled.home.database) == before
    assert problems(filled, filled.bases.find("kb")) == []
    report = filled.importing.import_files(filled.bases.find("kb"), [path], lambda _: None)
    assert report.failed_files == []


def test_a_merge_on_a_full_disk_changes_nothing(filled: App, stock: Stock) -> None:
    before = content_of(filled.home.database)
    with full_after(pages_of(filled.home.database) + 4):
        with pytest.raises(NoSpace):
            filled.transfer.merge(str(stock.export))
        filled.close()
    assert content_of(filled.home.database) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount is not None and sys.platform == "linux" and os.getuid() == 0
    options = ["-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    if not made or subprocess.run([str(mount), *options], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_disk(folder: Path, free: int) -> None:
    """Leave so many bytes."""
    size = shutil.disk_usage(folder).free - free
    with (folder / "filler").open("wb") as file:
        while size > 0:
            size -= file.write(bytes(min(size, 1 << 16)))


@pytest.mark.parametrize("force", [False, True])
def test_an_export_to_a_full_disk_leaves_no_file_and_no_other_harm(
    filled: App, small_disk: Path, *, force: bool
) -> None:
    target = small_disk / "out.db"
    if force:
        target.write_bytes(b"precious")
    fill_disk(small_disk, 40_000)
    with pytest.raises((NoSpace, DiskFailed)) as refused:
        filled.transfer.export(str(target), force=force)
    assert str(target) in refused.value.text("en")
    assert [path.name for path in small_disk.iterdir() if path.name != "filler"] == (
        ["out.db"] if force else []
    )
    assert not force or target.read_bytes() == b"precious"


def test_an_upgrade_on_a_full_disk_is_refused_with_numbers(
    small_disk: Path, template: Path
) -> None:
    home = Home(small_disk / "home")
    legacy_database(home.database)
    fill_disk(small_disk, 40_000)
    before = digest(home.database)
    with app_in(home.folder, template) as app, pytest.raises(NotEnoughSpace) as refused:
        app.bases.list_all()
    assert refused.value.needed > refused.value.free
    assert digest(home.database) == before
    (small_disk / "filler").unlink()
    with app_in(home.folder, template) as app:
        assert len(app.bases.list_all()) == 2


def test_an_import_on_a_really_full_disk_leaves_a_sound_file(
    small_disk: Path, template: Path, write: Write
) -> None:
    with app_in(small_disk / "home", template) as app:
        base = app.bases.create("kb", 12)
        fill_disk(small_disk, 200_000)
        path = str(write("big.txt", numbered_lines(1000)))
        with pytest.raises((NoSpace, DiskFailed)):
            app.importing.import_files(base, [path], lambda _: None)
    (small_disk / "filler").unlink()
    with app_in(small_disk / "home", template) as app:
        assert app.doctor.examine().problems == ()
        assert problems(app, app.bases.find("kb")) == []
        report = app.importing.import_files(app.bases.find("kb"), [path], lambda _: None)
        assert report.failed_files == []


def test_a_lock_that_is_held_too_long_is_said(filled: App) -> None:
    path = filled.home.database
    filled.bases.list_all()
    holder = connect(path)
    holder.execute("BEGIN IMMEDIATE")
    waiting = sqlite_driver().connect(str(path), timeout=0.05)
    with pytest.raises(DatabaseBusy) as refused, translated(path):
        waiting.execute("BEGIN IMMEDIATE")
    holder.close()
    waiting.close()
    assert "Another program" in refused.value.text("en")


@pytest.mark.soak
@pytest.mark.skipif(not os.environ.get("RAGKB_SOAK"), reason="it waits for half a minute")
def test_a_command_gives_up_on_a_held_lock_with_a_sentence(filled: App) -> None:
    holder = connect(filled.home.database)
    holder.execute("BEGIN IMMEDIATE")
    refused = run(filled.home, "create_kb", "--kb_name", "x", "--chunk_size", "64")
    found = run(filled.home, "list_kb")
    holder.close()
    assert (refused.code, refused.data["error"]) == (1, "DatabaseBusy")
    assert (found.code, found.data["count"]) == (0, 1)


@pytest.mark.skipif(
    sys.platform == "win32" or os.getuid() == 0, reason="nothing is read-only for this user"
)
def test_a_folder_that_cannot_be_written_can_be_read(filled: App) -> None:
    filled.close()
    folder = filled.home.database.parent
    folder.chmod(0o500)
    try:
        assert filled.searching.search(filled.bases.find("kb"), "备份", 3).hits
        with pytest.raises(DatabaseReadOnly):
            filled.bases.create("x", 64)
    finally:
        folder.chmod(0o700)


def test_a_truncated_file_is_refused_with_the_way_to_a_copy(filled: App, stock: Stock) -> None:
    whole = stock.database.read_bytes()
    outcomes: set[str] = set()
    for share in (1, 2, 5, 9):
        filled.close()
        filled.home.database.write_bytes(whole[: len(whole) * share // 10])
        was = digest(filled.home.database)
        with pytest.raises(RagError) as refused:
            for base in filled.bases.list_all():
                filled.searching.search(base, "备份", 3)
                filled.documents.page(base)
            raise AssertionError(share)
        outcomes.add(type(refused.value).__name__)
        assert digest(filled.home.database) == was
    assert outcomes == {"DatabaseDamaged"}


def test_another_program_that_broke_the_rows_is_found_by_doctor(filled: App) -> None:
    run_sql(filled.home.database, "UPDATE documents SET layout = 'no json'")
    with open_app(
        Settings(home=filled.home.folder), lambda _step: None, lambda *_a, **_k: FakeEmbedder()
    ) as app:
        (found,) = app.doctor.examine().problems
        assert "damaged" in found.note.text("en")
