"""What the embeddings of a database say."""

from collections.abc import Callable

import numpy as np
from sqlalchemy import text

from ragkb.database import create_sqlite_engine
from ragkb.embeddings.embedder import Vector
from ragkb.home import Home

EMBEDDED = (
    "SELECT c.content, e.vectors, e.dimension FROM embeddings e"
    " JOIN chunks c ON c.id = e.chunk_id ORDER BY c.id"
)


def misplaced_vectors(home: Home, vector_of: Callable[[str], Vector]) -> list[str]:
    """The texts of the chunks whose stored vector is not the one that `vector_of` gives."""
    return [
        content
        for content, stored in stored_vectors(home)
        if not np.allclose(stored, vector_of(content), atol=1e-6)
    ]


def stored_vectors(home: Home) -> list[tuple[str, Vector]]:
    """Each embedded chunk's text with its whole vector."""
    engine = create_sqlite_engine(home.database)
    with engine.connect() as connection:
        rows = connection.execute(text(EMBEDDED)).all()
    engine.dispose()
    return [(row[0], np.frombuffer(row[1], "<f4", row[2])) for row in rows]


def count_rows(home: Home, table: str) -> int:
    """How many rows a table has."""
    engine = create_sqlite_engine(home.database)
    with engine.connect() as connection:
        rows = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
    engine.dispose()
    return rows
