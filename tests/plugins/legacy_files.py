"""Databases as the predecessor wrote them, made here from its schema."""

import importlib.util
import struct
from pathlib import Path

from ragkb.database import create_sqlite_engine
from ragkb.migrations import script_location

CREATED = "2025-03-01 08:30:00.000000"


def legacy_database(path: Path) -> None:
    """Two bases, three documents, four chunks, one vector padded with zeros, one key.

    Two documents share a name, one has no chunks, one chunk is not in its document's text, and
    another was glued from its pieces with the white space changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_sqlite_engine(path)
    vector = struct.pack("<1024f", *([0.125] * 60 + [0.0] * 964))
    with engine.begin() as connection:
        run = connection.exec_driver_sql
        for statement in _statements():
            run(statement)
        run(
            "INSERT INTO knowledge_bases VALUES"
            " ('kb-1', '运维知识库', 128, 'text-embedding-v4', 'https://e.example/v1',"
            f" 'sk-old-SECRET', '{CREATED}', '{CREATED}'),"
            f" ('kb-2', 'ops', 64, NULL, NULL, NULL, '{CREATED}', '{CREATED}')"
        )
        text = "告警必须在五分钟内响应。\n先确认告警级别，再通知负责人。"
        run(
            "INSERT INTO documents VALUES"
            f" ('doc-1', 'kb-1', '值班手册.txt', '/docs/值班手册.txt', 'txt', '{text}', 128,"
            f" '{CREATED}', '{CREATED}'),"
            " ('doc-2', 'kb-1', '值班手册.txt', '/other/值班手册.txt', 'txt', '同名文档', 128,"
            f" '2025-03-02 08:30:00.000000', '{CREATED}'),"
            f" ('doc-3', 'kb-2', 'empty.txt', NULL, NULL, NULL, NULL, '{CREATED}', 'broken')"
        )
        chunks = [
            ("c1", "doc-1", "告警必须在五分钟内响应。先确认告警级别，", 0, vector),
            ("c2", "doc-1", "再通知负责人。", 1, None),
            ("c3", "doc-1", "这一块不在原文里", 2, None),
            ("c4", "doc-2", "同名文档", 0, None),
        ]
        for chunk_id, doc_id, content, index, blob in chunks:
            run(
                "INSERT INTO chunks VALUES (?, ?, ?, 0, ?, ?, ?)",
                (chunk_id, doc_id, content, index, blob, CREATED),
            )
    engine.dispose()


def neglect(path: Path) -> None:
    """Add what such files hold after years of deletes that cleaned nothing up.

    Index rows of two deleted chunks, a document and a chunk of a deleted base, another chunk of a
    deleted document, and a document whose text was never cut.
    """
    engine = create_sqlite_engine(path, foreign_keys=False)
    blob = struct.pack("<1024f", *([0.5] * 1024))
    with engine.begin() as connection:
        run = connection.exec_driver_sql
        run("INSERT INTO chunks_fts (id, content) SELECT id, content FROM chunks")
        for gone in ("gone-1", "gone-2"):
            run(f"INSERT INTO chunks_fts (id, content) VALUES ('{gone}', '已 删除')")
        for rowid in (1, 77, 78, 79):
            run("INSERT INTO vec_index (rowid, embedding) VALUES (?, ?)", (rowid, blob))
        run(
            "INSERT INTO documents (id, kb_id, name, content) VALUES"
            " ('doc-8', 'kb-gone', 'lost.txt', '失落'),"
            " ('doc-9', 'kb-2', 'uncut.txt', '从未切分。')"
        )
        run(
            "INSERT INTO chunks (id, doc_id, content, chunk_index) VALUES"
            " ('c8', 'doc-8', '失落', 0), ('c9', 'doc-gone', '失落', 0)"
        )
    engine.dispose()


def _statements() -> tuple[str, ...]:
    path = script_location() / "versions" / "0001_predecessor.py"
    spec = importlib.util.spec_from_file_location("predecessor", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.STATEMENTS
