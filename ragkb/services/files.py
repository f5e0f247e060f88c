"""Which files an import means: canonical paths, their bytes' fingerprint, free names for them."""

import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ragkb.errors import (
    FileMissing,
    FileRefused,
    FileTooLarge,
    IsDirectory,
    NotRegularFile,
    UnreadablePath,
)
from ragkb.services.access import Admit, anything

MEGABYTE = 1_000_000
_BLOCK = 1 << 20


@dataclass(frozen=True)
class SourceFile:
    """A file to be imported.

    `path` is the canonical path (symbolic links resolved, NFC) that identifies it, `location`
    what the operating system opens, `name` the base name as it was given.
    """

    path: str
    location: Path
    name: str


def distinct_files(paths: Iterable[str], admit: Admit = anything) -> list[SourceFile | FileRefused]:
    """One entry for each distinct canonical path, in the order given; what cannot be one fails."""
    found: dict[str, SourceFile | FileRefused] = {}
    for path in paths:
        try:
            admit(path)
            source = canonical(path)
            found.setdefault(source.path, source)
        except FileRefused as error:
            found.setdefault(path, error)
    return list(found.values())


def path_of(file: SourceFile | FileRefused) -> str:
    """The path under which a file's outcome is told."""
    return file.path if isinstance(file, SourceFile) else str(file.values()["path"])


def canonical(path: str) -> SourceFile:
    """The file that a path means; `~` and relative paths are understood. FileMissing and others."""
    expanded = os.path.expanduser(path)  # noqa: PTH111  # Path would drop what makes `~x` unknown
    try:
        real = os.path.realpath(expanded, strict=True)
    except FileNotFoundError as error:
        raise FileMissing(path) from error
    except (OSError, ValueError) as error:
        raise UnreadablePath(path, getattr(error, "strerror", None) or str(error)) from error
    name = unicodedata.normalize("NFC", Path(os.path.abspath(expanded)).name)  # noqa: PTH100  # realpath would rename
    return SourceFile(unicodedata.normalize("NFC", real), Path(real), name)


def check(source: SourceFile, max_megabytes: int) -> None:
    """Refuse folders, devices and files over the limit, without opening them."""
    try:
        facts = source.location.stat()
    except FileNotFoundError as error:
        raise FileMissing(source.path) from error
    except OSError as error:
        raise UnreadablePath(source.path, error.strerror or str(error)) from error
    if stat.S_ISDIR(facts.st_mode):
        raise IsDirectory(source.path)
    if not stat.S_ISREG(facts.st_mode):
        raise NotRegularFile(source.path)
    if facts.st_size > max_megabytes * MEGABYTE:
        raise FileTooLarge(source.path, facts.st_size // MEGABYTE, max_megabytes)


def fingerprint(source: SourceFile) -> str:
    """SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    try:
        with source.location.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise UnreadablePath(source.path, error.strerror or str(error)) from error
    return digest.hexdigest()


def text_fingerprint(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """The name itself, or the first of `report (2).pdf`, `report (3).pdf`, ... that is free."""
    if not is_taken(name):
        return name
    path = Path(name)
    number = 2
    while is_taken(candidate := f"{path.stem} ({number}){path.suffix}"):
        number += 1
    return candidate
