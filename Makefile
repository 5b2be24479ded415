# Everything a developer or a player does, in the project's own folder.
# `make` alone lists the targets.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= auto

.PHONY: help setup play test test-long strength lint format golden bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## make .venv with Lanista and its tools

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Lanista needs Python 3.11 or newer; none was found on the PATH" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11, which Lanista needs" >&2; exit 1; }
	@$(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || rm -rf $(VENV)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(MAKE) --no-print-directory venv-from-apt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Debian keeps venv apart from Python.
.PHONY: venv-from-apt
venv-from-apt:
	@rm -rf $(VENV)
	@test "$$(id -u)" = 0 && command -v apt-get >/dev/null || \
		{ echo "this Python has no venv; install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	apt-get update -qq && apt-get install -y -qq python3-venv
	$(PYTHON) -m venv $(VENV)

play: setup  ## play a match between two house bots
	$(BIN)/lanista play angrymob GravityGoers RandomRunners

test: setup  ## run the tests (under 5 minutes)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long and not strength"

test-long: setup  ## run the long versions of the tests
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n $(WORKERS) --timeout 1800 -m "not strength"

strength: setup  ## measure how strong the house bots are, into docs/strength.md
	$(BIN)/python tests/strength/measure.py

lint: setup  ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## put the code into its form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

golden: setup  ## rewrite the golden data of the tests; look at the diff
	$(BIN)/python tests/conformance/rewrite_golden.py
	$(BIN)/python tests/rules/rewrite_golden.py

bench: setup  ## measure turns, matches side by side, records and rules, into tests/bench/results/
	$(BIN)/python tests/bench/turn.py
	$(BIN)/python tests/bench/side_by_side.py
	$(BIN)/python tests/bench/record_size.py
	$(BIN)/python tests/bench/four_players.py

clean:  ## remove what was made here
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
