# Needs python3 (3.11 or newer), make and a C compiler; everything else goes into .venv.
# Another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
EXTRAS := cad,plot,data,symbolic,sparse,view,cluster,mjcf,dev
BIN    := .venv/bin
READY  := .venv/.ready

help:   ## show these lines
	@sed -n 's/^\([a-z]*\): .*## /  make \1	/p' Makefile

demo: $(READY)   ## throw the hammer: simulate it, print the report, write demo-output/
	$(BIN)/python -m livens.cli demo hammer --output demo-output

test: lint   ## lint, the whole suite, and the kernels once more as plain Python
	$(BIN)/python -m pytest -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/kernels

lint: $(READY)   ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

thumbnails: $(READY)   ## draw a small picture of every demo: docs/thumbnails/
	$(BIN)/python -m livens.demos docs/thumbnails

bench: $(READY)   ## print the table of speeds
	$(BIN)/python -m benchmarks

soak: $(READY)   ## a million periods of Kepler and a pendulum: what drifts and what does not
	$(BIN)/python -m benchmarks.soak

ensembles: $(READY)   ## ten thousand double pendulums, ten kills, a hundred thousand members: speed, safety, memory
	$(BIN)/python -m benchmarks.ensembles

imports: $(READY)   ## robots of gymnasium and example-robot-data, where installed: imported or refused, and compared
	$(BIN)/python -m benchmarks.imports

fuzz: $(READY)   ## 100,000 spoilt scenes: read or refused, nothing else
	$(BIN)/python -m benchmarks.fuzz scenes $(or $(N),100000)

clean:   ## remove all that make has made, .venv too
	rm -rf .venv demo-output build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "livens needs Python 3.11 or newer, and $(PYTHON) is %d.%d: name another with make PYTHON=..." % sys.version_info[:2])'
	@echo 'Setting up .venv; the first time takes a minute or two.'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[$(EXTRAS)]'
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromium >/dev/null; then \
		echo 'Installing chromium, in which the pages are tested.'; \
		{ apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } >/dev/null 2>&1 || \
		echo 'It could not be installed: tests of the pages are skipped.'; fi
	@touch $@

.PHONY: help demo test lint thumbnails bench soak ensembles imports fuzz clean
