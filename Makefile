# Everything that a developer runs. Each target sets up what it needs in .venv; needs Python >= 3.10 and Rust.

PYTHON ?= python3
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: help demo test quick check lint types rust-check rust-test format fuzz miri audit sacrebleu bench evidence docs integrations neural man wheel dist-check build browser latex wasm wasm-target clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: .venv/built  ## the whole path on a simulated test set; writes demo/report.html
	$(BIN)/truebleu demo --save demo --force

# On all cores. pytest keeps the test modules that it rewrote, whatever the environment says.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

test: rust-test .venv/tools browser wasm-target  ## all tests, Rust and Python
	$(PYTEST)

# What takes long: recorded runs of other tools, commands in processes of their own, packages, a browser.
LONG := tests/parity tests/robustness tests/packaging tests/browser tests/docs tests/compat tests/studies

quick: .venv/tools  ## unit tests only, in a minute: no simulations, no recorded runs, few processes
	$(PYTEST) -q -m 'not slow' $(LONG:%=--ignore=%)

check: lint types rust-check test  ## linters, types and tests: what CI runs

lint: .venv/tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/tools
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest truebleu._core

rust-check:
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings

rust-test:
	cargo test --workspace

format: .venv/tools  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt

MINUTES ?= 1
FUZZED := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
fuzz: .venv/tools  ## damaged files for MINUTES=1, with the number of cases; with cargo-fuzz each target of the core, too
	$(BIN)/python -m tests.robustness.test_fuzz $(MINUTES)
	TRUEBLEU_FUZZ_CASES=$$(( $(MINUTES) * 5000 )) cargo test --release -q -p truebleu-core --test fuzz
	@if cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  for target in $(FUZZED); do cargo +nightly fuzz run $$target -- -max_total_time=$$(( $(MINUTES) * 60 )) || exit 1; done; \
	else echo "no cargo-fuzz: cargo install cargo-fuzz, with nightly Rust, for targets guided by coverage"; fi

miri:  ## the resampling kernels under Miri, which nightly Rust has
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p truebleu-core --lib resampling::stream

audit: .venv/built  ## advisories about the Python packages that truebleu needs
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/python -m pip_audit --local --skip-editable

SACREBLEU := 2.0.0 2.1.0 2.2.1 2.3.1 2.4.3 2.5.1 2.6.0
sacrebleu: .venv/built  ## the drop-in and --test-set with each minor version of sacreBLEU, in environments of their own
	for version in $(SACREBLEU); do \
	  $(PYTHON) -m venv .venv/sacrebleu-$$version && \
	  .venv/sacrebleu-$$version/bin/python -m pip install --quiet pytest hypothesis numpy scipy sacrebleu==$$version && \
	  PYTHONPATH=$(CURDIR)/src .venv/sacrebleu-$$version/bin/python tools/sacrebleu_versions.py || exit 1; \
	done

# Compiled first: where Python writes no bytecode, cold starts would compile the sources each time.
bench: .venv/bench  ## speed and memory against other tools, as ratios
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m benchmarks

evidence: .venv/tools  ## write docs/evidence anew, from the public data
	$(BIN)/python -m evidence

docs: .venv/built  ## the documentation site, into dist/docs; a broken link fails it
	$(BIN)/python -m pip install --quiet --group docs
	PYTHONPATH=. $(BIN)/python docs/site/conf.py
	PYTHONPATH=. $(BIN)/python -m sphinx --fail-on-warning --keep-going -q -c docs/site dist/docs-source dist/docs

integrations: .venv/tools  ## tests against the real torchmetrics and evaluate, in an environment of their own
	$(PYTHON) -m venv .venv/integrations
	.venv/integrations/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv/integrations/bin/python -m pip install --quiet --group tools --group integrations
	HF_HUB_OFFLINE=1 PYTHONPATH=$(CURDIR)/src .venv/integrations/bin/python -m pytest -q -W default -p no:cacheprovider tests/integrations/*/

neural: .venv/built  ## tests against the real COMET with small models, in an environment of their own
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info > (3, 13))' || { echo "COMET needs NumPy 1, which has \
	  no wheels for $$($(PYTHON) --version); name an older Python: make neural PYTHON=python3.12" >&2; false; }
	$(PYTHON) -m venv .venv/neural
	.venv/neural/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv/neural/bin/python -m pip install --quiet --group neural
	PYTHONPATH=$(CURDIR)/src .venv/neural/bin/python -m pytest -q -W default -p no:cacheprovider tests/neural/comet

man: .venv/built  ## manual pages of all commands, into dist/man
	$(BIN)/python tools/man_pages.py dist/man

wheel: .venv/bin/python wasm  ## a wheel and the sources, into dist
	rm -rf dist/*.whl dist/*.tar.gz
	$(BIN)/maturin build --release --locked --quiet --out dist
	$(BIN)/maturin sdist --out dist

dist-check: wheel  ## install the wheel into an empty environment, try it, and check what it says of itself
	$(PYTHON) -m venv .venv/packaging
	.venv/packaging/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv/packaging/bin/python -m pip install --quiet --group packaging
	.venv/packaging/bin/python -m twine check --strict dist/*.whl dist/*.tar.gz
	.venv/packaging/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml packaging/example-workflow.yml
	.venv/packaging/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
	.venv/packaging/bin/zizmor --offline --quiet --config .github/zizmor.yml .github/workflows action.yml packaging/example-workflow.yml
	.venv/packaging/bin/hadolint packaging/Dockerfile
	.venv/packaging/bin/python -c 'from rattler_build import Stage0Recipe, VariantConfig; \
	  print(*Stage0Recipe.from_file("packaging/conda/recipe.yaml").render(VariantConfig({"python": ["3.12.*"]})))'
	$(BIN)/python tools/licenses.py
	$(PYTHON) -m tools.wasm dist
	$(PYTHON) tools/test_wheel.py dist

# The tests of the report's page drive Debian's Chromium; without one, CI fails and others skip them.
APT := apt-get -o DPkg::Lock::Timeout=600 -q -y
browser:  ## install the Chromium that tests of the report need, as root on Debian
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && $(APT) update \
	       && { $(APT) install --no-install-recommends chromium-headless-shell \
	            || $(APT) install --no-install-recommends chromium; }; } \
	  || echo "no Chromium, and no right to install one: tests of the report's page are skipped"

# TeX from the system's packages, on Debian.
latex: .venv/tools  ## compile LaTeX tables and measure their widths; installs TeX, as root on Debian
	@kpsewhich booktabs.sty >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && $(APT) update \
	       && $(APT) install --no-install-recommends texlive-latex-base texlive-latex-recommended; } \
	  || echo "no TeX with booktabs, and no right to install it"
	$(BIN)/python -m pytest -q -rs tests/reports/formats/test_latex_width.py

build: .venv/built  ## compile the core into .venv

wasm-target:
	-@command -v rustup >/dev/null && rustup target add wasm32-unknown-unknown

wasm: wasm-target  ## compile the core for the report's page, which has it as core.wasm
	$(PYTHON) -m tools.wasm

clean:  ## remove what the other targets made
	rm -rf .venv target dist benchmarks/results evidence/journal .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' 'maturin>=1.9,<2'

.venv/built: .venv/bin/python pyproject.toml $(RUST)
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/maturin develop --release --quiet
	$(BIN)/python -m compileall -q src
	touch $@

.venv/tools: .venv/built
	$(BIN)/python -m pip install --quiet --group tools
	touch $@

# fast-bleu compiles C++; where that fails, the benchmark says that it is not installed.
.venv/bench: .venv/built
	$(BIN)/python -m pip install --quiet --group bench
	-$(BIN)/python -m pip install --quiet fast-bleu
	touch $@
