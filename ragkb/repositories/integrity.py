"""Whether the rows and both indexes of a base agree."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, undefer
from sqlalchemy.sql import select

from ragkb.models import Document, with_keys
from ragkb.repositories.sqlite_search import SqliteSearchIndex, terms_table, vectors_table
from ragkb.repositories.well_formed import is_layout, is_vector

CHUNKS = "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :kb_id"
EMBEDDED = (
    CHUNKS + " AND EXISTS (SELECT 1 FROM embeddings e JOIN knowledge_bases b ON b.id = d.kb_id"
    " WHERE e.chunk_id = c.id AND e.model = b.embedding_model AND e.dimension = b.embedding_dim)"
)
NO_SLICE = (
    "SELECT DISTINCT d.id FROM chunks c JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :kb_id"
    ' AND c.start IS NOT NULL AND (c."end" IS NULL'
    ' OR c.content <> substr(d.content, c.start + 1, c."end" - c.start))'
)
WITHOUT_CHUNKS = (
    "SELECT id FROM documents d WHERE kb_id = :kb_id"
    " AND NOT EXISTS (SELECT 1 FROM chunks WHERE doc_id = d.id)"
)
VECTORS = (
    "SELECT e.chunk_id, e.model, e.dimension, e.vectors FROM embeddings e"
    " JOIN chunks c ON c.id = e.chunk_id JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :kb_id"
)
MODELS = (
    "SELECT e.model, e.dimension, count(*) FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
    " JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :kb_id GROUP BY e.model, e.dimension"
)
# vectors under another model or dimension than the base's, of chunks that have the right one too
SUPERSEDED = (
    "SELECT e.chunk_id, e.model FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
    " JOIN documents d ON d.id = c.doc_id JOIN knowledge_bases b ON b.id = d.kb_id"
    " JOIN embeddings own ON own.chunk_id = e.chunk_id AND own.model = b.embedding_model"
    " WHERE b.id = :kb_id AND e.model <> b.embedding_model AND e.model NOT IN"
    " (SELECT CASE state WHEN 'building' THEN 'next:' ELSE 'previous:' END || embedding_model"
    " FROM model_changes WHERE kb_id = b.id)"
)
UNSETTLED = (
    "SELECT d.id, d.status = 'ready' FROM documents d JOIN knowledge_bases b ON b.id = d.kb_id"
    " WHERE b.id = :kb_id AND (d.status = 'ready') <> NOT EXISTS (SELECT 1 FROM chunks c WHERE"
    " c.doc_id = d.id AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.chunk_id = c.id"
    " AND e.model = b.embedding_model AND e.dimension = b.embedding_dim))"
)
# rows of the vector index that are not what the embeddings say
DIFFERENT = (
    "SELECT count(*) FROM {table} v JOIN embeddings e ON e.chunk_id = v.rowid"
    " JOIN knowledge_bases b ON b.id = :kb_id AND e.model = b.embedding_model"
    " WHERE v.vector <> substr(e.vectors, 1, 4 * e.dimension)"
)
CONTENTS_AT_ONCE = 20
MOST_NEIGHBOURS = 4096  # of one query, a limit of sqlite-vec


@dataclass(frozen=True)
class IndexState:
    """How far the indexes of a base are from its rows; `damaged` is what FTS5 says, or empty."""

    unindexed: int
    orphans: int
    damaged: str

    @property
    def agrees(self) -> bool:
        """Whether there is nothing to repair."""
        return not (self.unindexed or self.orphans or self.damaged)


@dataclass(frozen=True)
class FileState:
    """The file as a whole; `problems` are SQLite's own sentences."""

    problems: tuple[str, ...]
    broken_references: int


class Integrity:
    """Checks within one transaction; nothing is changed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._connection = session.connection()

    def file(self) -> FileState:
        """What SQLite finds wrong with the file."""
        problems = [line for line in self._column("PRAGMA integrity_check(5)") if line != "ok"]
        return FileState(
            tuple(" ".join(line.split()) for line in problems),
            len(self._rows("PRAGMA foreign_key_check")),
        )

    def reclaimable(self) -> int:
        """How many bytes of the file are free."""
        return self._one("PRAGMA freelist_count") * self._one("PRAGMA page_size")

    def vector_extension(self) -> str:
        """The version of sqlite-vec."""
        return self._connection.execute(text("SELECT vec_version()")).scalar_one()

    def index(self, kb_id: str) -> IndexState:
        """Compare both indexes of a base with its rows."""
        try:
            return self._compared(kb_id)
        except DBAPIError as error:  # the index tables of FTS5 and vec0 report their damage so
            return IndexState(0, 0, " ".join(str(error.orig).split()))

    def _compared(self, kb_id: str) -> IndexState:
        unindexed = orphans = 0
        for table, wanted in ((terms_table(kb_id), CHUNKS), (vectors_table(kb_id), EMBEDDED)):
            expected: set[int] = set(self._column(wanted, kb_id=kb_id))
            rows = self._column(f"SELECT rowid FROM {table}") if self._has(table) else []
            found: set[int] = set(rows)
            unindexed += len(expected - found)
            orphans += len(found - expected)
        if not self._has(terms_table(kb_id)):
            return IndexState(unindexed, orphans, "missing")
        vectors = vectors_table(kb_id)
        if self._has(vectors):
            query = DIFFERENT.format(table=vectors)
            orphans += self._connection.execute(text(query), {"kb_id": kb_id}).scalar_one()
            unindexed += self._not_found_by_vector(kb_id, vectors)
        return IndexState(unindexed, orphans, self._damage(terms_table(kb_id)))

    def _not_found_by_vector(self, kb_id: str, table: str) -> int:
        """How many of the nearest neighbours that must exist a search does not find."""
        count = self._one(f"SELECT count(*) FROM {table}")
        if not count:
            return 0
        (probe,) = self._column(f"SELECT vector FROM {table} LIMIT 1")
        wanted = min(count, MOST_NEIGHBOURS)
        found = SqliteSearchIndex(self._connection).by_vector(kb_id, probe, wanted)
        return wanted - len(found)

    def stray_indexes(self, kb_ids: Sequence[str]) -> list[str]:
        """Index tables of bases that do not exist."""
        own = {name for kb_id in kb_ids for name in (terms_table(kb_id), vectors_table(kb_id))}
        query = (
            "SELECT name FROM pragma_table_list WHERE type = 'virtual'"
            " AND (name GLOB 'terms_*' OR name GLOB 'vectors_*')"
        )
        return [name for name in self._column(query) if name not in own]

    def damaged_documents(self, kb_id: str) -> dict[str, str]:
        """Documents whose text or layout is not what was stored, with the reason in few words."""
        chosen = (
            select(Document)
            .where(Document.kb_id == kb_id)
            .options(undefer(Document.content), undefer(Document.layout))
        )
        found: dict[str, str] = {}
        rows = self._session.scalars(chosen.execution_options(yield_per=CONTENTS_AT_ONCE))
        for document in rows:
            with_keys([document])
            digest = hashlib.sha256(document.content.encode("utf-8", "surrogatepass")).hexdigest()
            if digest != document.content_sha256:
                found[document.id] = f"the text of '{document.name}' has another checksum"
            elif not is_layout(document.layout):
                found[document.id] = f"the layout of '{document.name}' is malformed"
            self._session.expunge(document)
        return found

    def cut_wrongly(self, kb_id: str) -> list[str]:
        """Documents with a chunk that does not stand in their text."""
        return self._column(NO_SLICE, kb_id=kb_id)

    def without_chunks(self, kb_id: str) -> list[str]:
        """Documents without chunks."""
        return self._column(WITHOUT_CHUNKS, kb_id=kb_id)

    def damaged_vectors(self, kb_id: str) -> list[tuple[int, str]]:
        """Chunk and model of vectors that are no numbers, or too few for their dimension."""
        return [
            (chunk_id, model)
            for chunk_id, model, dimension, vectors in self._rows(VECTORS, kb_id=kb_id)
            if not is_vector(dimension, vectors)
        ]

    def models(self, kb_id: str) -> list[tuple[str, int, int]]:
        """Model, dimension and number of all vectors in a base."""
        return [(row[0], row[1], row[2]) for row in self._rows(MODELS, kb_id=kb_id)]

    def superseded(self, kb_id: str) -> list[tuple[int, str]]:
        """Chunk and model of vectors that a vector of the base's own model has replaced."""
        return [(row[0], row[1]) for row in self._rows(SUPERSEDED, kb_id=kb_id)]

    def unsettled(self, kb_id: str) -> list[str]:
        """Documents whose status says ready while vectors are missing, or the other way round."""
        return [row[0] for row in self._rows(UNSETTLED, kb_id=kb_id)]

    def _damage(self, table: str) -> str:
        """What SQLite says about an FTS5 table; the check takes no write lock."""
        found = self._column(f"PRAGMA integrity_check({table})")
        return "" if found == ["ok"] else found[0]

    def _has(self, table: str) -> bool:
        query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = :name"
        return bool(self._rows(query, name=table))

    def _one(self, query: str) -> int:
        return self._connection.execute(text(query)).scalar_one()

    def _column(self, query: str, **values: object) -> list[Any]:
        return list(self._connection.execute(text(query), values).scalars())

    def _rows(self, query: str, **values: object) -> list[Any]:
        return list(self._connection.execute(text(query), values))
