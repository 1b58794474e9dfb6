# Everything a newcomer needs: `make demo`, `make test`. Only Python 3.11+ and make are assumed.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
SOURCES = src tests benchmarks packaging docs/gallery
PIP     = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# The real datasets some tests measure themselves against, when they lie beside the project.
ifneq ($(wildcard ../shared/data),)
export TRAILPRINT_DATA ?= $(abspath ../shared/data)
endif

# Bytecode is kept whatever the shell says: tests start hundreds of programs, and each would compile
# every source again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test check lint types layers unit kernels fuzz laws torture bench docs reference dist clean

setup: $(VENV)/.dev

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Trailprint needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[app]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) -e '.[dev]'
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) -e '.[docs]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) -e '.[bench]'
	@touch $@

$(VENV)/.release: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[release]'
	@touch $@

demo: $(VENV)/.run
	$(BIN)/trailprint demo

# Types are checked while the kernels are compiled: neither has use for both cores all the time.
test: lint layers
	@$(MAKE) --no-print-directory -j 2 types kernels
	@$(MAKE) --no-print-directory unit

lint: $(VENV)/.dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

# A file's tests stay together, so that what they share is made once; JOBS=0 runs one after another.
# Three on two cores: while tests wait for Spark, a browser or a server, another one computes.
JOBS ?= 3
unit: $(VENV)/.dev kernels
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

# Compiled once, on two cores: otherwise every process of tests compiles the same ones.
kernels: $(VENV)/.dev
	@$(BIN)/python -c 'from trailprint.cli.compile_ahead import compile_first; compile_first()'

# The inner loop, in a minute or so: everything of `make test` but the slow tests.
check: lint types layers kernels
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not slow"

# make fuzz CASES=100000 FIRST=5000: this number of generated and mutated inputs, from case 5000 on.
CASES   ?= 2000
FIRST   ?= 0
WORKERS ?= 2
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --corpus
	$(BIN)/python -m tests.fuzz --cases $(CASES) --start $(FIRST) --workers $(WORKERS)

# make laws EXAMPLES=10: every law with this many times the examples that its test asks for.
EXAMPLES ?= 5
laws: $(VENV)/.dev kernels
	TRAILPRINT_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m law

# make torture KILLS=100: kills and resumes, interrupts, a full disk, too little memory.
KILLS   ?= 20
torture: $(VENV)/.dev
	$(BIN)/python -m tests.torture --kills $(KILLS)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

docs: reference $(VENV)/.docs
	PYTHONPATH=docs/gallery NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

reference: $(VENV)/.dev
	$(BIN)/python -m trailprint.cli.reference docs/reference/commands.md
	$(BIN)/python -m trailprint.audit.result_schema src/trailprint/report/result.schema.json

# What a release would upload, tried in an environment that holds nothing else.
dist: $(VENV)/.release
	rm -rf dist build/empty
	PIP_CONSTRAINT=$(abspath constraints.txt) $(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python packaging/check_contents.py dist/*
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	build/empty/bin/python packaging/smoke_test.py "$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/trailprint/__init__.py)"
	rm -rf build/empty

clean:
	rm -rf $(VENV) site build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache trailprint-demo
