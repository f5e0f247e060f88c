"""Putting rows and indexes right, where nothing has to be guessed."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from ragkb.repositories.sqlite_search import SqliteSearchIndex, terms_table

PARENTS = (
    ("model_changes", "kb_id", "knowledge_bases"),
    ("documents", "kb_id", "knowledge_bases"),
    ("chunks", "doc_id", "documents"),
    ("embeddings", "chunk_id", "chunks"),
    ("embedding_leases", "doc_id", "documents"),
)


class Repairs:
    """Repairs within one transaction."""

    def __init__(self, session: Session) -> None:
        self._connection = session.connection()

    def rebuild_index(self, kb_id: str) -> None:
        """Make both indexes of a base anew from its rows."""
        SqliteSearchIndex(self._connection).rebuild(kb_id)

    def optimize(self, kb_id: str) -> None:
        """Merge the keyword index into one piece, so that it holds no term of deleted text."""
        table = terms_table(kb_id)
        exists = "SELECT 1 FROM sqlite_schema WHERE name = :name"
        if self._connection.execute(text(exists), {"name": table}).first():
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

    def _execute(self, statement: str, **values: object) -> None:
        self._connection.execute(text(statement), values)
