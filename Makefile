# Requirements: Python 3.11 or newer, make, a C compiler. Everything else is installed into .venv.
# To use another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
EXTRAS := cad,plot,film,data,symbolic,sparse,view,cluster,mjcf,barrier,convex,docs,dev
BIN    := .venv/bin
READY  := .venv/.ready
BASE   := .venv/.base
LIBRARY := src/livens/backend/_compiled.json
KERNELS := src/livens/__init__.py $(shell find src/livens/kernels src/livens/step src/livens/look/render/raster.py library -name '*.py' -o -name '*.c')
PEERS  := .venv-bench/.ready
BROWSER := .cache/live/.ready
LITE   := .venv-lite/.ready
ROBOTS := .venv/.robots
SIZE   ?= full
OUTPUT ?= benchmark-output

help:   ## show this list
	@sed -n 's/^\([a-z-]*\): .*## /  make \1	/p' Makefile

demo: $(BASE)   ## simulate the hammer example, print its report, write demo-output/; installs what it needs and no more
	$(BIN)/python -m livens demo hammer --output demo-output

test: lint $(BROWSER) $(LITE)   ## lint, all tests with the ten slowest, and the kernel tests with all back ends
	{ $(MAKE) $(LIBRARY) && LIVENS_BACKEND=python $(BIN)/python -m pytest -q -p no:cacheprovider tests/kernels; } & \
		LIVENS_BACKEND=numba $(BIN)/python -m pytest tests/kernels && wait $$!   # the library needs one core
	$(BIN)/python -m pytest -n 2 --durations=10 --ignore=tests/look/browser
	$(BIN)/python -m pytest tests/look/browser   # alone: a browser that draws in software needs the cores

library: $(LIBRARY)   ## compile the kernels ahead of time, with numba and a C compiler: 2.5 minutes

dist: $(LIBRARY)   ## build the wheel for this platform, with the compiled kernels, and the source archive: dist/
	LIVENS_LIBRARY=1 $(BIN)/python -m hatchling build -d dist -t wheel -t sdist

install-check: dist   ## install the wheel into empty environments (numpy alone, and all extras), run it, and time it
	$(PYTHON) -m benchmarks.installation dist

lint: $(READY)   ## check style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(READY) $(BROWSER)   ## build the documentation, run its notebooks, add the live page: docs/_build/html/index.html
	@echo 'Running all notebooks of the documentation: the first time takes 5 to 15 minutes, later only what changed.'
	$(BIN)/python -m sphinx -W --keep-going docs docs/_build/html
	$(BIN)/python docs/live/assemble.py docs/_build/html

live: $(BROWSER) $(READY)   ## build the live page, where livens runs in the browser: docs/_build/html/live
	$(BIN)/python docs/live/assemble.py docs/_build/html

lite: $(BROWSER) $(LITE)   ## build a JupyterLite site with notebooks that run in the browser: docs/_build/html/lite
	@test -x .venv-lite/bin/python && .venv-lite/bin/python docs/live/lite.py docs/_build/html

serve:   ## serve docs/_build/html on 127.0.0.1
	$(PYTHON) -m http.server --bind 127.0.0.1 --directory docs/_build/html $(or $(PORT),8000)

thumbnails: $(READY)   ## draw a thumbnail of every demo: docs/thumbnails/
	$(BIN)/python -m livens.demos docs/thumbnails

pictures: $(READY)   ## draw the moving pictures of the README and the front page: docs/pictures/
	$(BIN)/python docs/pictures/draw.py

gallery: $(READY) $(LIBRARY)   ## draw the gallery of examples: docs/gallery/
	$(BIN)/python docs/gallery/draw.py

paper: $(READY) $(LIBRARY)   ## compute the numbers of the paper and write it: paper/paper.md
	$(BIN)/python paper/make_numbers.py

cheat-sheet: $(READY)   ## print the cheat sheet as PDF: docs/_static/cheat-sheet.pdf
	$(BIN)/python docs/print_cheat_sheet.py

look: $(READY) $(LIBRARY)   ## take pictures of README, front page and demonstrations in every back end: docs/figures/look/
	$(BIN)/python docs/figures/take_look.py
	$(BIN)/python docs/figures/check_contrast.py

bench: $(PEERS) $(LIBRARY)   ## measure speed, scaling and start-up time, also of other programs; SIZE=small takes 1 to 2 minutes
	.venv-bench/bin/python -m benchmarks --size $(SIZE) --output $(OUTPUT)

bench-check: $(READY) $(LIBRARY)   ## check that no kernel is slower than its recorded time
	$(BIN)/python -m benchmarks.check

soak: $(READY) $(ROBOTS)   ## endurance tests: imports, damaged files, random models, killed runs; SIZE=small takes minutes
	$(BIN)/python -m benchmarks.soak $(SIZE)

periods: $(READY)   ## measure drift over a million periods of a Kepler orbit and a pendulum
	$(BIN)/python -m benchmarks.periods

nightly: $(READY)   ## long runs: 10⁹ steps of a free body, 10⁸ of a double pendulum: soak-output/
	$(BIN)/python -m benchmarks.long_runs soak-output $(or $(FREE),1e9) $(or $(DOUBLE),1e8)

ensembles: $(READY)   ## measure ensembles: 10,000 double pendulums, ten killed runs, 100,000 members
	$(BIN)/python -m benchmarks.ensembles

clean:   ## remove everything that make created, including .venv
	rm -f src/livens/backend/_compiled.*
	rm -rf .venv .venv-bench .venv-lite .cache demo-output benchmark-output soak-output docs/_build build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(BASE): pyproject.toml constraints.txt src/livens/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "livens needs Python 3.11 or newer; $(PYTHON) is %d.%d. Choose another with make PYTHON=..." % sys.version_info[:2])'
	@echo 'Setting up .venv for the demonstrations: up to a minute.'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[plot]'
	@touch $@

$(READY): $(BASE)
	@echo 'Installing all extras, the tests and the documentation tools: 1 to 2 minutes.'
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[$(EXTRAS)]'
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromium >/dev/null; then \
		echo 'Installing chromium for the tests of the pages.'; \
		{ apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } >/dev/null 2>&1 || \
		echo 'chromium could not be installed: the tests of the pages are skipped.'; fi
	@touch $@

$(LIBRARY): $(READY) $(KERNELS)
	@$(BIN)/python -m library
	@touch $@

# Pyodide (Python for the browser) is optional: without npm or a network the live page and its tests are skipped.
$(BROWSER): docs/live/package.json
	@mkdir -p $(@D) && cp docs/live/package.json $(@D)
	@if npm install --prefix $(@D) --no-package-lock --no-audit --no-fund --fetch-retries 0 --silent >/dev/null 2>&1; then touch $@; \
		else echo 'npm could not download Pyodide: the live page is skipped.'; fi

# JupyterLite is optional, too: without its packages the notebooks in the browser and their test are skipped.
$(LITE): docs/live/lite-requirements.txt docs/live/kernel-requirements.txt
	$(PYTHON) -m venv .venv-lite
	@if .venv-lite/bin/python -m pip install --quiet -r docs/live/lite-requirements.txt && \
		.venv-lite/bin/python -m pip download --quiet --no-deps --python-version 3.12 --only-binary :all: \
		--dest .cache/lite -r docs/live/kernel-requirements.txt; then touch $@; \
		else rm -rf .venv-lite; echo 'JupyterLite could not be downloaded: its test is skipped.'; fi

# Robot files of other projects for the import tests; optional.
$(ROBOTS): $(READY)
	@$(BIN)/python -m pip install --quiet --no-deps -c constraints.txt gymnasium example-robot-data || \
		echo 'The robot files could not be downloaded: their tests are skipped.'
	@touch $@

# The other programs are optional: a program that cannot be installed is skipped, and the tables state it.
$(PEERS): pyproject.toml constraints.txt
	@echo 'Setting up .venv-bench with the programs for comparison.'
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -c constraints.txt -e '.[jit,plot,symbolic,sparse]'
	@for peer in mujoco exudyn pin; do \
		.venv-bench/bin/python -m pip install --quiet -c constraints.txt $$peer || \
		echo "$$peer could not be installed: it is skipped."; done
	@touch $@

.PHONY: help demo test library dist install-check lint docs live lite serve thumbnails pictures gallery paper cheat-sheet look bench bench-check soak periods nightly ensembles clean
