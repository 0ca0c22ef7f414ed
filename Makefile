# Needs python3 (3.11 or newer), make and a C compiler; everything else goes into .venv.
# Another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
EXTRAS := cad,plot,data,symbolic,sparse,view,cluster,mjcf,docs,dev
BIN    := .venv/bin
READY  := .venv/.ready
PEERS  := .venv-bench/.ready
BROWSER := .cache/live/.ready
LITE   := .venv-lite/.ready
ROBOTS := .venv/.robots
SIZE   ?= full
OUTPUT ?= benchmark-output

help:   ## show these lines
	@sed -n 's/^\([a-z-]*\): .*## /  make \1	/p' Makefile

demo: $(READY)   ## throw the hammer: simulate it, print the report, write demo-output/
	$(BIN)/python -m livens demo hammer --output demo-output

test: lint $(BROWSER)   ## lint, the whole suite, and the kernels once more as plain Python
	$(BIN)/python -m pytest -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/kernels

lint: $(READY)   ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(READY) $(BROWSER)   ## the site, with every notebook run and the live page: docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html
	$(BIN)/python docs/live/assemble.py docs/_build/html

live: $(BROWSER) $(READY)   ## the live page, on which livens runs in the browser: docs/_build/html/live
	$(BIN)/python docs/live/assemble.py docs/_build/html

lite: $(BROWSER) $(LITE)   ## notebooks that run in the browser, as JupyterLite: docs/_build/html/lite
	.venv-lite/bin/python docs/live/lite.py docs/_build/html

serve:   ## serve docs/_build/html to this machine
	$(PYTHON) -m http.server --bind 127.0.0.1 --directory docs/_build/html $(or $(PORT),8000)

thumbnails: $(READY)   ## draw a small picture of every demo: docs/thumbnails/
	$(BIN)/python -m livens.demos docs/thumbnails

bench: $(PEERS)   ## measure speeds, growth and starts, beside other programs; SIZE=small: a minute or two
	.venv-bench/bin/python -m benchmarks --size $(SIZE) --output $(OUTPUT)

bench-check: $(READY)   ## is any kernel slower than it was?
	$(BIN)/python -m benchmarks.check

soak: $(READY) $(ROBOTS)   ## imports, spoilt files, random models and kills by the thousand: counts and failures; SIZE=small: minutes
	$(BIN)/python -m benchmarks.soak $(SIZE)

periods: $(READY)   ## a million periods of Kepler and a pendulum: what drifts and what does not
	$(BIN)/python -m benchmarks.periods

nightly: $(READY)   ## 10⁹ steps of a free body, 10⁸ of a double pendulum: soak-output/
	$(BIN)/python -m benchmarks.long_runs soak-output $(or $(FREE),1e9) $(or $(DOUBLE),1e8)

ensembles: $(READY)   ## ten thousand double pendulums, ten kills, a hundred thousand members: speed, safety, memory
	$(BIN)/python -m benchmarks.ensembles

clean:   ## remove all that make has made, .venv too
	rm -rf .venv .venv-bench .venv-lite .cache demo-output benchmark-output soak-output docs/_build build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
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

# Python for the browser is optional: without npm or a network the live page is left out, and its tests are skipped.
$(BROWSER): docs/live/package.json
	@mkdir -p $(@D) && cp docs/live/package.json $(@D)
	@if npm install --prefix $(@D) --no-package-lock --no-audit --no-fund --fetch-retries 0 --silent >/dev/null 2>&1; then touch $@; \
		else echo 'Python for the browser could not be fetched by npm: the live page is left out.'; fi

$(LITE): docs/live/lite-requirements.txt docs/live/kernel-requirements.txt
	$(PYTHON) -m venv .venv-lite
	.venv-lite/bin/python -m pip install --quiet -r docs/live/lite-requirements.txt
	.venv-lite/bin/python -m pip download --quiet --no-deps --python-version 3.12 --only-binary :all: \
		--dest .cache/lite -r docs/live/kernel-requirements.txt
	@touch $@

# Robots that nobody here described, as files alone; optional too.
$(ROBOTS): $(READY)
	@$(BIN)/python -m pip install --quiet --no-deps -c constraints.txt gymnasium example-robot-data || \
		echo 'The robots could not be fetched: they are left out.'
	@touch $@

# The peers are optional: what cannot be installed is skipped, and the tables say so.
$(PEERS): pyproject.toml constraints.txt
	@echo 'Setting up .venv-bench with the programs to compare with.'
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -c constraints.txt -e '.[plot,symbolic,sparse]'
	@for peer in mujoco exudyn pin; do \
		.venv-bench/bin/python -m pip install --quiet -c constraints.txt $$peer || \
		echo "$$peer could not be installed: it is left out."; done
	@touch $@

.PHONY: help demo test lint docs live lite serve thumbnails bench bench-check soak periods nightly ensembles clean
