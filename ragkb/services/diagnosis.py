"""What the doctor looks up outside the database: programs, places, source files."""

import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from ragkb import __version__
from ragkb.database import sqlite_driver
from ragkb.errors import FileMissing, FileRefused, RagError
from ragkb.home import Home
from ragkb.migrations import HEAD, revision_of
from ragkb.repositories.documents import DocumentRepository
from ragkb.repositories.store import Store
from ragkb.services.files import canonical, fingerprint

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Environment:
    """Programs with their versions, places, and megabytes; empty where it cannot be found out."""

    ragkb: str
    python: str
    sqlite: str
    vector_extension: str
    home: str
    database: str
    schema: str
    known_schema: str
    size_mb: float
    reclaimable_mb: float
    free_mb: int


@dataclass(frozen=True)
class Sources:
    """Names of documents whose file is gone, or has other bytes than when it was imported."""

    vanished: list[str]
    changed: list[str]


def environment_of(home: Home, store: Store) -> Environment:
    """Look everything up; what fails is left empty, because the findings say why."""
    sqlite, extension, schema, reclaimable = "", "", "", 0
    try:
        driver = sqlite_driver()
        sqlite = f"{driver.sqlite_version} ({driver.__name__.partition('.')[0]})"
        schema = (revision_of(home.database) or "") if home.database.exists() else ""
        with store.read() as work:
            extension = work.integrity.vector_extension()
            reclaimable = work.integrity.reclaimable()
    except RagError:
        pass
    size = home.database.stat().st_size if home.database.exists() else 0
    place = next(each for each in (home.folder, *home.folder.parents) if each.exists())
    return Environment(
        ragkb=__version__,
        python=f"{platform.python_version()} ({sys.platform})",
        sqlite=sqlite,
        vector_extension=extension,
        home=str(home.folder),
        database=str(home.database),
        schema=schema,
        known_schema=HEAD,
        size_mb=round(size / MEGABYTE, 2),
        reclaimable_mb=round(reclaimable / MEGABYTE, 2),
        free_mb=shutil.disk_usage(place).free // MEGABYTE,
    )


def sources_of(documents: DocumentRepository) -> Sources:
    """Compare the files on disk with what was imported from them."""
    found = Sources([], [])
    for name, path, recorded in documents.sources():
        try:
            same = recorded is None or fingerprint(canonical(path)) == recorded
        except FileMissing:
            found.vanished.append(name)
        except FileRefused:
            found.changed.append(name)
        else:
            if not same:
                found.changed.append(name)
    return found


def mode_of(path: Path) -> int:
    """Permission bits; 0 on Windows, which has none."""
    return 0 if sys.platform == "win32" else path.stat().st_mode & 0o777
