import subprocess
import sys

from reading_bytes import ROOT, corpus


def test_every_file_of_the_corpus_is_read_right() -> None:
    program = [sys.executable, str(ROOT / "benchmarks" / "reading.py"), str(corpus())]
    done = subprocess.run(program, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
