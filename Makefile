# Everything that people and CI run. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready

.PHONY: help setup demo test cases lint types layers schema soak bench wheel-smoke mcp-conformance mcpb clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

setup: $(READY) ## a virtual environment of the project's own (uses uv when it is there)

$(READY): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install -q --python $(BIN)/python -e . --group dev; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1' && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -e . --group dev; \
	fi
	@touch $(READY)

demo: setup ## the main job on the sample documents
	@$(BIN)/rag-server demo

test: setup ## all tests
	@$(BIN)/python -m pytest

cases: setup ## the public bug reports that are tests here, as a table of id and result
	@$(BIN)/python tests/cases/table.py

lint: setup ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## types
	$(BIN)/pyright

layers: setup ## what may import what
	$(BIN)/lint-imports

schema: setup ## the models and the revisions agree
	$(BIN)/python -c "import pathlib; [p.unlink() for p in pathlib.Path('.').glob('alembic-scratch.db*')]"
	$(BIN)/alembic upgrade head
	$(BIN)/alembic check

soak: setup ## the long random runs in full
	RAGKB_SOAK=1 $(BIN)/python -m pytest -m soak

bench: setup ## the speed figures
	$(BIN)/python benchmarks/importing.py
	$(BIN)/python benchmarks/cold_start.py
	$(BIN)/python benchmarks/mcp_start.py
	$(BIN)/python benchmarks/upgrading.py
	$(BIN)/python benchmarks/embedding.py

wheel-smoke: setup ## the built wheel in a clean environment
	$(BIN)/python .ci/wheel_smoke.py

mcp-conformance: setup ## the server under the protocol's own tools (from npm, skipped where it cannot be reached)
	$(BIN)/python .ci/mcp_conformance.py

mcpb: setup ## the bundle for clients that install servers by themselves
	$(BIN)/python .ci/mcpb.py

clean: ## remove what was built
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis .coverage
