"""What an exported file says about itself, and whether it is true."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from ragkb.repositories.foreign import TABLES, Connection

KEYS = {
    "knowledge_bases": ("id",),
    "documents": ("id",),
    "chunks": ("id",),
    "embeddings": ("chunk_id", "model"),
    "model_changes": ("kb_id",),
}
COUNTED = (
    "SELECT b.name, b.embedding_model, b.embedding_dim, count(DISTINCT d.id), count(DISTINCT c.id),"
    " count(e.chunk_id) FROM knowledge_bases b LEFT JOIN documents d ON d.kb_id = b.id"
    " LEFT JOIN chunks c ON c.doc_id = d.id LEFT JOIN embeddings e ON e.chunk_id = c.id"
    " AND e.model = b.embedding_model GROUP BY b.id ORDER BY b.name"
)


@dataclass(frozen=True)
class BaseContent:
    """What an export holds of a base; `vectors` are those of the base's own model."""

    name: str
    embedding_model: str | None
    embedding_dim: int | None
    documents: int
    chunks: int
    vectors: int


@dataclass(frozen=True)
class Manifest:
    """Who made an export when (UTC, ISO 8601), and what it holds.

    `checksum` is the SHA-256 of every value of every row, in the order of their keys.
    """

    program_version: str
    schema_version: str
    exported_at: str
    knowledge_bases: tuple[BaseContent, ...]
    checksum: str


def write_manifest(connection: Connection, manifest: Manifest) -> None:
    """Put a manifest into a file, and take out what belongs to the running program only."""
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("BEGIN")
    connection.execute("DROP TABLE IF EXISTS manifest")
    connection.execute("DELETE FROM embedding_leases")
    connection.execute("CREATE TABLE manifest (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    values = {
        name: json.dumps(value, ensure_ascii=False) for name, value in asdict(manifest).items()
    }
    connection.executemany("INSERT INTO manifest VALUES (?, ?)", values.items())
    connection.execute("COMMIT")


def read_manifest(connection: Connection) -> Manifest | None:
    """The manifest in a file; None where there is none that can be read."""
    query = (
        "SELECT 1 FROM sqlite_schema WHERE name = 'manifest' AND type = 'table' AND rootpage > 0"
    )
    if connection.execute(query).fetchone() is None:
        return None
    try:
        stored: dict[str, Any] = {
            name: json.loads(value)
            for name, value in connection.execute("SELECT name, value FROM manifest")
        }
        bases = tuple(BaseContent(**each) for each in stored.pop("knowledge_bases"))
        return Manifest(**stored, knowledge_bases=bases)
    except (ValueError, TypeError, KeyError):
        return None


def bases_in(connection: Connection) -> tuple[BaseContent, ...]:
    """What a file at HEAD holds, counted."""
    return tuple(BaseContent(*row) for row in connection.execute(COUNTED))


def checksum_of(connection: Connection) -> str:
    """The checksum of the content that a file really has; indexes do not count."""
    digest = hashlib.sha256()
    for table in TABLES:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        digest.update(_encoded(f"{table}: {', '.join(columns)}"))
        listed = ", ".join(f'"{column}"' for column in columns)
        order = ", ".join(KEYS[table])
        for row in connection.execute(f"SELECT {listed} FROM {table} ORDER BY {order}"):
            for value in row:
                digest.update(_encoded(value))
    return f"sha256:{digest.hexdigest()}"


def _encoded(value: object) -> bytes:
    """A value with its kind and length in front, so that no two rows look alike."""
    if isinstance(value, bytes):
        kind, content = b"b", value
    elif isinstance(value, str):
        kind, content = b"s", value.encode()
    else:
        kind, content = b"v", repr(value).encode()  # None, int, float
    return kind + len(content).to_bytes(8, "big") + content
