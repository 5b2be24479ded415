# Everything a developer or a player does, in the project's own folder.
# `make` alone lists the targets.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# What is installed there: all that developing needs, or at least what playing needs.
STAMP := $(VENV)/.installed
STAMP_PLAY := $(VENV)/.playable
STAMP_DOCS := $(VENV)/.documented
STAMP_PACKAGES := $(VENV)/.packaged
# Without bytecode every process that a test starts compiles all of Lanista once more.
unexport PYTHONDONTWRITEBYTECODE
# More than there are cores, as many tests wait for processes; tests/conftest.py says who runs what.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) * 2)))
SPREAD := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Where npm puts what checks the types of JavaScript: of the client, and of the page.
STAMP_JS := clients/javascript/node_modules/.installed
STAMP_PAGE := tests/page/browser/node_modules/.installed

.PHONY: help setup setup-play toolchains setup-browser setup-tools play test test-long fuzz test-pythons strength lint format \
	golden map docs wheel screenshots bench bench-quick soak clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## make .venv with Lanista and what developing it needs

setup-play: $(STAMP_PLAY)  ## make .venv with Lanista alone, for playing

# $(call into-venv,WHAT): makes .venv, unless a sound one is there, and installs WHAT into it.
define into-venv
@test -n "$(PYTHON)" || { echo "Lanista needs Python 3.11 or newer; none was found on the PATH" >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "$(PYTHON) is older than Python 3.11, which Lanista needs" >&2; exit 1; }
@$(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || rm -rf $(VENV)
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(MAKE) --no-print-directory venv-from-apt
$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(1)'
endef

$(STAMP): pyproject.toml
	$(call into-venv,.[dev])
	@touch $(STAMP_PLAY) $@

# A newer stamp of the developers' setup holds too: `make play` after it installs nothing.
$(STAMP_PLAY): pyproject.toml
	$(call into-venv,.)
	@touch $@

# What builds the site is installed beside whatever else is there, and by `make docs` alone.
$(STAMP_DOCS): pyproject.toml
	$(call into-venv,.[docs])
	@touch $@

$(STAMP_PACKAGES): pyproject.toml
	$(call into-venv,.[packages])
	@touch $@

# The compilers and the sandbox that some tests need: PROGRAM:PACKAGE of Debian. Where one is missing and
# can't be installed, its tests are skipped and say why.
TOOLS := g++:g++ javac:default-jdk-headless node:nodejs npm:npm cargo:cargo,rustfmt,rust-clippy go:golang-go bwrap:bubblewrap curl:curl ip:iproute2 unzip:unzip systemd-analyze:systemd

# Debian keeps its programs off the PATH.
DATABASE := $(if $(wildcard /usr/lib/postgresql/*/bin/initdb),,initdb:postgresql)

# Chromium without windows; where only the whole one is there, the tests drive that.
BROWSER := chromium-headless-shell:chromium-headless-shell,fonts-dejavu-core

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

setup-browser:  ## install the browser that the page's tests drive, by apt when root, and what looks for barriers in it
	$(call install,$(BROWSER))
	@if command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory $(STAMP_PAGE) || \
			echo "axe-core can't be installed; the test that needs it is left out" >&2; \
	else echo "not installed, the test that needs axe-core is left out: npm" >&2; fi

# Debian keeps venv apart from Python.
.PHONY: venv-from-apt
venv-from-apt:
	@rm -rf $(VENV)
	@test "$$(id -u)" = 0 && command -v apt-get >/dev/null || \
		{ echo "this Python has no venv; install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	apt-get update -qq && apt-get install -y -qq python3-venv
	$(PYTHON) -m venv $(VENV)

play: setup-play  ## play a match between two house bots
	$(BIN)/lanista play angrymob GravityGoers RandomRunners

test: setup toolchains setup-browser  ## run the tests (4 to 9 minutes)
	$(BIN)/python -m pytest $(SPREAD) -m "not long"
	$(BIN)/python tests/ordinary_user.py $(SPREAD)

test-long: setup toolchains setup-browser  ## run the long versions of the tests
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest $(SPREAD) --timeout 1800
	$(BIN)/python tests/ordinary_user.py $(SPREAD)

INPUTS ?= 20000

fuzz: setup  ## read changed inputs, INPUTS of each kind (20000), by a SEED and of TARGETS if given
	$(BIN)/python tests/fuzz/run.py --inputs $(INPUTS) $(if $(SEED),--seed $(SEED)) $(TARGETS)

MINUTES ?= 10

soak: setup  ## hold a daemon under attack for MINUTES (10); its memory stays flat and no match is disturbed
	$(BIN)/python tests/soak/run.py --minutes $(MINUTES)

test-pythons: setup  ## run the core tests and one match with every Python from 3.11 on that is on the PATH
	$(BIN)/python tests/pythons.py $(PYTHONS)

strength: setup  ## measure how strong the house bots and the searching one are, into docs/strength.md
	$(BIN)/python tests/strength/measure.py
	$(BIN)/python tests/strength/search_bot.py

lint: setup toolchains  ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory lint-cpp lint-go lint-java lint-rust
	$(call where,npm --version,the page and the JavaScript client,$(MAKE) --no-print-directory lint-js)

# $(call where,COMMAND,WHAT,LINE): LINE checks WHAT where COMMAND works; under CI=true it must.
define where
@if $(1) >/dev/null 2>&1; then $(3); \
	elif test "$$CI" = true; then echo "'$(1)' doesn't work: $(2) can't be checked" >&2; exit 1; \
	else echo "'$(1)' doesn't work: $(2) left unchecked" >&2; fi
endef

# What the linters of other languages make, and where the bots lie that belong to no package.
LINTED := $(CURDIR)/.cache/lint
EMPTY_BOTS := $(CURDIR)/tests/bench/empty_bots

.PHONY: lint-cpp lint-go lint-java lint-rust
# The kits' headers, also where they aren't taken for the system's, with a player; then the library's
# header with all that uses it.
lint-cpp: KIT := server/lanista/bots/kit/include
lint-cpp: STRICT := -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only
lint-cpp: PLAYER := struct P : Player { static Player* factory () { return new P; } void play () { } }; RegisterPlayer(P);
lint-cpp:
	$(call where,g++ --version,C++,for game in hogwarts crematoria; do \
		(cd $(KIT)/$$game && printf '#include "%s"\n' * && echo '$(PLAYER)') | \
			g++ $(STRICT) -Wshadow -I $(KIT)/$$game -x c++ - || exit 1; done; \
		for file in clients/cpp/starters/*.cpp clients/cpp/tests/tests.cpp $(EMPTY_BOTS)/empty.cpp; do \
			g++ $(STRICT) -I clients/cpp/include $$file || exit 1; done)

# Go may be missing everywhere. gofmt only lists what has another form.
lint-go: export GOCACHE := $(LINTED)/go
lint-go: export GOENV := off
lint-go: export GOFLAGS :=
lint-go: export GOPROXY := off
lint-go: export GOWORK := off
lint-go:
	@if command -v go >/dev/null && command -v gofmt >/dev/null; then set -e; cd clients/go; \
		formed=$$(gofmt -l . $(EMPTY_BOTS)/empty.go); \
		test -z "$$formed" || { echo "gofmt would change $$formed" >&2; exit 1; }; \
		go vet ./...; go vet $(EMPTY_BOTS)/empty.go; \
	else echo "go is missing: Go left unchecked" >&2; fi

lint-java: STRICT := -encoding UTF-8 --release 17 -proc:none -Xlint:all -Werror
lint-java: COMMENTS := -Xdoclint:all/protected -Xdoclint/package:org.lanista.client
lint-java:
	$(call where,javac -version,Java,javac $(STRICT) $(COMMENTS) -d $(LINTED)/java \
		$$(find clients/java/src clients/java/starters $(EMPTY_BOTS) -name '*.java'))

lint-rust: export CARGO_TARGET_DIR := $(LINTED)/rust
lint-rust:
	$(call where,cargo fmt --version,the form of Rust,cd clients/rust && cargo fmt --check)
	$(call where,cargo clippy --version,Rust,cd clients/rust && cargo clippy --frozen --quiet --all-targets -- -D warnings)

setup-tools: $(STAMP_JS) $(STAMP_PAGE)  ## install what checks the types of JavaScript, in the project's folder

.PHONY: lint-js
lint-js: setup-tools
	cd clients/javascript && npm run --silent check
	cd tests/page/browser && npm run --silent check

$(STAMP_JS) $(STAMP_PAGE): %/node_modules/.installed: %/package-lock.json
	cd $* && npm ci --silent --no-audit --no-fund
	@touch $@

format: setup  ## put the code into its form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

golden: setup  ## rewrite the golden data of the tests; look at the diff
	$(BIN)/python tests/conformance/rewrite_golden.py
	$(BIN)/python tests/games/rewrite_golden.py
	$(BIN)/python tests/languages/rewrite_golden.py
	$(BIN)/python tests/ratings/rewrite_golden.py

map: setup  ## draw the picture of packages in docs/design.md anew
	$(BIN)/python tests/docs/package_map.py

# With --quiet, warnings such as those of broken links would be no errors.
docs: $(STAMP_DOCS)  ## build the documentation, with a reference of the Python names, into build/docs/
	$(BIN)/mkdocs build --strict --config-file site/mkdocs.yml
	@echo "built build/docs/index.html; its search needs 'python3 -m http.server --directory build/docs'"

wheel: export CARGO_TARGET_DIR := $(LINTED)/rust
wheel: JAR := lanista-client-$(shell sed -n 's/^version = "\(.*\)"/\1/p' clients/python/pyproject.toml).jar
wheel: $(STAMP_PACKAGES) toolchains  ## build the packages of Lanista and of the client libraries into dist/, and check them
	rm -rf dist && mkdir dist
	$(BIN)/python -m hatchling build --directory dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist clients/python
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	@# C++ and Go have no format of packages: a header, and the sources as the page serves them.
	unzip -qj dist/lanista-*.whl '*/clients/go.zip' '*/include/lanista.hpp' -d dist
	$(call where,npm --version,the JavaScript client,cd clients/javascript && npm pack --pack-destination $(CURDIR)/dist)
	$(call where,cargo --version,Rust,cd clients/rust && cargo package --allow-dirty --list && \
		cargo package --allow-dirty --offline --quiet && cp $(LINTED)/rust/package/*.crate $(CURDIR)/dist)
	$(call where,javac -version,Java,rm -rf $(LINTED)/jar && \
		javac -d $(LINTED)/jar --release 17 $$(find clients/java/src/main -name '*.java') && \
		jar --create --file dist/$(JAR) -C $(LINTED)/jar .)
	@ls -l dist

screenshots: setup setup-browser  ## make the pictures of docs/page/ anew; look at them
	$(BIN)/python tests/page/screenshots.py

bench: setup toolchains setup-browser  ## measure turns, matches, rules, clients, the page, names, tournaments, ladders, bots' starts, into tests/bench/results/
	$(BIN)/python tests/bench/turn.py
	$(BIN)/python tests/bench/side_by_side.py
	$(BIN)/python tests/bench/growth.py
	$(BIN)/python tests/bench/handover.py
	$(BIN)/python tests/bench/beginnings.py
	$(BIN)/python tests/bench/four_players.py
	$(BIN)/python tests/bench/python_rules.py
	$(BIN)/python tests/bench/refusals.py
	$(BIN)/python tests/bench/clients.py
	$(BIN)/python tests/bench/viewers.py
	$(BIN)/python tests/bench/frames.py
	$(BIN)/python tests/bench/drawing.py
	$(BIN)/python tests/bench/names.py
	$(BIN)/python tests/bench/ladder_pairing.py
	$(BIN)/python tests/bench/ladder.py 4 100000
	$(BIN)/python tests/bench/ladder_page.py
	$(BIN)/python tests/bench/standing.py
	$(BIN)/python tests/bench/tournament.py
	$(BIN)/python tests/bench/starting.py
	$(BIN)/python tests/bench/python_api.py

bench-quick: setup  ## a turn with bots in C, and its floor, in under a minute: for work on the hot path
	$(BIN)/python tests/bench/turn.py --quick

clean:  ## remove what was made here
	rm -rf $(VENV) clients/javascript/node_modules tests/page/browser/node_modules build dist .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
