"""The schema of the kb.db files that the predecessor wrote.

Nothing of it exists on other engines than SQLite: the next revision makes everything there.

Revision ID: 0001
Revises:
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    """CREATE TABLE knowledge_bases (
        id VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        chunk_size INTEGER NOT NULL,
        embedding_model TEXT,
        embedding_endpoint TEXT,
        embedding_api_key TEXT,
        created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
        updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
        PRIMARY KEY (id),
        UNIQUE (name)
    )""",
    """CREATE TABLE documents (
        id VARCHAR NOT NULL,
        kb_id VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        file_path TEXT,
        file_type VARCHAR,
        content TEXT,
        chunk_size INTEGER,
        created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
        updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
        PRIMARY KEY (id),
        FOREIGN KEY(kb_id) REFERENCES knowledge_bases (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE chunks (
        id VARCHAR NOT NULL,
        doc_id VARCHAR NOT NULL,
        content TEXT NOT NULL,
        tokens INTEGER,
        chunk_index INTEGER,
        embedding BLOB,
        created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
        PRIMARY KEY (id),
        FOREIGN KEY(doc_id) REFERENCES documents (id) ON DELETE CASCADE
    )""",
    "CREATE INDEX idx_kb_name ON knowledge_bases (name)",
    "CREATE INDEX idx_doc_name ON documents (name)",
    "CREATE INDEX idx_doc_kb_id ON documents (kb_id)",
    "CREATE INDEX idx_chunk_doc_id ON chunks (doc_id)",
    "CREATE INDEX idx_chunk_index ON chunks (chunk_index)",
    "CREATE VIRTUAL TABLE chunks_fts USING fts5(id UNINDEXED, content, content_rowid=id)",
    "CREATE VIRTUAL TABLE vec_index USING vec0(embedding float[1024])",
)


def upgrade() -> None:
    """Make the predecessor's tables."""
    if op.get_bind().dialect.name != "sqlite":
        return
    for statement in STATEMENTS:
        op.execute(statement)
