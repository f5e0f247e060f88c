"""Bringing database files to the present schema when an operator asks for it."""

from pathlib import Path

from ragkb.errors import FileMissing
from ragkb.home import Home
from ragkb.migrations import Announce, Outlook, outlook, upgrade
from ragkb.repositories.sqlite_search import rebuild_stale


class DatabaseUpgrade:
    """Upgrades a file where it lies, whether it is the one in use or another."""

    def __init__(self, announce: Announce) -> None:
        self._announce = announce

    def outlook(self, path: Path) -> Outlook:
        """What an upgrade would mean; nothing is changed. FileMissing, NewerDatabase."""
        if not path.is_file():
            raise FileMissing(str(path))
        return outlook(path, home_of(path).folder)

    def run(self, path: Path) -> None:
        """Upgrade the file; the steps are announced."""
        upgrade(path, home_of(path), rebuild_stale, self._announce)


def home_of(path: Path) -> Home:
    """The home that a file lies in as `database/kb.db`, else the file's own folder.

    Its safety copy goes to `backups` there, its API keys to `secrets.json`.
    """
    in_home = (path.parent.name, path.name) == ("database", "kb.db")
    return Home(path.parent.parent if in_home else path.parent)
