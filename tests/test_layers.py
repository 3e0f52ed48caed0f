"""The tree is the data flow: a step imports only from the steps before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from tools.traced_files import cycles, read_modules

ROOT = Path(truebleu.__file__).parent
# What answers questions about statistics may import.
BELOW_THE_WAIST = {
    "errors",
    "_lazy",
    "_results",
    "_settings",
    "corpus",
    "metrics",
    "resampling",
    "significance",
}
# Each part of the package with the parts it may import, besides itself.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "_lazy": set(),
    "_results": {"errors", "reports"},
    "_settings": {"errors"},
    "corpus": {"errors", "_lazy", "_results", "_settings"},
    "human": {"errors", "_lazy", "corpus"},
    "execution": {"errors", "_lazy"},
    "tokenizers": {"errors", "corpus"},
    "metrics": {"errors", "_lazy", "_results", "_settings", "corpus", "human", "tokenizers"},
    "simulation": {"errors", "_lazy", "_settings", "corpus"},
    "resampling": {"errors", "_results", "_settings"},
    "significance": {"errors", "_lazy", "_results", "_settings", "corpus", "metrics", "resampling"},
    "explanation": BELOW_THE_WAIST | {"human"},
    "planning": BELOW_THE_WAIST | {"human"},
    "agreement": BELOW_THE_WAIST | {"human"},
    "nbest": BELOW_THE_WAIST | {"execution"},
    "integrations": {"_lazy", "errors", "metrics", "resampling", "significance"},
    "pytest_plugin": {"errors", "corpus", "metrics", "significance"},
    "studies": {
        "_lazy",
        "errors",
        "_results",
        "_settings",
        "corpus",
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
    },
    "reports": {
        "_lazy",
        "_results",
        "errors",
        "corpus",
        "metrics",
        "significance",
        "explanation",
        "planning",
        "agreement",
        "nbest",
        "studies",
    },
    # Of reports, what makes one line of any name.
    "compat": {"errors", "corpus", "tokenizers", "metrics", "resampling", "reports"},
}
# The doors may import everything.
DOORS = {"cli", "__init__", "__main__"}


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


STEPS = sorted(path for path in ROOT.rglob("*.py") if part_of(path) not in DOORS)


def imported_parts(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
            modules.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
    inside = (module.split(".") for module in modules if module.startswith("truebleu."))
    return {parts[1] for parts in inside} - {"_core"}


@pytest.mark.parametrize("path", STEPS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_step_imports_only_what_comes_before_it(path: Path) -> None:
    part = part_of(path)
    # Everywhere: what the arguments of public functions are checked with.
    assert imported_parts(path) - {part, "_settings"} <= ALLOWED[part]


def test_no_module_needs_itself_not_even_inside_functions_or_for_types() -> None:
    assert cycles(read_modules(ROOT), ("top", "later", "types")) == []


@pytest.mark.parametrize("heavy", ["numpy", "json", "csv", "xml", "gzip", "argparse"])
def test_the_command_line_scores_plain_text_without_heavy_imports(
    tmp_path: Path, heavy: str
) -> None:
    (tmp_path / "text").write_text("the cat sat on the mat\n")
    output, modules = run_and_list_modules(["score", "-r", "text", "text"], tmp_path)
    assert "100.00" in output
    assert heavy not in modules


def test_two_systems_are_compared_without_imports_that_are_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("the cat sat on the mat\n" * 20)
    (tmp_path / "b").write_text("a cat is on the mat\n" * 20)
    output, modules = run_and_list_modules(["compare", "-r", "a", "a", "b"], tmp_path)
    assert "100.00" in output
    heavy = {
        "scipy",
        "numpy.ma",
        "numpy.random",
        "json",
        "tempfile",
        "concurrent.futures",
    }
    ours = {
        "reports.charts",
        "significance.optimizer_runs",
        "significance.groups",
        "corpus._tables",
    }
    assert not modules & {*heavy, *(f"truebleu.{name}" for name in ours)}


def run_and_list_modules(arguments: list[str], folder: Path) -> tuple[str, set[str]]:
    """What a command prints, and the modules that were imported when it ended."""
    code = (
        "import sys, contextlib\n"
        "from truebleu.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n"
        f"    main({arguments!r})\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return result.stdout, set(result.stderr.splitlines()[-1].split())
