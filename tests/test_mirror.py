"""Tests mirror the tree: the test of ``metrics/bleu.py`` is ``tests/metrics/test_bleu.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

import truebleu

SOURCE, TESTS = Path(truebleu.__file__).parent, Path(__file__).parent
# Modules with their tests elsewhere, and where.
TESTED_ELSEWHERE = {
    "cli/_command.py": "what every command has in common: cli/test_options",
}
# Tests of no single module, and of what.
WITHOUT_MODULE = {
    "cli": "commands, which are written in fewer modules",
    "test_layers.py": "the whole package",
    "test_mirror.py": "the whole package",
}
MODULES = sorted(
    path.relative_to(SOURCE)
    for path in SOURCE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)
ROOMS = {path.name for path in SOURCE.iterdir() if path.is_dir()}
TEST_FILES = sorted(
    file
    for file in (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    if file.parts[0] in ROOMS or len(file.parts) == 1
)


def is_within(file: Path, places: dict[str, str]) -> bool:
    return any(file.is_relative_to(place) for place in places)


@pytest.mark.parametrize(
    "module", [module for module in MODULES if not is_within(module, TESTED_ELSEWHERE)], ids=str
)
def test_a_module_has_its_tests_in_the_same_place(module: Path) -> None:
    """One file of tests, or a folder of them where a module has many commands."""
    name = module.stem.removeprefix("_")
    folder = TESTS / module.parent
    assert (folder / f"test_{name}.py").is_file() or any((folder / name).glob("test_*.py"))


@pytest.mark.parametrize(
    "file", [file for file in TEST_FILES if not is_within(file, WITHOUT_MODULE)], ids=str
)
def test_a_test_file_begins_with_the_name_of_its_module(file: Path) -> None:
    """``test_bleu_sentence.py`` tests ``bleu.py``, ``formats/test_formats.py`` the package."""
    folder, name = SOURCE / file.parent, file.stem.removeprefix("test_")
    is_of_folder = folder.with_suffix(".py").is_file() or name == folder.name
    modules = {path.stem.strip("_") for path in folder.glob("*.py")}
    words = name.split("_")
    prefixes = {"_".join(words[:count]) for count in range(1, len(words) + 1)}
    assert is_of_folder or prefixes & modules or (folder / name).is_dir()


@pytest.mark.parametrize("place", [*TESTED_ELSEWHERE, *WITHOUT_MODULE])
def test_an_exception_to_the_mirror_exists(place: str) -> None:
    assert (SOURCE / place).exists() or (TESTS / place).exists()
