"""Our schema, and on SQLite the predecessor's data in it.

Ids of bases and documents stay. Chunks get integer ids and their place in the document's text.
Vectors are kept under the model name `unknown`. API keys are not kept. The search indexes are
marked stale.

Whoever runs the upgrade may hand over `config.attributes["steps"]`: API keys are put into its
`keys`, its `moved` is told of chunks as they are moved, and its `found` counts what was met:

* `orphan_terms`, `orphan_vectors`: index rows of chunks that no longer exist (left out)
* `orphan_documents`, `orphan_chunks`: rows of bases and documents that no longer exist (left out)
* `empty_documents`: documents without chunks
* `renamed_documents`: documents whose name was taken in their base
* `recounted_chunks`: chunks without a token count
* `unaligned_chunks`: chunks that do not stand in their document's text
* `chunks`: all that were moved
* `vectors`, `padded_vectors`: vectors of an unknown model, and those of them padded with zeros

Revision ID: 0002
Revises: 0001
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects.mysql import DATETIME, LONGTEXT

from ragkb.text.alignment import align

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

LONG_TEXT = sa.Text().with_variant(LONGTEXT(), "mysql", "mariadb")
INSTANT = sa.DateTime().with_variant(DATETIME(fsp=6), "mysql", "mariadb")
OLD_TABLES = ("chunks", "documents", "knowledge_bases")
TOKEN_ENCODING = "o200k_base"  # noqa: S105  # the name of a vocabulary
# The predecessor padded shorter vectors with zeros up to 1024.
COMMON_DIMENSIONS = (64, 128, 256, 384, 512, 768, 1024)


@dataclass
class Steps:
    """What stands in when nobody handed anything over."""

    moved: Callable[[int], None] = lambda _count: None
    keys: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    found: dict[str, int] = field(default_factory=dict[str, int])


def upgrade() -> None:
    """Make our tables; on SQLite move the old rows over and drop the old tables."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        create_tables()
        return
    steps: Steps = context.config.attributes.get("steps") or Steps()
    found = count_orphans(connection)
    op.execute("DROP TABLE IF EXISTS chunks_fts")
    op.execute("DROP TABLE IF EXISTS vec_index")
    for name in OLD_TABLES:
        op.rename_table(name, f"old_{name}")
    op.execute("CREATE INDEX old_chunks_doc_id ON old_chunks (doc_id)")
    create_tables()
    move_bases(connection, steps.keys)
    found["renamed_documents"] = move_documents(connection)
    dimensions = dimensions_of(connection)
    ids = count(1)
    documents = connection.execute(sa.text("SELECT id, kb_id FROM documents")).all()
    for doc_id, kb_id in documents:
        moved = move_chunks(connection, doc_id, dimensions.get(kb_id), ids)
        found.update(moved)
        steps.moved(moved["chunks"])
    found["empty_documents"] = settle_documents(connection)
    steps.found.update(found)
    for name in OLD_TABLES:
        op.drop_table(f"old_{name}")


def create_tables() -> None:
    """Make the tables of this revision, empty."""
    op.create_table(
        "knowledge_bases",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("chunk_size", sa.Integer(), nullable=False),
        sa.Column("token_encoding", sa.String(32), nullable=False),
        sa.Column("embedding_model", sa.String(255)),
        sa.Column("embedding_endpoint", sa.String(2000)),
        sa.Column("embedding_dim", sa.Integer()),
        sa.Column("embedding_probe", sa.LargeBinary()),
        sa.Column("windows", sa.Boolean(), nullable=False),
        sa.Column("index_stale", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_bases"),
        sa.UniqueConstraint("name", name="uq_knowledge_bases_name"),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kb_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(512), nullable=False),
        sa.Column("title", sa.String(512), nullable=False),
        sa.Column("file_path", sa.Text()),
        sa.Column("file_type", sa.String(32), nullable=False),
        sa.Column("file_sha256", sa.String(64)),
        sa.Column("encoding", sa.String(32), nullable=False),
        sa.Column("content", LONG_TEXT, nullable=False),
        sa.Column("content_sha256", sa.String(64), nullable=False),
        sa.Column("layout", sa.JSON(), nullable=False),
        sa.Column("chunk_size", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(200)),
        sa.Column("metadata", sa.JSON()),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("status_detail", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["kb_id"], ["knowledge_bases.id"], name="fk_documents_kb_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint("kb_id", "name", name="uq_documents_kb_id_name"),
    )
    op.create_index(
        "ix_documents_kb_id_file_path",
        "documents",
        ["kb_id", "file_path"],
        mysql_length={"file_path": 255},
    )
    op.create_table(
        "chunks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.String(36), nullable=False),
        sa.Column("chunk_index", sa.Integer(), nullable=False),
        sa.Column("content", LONG_TEXT, nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer()),
        sa.Column("end", sa.Integer()),
        sa.Column("page", sa.Integer()),
        sa.Column("heading", sa.String(512), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["doc_id"], ["documents.id"], name="fk_chunks_doc_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_chunks"),
        sa.UniqueConstraint("doc_id", "chunk_index", name="uq_chunks_doc_id_chunk_index"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "embeddings",
        sa.Column("chunk_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(255), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name="fk_embeddings_chunk_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chunk_id", "model", name="pk_embeddings"),
    )
    op.create_table(
        "model_changes",
        sa.Column("kb_id", sa.String(36), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("embedding_model", sa.String(255), nullable=False),
        sa.Column("embedding_endpoint", sa.String(2000)),
        sa.Column("embedding_dim", sa.Integer()),
        sa.Column("embedding_probe", sa.LargeBinary()),
        sa.Column("windows", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["kb_id"], ["knowledge_bases.id"], name="fk_model_changes_kb_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("kb_id", name="pk_model_changes"),
    )
    op.create_table(
        "embedding_leases",
        sa.Column("doc_id", sa.String(36), nullable=False),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["doc_id"], ["documents.id"], name="fk_embedding_leases_doc_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("doc_id", name="pk_embedding_leases"),
    )


def count_orphans(connection: sa.Connection) -> Counter[str]:
    """Rows of the old tables that belong to nothing; they are not moved."""
    queries = {
        "orphan_terms": ("chunks_fts", "id NOT IN (SELECT id FROM chunks)"),
        "orphan_vectors": ("vec_index", "rowid NOT IN (SELECT rowid FROM chunks)"),
        "orphan_documents": ("documents", "kb_id NOT IN (SELECT id FROM knowledge_bases)"),
        "orphan_chunks": (
            "chunks",
            "doc_id NOT IN (SELECT d.id FROM documents d JOIN knowledge_bases b ON b.id = d.kb_id)",
        ),
    }
    tables = set(connection.execute(sa.text("SELECT name FROM sqlite_schema")).scalars())
    return Counter(
        {
            name: connection.execute(
                sa.text(f"SELECT count(*) FROM {table} WHERE {condition}")  # noqa: S608  # from above
            ).scalar_one()
            for name, (table, condition) in queries.items()
            if table in tables
        }
    )


def move_bases(connection: sa.Connection, keys: dict[str, tuple[str, str]]) -> None:
    """Carry the bases over; their keys go to the runner."""
    for old in list(connection.execute(sa.text("SELECT * FROM old_knowledge_bases"))):
        if old.embedding_api_key:
            keys[old.id] = (old.embedding_endpoint or "", old.embedding_api_key)
        row = {
            "id": old.id,
            "name": old.name,
            "size": max(1, old.chunk_size),
            "encoding": TOKEN_ENCODING,
            "model": old.embedding_model or None,
            "endpoint": old.embedding_endpoint or None,
            "created": as_utc(old.created_at),
            "updated": as_utc(old.updated_at),
        }
        connection.execute(
            sa.text(
                "INSERT INTO knowledge_bases (id, name, chunk_size, token_encoding,"
                " embedding_model, embedding_endpoint, windows, index_stale, created_at,"
                " updated_at) VALUES (:id, :name, :size, :encoding, :model, :endpoint, 0, 1,"
                " :created, :updated)"
            ),
            row,
        )
    # overwritten now: if the program is killed before the file is rewritten, they are gone already
    op.execute("PRAGMA secure_delete=ON")
    op.execute("UPDATE old_knowledge_bases SET embedding_api_key = NULL")
    op.execute("PRAGMA secure_delete=OFF")


def move_documents(connection: sa.Connection) -> int:
    """Carry the documents of existing bases over; how many were renamed.

    One of a name that is taken in its base gets a number.
    """
    taken: set[tuple[str, str]] = set()
    renamed = 0
    living = (
        "SELECT * FROM old_documents WHERE kb_id IN (SELECT id FROM knowledge_bases)"
        " ORDER BY created_at, rowid"
    )
    for old in connection.execution_options(yield_per=50).execute(sa.text(living)):
        name = free_name(old.kb_id, old.name, taken)
        renamed += name != old.name
        taken.add((old.kb_id, name))
        content = old.content or ""
        row = {
            "id": old.id,
            "kb": old.kb_id,
            "name": name,
            "path": old.file_path,
            "type": old.file_type or "txt",
            "content": content,
            "hash": hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
            "size": max(1, old.chunk_size or 512),
            "created": as_utc(old.created_at),
            "updated": as_utc(old.updated_at),
        }
        connection.execute(
            sa.text(
                "INSERT INTO documents (id, kb_id, name, title, file_path, file_type, encoding,"
                " content, content_sha256, layout, chunk_size, status, status_detail, created_at,"
                " updated_at) VALUES (:id, :kb, :name, '', :path, :type, '', :content, :hash,"
                " '{}', :size, 'pending', '', :created, :updated)"
            ),
            row,
        )
    return renamed


def free_name(kb_id: str, name: str, taken: set[tuple[str, str]]) -> str:
    """The name itself, or `report (2).pdf` where it is taken."""
    if (kb_id, name) not in taken:
        return name
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if stem else (name, "")
    number = 2
    while (kb_id, f"{stem} ({number}){ending}") in taken:
        number += 1
    return f"{stem} ({number}){ending}"


def move_chunks(
    connection: sa.Connection, doc_id: str, dimension: int | None, ids: Iterator[int]
) -> dict[str, int]:
    """Carry one document's chunks over, with their place in its text and their vector.

    Vectors are cut to `dimension`. How many chunks and vectors that were, and of what kinds.
    """
    from ragkb.text.tokens import count_each

    content: str = connection.execute(
        sa.text("SELECT content FROM documents WHERE id = :id"), {"id": doc_id}
    ).scalar_one()
    old = connection.execute(
        sa.text(
            "SELECT content, tokens, embedding, created_at FROM old_chunks WHERE doc_id = :id"
            " ORDER BY chunk_index, rowid"
        ),
        {"id": doc_id},
    ).all()
    texts = [chunk.content for chunk in old]
    chunks: list[dict[str, Any]] = []
    vectors: list[dict[str, Any]] = []
    placed = zip(old, align(texts, content), count_each(texts), strict=True)
    for index, (chunk, span, tokens) in enumerate(placed):
        chunk_id = next(ids)
        start, end = span or (None, None)
        chunks.append(
            {
                "id": chunk_id,
                "doc": doc_id,
                "index": index,
                # the text between the two ends, so that a chunk is always a slice of its document
                "content": content[start:end] if span else chunk.content,
                "tokens": tokens,
                "start": start,
                "end": end,
                "created": as_utc(chunk.created_at),
            }
        )
        if chunk.embedding:
            vector = chunk.embedding[: 4 * dimension] if dimension else chunk.embedding
            vectors.append({"id": chunk_id, "dim": len(vector) // 4, "vectors": vector})
    insert_all(
        connection,
        'INSERT INTO chunks (id, doc_id, chunk_index, content, tokens, start, "end", heading,'
        " created_at) VALUES (:id, :doc, :index, :content, :tokens, :start, :end, '', :created)",
        chunks,
    )
    insert_all(
        connection, "INSERT INTO embeddings VALUES (:id, 'unknown', :dim, :vectors)", vectors
    )
    return {
        "chunks": len(chunks),
        "recounted_chunks": sum(not chunk.tokens for chunk in old),
        "unaligned_chunks": sum(chunk["start"] is None for chunk in chunks),
        "vectors": len(vectors),
        "padded_vectors": sum(
            len(chunk.embedding or b"") > 4 * (dimension or 1 << 30) for chunk in old
        ),
    }


def insert_all(connection: sa.Connection, statement: str, rows: list[dict[str, Any]]) -> None:
    """Insert rows, of which there may be none."""
    if rows:
        connection.execute(sa.text(statement), rows)


def dimensions_of(connection: sa.Connection) -> dict[str, int]:
    """The dimension that each base's vectors really have, of those bases that have vectors."""
    vectors = connection.execution_options(yield_per=500).execute(
        sa.text(
            "SELECT d.kb_id, c.embedding FROM old_chunks c JOIN documents d ON d.id = c.doc_id"
            " WHERE length(c.embedding) > 0"
        )
    )
    used: dict[str, int] = {}
    for kb_id, vector in vectors:
        used[kb_id] = max(used.get(kb_id, 0), filled(vector))
    common = {kb_id: next(dimensions_from(most), None) for kb_id, most in used.items() if most}
    return {kb_id: dimension for kb_id, dimension in common.items() if dimension}


def dimensions_from(least: int) -> Iterator[int]:
    """The usual dimensions that are not smaller."""
    return (common for common in COMMON_DIMENSIONS if common >= least)


def filled(vectors: bytes) -> int:
    """How many float32 numbers come before the zeros at the end."""
    return -(-len(vectors.rstrip(b"\0")) // 4)


def settle_documents(connection: sa.Connection) -> int:
    """Documents without chunks have nothing left to embed; how many there are."""
    return connection.execute(
        sa.text(
            "UPDATE documents SET status = 'ready'"
            " WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE doc_id = documents.id)"
        )
    ).rowcount


def as_utc(stamp: str | None) -> str:
    """An old time stamp (local time of this machine, no zone) as UTC; the present where broken."""
    try:
        instant = datetime.fromisoformat(stamp or "").astimezone(UTC)
    except (ValueError, OverflowError):
        instant = datetime.now(UTC)
    return instant.strftime("%Y-%m-%d %H:%M:%S.%f")
