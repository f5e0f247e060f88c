"""`python -m ragkb` is `rag-server`."""

from ragkb.cli.main import run

run()
