"""Importing a whole folder, and telling what has vanished from it."""

import fnmatch
import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragkb.errors import FileMissing, NotADirectory, UnsupportedType
from ragkb.repositories.store import Store
from ragkb.services.access import Admit, anything
from ragkb.services.documents import Documents
from ragkb.services.import_report import FailedFile, ImportReport, OnProgress
from ragkb.services.importing import Importing
from ragkb.services.knowledge_bases import BaseInfo

# Editors' lock and temporary files, and folders that nobody means by "my documents".
IGNORED = (".*", "~$*", "~*.tmp", "Thumbs.db", "desktop.ini", "__MACOSX")


@dataclass
class FolderReport:
    """The import's report, the files of kinds that have no reader, and documents without a file.

    `vanished` names documents whose file lay in the folder and is gone; they are deleted only
    when that was asked for (`pruned`).
    """

    files: ImportReport
    skipped_files: list[FailedFile] = field(default_factory=list[FailedFile])
    vanished: list[str] = field(default_factory=list[str])
    pruned: bool = False


class Folders:
    """Keeps a base in step with a folder; `admit` decides which folders may be read."""

    def __init__(
        self, store: Store, importing: Importing, documents: Documents, admit: Admit = anything
    ) -> None:
        self._store = store
        self._importing = importing
        self._documents = documents
        self._admit = admit

    def import_folder(
        self, base: BaseInfo, path: str, include: str, on_progress: OnProgress, *, prune: bool
    ) -> FolderReport:
        """Import the folder's files whose name or relative path matches the glob `include`.

        Files of unsupported kinds are reported as skipped, not as failed. With `prune`, documents
        whose file has vanished are deleted. FileMissing or NotADirectory when `path` is none.
        """
        files = self.files(path, include)
        folder = existing_folder(path)
        report = FolderReport(self._importing.import_files(base, files, on_progress))
        failed = report.files.failed_files
        report.skipped_files = [each for each in failed if isinstance(each.error, UnsupportedType)]
        report.files.failed_files = [
            each for each in failed if not isinstance(each.error, UnsupportedType)
        ]
        report.vanished = self._vanished(base, folder)
        if prune:
            for name in report.vanished:
                self._documents.delete(base, name)
            report.pruned = True
        return report

    def files(self, path: str, include: str) -> list[str]:
        """The files in a folder that an import would take."""
        self._admit(path)
        return [str(each) for each in files_of(existing_folder(path), include)]

    def _vanished(self, base: BaseInfo, folder: Path) -> list[str]:
        with self._store.read() as work:
            paths = work.documents(base.id).paths()
        inside = unicodedata.normalize("NFC", str(folder)) + os.sep
        return sorted(
            name
            for path, name in paths.items()
            if path.startswith(inside) and not os.path.lexists(path)
        )


def existing_folder(path: str) -> Path:
    """The canonical folder that a path means."""
    try:
        folder = Path(path).expanduser().resolve(strict=True)
    except (FileNotFoundError, RuntimeError) as error:
        raise FileMissing(path) from error
    if not folder.is_dir():
        raise NotADirectory(path)
    return folder


def files_of(folder: Path, include: str) -> Iterator[Path]:
    """The matching files below a folder, sorted, without hidden and temporary ones."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not _ignored(each))
        for name in sorted(names):
            path = Path(root) / name
            relative = path.relative_to(folder).as_posix()
            wanted = fnmatch.fnmatch(name, include) or fnmatch.fnmatch(relative, include)
            if wanted and not _ignored(name):
                yield path


def _ignored(name: str) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in IGNORED)
