"""Metrics of other packages: by entry point, checked, and used like those built in."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import numpy as np
import pytest

import truebleu
from truebleu.errors import PluginError, SettingError, UnknownNameError
from truebleu.metrics import parse_metric

EXAMPLE = Path(__file__).parents[1] / "plugin_example"
MODULE = "truebleu_word_precision.py"
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-metric.md"


def install(folder: Path, package: str, entries: dict[str, str]) -> None:
    """Writes what an installer leaves of a package, apart from its modules."""
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = (f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text("[truebleu.metrics]\n" + "".join(lines))


def install_example(folder: Path) -> None:
    """Installs the example as its pyproject.toml says; pip would need the network to build it."""
    project = ConfigParser()
    project.read(EXAMPLE / "pyproject.toml")
    declared = project['project.entry-points."truebleu.metrics"']
    package = project["project"]["name"].strip('"')
    install(folder, package, {name: value.strip('"') for name, value in declared.items()})
    shutil.copy(EXAMPLE / MODULE, folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("truebleu_word_precision", "offered"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def offer(folder: Path, code: str, value: str = "offered:thing", name: str = "new") -> None:
    (folder / "offered.py").write_text(code)
    install(folder, "a-package", {name: value})


def test_an_installed_metric_is_found_by_its_name_and_takes_settings(folder: Path) -> None:
    install_example(folder)
    assert parse_metric("wordprec").name == "WordPrec"
    metric = parse_metric("WordPrec:lowercase")
    assert metric.statistics(["A b c"], ["a b"]).tolist() == [[2.0, 3.0]]
    scores = truebleu.score(["A b c"], ["a b"], ["wordprec", "wordprec:lowercase", "bleu"])
    assert scores["system"]["WordPrec[case:mixed]"].score == pytest.approx(100 / 3)
    assert scores["system"]["WordPrec[case:lc]"].score == pytest.approx(200 / 3)
    with pytest.raises(SettingError, match="wordprec: lowercase: 'x'; expected yes or no"):
        parse_metric("wordprec:lowercase=x")
    with pytest.raises(UnknownNameError, match="did you mean 'wordprec'"):
        parse_metric("wordpre")


def test_an_installed_metric_obeys_the_law_of_sums(folder: Path) -> None:
    install_example(folder)
    metric = parse_metric("wordprec")
    outputs, references = ["a b c", "d", ""], ["a x", "d", "e"]
    rows = metric.statistics(outputs, references)
    expected = metric.corpus(outputs, references).score
    assert metric.score(rows[:1].sum(axis=0) + rows[1:].sum(axis=0)) == pytest.approx(expected)
    assert metric.score(np.stack([rows, rows])).shape == (2, 3)


def test_the_command_line_knows_installed_metrics(folder: Path) -> None:
    install_example(folder)
    (folder / "text").write_text("a b\n")
    command = [sys.executable, "-m", "truebleu", "score", "-r", "text", "text", "-m", "wordprec"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert "100.00" in result.stdout
    assert "WordPrec|nrefs:1|case:mixed|version:truebleu-" in result.stdout


def test_the_how_to_shows_the_example_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for file in ("pyproject.toml", MODULE):
        assert (EXAMPLE / file).read_text(encoding="utf-8") in page


def test_a_name_that_is_built_in_stays_built_in(folder: Path) -> None:
    offer(folder, "raise RuntimeError('never imported')", name="bleu")
    assert parse_metric("bleu") == truebleu.BLEU()


def test_a_function_that_returns_a_metric_will_do(folder: Path) -> None:
    code = (
        "from typing import Optional\n"
        "import truebleu\n"
        "def thing(order: int, words: Optional[int] = 0, *, lowercase: bool = False):\n"
        "    return truebleu.CHRF(char_order=order, word_order=words, lowercase=lowercase)\n"
    )
    offer(folder, code)
    expected = truebleu.CHRF(char_order=3, word_order=2, lowercase=True)
    assert parse_metric("new:order=3,words=2,lowercase") == expected
    with pytest.raises(SettingError, match="new: order: 'nothing'; expected a value"):
        parse_metric("new")
    with pytest.raises(UnknownNameError, match="unknown setting of new 'beta'"):
        parse_metric("new:beta=1")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module", "cannot be loaded (ModuleNotFoundError: No module named"),
        ("raise RuntimeError('broken')", "cannot be loaded (RuntimeError: broken)"),
        ("other = 1", "cannot be loaded (AttributeError"),
        ("thing = 1", "is neither a class nor a function that returns a metric"),
        ("class thing: pass", "is a class but no truebleu.metrics.Metric"),
        ("def thing(): return 'bleu'", "returned str; expected a truebleu.metrics.Metric"),
        (
            "import truebleu\nclass thing(truebleu.metrics.Metric): name = 'x'",
            "does not define count, describe, score, signature",
        ),
    ],
)
def test_a_broken_package_is_named_with_the_reason(folder: Path, code: str, reason: str) -> None:
    offer(folder, code)
    with pytest.raises(PluginError) as refusal:
        parse_metric("new")
    assert str(refusal.value).startswith("metric 'new' of a-package: offered:thing ")
    assert reason in str(refusal.value)
    copy = pickle.loads(pickle.dumps(refusal.value))  # noqa: S301
    assert str(copy) == str(refusal.value)


def test_two_packages_that_offer_one_name_are_both_named(folder: Path) -> None:
    install(folder, "first", {"new": "one:Metric"})
    install(folder, "second", {"new": "two:Metric"})
    with pytest.raises(PluginError, match="metric 'new' of first and second: they define"):
        parse_metric("new")


def test_built_in_metrics_do_not_wait_for_entry_points() -> None:
    code = (
        "import sys, truebleu\n"
        "truebleu.metrics.parse_metric('bleu')\n"
        "print('importlib.metadata' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
