"""What must hold in a base after any sequence of operations."""

from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from ragkb.app import App
from ragkb.database import create_sqlite_engine
from ragkb.repositories.sqlite_search import terms_table, vectors_table
from ragkb.services.knowledge_bases import BaseInfo

CHUNKS = "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc_id WHERE d.kb_id = :kb_id"
EMBEDDED = CHUNKS + " AND c.id IN (SELECT chunk_id FROM embeddings WHERE model = :model)"
VERBATIM = (
    "SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.doc_id"
    ' WHERE c.content <> substr(d.content, c.start + 1, c."end" - c.start)'
)


def problems(app: App, base: BaseInfo) -> list[str]:
    """What is wrong with a base, an empty list when nothing is."""
    engine = create_sqlite_engine(app.home.database)
    terms, vectors = terms_table(base.id), vectors_table(base.id)
    wrong: list[str] = []
    with engine.connect() as connection:

        def ids(query: str, **values: object) -> set[int]:
            return set(connection.execute(text(query), values).scalars())

        chunks = ids(CHUNKS, kb_id=base.id)
        if ids(f"SELECT rowid FROM {terms}") != chunks:
            wrong.append("the keyword index and the chunks differ")
        embedded = ids(EMBEDDED, kb_id=base.id, model=app.bases.find(base.name).embedding_model)
        tables = set(connection.execute(text("SELECT name FROM sqlite_schema")).scalars())
        indexed = ids(f"SELECT rowid FROM {vectors}") if vectors in tables else set[int]()
        if indexed != embedded:
            wrong.append("the vector index and the embeddings differ")
        if connection.execute(text("PRAGMA foreign_key_check")).all():
            wrong.append("a row refers to nothing")
        if connection.execute(text(VERBATIM)).scalar():
            wrong.append("a chunk is no slice of its document")
        try:
            connection.execute(text(f"INSERT INTO {terms}({terms}) VALUES ('integrity-check')"))
        except DatabaseError as error:
            wrong.append(f"FTS5: {error}")
        if connection.execute(text("PRAGMA integrity_check")).scalar() != "ok":
            wrong.append("the file is damaged")
    engine.dispose()
    return wrong
