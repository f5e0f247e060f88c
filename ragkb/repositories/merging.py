"""Copying knowledge bases from one database into another, with free ids."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import RowMapping, Select, Table, insert, select
from sqlalchemy.orm import Session

from ragkb.models import Model

ROWS_AT_ONCE = 500
BASES, CHANGES, DOCUMENTS, CHUNKS, EMBEDDINGS = (
    Model.metadata.tables[name]
    for name in ("knowledge_bases", "model_changes", "documents", "chunks", "embeddings")
)


@dataclass(frozen=True)
class CopiedBase:
    """A base in its new place: its id there and how much came along."""

    kb_id: str
    documents: int
    chunks: int
    vectors: int


def copy_base(source: Session, target: Session, kb_id: str, name: str) -> CopiedBase:
    """Copy a base with its documents, chunks and vectors under a name that is free.

    Ids of bases and documents stay where they are free; chunks always get new ones. The order of
    chunks stays. The search index is not made.
    """
    base = source.execute(select(BASES).where(BASES.c.id == kb_id)).mappings().one()
    (new_id,) = free_ids(target, BASES, [kb_id]).values()
    target.execute(insert(BASES), [{**base, "id": new_id, "name": name, "index_stale": False}])
    for change in source.execute(select(CHANGES).where(CHANGES.c.kb_id == kb_id)).mappings():
        target.execute(insert(CHANGES), [{**change, "kb_id": new_id}])
    documents = _copy_documents(source, target, kb_id, new_id)
    chunks = _copy_chunks(source, target, kb_id, documents)
    vectors = _copy_embeddings(source, target, kb_id, chunks)
    return CopiedBase(new_id, len(documents), len(chunks), vectors)


def free_ids(target: Session, table: Table, ids: Sequence[str]) -> dict[str, str]:
    """For each id itself, or a new one where it is taken."""
    taken = set(target.scalars(select(table.c.id).where(table.c.id.in_(ids))))
    return {each: str(uuid.uuid4()) if each in taken else each for each in ids}


def _copy_documents(source: Session, target: Session, kb_id: str, new_id: str) -> dict[str, str]:
    """Old ids of the documents to new ones."""
    new_ids: dict[str, str] = {}
    chosen = select(DOCUMENTS).where(DOCUMENTS.c.kb_id == kb_id).order_by(DOCUMENTS.c.id)
    for rows in _portions(source, chosen):
        ids = free_ids(target, DOCUMENTS, [row["id"] for row in rows])
        new = [{**row, "id": ids[row["id"]], "kb_id": new_id} for row in rows]
        target.execute(insert(DOCUMENTS), new)
        new_ids |= ids
    return new_ids


def _copy_chunks(
    source: Session, target: Session, kb_id: str, documents: dict[str, str]
) -> dict[int, int]:
    """Old ids of the chunks to new ones."""
    new_ids: dict[int, int] = {}
    chosen = select(CHUNKS).join(DOCUMENTS).where(DOCUMENTS.c.kb_id == kb_id).order_by(CHUNKS.c.id)
    adding = insert(CHUNKS).returning(CHUNKS.c.id, sort_by_parameter_order=True)
    for rows in _portions(source, chosen):
        ids = target.scalars(adding, [_as_new(row, documents) for row in rows])
        new_ids |= zip((row["id"] for row in rows), ids, strict=True)
    return new_ids


def _copy_embeddings(source: Session, target: Session, kb_id: str, chunks: dict[int, int]) -> int:
    chosen = (
        select(EMBEDDINGS)
        .join(CHUNKS, CHUNKS.c.id == EMBEDDINGS.c.chunk_id)
        .join(DOCUMENTS, DOCUMENTS.c.id == CHUNKS.c.doc_id)
        .where(DOCUMENTS.c.kb_id == kb_id)
        .order_by(EMBEDDINGS.c.chunk_id)
    )
    copied = 0
    for rows in _portions(source, chosen):
        new = [{**row, "chunk_id": chunks[row["chunk_id"]]} for row in rows]
        target.execute(insert(EMBEDDINGS), new)
        copied += len(rows)
    return copied


def _as_new(chunk: RowMapping, documents: dict[str, str]) -> dict[str, Any]:
    """A chunk's values without its id, which the target gives."""
    values = {name: value for name, value in chunk.items() if name != "id"}
    return values | {"doc_id": documents[chunk["doc_id"]]}


def _portions(source: Session, chosen: Select[Any]) -> Iterator[list[RowMapping]]:
    rows = source.execute(chosen, execution_options={"yield_per": ROWS_AT_ONCE}).mappings()
    remaining: Iterator[RowMapping] = iter(rows)
    while portion := list(islice(remaining, ROWS_AT_ONCE)):
        yield portion
