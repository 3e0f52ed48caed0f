"""Imports of a package are found wherever they stand, and so are their cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.imports import import_cycles, read_imports

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "__init__.py": "from package.one import name\n",
    "one.py": "import json\nimport package.two\nfrom package import _compiled\n",
    "two.py": "def function():\n    from package import three\n",
    "_compiled.pyi": "",
    "three.py": "if TYPE_CHECKING:\n    from .inner import one as other\n",
    "inner/__init__.py": "from . import one\n",
    "inner/one.py": "from ..one import name\n",
}


def write_package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "package" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "package" / name).write_text(text)
    return tmp_path / "package"


def test_imports_at_the_top_in_functions_and_for_types_are_read(tmp_path: Path) -> None:
    assert read_imports(write_package(tmp_path)) == {
        "package": {"package.one"},
        "package.one": {"package.two"},
        "package.two": {"package.three"},
        "package.three": {"package.inner.one"},
        "package.inner": {"package.inner.one"},
        "package.inner.one": {"package.one"},
    }


def test_a_cycle_is_found_once(tmp_path: Path) -> None:
    (cycle,) = import_cycles(read_imports(write_package(tmp_path)))
    assert sorted(cycle) == ["package.inner.one", "package.one", "package.three", "package.two"]


def test_an_import_of_the_own_package_is_no_cycle() -> None:
    assert import_cycles({"package": {"package"}, "package.one": {"package"}}) == []
