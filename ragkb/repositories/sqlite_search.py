"""The search index on SQLite: one FTS5 and one vec0 table for each knowledge base.

Both are named after the base's id, made and changed here only, and hold no text of their own: the
FTS5 table is contentless, so that to rebuild it is to drop, create and fill it.
"""

import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from ragkb.repositories.search_index import KeywordHits
from ragkb.text.terms import index_terms

# FTS5's bm25() has k1 = 1.2 fixed (https://sqlite.org/fts5.html#the_bm25_function): a term adds at
# most idf * (k1 + 1), however often it occurs.
MOST_OF_A_TERM = 2.2
# sqlite-vec reserves room for whole blocks of vectors: with its default of 1,024 a base with one
# vector takes 2 to 4 MB; search is as fast with 128.
VECTORS_PER_BLOCK = 128
ROWS_AT_ONCE = 500


class SqliteSearchIndex:
    """SearchIndex on the connection of one transaction."""

    def __init__(
        self, session: Session | Connection, indexed: Callable[[int], None] = lambda _count: None
    ) -> None:
        """`indexed` is told how many chunks a rebuild has indexed, portion by portion."""
        self._connection = session.connection() if isinstance(session, Session) else session
        self._indexed = indexed

    def create(self, kb_id: str) -> None:
        self._execute(
            f"CREATE VIRTUAL TABLE {terms_table(kb_id)} USING fts5(terms, content='',"
            " contentless_delete=1, tokenize='porter unicode61')"
        )

    def drop(self, kb_id: str) -> None:
        self._execute(f"DROP TABLE IF EXISTS {terms_table(kb_id)}")
        self._execute(f"DROP TABLE IF EXISTS {vectors_table(kb_id)}")

    def rebuild(self, kb_id: str) -> None:
        self.drop(kb_id)
        self.create(kb_id)
        for rows in in_portions(self._rows_of(CHUNKS_OF_BASE, kb_id)):
            self.add_chunks(kb_id, rows)
            self._indexed(len(rows))
        self.rebuild_vectors(kb_id)

    def rebuild_vectors(self, kb_id: str) -> None:
        self._execute(f"DROP TABLE IF EXISTS {vectors_table(kb_id)}")
        for rows in in_portions(self._rows_of(VECTORS_OF_BASE, kb_id)):
            self.add_vectors(kb_id, rows)

    def add_chunks(self, kb_id: str, chunks: Iterable[tuple[int, str]]) -> None:
        rows = [
            {"id": chunk_id, "terms": " ".join(index_terms(content))}
            for chunk_id, content in chunks
        ]
        if rows:
            self._execute(
                f"INSERT INTO {terms_table(kb_id)} (rowid, terms) VALUES (:id, :terms)", rows
            )

    def add_vectors(self, kb_id: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        if not vectors:
            return
        dimension = len(vectors[0][1]) // 4
        self._execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vectors_table(kb_id)} USING"
            f" vec0(vector float[{dimension}], chunk_size={VECTORS_PER_BLOCK})"
        )
        self._remove_from(vectors_table(kb_id), [chunk_id for chunk_id, _ in vectors])
        self._execute(
            f"INSERT INTO {vectors_table(kb_id)} (rowid, vector) VALUES (:id, :vector)",
            [{"id": chunk_id, "vector": vector} for chunk_id, vector in vectors],
        )

    def refresh_vectors(self, kb_id: str, chunk_ids: Sequence[int]) -> None:
        one = f"{VECTORS_OF_BASE} AND c.id = :id"
        for chunk_id in chunk_ids:
            rows = self._execute(one, {"kb_id": kb_id, "id": chunk_id})
            self.add_vectors(kb_id, [(row[0], row[1]) for row in rows])

    def remove(self, kb_id: str, chunk_ids: Sequence[int]) -> None:
        self._remove_from(terms_table(kb_id), chunk_ids)
        if self._exists(vectors_table(kb_id)):
            self._remove_from(vectors_table(kb_id), chunk_ids)

    def by_terms(self, kb_id: str, terms: Sequence[str], limit: int) -> KeywordHits:
        table = terms_table(kb_id)
        if not terms or not self._exists(table):
            return KeywordHits()
        rows = self._execute(
            f"SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH :terms"
            " ORDER BY rank LIMIT :limit",
            {"terms": " OR ".join(quoted(term) for term in terms), "limit": limit},
        )
        scores = {row[0]: float(row[1]) for row in rows}
        return KeywordHits(scores, self._upper_bound(table, terms) if scores else 0.0)

    def by_vector(self, kb_id: str, vector: bytes, limit: int) -> list[int]:
        table = vectors_table(kb_id)
        if not self._exists(table):
            return []
        rows = self._execute(
            f"SELECT rowid FROM {table} WHERE vector MATCH :vector AND k = :limit"
            " ORDER BY distance",
            {"vector": vector, "limit": limit},
        )
        return [row[0] for row in rows]

    def _upper_bound(self, table: str, terms: Sequence[str]) -> float:
        rows: int = self._execute(f"SELECT count(*) FROM {table}").scalar_one()
        # counted by MATCH: fts5vocab lists stems, and misses the terms that the stemmer changed
        counted = f"SELECT count(*) FROM {table} WHERE {table} MATCH :term"
        found = [self._execute(counted, {"term": quoted(term)}).scalar_one() for term in terms]
        return sum(MOST_OF_A_TERM * inverse_document_frequency(rows, n) for n in found if n)

    def _remove_from(self, table: str, chunk_ids: Sequence[int]) -> None:
        if chunk_ids:
            self._execute(
                f"DELETE FROM {table} WHERE rowid = :id", [{"id": each} for each in chunk_ids]
            )

    def _exists(self, table: str) -> bool:
        found = self._execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = :name", {"name": table}
        )
        return found.first() is not None

    def _rows_of(self, query: str, kb_id: str) -> Iterable[tuple[int, Any]]:
        rows = self._connection.execution_options(yield_per=ROWS_AT_ONCE).execute(
            text(query), {"kb_id": kb_id}
        )
        return ((row[0], row[1]) for row in rows)

    def _execute(self, statement: str, values: Any = None) -> Any:
        return self._connection.execute(text(statement), values)


CHUNKS_OF_BASE = (
    "SELECT c.id, c.content FROM chunks c JOIN documents d ON d.id = c.doc_id"
    " WHERE d.kb_id = :kb_id ORDER BY c.id"
)
VECTORS_OF_BASE = (
    "SELECT c.id, substr(e.vectors, 1, 4 * e.dimension) FROM embeddings e"
    " JOIN chunks c ON c.id = e.chunk_id JOIN documents d ON d.id = c.doc_id"
    " JOIN knowledge_bases b ON b.id = d.kb_id"
    " WHERE b.id = :kb_id AND e.model = b.embedding_model AND e.dimension = b.embedding_dim"
)


def rebuild_stale(connection: Connection, moved: Callable[[int], None]) -> None:
    """Rebuild the indexes of all bases that a migration marked, in the migration's transaction.

    `moved` is told how many chunks were indexed each time that some were.
    """
    stale = text("SELECT id FROM knowledge_bases WHERE index_stale")
    for kb_id in connection.execute(stale).scalars().all():
        SqliteSearchIndex(connection, moved).rebuild(kb_id)
    connection.execute(text("UPDATE knowledge_bases SET index_stale = 0 WHERE index_stale"))


def terms_table(kb_id: str) -> str:
    """The name of a base's FTS5 table."""
    return f"terms_{hexadecimal(kb_id)}"


def vectors_table(kb_id: str) -> str:
    """The name of a base's vec0 table; there is none before the first vector."""
    return f"vectors_{hexadecimal(kb_id)}"


def hexadecimal(kb_id: str) -> str:
    """A base's id as letters and digits, which may stand in a table's name."""
    try:
        return uuid.UUID(kb_id).hex
    except ValueError:  # an old file may hold anything
        return kb_id.encode("utf-8").hex()


def quoted(term: str) -> str:
    """A term as FTS5 string, so that nothing in it is an operator."""
    return '"' + term.replace('"', '""') + '"'


def inverse_document_frequency(rows: int, matching: int) -> float:
    """The idf of FTS5's bm25(), never below its floor of 1e-6."""
    return max(1e-6, math.log((rows - matching + 0.5) / (matching + 0.5)))


def in_portions(rows: Iterable[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """Rows in lists of ROWS_AT_ONCE, so that memory stays bounded."""
    source = iter(rows)
    while portion := list(islice(source, ROWS_AT_ONCE)):
        yield portion
