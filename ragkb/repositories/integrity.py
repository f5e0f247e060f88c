"""Whether the rows and both indexes of a base agree, and what can be put right without guessing."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sqlalchemy import text
from sqlalchemy.orm import Session, undefer
from sqlalchemy.sql import select

from ragkb.database import sqlite_driver
from ragkb.models import Document
from ragkb.repositories.sqlite_search import SqliteSearchIndex, terms_table, vectors_table

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
    " WHERE b.id = :kb_id AND e.model <> b.embedding_model"
)
UNSETTLED = (
    "SELECT d.id, d.status = 'ready' FROM documents d JOIN knowledge_bases b ON b.id = d.kb_id"
    " WHERE b.id = :kb_id AND (d.status = 'ready') <> NOT EXISTS (SELECT 1 FROM chunks c WHERE"
    " c.doc_id = d.id AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.chunk_id = c.id"
    " AND e.model = b.embedding_model AND e.dimension = b.embedding_dim))"
)
PARENTS = (
    ("documents", "kb_id", "knowledge_bases"),
    ("chunks", "doc_id", "documents"),
    ("embeddings", "chunk_id", "chunks"),
    ("embedding_leases", "doc_id", "documents"),
)
# rows of the vector index that are not what the embeddings say
DIFFERENT = (
    "SELECT count(*) FROM {table} v JOIN embeddings e ON e.chunk_id = v.rowid"
    " JOIN knowledge_bases b ON b.id = :kb_id AND e.model = b.embedding_model"
    " WHERE v.vector <> substr(e.vectors, 1, 4 * e.dimension)"
)
CONTENTS_AT_ONCE = 20


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
    """Checks and repairs within one transaction."""

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
        return IndexState(unindexed, orphans, self._damage(terms_table(kb_id)))

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

    def rebuild_index(self, kb_id: str) -> None:
        """Make both indexes of a base anew from its rows."""
        SqliteSearchIndex(self._connection).rebuild(kb_id)

    def optimize(self, kb_id: str) -> None:
        """Merge the keyword index into one piece, so that it holds no term of deleted text."""
        table = terms_table(kb_id)
        if self._has(table):
            self._execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")

    def drop_tables(self, names: Sequence[str]) -> None:
        """Drop index tables."""
        for name in names:
            self._execute(f'DROP TABLE "{name}"')

    def remove_vectors(self, vectors: Sequence[tuple[int, str]]) -> None:
        """Delete vectors by chunk and model; their documents wait for new ones."""
        for chunk_id, model in vectors:
            self._execute(
                "DELETE FROM embeddings WHERE chunk_id = :chunk AND model = :model",
                chunk=chunk_id,
                model=model,
            )

    def settle(self, doc_ids: Sequence[str]) -> None:
        """Turn the status of documents round: ready becomes pending, all others ready."""
        for doc_id in doc_ids:
            self._execute(
                "UPDATE documents SET status_detail = '', status ="
                " CASE status WHEN 'ready' THEN 'pending' ELSE 'ready' END WHERE id = :id",
                id=doc_id,
            )

    def remove_unreachable(self) -> None:
        """Delete rows whose base, document or chunk does not exist."""
        for table, column, parent in PARENTS:
            self._execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT id FROM {parent})")

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

    def _execute(self, statement: str, **values: object) -> None:
        self._connection.execute(text(statement), values)


def holds_keys(path: Path) -> bool:
    """Whether a file of the predecessor holds API keys; False for what cannot be read."""
    driver = sqlite_driver()
    try:
        connection = driver.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
    except driver.Error:
        return False
    try:
        query = "SELECT count(*) FROM knowledge_bases WHERE embedding_api_key <> ''"
        (count,) = connection.execute(query).fetchone()
    except driver.Error:
        return False
    finally:
        connection.close()
    return count > 0


def is_layout(layout: dict[str, Any]) -> bool:
    """Whether a stored layout has pages and headings as they are written: whole numbers."""
    pages, headings = layout.get("pages", []), layout.get("headings", [])
    if not isinstance(pages, list) or not isinstance(headings, list):
        return False
    rows = cast("list[object]", headings)
    return _all_whole(cast("list[object]", pages)) and all(
        isinstance(row, list)
        and len(cast("list[object]", row)) == 3
        and _all_whole(cast("list[object]", row))
        for row in rows
    )


def is_vector(dimension: int, vectors: bytes) -> bool:
    """Whether a BLOB is a float32 vector of that dimension, with int8 windows of the same."""
    import numpy as np

    if dimension < 1 or len(vectors) < 4 * dimension or (len(vectors) - 4 * dimension) % dimension:
        return False
    return bool(np.isfinite(np.frombuffer(vectors, "<f4", dimension)).all())


def _all_whole(values: list[object]) -> bool:
    return all(type(value) is int for value in values)
