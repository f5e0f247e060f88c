"""How import time and memory grow with the text, with an embedder that answers at once.

Usage: python benchmarks/importing.py [--json]. Imports 1 MB and 4 MB of Chinese text, each in a
process of its own; medians of several, the ratio of the two and the peak memory of the larger.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragkb.app import open_app
from ragkb.embeddings.embedder import Vector, Vectors
from ragkb.settings import Settings

try:
    import resource
except ImportError:  # Windows
    resource = None

RUNS = 3
MOST_RATIO, MOST_MEGABYTES = 5.0, 300
SENTENCES = (
    "向量检索把文本转换为高维向量，余弦相似度越高表示语义越接近。",
    "值班工程师先确认第{n}号告警的级别，再按照升级流程通知负责人！",
    "数据库备份每天凌晨两点执行，全量备份保留{n}天；恢复演练每季度一次。",
    "Version 1.{n} of the SDK keeps the old calls, and adds batch import.",
)


class InstantEmbedder:
    """Vectors that cost nothing."""

    model = "instant"
    batch_size = 64

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One and the same vector for every text."""
        vectors = np.zeros((len(texts), 8), dtype=np.float32)
        vectors[:, 0] = 1
        return vectors

    def embed_query(self, text: str) -> Vector:
        """The vector of all passages."""
        return self.embed_passages([text])[0]

    def close(self) -> None:
        """Nothing to close."""


def import_once(megabytes: int) -> None:
    """Import a generated text of that size and print seconds and peak megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(generated(megabytes * 1_000_000), encoding="utf-8")
        settings = Settings(home=Path(folder) / "home")
        with open_app(settings, lambda _copy: None, lambda *_a, **_k: InstantEmbedder()) as app:
            base = app.bases.create("kb", 512)
            begin = time.perf_counter()
            report = app.importing.import_files(base, [str(path)], lambda _: None)
            seconds = time.perf_counter() - begin
        chunks = report.success_files[0].chunk_count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 if resource else 0
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "chunks": chunks}))


def generated(size: int) -> str:
    """Text of about `size` bytes in UTF-8, in paragraphs."""
    lines: list[str] = []
    written = 0
    while written < size:
        line = "".join(each.format(n=len(lines)) for each in SENTENCES) + "\n"
        lines.append(line)
        written += len(line.encode("utf-8"))
    return "".join(lines)


def measured(megabytes: int) -> tuple[float, float, int]:
    """Median seconds, greatest peak and chunks of several processes."""
    command = [sys.executable, __file__, str(megabytes)]
    runs = [
        json.loads(
            subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
        )
        for _ in range(RUNS)
    ]
    seconds = statistics.median(run["seconds"] for run in runs)
    return seconds, max(run["peak_mb"] for run in runs), runs[0]["chunks"]


def main() -> int:
    """Print the growth; 1 when a limit is passed."""
    small, _, _ = measured(1)
    large, peak, chunks = measured(4)
    ratio = large / small
    if "--json" in sys.argv:
        print(json.dumps({"1MB_s": small, "4MB_s": large, "ratio": ratio, "peak_mb": peak}))
    else:
        print(f"1 MB: {small:.2f} s, 4 MB: {large:.2f} s ({chunks} chunks, {4 / large:.2f} MB/s)")
        print(
            f"ratio {ratio:.2f} (limit {MOST_RATIO}), peak {peak:.0f} MB (limit {MOST_MEGABYTES})"
        )
    return int(ratio > MOST_RATIO or peak > MOST_MEGABYTES)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        import_once(int(sys.argv[1]))
    else:
        sys.exit(main())
