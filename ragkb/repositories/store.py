"""Units of work: one transaction and the repositories that act in it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from ragkb.database import Database
from ragkb.repositories.chunks import ChunkRepository
from ragkb.repositories.documents import DocumentRepository
from ragkb.repositories.embeddings import EmbeddingRepository, LeaseRepository
from ragkb.repositories.integrity import Integrity
from ragkb.repositories.knowledge_bases import KnowledgeBaseRepository
from ragkb.repositories.repairs import Repairs
from ragkb.repositories.search_index import SearchIndex
from ragkb.repositories.sqlite_search import SqliteSearchIndex


@dataclass(frozen=True)
class UnitOfWork:
    """Everything that can be read or changed within one transaction."""

    session: Session
    index: SearchIndex

    @property
    def bases(self) -> KnowledgeBaseRepository:
        """All knowledge bases."""
        return KnowledgeBaseRepository(self.session)

    def documents(self, kb_id: str) -> DocumentRepository:
        """The documents of one base."""
        return DocumentRepository(self.session, kb_id)

    def chunks(self, kb_id: str) -> ChunkRepository:
        """The chunks of one base."""
        return ChunkRepository(self.session, self.index, kb_id)

    def embeddings(self, kb_id: str, model: str) -> EmbeddingRepository:
        """The vectors of one base under one model."""
        return EmbeddingRepository(self.session, self.index, kb_id, model)

    @property
    def integrity(self) -> Integrity:
        """Checks."""
        return Integrity(self.session)

    @property
    def repairs(self) -> Repairs:
        """What puts right what the checks find."""
        return Repairs(self.session)

    def leases(self, owner: str) -> LeaseRepository:
        """The claims of one worker."""
        return LeaseRepository(self.session, owner)


class Store:
    """Opens units of work on a database; nothing in one waits for a network or a parser."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def read(self) -> Generator[UnitOfWork]:
        """A unit that sees one state of the data."""
        with self._database.read() as session:
            yield UnitOfWork(session, SqliteSearchIndex(session))

    @contextmanager
    def write(self) -> Generator[UnitOfWork]:
        """A unit that is committed at the end, or not at all when an error leaves the block."""
        with self._database.write() as session:
            yield UnitOfWork(session, SqliteSearchIndex(session))

    def snapshot(self, target: Path) -> None:
        """Write one consistent state of everything to a file of its own."""
        self._database.snapshot(target)

    def vacuum(self) -> None:
        """Give free space back; nothing of what was deleted stays in the file."""
        self._database.vacuum()
