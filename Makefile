# Attention in Motion. Every target sets up what it needs, in .venv and node_modules; `make` alone lists them.

PYTHON ?= python3
# PyTorch's CPU index spares Linux gigabytes of CUDA: make book TORCH_INDEX=…
TORCH_INDEX ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_TESTS := $(VENV)/ready-tests
NODE_READY := node_modules/.ready
# As many processes as there are processors; the tests of one file share what they set up.
PYTEST := $(BIN)/python -m pytest -n logical --dist loadfile
BOOK := _build/html

# KaTeX and the JavaScript tests find node, and notebooks their kernel, in the environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book lab notebooks bench clean test test-fast lint unit notebooks-test wheel book-test browser live find-browser models

help:
	@echo "make book        set up, run the notebooks, build the book into $(BOOK)"
	@echo "make lab         open the chapters in JupyterLab"
	@echo "make test        set up and run every test, from fast to slow"
	@echo "make test-fast   the same without browser, kernels and builds"
	@echo "make notebooks   run the notebooks and store their outputs, normalised"
	@echo "make models      train the measured models and the museum's faulty ones; write attn_helpers/data"
	@echo "make bench       measure pages and widgets, write attn_helpers/data/bench.json"
	@echo "make clean       remove what was built (make clean ALL=1: the environment as well)"
	@echo "Linux without an NVIDIA card: add TORCH_INDEX=<PyTorch's CPU package index> to spare gigabytes."

# ---- environment ---------------------------------------------------------------------------------

# A moved or copied folder: its environment still points to the old place, so it is made again.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif
ifneq ($(shell cat $(READY_TESTS) 2>/dev/null),$(CURDIR))
.PHONY: $(READY_TESTS)
endif

define need-python
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or newer, or name yours: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than Python 3.11: install a newer one, or name yours: make PYTHON=python3.12"; exit 1; }
endef

$(READY): requirements.txt pyproject.toml
	$(need-python)
	@$(PYTHON) tools/environment.py requirements.txt $(TORCH_INDEX)

$(READY_TESTS): $(READY) tests/requirements.txt
	@$(PYTHON) tools/environment.py tests/requirements.txt $(TORCH_INDEX)

$(NODE_READY): package.json package-lock.json $(READY_TESTS)
	@echo "environment: JavaScript tools"
	@$(BIN)/npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# ---- book ----------------------------------------------------------------------------------------

book: $(READY)
	@$(BIN)/python tools/book.py

# Root, as in a container, has to say that it means it.
lab: $(READY)
	@$(BIN)/python -m jupyterlab notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

notebooks: $(READY)
	@$(BIN)/python tools/notebooks.py

# ---- tests, from fast to slow --------------------------------------------------------------------

test: find-browser lint unit notebooks-test wheel book-test live
test-fast: SELECT = -m "not slow"
test-fast: lint unit

# First of all, since the tests that need it come last.
find-browser: $(READY_TESTS)
	@$(BIN)/python tools/browser.py

lint: $(READY_TESTS)
	@echo "== style and types"
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

unit: $(READY_TESTS) $(NODE_READY)
	@echo "== package, notebooks' hygiene, JavaScript"
	@$(PYTEST) tests --ignore tests/browser --ignore tests/live --ignore tests/wheel $(SELECT)

notebooks-test: $(READY_TESTS)
	@echo "== every notebook runs and prints what it shows"
	@$(BIN)/python tools/notebooks.py --test

# An environment like Colab's is made in .venv/colab, once.
wheel: $(READY_TESTS)
	@echo "== the package as others install it, on our versions and on Colab's"
	@$(PYTEST) tests/wheel

book-test: book browser

browser: find-browser $(NODE_READY)
	@echo "== the built book in a browser"
	@$(PYTEST) tests/browser

live: find-browser
	@echo "== every widget in JupyterLab and Notebook 7"
	@$(BIN)/python -m pytest tests/live

models: $(READY)
	@$(BIN)/python tools/models.py
	@$(BIN)/python tools/keep.py
	@$(BIN)/python -m attn_helpers.museum

bench: find-browser book
	@$(BIN)/python tools/bench.py

clean:
	@rm -rf _build build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .jupyter_cache $(if $(ALL),$(VENV) .venv-peers node_modules)
