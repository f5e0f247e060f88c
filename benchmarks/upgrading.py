"""How long a large file of the predecessor takes to upgrade.

Usage: python benchmarks/upgrading.py [--json] [CHUNKS]. Makes a file of 20,000 chunks of 600
characters with vectors of 1,024 dimensions and upgrades it; the limit is a minute.
"""

import json
import sys
import tempfile
import time
import uuid
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ragkb.database import create_sqlite_engine
from ragkb.home import Home
from ragkb.migrations import Upgraded, Upgrading, migrate, prepare
from ragkb.repositories.sqlite_search import rebuild_stale

CHUNKS, CHUNKS_PER_DOCUMENT, DIMENSION = 20_000, 50, 1024
MOST_SECONDS = 60.0
SENTENCES = (
    "值班工程师先确认第{n}号告警的级别，再按照升级流程通知负责人！",
    "数据库备份每天凌晨两点执行，全量备份保留{n}天；恢复演练每季度一次。",
    "Version 1.{n} of the SDK keeps the old calls, and adds batch import.",
    "向量检索把文本转换为高维向量，余弦相似度越高表示语义越接近。",
)


def main() -> int:
    """Print the seconds; 1 when the limit is passed."""
    chunks = next((int(word) for word in sys.argv[1:] if word.isdigit()), CHUNKS)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        write_old_file(home.database, chunks)
        megabytes = home.database.stat().st_size / 1e6
        steps: list[tuple[float, Upgrading | Upgraded]] = []
        begin = time.perf_counter()
        prepare(
            home, rebuild_stale, lambda step: steps.append((time.perf_counter() - begin, step))
        )(home.database)
        seconds = time.perf_counter() - begin
        after = home.database.stat().st_size / 1e6
    pauses = [later - earlier for (earlier, _), (later, _) in pairwise(steps)]
    found = {"chunks": chunks, "mb": megabytes, "mb_after": after, "seconds": seconds}
    found |= {"longest_pause_s": max(pauses)}
    if "--json" in sys.argv:
        print(json.dumps(found))
    else:
        print(f"{chunks} chunks, {megabytes:.0f} MB (then {after:.0f}): {seconds:.1f} s")
        print(f"limit {MOST_SECONDS} s; the bar stood still for at most {max(pauses):.1f} s")
    return int(seconds > MOST_SECONDS)


def write_old_file(path: Path, chunks: int) -> None:
    """A file as the predecessor left it, with a key so that it is wiped at the end."""
    path.parent.mkdir(parents=True)
    migrate(path, "0001")
    vectors = np.random.default_rng(5).normal(size=(200, DIMENSION)).astype("<f4")
    engine = create_sqlite_engine(path)
    connection: Any = engine.raw_connection()
    connection.execute("BEGIN")
    connection.execute(
        "INSERT INTO knowledge_bases (id, name, chunk_size, embedding_api_key)"
        " VALUES ('kb', 'kb', 512, 'sk-x')"
    )
    for document in range(chunks // CHUNKS_PER_DOCUMENT):
        texts = [text_of(document * CHUNKS_PER_DOCUMENT + n) for n in range(CHUNKS_PER_DOCUMENT)]
        doc_id = str(uuid.uuid4())
        connection.execute(
            "INSERT INTO documents (id, kb_id, name, content) VALUES (?, 'kb', ?, ?)",
            (doc_id, f"{document}.txt", "\n".join(texts)),
        )
        rows = [
            (str(uuid.uuid4()), doc_id, text, 0, n, vectors[n % len(vectors)].tobytes())
            for n, text in enumerate(texts)
        ]
        connection.executemany(
            "INSERT INTO chunks (id, doc_id, content, tokens, chunk_index, embedding)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.executemany(
            "INSERT INTO chunks_fts (id, content) VALUES (?, ?)", [row[:3:2] for row in rows]
        )
    connection.execute(
        "INSERT INTO vec_index (rowid, embedding) SELECT rowid, embedding FROM chunks"
    )
    connection.execute("COMMIT")
    connection.close()
    engine.dispose()


def text_of(number: int) -> str:
    """About 600 characters."""
    return "".join(SENTENCES[n % 4].format(n=number * 16 + n) for n in range(16))


if __name__ == "__main__":
    sys.exit(main())
