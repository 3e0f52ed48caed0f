"""The recipe of a metric in CONTRIBUTING fits the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = (
    (ROOT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .split("## A metric of this project\n")[1]
    .split("\n## ")[0]
)
KERNEL, VARIANT, ARM = re.findall(r"```rust\n(.*?)```", RECIPE, re.DOTALL)
(SETTINGS,) = re.findall(r"```py\n(.*?)```", RECIPE, re.DOTALL)


def insert(path: Path, after: str, text: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count(after) == 1
    path.write_text(source.replace(after, after + text), encoding="utf-8")


@pytest.mark.slow
def test_the_kernel_of_the_recipe_compiles(tmp_path: Path) -> None:
    for name in ("crates", "Cargo.toml", "Cargo.lock"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    metrics = tmp_path / "crates" / "core" / "src" / "metrics"
    (metrics / "exact.rs").write_text(KERNEL, encoding="utf-8")
    insert(metrics / "mod.rs", "pub mod dependency;\n", "pub mod exact;\n")
    insert(
        metrics / "settings.rs",
        "use super::dependency::DependencyF;\n",
        "use super::exact::Exact;\n",
    )
    insert(metrics / "settings.rs", "pub enum MetricSettings {\n", VARIANT)
    insert(metrics / "settings.rs", "        Ok(match self {\n", ARM)
    command = ["cargo", "check", "--quiet", "--package", "truebleu-core"]
    target = ["--target-dir", str(ROOT / "target" / "recipe")]
    checked = subprocess.run(
        [*command, *target], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_the_class_of_the_recipe_names_its_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("truebleu.metrics.exact")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(SETTINGS, "exact.py", "exec"), module.__dict__)  # noqa: S102  # our own page
    settings = module.Exact().core_settings()
    assert settings["kind"] == "exact"
    assert VARIANT.strip() == "Exact(Words),"
    assert settings.keys() - {"kind"} == {"tokenizer", "lowercase"}
