"""How long `rag-server list_kb` takes, as a ratio to importing SQLAlchemy's ORM in the same run.

Usage: python benchmarks/cold_start.py [--json]. Medians of processes that take turns.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 11
MOST = 1.6
BASELINE = "import sqlalchemy.orm"


def main() -> int:
    """Print both medians and their ratio; 1 when it is above the limit."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "RAGKB_HOME": folder, "RAGKB_LANG": "en"}
        server = Path(sys.executable).parent / "rag-server"
        create = [str(server), "create_kb", "--kb_name", "kb", "--chunk_size", "256"]
        subprocess.run(create, env=environ, check=True, stdout=subprocess.DEVNULL)
        commands = {
            BASELINE: [sys.executable, "-c", BASELINE],
            "rag-server list_kb": [str(server), "list_kb"],
        }
        times = measured(commands, environ)
    baseline, command = (statistics.median(each) for each in times.values())
    ratio = command / baseline
    if "--json" in sys.argv:
        print(json.dumps({"baseline_s": baseline, "list_kb_s": command, "ratio": ratio}))
    else:
        print(f"{BASELINE}: {baseline * 1000:.0f} ms")
        print(f"rag-server list_kb: {command * 1000:.0f} ms, ratio {ratio:.2f} (limit {MOST})")
    return int(ratio > MOST)


def measured(commands: dict[str, list[str]], environ: dict[str, str]) -> dict[str, list[float]]:
    """Seconds of each command, in turns, after one run of each that does not count."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(RUNS + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
            if number:
                times[name].append(time.perf_counter() - begin)
    return times


if __name__ == "__main__":
    sys.exit(main())
