"""Tests mirror the tree: the test of ``metrics/bleu.py`` is ``tests/metrics/test_bleu.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

import truebleu

SOURCE, TESTS = Path(truebleu.__file__).parent, Path(__file__).parent
# Where other tests do it, and why.
ELSEWHERE = {
    "cli/_command.py": "what every command has in common: cli/test_options",
}
MODULES = sorted(
    path.relative_to(SOURCE)
    for path in SOURCE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)


def excused(module: Path) -> bool:
    return any(module.is_relative_to(place) for place in ELSEWHERE)


@pytest.mark.parametrize("module", [m for m in MODULES if not excused(m)], ids=str)
def test_a_module_has_its_tests_in_the_same_place(module: Path) -> None:
    """One file of tests, or a folder of them where a module has many commands."""
    name = module.stem.removeprefix("_")
    folder = TESTS / module.parent
    assert (folder / f"test_{name}.py").is_file() or any((folder / name).glob("test_*.py"))


@pytest.mark.parametrize("place", ELSEWHERE)
def test_what_is_tested_elsewhere_is_there(place: str) -> None:
    assert (SOURCE / place).exists()
