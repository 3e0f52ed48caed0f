"""What is said about the package in several places agrees, and the files are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from truebleu._core import VERSION

ROOT = Path(__file__).resolve().parents[2]
YAML = sorted(
    path for pattern in ("*.yml", "*.cff", ".github/**/*.yml", "packaging/**/*.y*ml")
    for path in ROOT.glob(pattern)
)  # fmt: skip


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_files_can_be_read(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


def test_versions_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    assert (citation["version"], recipe["context"]["version"]) == (VERSION, VERSION)


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[(.*?)^\]$", project, re.MULTILINE | re.DOTALL)
    assert listed is not None
    needed = sorted(re.findall(r'^ *"([^";]+)', listed[1], re.MULTILINE))
    run = [name.replace(" ", "") for name in recipe["requirements"]["run"]]
    assert sorted(name for name in run if not name.startswith("python")) == needed


def test_the_wheels_workflow_covers_every_platform_and_stores_no_password() -> None:
    text = (ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    built = {
        (row["platform"], "arm64" if "aarch64" in row["target"] else "x86_64")
        for row in jobs["wheel"]["strategy"]["matrix"]["include"]
    }
    platforms = ("linux", "musl", "macos", "windows")
    assert built == {(name, chip) for name in platforms for chip in ("x86_64", "arm64")}
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in text
