"""Whole databases: exported to a file, verified, merged into the live one."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from ragkb import __version__
from ragkb.database import translated
from ragkb.errors import (
    ExportExists,
    NoManifest,
    NoSpace,
    NothingToExport,
    SourceIsLive,
)
from ragkb.home import Home
from ragkb.home.keys import store_keys
from ragkb.messages import Note
from ragkb.migrations import HEAD, Keys
from ragkb.models import now
from ragkb.repositories import foreign
from ragkb.repositories.knowledge_bases import KnowledgeBaseRepository
from ragkb.repositories.manifest import (
    Manifest,
    bases_in,
    checksum_of,
    read_manifest,
    write_manifest,
)
from ragkb.repositories.merging import copy_base
from ragkb.repositories.store import Store
from ragkb.services import validation
from ragkb.services.export_files import flush, partial_file, refuse_unwritable
from ragkb.services.source_files import (
    check_content,
    is_same,
    private_folder,
    session_on,
    source_file,
)

COMPANIONS = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Exported:
    """A file that was written: from where, to where, and what it says about itself."""

    source_path: Path
    export_path: Path
    manifest: Manifest


@dataclass(frozen=True)
class Verified:
    """An export's manifest, and whether its content still is what the manifest says."""

    path: Path
    manifest: Manifest
    is_true: bool


@dataclass(frozen=True)
class MergedBase:
    """A base of the source, its name here, and how much of it there is."""

    name: str
    new_name: str
    documents: int
    chunks: int
    vectors: int


@dataclass(frozen=True)
class Merged:
    """What came, or with `dry_run` would come, from a source."""

    source_path: Path
    bases: tuple[MergedBase, ...]
    dry_run: bool
    notes: tuple[Note, ...] = ()

    @property
    def document_count(self) -> int:
        """Documents of all bases."""
        return sum(base.documents for base in self.bases)

    @property
    def renamed(self) -> dict[str, str]:
        """Old name to new, of the bases whose name was taken."""
        return {base.name: base.new_name for base in self.bases if base.name != base.new_name}


class Transfer:
    """Moves whole databases in and out of a home."""

    def __init__(self, store: Store, home: Home) -> None:
        self._store = store
        self._home = home

    def export(self, export_path: str, *, force: bool = False) -> Exported:
        """Write one consistent state of everything, without keys, while others may go on writing.

        The file appears under its name when it is whole: a kill or a full disk leaves none, or the
        one that was there. ExportExists without `force`; SourceIsLive, ExportUnwritable, NoSpace.
        """
        target = Path(os.path.expanduser(export_path)).absolute()  # noqa: PTH111  # see canonical
        live = self._home.database
        self._refuse_live(target)
        refuse_unwritable(target)
        if target.exists() and not force:
            raise ExportExists(str(target))
        if not live.exists():
            raise NothingToExport(str(live))
        with partial_file(target) as partial:
            try:
                self._store.snapshot(partial)
                manifest = _describe(partial)
            except NoSpace as error:
                raise NoSpace(str(target)) from error
            flush(partial)
            partial.replace(target)
        return Exported(live, target, manifest)

    def verify(self, path: str) -> Verified:
        """Prove that an export holds what its manifest says; NoManifest, SourceRefused."""
        source = source_file(path)
        with private_folder() as folder, foreign.opened(source, folder) as connection:
            revision = foreign.revision_of(connection, source)
            manifest = read_manifest(connection)
            if manifest is None:
                raise NoManifest(str(source))
            is_true = (
                manifest.schema_version == revision
                and manifest.checksum == checksum_of(connection)
                and manifest.knowledge_bases == bases_in(connection)
            )
        return Verified(source, manifest, is_true)

    def merge(self, source_db_path: str, *, dry_run: bool = False) -> Merged:
        """Take all bases of another database in, with their vectors, or change nothing.

        The source may be of any older version and is only read. Bases whose name is taken get a
        time stamp. Nothing is embedded. SourceRefused, NewerDatabase, FileMissing.
        """
        source = source_file(source_db_path)
        self._refuse_live(source)
        with private_folder() as folder:
            clean, keys = foreign.take_over(source, folder)
            with session_on(source, clean) as session:
                check_content(source, session)
                if dry_run:
                    return Merged(source, self._plan(session), dry_run)
                return Merged(source, self._merge(session, keys), dry_run, _notes(keys))

    def _plan(self, source: Session) -> tuple[MergedBase, ...]:
        with self._store.read() as work:
            taken = set(work.bases.names())
        found: list[MergedBase] = []
        for base in KnowledgeBaseRepository(source).all():
            name = free_name(validation.base_name(base.name), taken)
            taken.add(name)
            rows = KnowledgeBaseRepository(source)
            counts = rows.count_documents(base.id), rows.count_chunks(base.id)
            vectors = rows.count_vectors(base.id)
            found.append(MergedBase(base.name, name, *counts, vectors))
        return tuple(found)

    def _merge(self, source: Session, keys: Keys) -> tuple[MergedBase, ...]:
        merged: list[MergedBase] = []
        with self._store.write() as work:
            taken = set(work.bases.names())
            for base in KnowledgeBaseRepository(source).all():
                name = free_name(validation.base_name(base.name), taken)
                taken.add(name)
                copied = copy_base(source, work.session, base.id, name)
                work.index.rebuild(copied.kb_id)
                if base.id in keys:
                    store_keys(self._home, {copied.kb_id: keys[base.id]})
                counts = copied.documents, copied.chunks, copied.vectors
                merged.append(MergedBase(base.name, name, *counts))
        return tuple(merged)

    def _refuse_live(self, path: Path) -> None:
        live = self._home.database
        for own in (live.with_name(live.name + end) for end in COMPANIONS):
            if path.resolve() == own.resolve() or (own.exists() and is_same(path, own)):
                raise SourceIsLive(str(path))


def free_name(name: str, taken: Collection[str]) -> str:
    """The name itself, or with the present time behind it, and a number where that is taken too."""
    if name not in taken:
        return name
    stamp = f"_{now().astimezone():%Y%m%d_%H%M%S}"
    number = 1
    while True:
        end = stamp if number == 1 else f"{stamp}_{number}"
        candidate = name[: validation.MOST_BASE_NAME - len(end)] + end
        if candidate not in taken:
            return candidate
        number += 1


def _describe(partial: Path) -> Manifest:
    """Write the manifest of a snapshot into it."""
    with translated(partial), foreign.connected(partial) as connection:
        manifest = Manifest(
            program_version=__version__,
            schema_version=HEAD,
            exported_at=now().isoformat(timespec="seconds"),
            knowledge_bases=bases_in(connection),
            checksum=checksum_of(connection),
        )
        write_manifest(connection, manifest)
        return manifest


def _notes(keys: Keys) -> tuple[Note, ...]:
    return (Note("note.keys_moved", {"count": len(keys)}),) if keys else ()
