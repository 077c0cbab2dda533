# `make demo` and `make test` do all the set-up themselves: they need Python 3.11+, pip and make.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# What a change of which asks for a new installation; Python files are used where they lie.
BUILT_FROM := pyproject.toml setup.py $(wildcard src/goldsplit/record/inside/core/*.[ch] src/goldsplit/record/inside/core/*/*.c)

.PHONY: help demo test test-all wheel lint types layers unit thousand pasted fuzz bench new-rule clean

help:
	@echo "make demo   record a slow training, say what holds it back, try a remedy, show before and after"
	@echo "make test   lint, types, import rules and the whole test suite"
	@echo "make test-all  the suite on every Python of PYTHONS; without torch, what needs none"
	@echo "make wheel  a wheel for each of PYTHONS in dist/, tried in a bare environment"
	@echo "make fuzz   10,000 damaged runs (CASES), the core under sanitizers, random examples (ROUNDS=2)"
	@echo "make thousand  1,000 episodes of each game: are its twins equal, move by move? And other long tests"
	@echo "make pasted  every command of the pages, pasted into a project of its own (some minutes)"
	@echo "make bench  truth, overhead and fast-part benchmarks (long; wants a quiet machine)"
	@echo "make new-rule NAME=my-rule  all files that a new rule needs, to be filled in"

$(VENV)/python.stamp:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# torch comes first and alone, so that nothing else chooses its version.
$(VENV)/torch.stamp: $(VENV)/python.stamp constraints.txt
	@echo "installing torch (CPU is enough) …"
	@$(PIP) torch==2.13.0
	@touch $@

$(VENV)/demo.stamp: $(VENV)/torch.stamp $(BUILT_FROM)
	@echo "installing goldsplit and what the demo needs …"
	@$(PIP) --editable '.[demo]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/torch.stamp $(BUILT_FROM)
	@echo "installing goldsplit and its test tools …"
	@$(PIP) --editable '.[test]'
	@touch $@

# The HTML report is tested in a real browser. Where none can be installed, its test says how and is skipped.
$(VENV)/browser.stamp: $(VENV)/python.stamp
	@if ! command -v chromedriver >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "installing chromium for the test of the HTML report …"; \
		{ timeout 60 apt-get -qq update; DEBIAN_FRONTEND=noninteractive timeout 240 apt-get -qq install -y \
			--no-install-recommends chromium chromium-driver; } >/dev/null 2>&1 </dev/null || true; \
	fi
	@touch $@

$(VENV)/bench.stamp: $(VENV)/torch.stamp $(BUILT_FROM)
	@echo "installing goldsplit and the peers that it is measured against …"
	@$(PIP) --editable '.[bench]'
	@touch $@

demo: $(VENV)/demo.stamp
	@$(PY) tools/demo.py

test: $(VENV)/test.stamp $(VENV)/browser.stamp lint types layers unit

lint: $(VENV)/test.stamp
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(VENV)/test.stamp
	$(PY) -m mypy

layers: $(VENV)/test.stamp
	$(VENV)/bin/python -c "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"

# Recordings whose times and gains are judged have the machine to themselves; where only counts, texts and exit
# codes are judged, two files run side by side (a file stays whole: its tests share recordings).
unit: $(VENV)/test.stamp
	$(PY) -m pytest -n 2 tests/unit tests/contract tests/pasted
	$(PY) -m pytest -n 2 --dist loadfile -m "not alone" tests/integration
	$(PY) -m pytest -m alone tests/integration

thousand: $(VENV)/test.stamp
	$(PY) -m pytest -n 2 -m thousand tests/unit/games tests/unit/fast tests/contract

# Every command that README.md and docs/ show, pasted into a project like the one that the page speaks of.
pasted: $(VENV)/test.stamp
	$(PY) -m pytest -n 2 -m pasted tests/pasted

# The Pythons of this machine; those that are not there are left out, and said so.
PYTHONS ?= 3.11 3.12 3.13
test-all: test
	$(PY) tools/every_python.py test $(PYTHONS)

wheel: $(VENV)/test.stamp
	$(PY) tools/every_python.py wheel $(PYTHONS)

# What it finds becomes a fixed example (`@example`) in the test that it broke, or a test of its own.
ROUNDS ?= 2
CASES ?= 10000
FUZZ_SECONDS ?= 1800
fuzz: $(VENV)/test.stamp
	$(PY) -m tests.fuzz.mutated_runs --cases $(CASES) --seconds $(FUZZ_SECONDS)
	$(PY) tools/sanitized_core.py
	@for round in $$(seq $(ROUNDS)); do \
		echo "round $$round of $(ROUNDS)"; \
		GOLDSPLIT_FUZZ=1 $(PY) -m pytest -n 2 -m hypothesis tests/unit tests/contract || exit 1; \
	done

bench: $(VENV)/bench.stamp
	$(PY) benchmarks/truth.py
	$(PY) benchmarks/overhead.py
	$(PY) benchmarks/ceilings.py
	$(PY) benchmarks/faults.py
	$(PY) benchmarks/fast/fast_replay.py
	$(PY) benchmarks/fast/fast_vector.py
	$(PY) benchmarks/fast/fast_kernels.py
	$(PY) benchmarks/fast/fast_learner.py

# `make new-rule my-rule` is the same: then the name is no target.
ifeq ($(firstword $(MAKECMDGOALS)),new-rule)
NAME ?= $(word 2,$(MAKECMDGOALS))
$(filter-out new-rule,$(MAKECMDGOALS)): ; @:
endif

new-rule: $(VENV)/test.stamp
	@$(PY) tools/new_rule.py "$(NAME)"

clean:
	rm -rf $(VENV) .goldsplit
