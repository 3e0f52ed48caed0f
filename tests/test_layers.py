"""The tree is the data flow: a step imports only from the steps before it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from tools.imports import import_cycles, read_imports

ROOT = Path(truebleu.__file__).parent
# What answers questions about statistics may import.
BELOW_THE_WAIST = {
    "errors",
    "_results",
    "corpus",
    "counts",
    "metrics",
    "resampling",
    "scores",
    "significance",
}
# Each part of the package with the parts it may import, besides itself.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "_results": {"errors", "reports"},
    "schema": {"errors"},
    "corpus": {"errors", "_results"},
    "human": {"errors", "corpus", "metrics", "scores"},
    "execution": {"errors"},
    "tokenizers": {"errors", "corpus"},
    "metrics": {"errors", "_results", "corpus", "tokenizers"},
    "scores": {"errors", "corpus", "metrics"},
    # Metrics that the registry names, imported when one is asked for.
    "neural": {"errors", "corpus", "metrics"},
    "counts": {"errors", "corpus", "metrics", "scores", "tokenizers"},
    "simulation": {"errors", "corpus"},
    "resampling": {"errors", "_results"},
    # The test sets of a panel are compared wherever tasks run.
    "significance": {
        "errors",
        "_results",
        "corpus",
        "counts",
        "execution",
        "metrics",
        "resampling",
        "scores",
    },
    "explanation": BELOW_THE_WAIST | {"human"},
    "planning": BELOW_THE_WAIST | {"human"},
    "agreement": BELOW_THE_WAIST | {"human"},
    "nbest": BELOW_THE_WAIST | {"execution"},
    "integrations": {"errors", "metrics", "resampling", "significance"},
    "pytest_plugin": {"errors", "corpus", "counts", "metrics", "significance"},
    "studies": {
        "errors",
        "_results",
        "corpus",
        "counts",
        "human",
        "tokenizers",
        "metrics",
        "simulation",
        "resampling",
        "significance",
        "planning",
        "agreement",
        "nbest",
        "execution",
        # Human scores stand beside metrics in the tables of a paper.
        "scores",
        # A study's report stands with the study.
        "reports",
    },
    "reports": {
        "_results",
        "errors",
        "corpus",
        "counts",
        # A page without data names them.
        "tokenizers",
        "metrics",
        "significance",
        "explanation",
        "planning",
        "agreement",
        "nbest",
    },
    "compat": {"errors", "metrics"},
}
# The doors may import everything.
DOORS = {"cli", "__init__", "__main__"}


IMPORTS = read_imports(ROOT)
STEPS = sorted(name for name in IMPORTS if name != "truebleu" and name.split(".")[1] not in DOORS)


@pytest.mark.parametrize("name", STEPS)
def test_a_step_imports_only_what_comes_before_it(name: str) -> None:
    part = name.split(".")[1]
    imported = {module.split(".")[1] for module in IMPORTS[name]}
    # Everywhere: what declares settings and results.
    assert imported - {part, "schema"} <= ALLOWED[part]


def test_no_module_needs_itself_not_even_inside_functions_or_for_types() -> None:
    assert import_cycles(IMPORTS) == []


def test_a_command_imports_no_chart_and_no_package_that_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("the cat sat on the mat\n" * 20)
    (tmp_path / "b").write_text("a cat is on the mat\n" * 20)
    code = (
        "import sys, contextlib\n"
        "from truebleu.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main(['compare', '-r', 'a', 'a', 'b'])\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "100.00" in result.stdout
    heavy = {"scipy", "altair", "pandas", "pyarrow", "distributed", "truebleu.reports.charts"}
    assert not heavy & set(result.stderr.splitlines()[-1].split())
