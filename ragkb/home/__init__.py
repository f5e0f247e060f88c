"""The folder in which everything of a user lives, and how its small files are written."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The places in one data home."""

    folder: Path

    @property
    def database(self) -> Path:
        """The knowledge bases themselves."""
        return self.folder / "database" / "kb.db"

    @property
    def selection(self) -> Path:
        """Which knowledge base is selected."""
        return self.folder / "database" / "state.json"

    @property
    def keys(self) -> Path:
        """API keys of single knowledge bases, readable by the owner only."""
        return self.folder / "secrets.json"

    @property
    def backups(self) -> Path:
        """Safety copies made before upgrades."""
        return self.folder / "backups"


def write_atomically(path: Path, content: str) -> None:
    """Replace a file in one step, readable by its owner only; a kill leaves the old or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp creates with mode 0600, in the same folder so that the replacement is a rename
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
