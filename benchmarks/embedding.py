"""How busy an import keeps an endpoint that answers at once.

Usage: python benchmarks/embedding.py [--json]. Imports 4,000 chunks in 40 files with an endpoint in
a process of its own on this machine. Printed: chunks a second, the share of the time in which the
embedder's code ran, and the share in which the import had nothing to do but wait for it.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from ragkb.app import open_app
from ragkb.embeddings import open_embedder
from ragkb.embeddings.embedder import Embedder, Vector, Vectors
from ragkb.services.import_report import Progress
from ragkb.settings import Settings

FILES, LINES = 40, 100
CHUNK_SIZE = 12
MOST_WAITING = 0.15
SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        rows = [{"index": n, "embedding": VECTOR} for n in range(len(texts))]
        body = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments):
        pass
VECTOR = [0.0625] * 256
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


class Timed:
    """An embedder whose time is taken."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.model = inner.model
        self.calls: list[tuple[float, float]] = []

    @property
    def batch_size(self) -> int:
        """As the embedder says."""
        return self.inner.batch_size

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Take the time of the call."""
        begin = time.perf_counter()
        vectors = self.inner.embed_passages(texts)
        self.calls.append((begin, time.perf_counter()))
        return vectors

    def seconds_after(self, instant: float) -> float:
        """How long the embedder's code ran after an instant."""
        return sum(max(0.0, end - max(begin, instant)) for begin, end in self.calls)

    def embed_query(self, text: str) -> Vector:
        """Not used here."""
        return self.inner.embed_query(text)

    def close(self) -> None:
        """Close the embedder."""
        self.inner.close()


def main() -> int:
    """Print the figures; 1 when the import waits too long."""
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            assert server.stdout is not None
            figures = measure(f"http://127.0.0.1:{server.stdout.readline().strip()}")
        finally:
            server.terminate()
    if "--json" in sys.argv:
        print(json.dumps(figures))
    else:
        print(
            f"{figures['chunks']:.0f} chunks in {figures['seconds']:.2f} s: "
            f"{figures['chunks_per_second']:.0f} a second"
        )
        print(
            f"embedder's code ran {figures['embedding']:.0%} of the time; "
            f"nothing to do but wait for it {figures['waiting']:.0%} (limit {MOST_WAITING:.0%})"
        )
    return int(figures["waiting"] > MOST_WAITING)


def measure(url: str) -> dict[str, float]:
    """Import once and take the times."""
    with tempfile.TemporaryDirectory() as folder:
        paths: list[str] = []
        for number in range(FILES):
            path = Path(folder) / f"{number}.txt"
            lines = (f"流水号LS{number * LINES + n:05d}的记录。" for n in range(LINES))
            path.write_text("\n".join(lines), encoding="utf-8")
            paths.append(str(path))
        embedder = Timed(open_embedder("mock", endpoint=url, api_key=None))
        files_done = 0.0

        def on_progress(progress: Progress) -> None:
            nonlocal files_done
            if progress.stage == "files":
                files_done = time.perf_counter()

        settings = Settings(home=Path(folder) / "home")
        with open_app(settings, lambda _copy: None, lambda *_a, **_k: embedder) as app:
            base = app.bases.create(
                "kb", CHUNK_SIZE, embedding_model="mock", embedding_endpoint=url
            )
            begin = time.perf_counter()
            report = app.importing.import_files(base, paths, on_progress)
            end = time.perf_counter()
        assert len(report.success_files) == FILES, report.failed_files[:2]
    chunks = sum(each.chunk_count for each in report.success_files)
    return {
        "chunks": chunks,
        "seconds": end - begin,
        "chunks_per_second": chunks / (end - begin),
        "embedding": embedder.seconds_after(0) / (end - begin),
        "waiting": embedder.seconds_after(files_done) / (end - begin),
    }


if __name__ == "__main__":
    sys.exit(main())
