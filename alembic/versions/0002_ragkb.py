"""Our schema, and on SQLite the predecessor's data in it.

Ids of bases and documents stay. Chunks get integer ids and their place in the document's text.
Vectors are kept under the model name `unknown`. API keys are handed to whoever runs the upgrade
(`config.attributes["keys"]`) and are not kept. The search indexes are marked stale.

Revision ID: 0002
Revises: 0001
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
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
OLD_INDEXES = (
    "idx_kb_name",
    "idx_doc_name",
    "idx_doc_kb_id",
    "idx_chunk_doc_id",
    "idx_chunk_index",
)
TOKEN_ENCODING = "o200k_base"  # noqa: S105  # the name of a vocabulary
# The predecessor padded shorter vectors with zeros up to 1024.
COMMON_DIMENSIONS = (64, 128, 256, 384, 512, 768, 1024)


def upgrade() -> None:
    """Make our tables; on SQLite move the old rows over and drop the old tables."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        create_tables()
        return
    op.execute("DROP TABLE IF EXISTS chunks_fts")
    op.execute("DROP TABLE IF EXISTS vec_index")
    for name in OLD_INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for name in OLD_TABLES:
        op.rename_table(name, f"old_{name}")
    create_tables()
    move_bases(connection)
    move_documents(connection)
    for document in list(connection.execute(sa.text("SELECT id, content FROM documents"))):
        move_chunks(connection, document.id, document.content)
    cut_zero_padding(connection)
    settle_documents(connection)
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
    op.create_index("ix_documents_kb_id", "documents", ["kb_id"])
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
        "embedding_leases",
        sa.Column("doc_id", sa.String(36), nullable=False),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["doc_id"], ["documents.id"], name="fk_embedding_leases_doc_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("doc_id", name="pk_embedding_leases"),
    )


def move_bases(connection: sa.Connection) -> None:
    """Carry the bases over; their keys go to the runner."""
    keys: dict[str, tuple[str, str]] = context.config.attributes.get("keys", {})
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
                " embedding_model, embedding_endpoint, windows, index_stale, created_at, updated_at) VALUES"
                " (:id, :name, :size, :encoding, :model, :endpoint, 0, 1, :created, :updated)"
            ),
            row,
        )


def move_documents(connection: sa.Connection) -> None:
    """Carry the documents over; one of a name that is taken in its base gets a number."""
    taken: set[tuple[str, str]] = set()
    order = "SELECT * FROM old_documents ORDER BY created_at, rowid"
    for old in list(connection.execute(sa.text(order))):
        name = free_name(old.kb_id, old.name, taken)
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


def move_chunks(connection: sa.Connection, doc_id: str, content: str) -> None:
    """Carry one document's chunks over, with their place in its text and their vector."""
    from ragkb.text.tokens import count_each

    old = list(
        connection.execute(
            sa.text("SELECT * FROM old_chunks WHERE doc_id = :id ORDER BY chunk_index, rowid"),
            {"id": doc_id},
        )
    )
    texts = [chunk.content for chunk in old]
    for index, (chunk, span, tokens) in enumerate(
        zip(old, align(texts, content), count_each(texts), strict=True)
    ):
        start, end = span or (None, None)
        row: dict[str, Any] = {
            "doc": doc_id,
            "index": index,
            # the text between the two ends, so that a chunk is always a slice of its document
            "content": content[start:end] if span else chunk.content,
            "tokens": tokens,
            "start": start,
            "end": end,
            "created": as_utc(chunk.created_at),
        }
        inserted = connection.execute(
            sa.text(
                'INSERT INTO chunks (doc_id, chunk_index, content, tokens, start, "end", heading,'
                " created_at) VALUES (:doc, :index, :content, :tokens, :start, :end, '', :created)"
            ),
            row,
        )
        if chunk.embedding:
            vector = {"id": inserted.lastrowid, "dim": len(chunk.embedding) // 4}
            connection.execute(
                sa.text("INSERT INTO embeddings VALUES (:id, 'unknown', :dim, :vectors)"),
                vector | {"vectors": chunk.embedding},
            )


def cut_zero_padding(connection: sa.Connection) -> None:
    """Shorten a base's vectors to the dimension that they really have."""
    for (kb_id,) in list(connection.execute(sa.text("SELECT id FROM knowledge_bases"))):
        used = max((filled(vectors) for _, vectors in vectors_of(connection, kb_id)), default=0)
        dimension = next((common for common in COMMON_DIMENSIONS if common >= used), None)
        if not used or dimension is None:
            continue
        for chunk_id, vectors in list(vectors_of(connection, kb_id)):
            if len(vectors) > 4 * dimension:
                connection.execute(
                    sa.text(
                        "UPDATE embeddings SET dimension = :dim, vectors = :vectors"
                        " WHERE chunk_id = :id"
                    ),
                    {"id": chunk_id, "dim": dimension, "vectors": vectors[: 4 * dimension]},
                )


def vectors_of(connection: sa.Connection, kb_id: str) -> Iterator[tuple[int, bytes]]:
    """Chunk ids and vectors of one base."""
    query = sa.text(
        "SELECT e.chunk_id, e.vectors FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
        " JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :id"
    )
    return (tuple(row) for row in connection.execute(query, {"id": kb_id}))  # pyright: ignore[reportReturnType]  # two columns


def filled(vectors: bytes) -> int:
    """How many float32 numbers come before the zeros at the end."""
    return -(-len(vectors.rstrip(b"\0")) // 4)


def settle_documents(connection: sa.Connection) -> None:
    """Documents without chunks have nothing left to embed."""
    connection.execute(
        sa.text(
            "UPDATE documents SET status = 'ready'"
            " WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE doc_id = documents.id)"
        )
    )


def as_utc(stamp: str | None) -> str:
    """An old time stamp (local time of this machine, no zone) as UTC; the present where broken."""
    try:
        local = datetime.fromisoformat(stamp or "")
    except ValueError:
        local = datetime.now(UTC)
    return local.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
