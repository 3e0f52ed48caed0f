"""The fixture fails a test by the gate's verdict, from lists, files and saved statistics."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from truebleu.cli.main import truebleu
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.pytest_plugin import Gate

REFERENCE = [f"the cat number {number} sat on the mat" for number in range(20)]
WORSE = [line.replace("sat on", "lay by") for line in REFERENCE]


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, Path]:
    files = {"ref": REFERENCE, "good": REFERENCE, "bad": WORSE}
    paths = {name: tmp_path / f"{name}.txt" for name in files}
    for name, lines in files.items():
        paths[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def test_equal_outputs_pass(truebleu_gate: Gate) -> None:
    assert truebleu_gate.assert_not_worse(WORSE, WORSE, REFERENCE).passed


def test_the_verdict_is_the_message(truebleu_gate: Gate) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"new is worse than old by 58\.89 BLEU"):
        truebleu_gate.assert_not_worse(WORSE, REFERENCE, REFERENCE)


def test_files_are_read(truebleu_gate: Gate, texts: dict[str, Path]) -> None:
    result = truebleu_gate.assert_not_worse(texts["good"], texts["bad"], texts["ref"])
    assert (result.new, result.old) == ("good", "bad")
    with pytest.raises(pytest.fail.Exception, match="bad is worse than good"):
        truebleu_gate.assert_not_worse(texts["bad"], str(texts["good"]), [texts["ref"]])


def test_saved_statistics_stand_for_the_old_system(
    truebleu_gate: Gate, texts: dict[str, Path], tmp_path: Path
) -> None:
    saved = tmp_path / "baseline.npz"
    arguments = ["score", str(texts["good"]), "-r", str(texts["ref"]), "--save", str(saved)]
    assert CliRunner().invoke(truebleu, arguments).exit_code == 0
    with pytest.raises(pytest.fail.Exception, match="bad is worse than baseline"):
        truebleu_gate.assert_not_worse(texts["bad"], saved, texts["ref"])


def test_paths_and_lists_do_not_mix(truebleu_gate: Gate, texts: dict[str, Path]) -> None:
    with pytest.raises(SettingError, match="baseline"):
        truebleu_gate.assert_not_worse(texts["bad"], WORSE, texts["ref"])
    with pytest.raises(SettingError, match="no reference given"):
        truebleu_gate.assert_not_worse(texts["bad"], texts["good"], None)


@pytest.mark.slow
def test_pytest_finds_the_fixture_and_shows_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(
        "def test_quality(truebleu_gate):\n"
        f"    reference = {REFERENCE!r}\n"
        "    worse = [line.replace('sat on', 'lay by') for line in reference]\n"
        "    truebleu_gate.assert_not_worse(worse, reference, reference)\n",
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "fail: new is worse than old by 58.89 BLEU" in run.stdout
    assert "Traceback" not in run.stdout


def test_files_of_scores_need_no_references(truebleu_gate: Gate, tmp_path: Path) -> None:
    for folder, right in (("new", 3), ("old", 7)):
        (tmp_path / folder).mkdir()
        rows = [f"q{n},{int(n % 10 < right)},p{n // 2}" for n in range(100)]
        (tmp_path / folder / "quiz.csv").write_text("\n".join(["id,correct,passage", *rows, ""]))
    new, old = tmp_path / "new" / "quiz.csv", tmp_path / "old" / "quiz.csv"
    options = {"metrics": ["scores"], "documents": "passage"}
    assert truebleu_gate.assert_not_worse(old, new, **options).passed
    failure = r"quiz is worse than quiz \(baseline\) by 40\.0 points of correct"
    with pytest.raises(pytest.fail.Exception, match=failure):
        truebleu_gate.assert_not_worse(new, old, **options)
    with pytest.raises(SettingError, match="a path, like the new outputs"):
        truebleu_gate.assert_not_worse(new, ["1"], **options)
