# Everything a developer or a player does, in the project's own folder.
# `make` alone lists the targets.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= auto

# Where npm puts what checks the types of JavaScript: of the client, and of the page.
STAMP_JS := clients/javascript/node_modules/.installed
STAMP_PAGE := tests/web/page/node_modules/.installed

.PHONY: help setup toolchains setup-browser setup-tools play test test-long strength lint format golden \
	screenshots bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## make .venv with Lanista and its tools

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Lanista needs Python 3.11 or newer; none was found on the PATH" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11, which Lanista needs" >&2; exit 1; }
	@$(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || rm -rf $(VENV)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(MAKE) --no-print-directory venv-from-apt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# The compilers and the sandbox that some tests need: PROGRAM:PACKAGE of Debian. Where one is missing and
# can't be installed, its tests are skipped and say why.
TOOLS := g++:g++ javac:default-jdk-headless node:nodejs npm:npm cargo:cargo,rustfmt,rust-clippy go:golang-go bwrap:bubblewrap

# Debian keeps its programs off the PATH.
DATABASE := $(if $(wildcard /usr/lib/postgresql/*/bin/initdb),,initdb:postgresql)

BROWSER := chromium:chromium,fonts-dejavu-core

# $(call install,PROGRAM:PACKAGE,PACKAGE ...): those whose program is missing, by apt when root.
define install
@missing=$$(for tool in $(1); do command -v $${tool%%:*} >/dev/null || echo $${tool#*:} | tr , " "; done); \
	if test -n "$$missing"; then \
		if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
			apt-get update -qq; \
			for package in $$missing; do \
				DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$package >/dev/null || \
					echo "$$package can't be installed; the tests that need it are left out" >&2; \
			done; \
		else \
			echo "not installed, their tests are left out:" $$missing >&2; \
		fi; \
	fi
endef

toolchains:  ## install the toolchains that the tests need, by apt when root
	$(call install,$(TOOLS) $(DATABASE))

setup-browser:  ## install the browser that the page's tests drive, by apt when root
	$(call install,$(BROWSER))

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

test: setup toolchains setup-browser  ## run the tests (under 5 minutes)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long and not strength"

test-long: setup toolchains setup-browser  ## run the long versions of the tests
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n $(WORKERS) --timeout 1800 -m "not strength"

strength: setup  ## measure how strong the house bots are, into docs/strength.md
	$(BIN)/python tests/strength/measure.py

lint: setup toolchains  ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-js; \
	elif test "$$CI" = true; then echo "npm is missing: the page and the JavaScript client can't be checked" >&2; exit 1; \
	else echo "npm is missing: the page and the JavaScript client aren't checked"; fi

setup-tools: $(STAMP_JS) $(STAMP_PAGE)  ## install what checks the types of JavaScript, in the project's folder

.PHONY: lint-js
lint-js: setup-tools
	cd clients/javascript && npm run --silent check
	cd tests/web/page && npm run --silent check

$(STAMP_JS) $(STAMP_PAGE): %/node_modules/.installed: %/package-lock.json
	cd $* && npm ci --silent --no-audit --no-fund
	@touch $@

format: setup  ## put the code into its form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

golden: setup  ## rewrite the golden data of the tests; look at the diff
	$(BIN)/python tests/conformance/rewrite_golden.py
	$(BIN)/python tests/rules/rewrite_golden.py
	$(BIN)/python tests/languages/rewrite_golden.py
	$(BIN)/python tests/tournament/rewrite_golden.py

screenshots: setup setup-browser  ## make the pictures of docs/page/ anew; look at them
	$(BIN)/python tests/web/screenshots.py

bench: setup toolchains setup-browser  ## measure turns, matches, records, rules, clients, the page, tournaments, into tests/bench/results/
	$(BIN)/python tests/bench/turn.py
	$(BIN)/python tests/bench/side_by_side.py
	$(BIN)/python tests/bench/record_size.py
	$(BIN)/python tests/bench/four_players.py
	$(BIN)/python tests/bench/clients.py
	$(BIN)/python tests/bench/viewers.py
	$(BIN)/python tests/bench/drawing.py
	$(BIN)/python tests/bench/store.py
	$(BIN)/python tests/bench/tournament.py

clean:  ## remove what was made here
	rm -rf $(VENV) clients/javascript/node_modules tests/web/page/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
