"""The file in hand."""

from dataclasses import dataclass
from pathlib import PurePath

from ragkb.errors import DamagedFile, ReadingTooLarge
from ragkb.readers.ocr import Ocr


@dataclass(frozen=True)
class Source:
    """A file's whole content, the path by which errors name it, and what reading it may use."""

    path: str
    content: bytes
    text_chars: int = 50_000_000
    ocr: Ocr = Ocr.MISSING

    @property
    def extension(self) -> str:
        """The end of the name, in lower case and without the dot."""
        return PurePath(self.path).suffix[1:].lower()

    def damaged(self, file_type: str, detail: str) -> DamagedFile:
        """Say that this file's structure is broken, for the caller to raise."""
        return DamagedFile(self.path, file_type, detail)

    def too_large(self, limit: str) -> ReadingTooLarge:
        """Say that this file unfolds beyond `limit`, for the caller to raise."""
        return ReadingTooLarge(self.path, limit)
