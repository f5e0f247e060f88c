"""Office Open XML packages: parts in a zip or in one flat XML file, with bounds on their size."""

import base64
import posixpath
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import unquote

from ragkb.errors import DamagedFile, FileRefused, PasswordProtected
from ragkb.readers.source import Source
from ragkb.readers.xml_tree import (
    Element,
    XmlDamaged,
    attribute,
    child,
    name,
    parse_xml,
    serialize,
)

PART_LIMIT = 200_000_000
TOTAL_LIMIT = 500_000_000
ENTRY_LIMIT = 20_000
SUSPICIOUS_SIZE, SUSPICIOUS_RATIO = 20_000_000, 200  # real XML of that size shrinks 10 to 50 times
ENCRYPTED_FLAG = 0x1


@dataclass(frozen=True)
class Relationship:
    """A link to another part: `kind` is the last word of its type, `target` the part's name."""

    kind: str
    target: str


class Package(ABC):
    """Parts by name, in any letter case; names have no leading slash."""

    def __init__(self, source: Source, file_type: str) -> None:
        self.source = source
        self.file_type = file_type

    @abstractmethod
    def read(self, part: str) -> bytes | None:
        """The content of a part, or None without one; raises a FileRefused when it is broken."""

    def xml(self, part: str) -> Element | None:
        """The root of an XML part, or None if there is no such part; raises a FileRefused."""
        content = self.read(part)
        if content is None:
            return None
        try:
            return parse_xml(content)
        except XmlDamaged as broken:
            raise self.damaged(f"{part}: {broken}") from broken

    def optional_xml(self, part: str) -> Element | None:
        """As `xml`, but a broken part counts as a missing one: for parts that carry no text."""
        try:
            return self.xml(part)
        except DamagedFile:
            return None

    def relationships(self, part: str) -> dict[str, Relationship]:
        """The links of a part by id; links to the outside are left out."""
        folder, base = posixpath.split(part)
        root = self.optional_xml(posixpath.join(folder, "_rels", base + ".rels"))
        found: dict[str, Relationship] = {}
        for link in root if root is not None else ():
            target = link.get("Target") or ""
            if link.get("TargetMode") == "External" or not target:
                continue
            kind = (link.get("Type") or "").rsplit("/", 1)[-1]
            found[link.get("Id") or ""] = Relationship(kind, _absolute(folder, target))
        return found

    def main_part(self, usual: str) -> str:
        """The name of the part that the package is about; `usual` where it is not said."""
        for link in self.relationships("").values():
            if link.kind == "officeDocument" and self.read(link.target) is not None:
                return link.target
        return usual

    def damaged(self, detail: str) -> FileRefused:
        """Say that the package is broken, for the caller to raise."""
        return self.source.damaged(self.file_type, detail)


class ZipPackage(Package):
    """A package in a zip file."""

    def __init__(self, source: Source, file_type: str) -> None:
        super().__init__(source, file_type)
        self._unfolded = 0
        try:
            self._archive = zipfile.ZipFile(BytesIO(source.content))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as broken:
            raise self.damaged(f"its zip directory: {broken}") from broken
        entries = self._archive.infolist()
        if len(entries) > ENTRY_LIMIT:
            raise source.too_large(f"{ENTRY_LIMIT:,} parts")
        # Some writers use backslashes, and letter case differs between links and entries.
        self._entries = {entry.filename.replace("\\", "/").lower(): entry for entry in entries}

    def read(self, part: str) -> bytes | None:
        entry = self._entries.get(part.lower()) or self._entries.get(unquote(part).lower())
        if entry is None:
            return None
        if entry.flag_bits & ENCRYPTED_FLAG:
            raise PasswordProtected(self.source.path)
        ratio = entry.file_size / max(1, entry.compress_size)
        if entry.file_size > PART_LIMIT or (
            entry.file_size > SUSPICIOUS_SIZE and ratio > SUSPICIOUS_RATIO
        ):
            raise self.source.too_large(f"{PART_LIMIT // 1_000_000} MB")
        content = self._unfold(entry)
        self._unfolded += len(content)
        if len(content) > PART_LIMIT or self._unfolded > TOTAL_LIMIT:
            raise self.source.too_large(f"{TOTAL_LIMIT // 1_000_000} MB")
        return content

    def _unfold(self, entry: zipfile.ZipInfo) -> bytes:
        try:
            with self._archive.open(entry) as part:
                return part.read(PART_LIMIT + 1)  # what the directory declares may be a lie
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as broken:
            raise self.damaged(f"{entry.filename}: {broken}") from broken
        except (NotImplementedError, RuntimeError) as unknown:
            raise self.damaged(f"{entry.filename}: {unknown}") from unknown


class FlatPackage(Package):
    """A package as one XML file (Word's "Word XML document")."""

    def __init__(self, source: Source, file_type: str, root: Element) -> None:
        super().__init__(source, file_type)
        self._parts = {
            attribute(part, "pkg:name").lstrip("/").lower(): part
            for part in root
            if name(part) == "pkg:part"
        }

    def read(self, part: str) -> bytes | None:
        element = self._parts.get(part.lower())
        data = child(element, "pkg:xmlData")
        if data is not None:
            return serialize(next(iter(data))) if len(data) else None
        binary = child(element, "pkg:binaryData")
        if binary is None:
            return None
        try:
            return base64.b64decode(binary.text or "")
        except ValueError as broken:
            raise self.damaged(f"{part}: {broken}") from broken


def _absolute(folder: str, target: str) -> str:
    if target.startswith("/"):
        return posixpath.normpath(target).lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))
