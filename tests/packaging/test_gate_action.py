"""The steps of action.yml, run here as GitHub would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from defusedxml.ElementTree import fromstring

from truebleu.cli.main import truebleu

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
REFERENCE = [f"the cat number {number} sat on the mat" for number in range(40)]
WORSE = [line.replace("sat on", "lay by") for line in REFERENCE]


def write(path: Path, lines: list[str]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def run(folder: Path, errors: str = "", **inputs: str) -> tuple[int, str]:
    """The exit status and output of the action's own steps; the first, pip's, is left out.

    Args:
        folder: the working folder.
        errors: what the steps say on standard error.
        inputs: the inputs of the action.
    """
    values = {name: given.get("default", "") for name, given in ACTION["inputs"].items()}
    values.update(inputs)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    status, said = 0, ""
    steps: list[dict[str, Any]] = [step for step in ACTION["runs"]["steps"] if "run" in step]
    assert "pip install" in steps[0]["run"]
    for step in steps[1:]:
        filled = {name: fill(text, values) for name, text in step.get("env", {}).items()}
        process = subprocess.run(
            ["bash", "-c", step["run"]],
            cwd=folder,
            env={**environment, **filled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert errors in process.stderr if errors else process.stderr == ""
        status, said = process.returncode, said + process.stdout
    return status, said


def fill(text: str, values: dict[str, str]) -> str:
    """The text with its inputs; there is no other expression."""
    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]], text)


def test_equal_outputs_pass(tmp_path: Path) -> None:
    text = write(tmp_path / "same.txt", WORSE)
    reference = write(tmp_path / "ref.txt", REFERENCE)
    status, said = run(tmp_path, new=text, baseline=text, references=reference)
    assert status == 0
    assert said.count("::notice title=same%3A ") == 2
    assert (tmp_path / "output").read_text(encoding="utf-8") == "passed=true\n"
    assert "> [!TIP]" in (tmp_path / "summary").read_text(encoding="utf-8")
    page = (tmp_path / "truebleu-results" / "same.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "baseline" in page


def test_every_step_of_the_action_is_a_command_or_an_upload() -> None:
    *own, last = ACTION["runs"]["steps"]
    assert all("run" in step for step in own)
    assert last["uses"].startswith("actions/upload-artifact@")
    assert last["with"]["path"] == "${{ inputs.results }}"
    # Also where the gate fails: then the report is wanted most.
    assert last["if"] == "always()"


def test_worse_outputs_fail_against_saved_statistics(tmp_path: Path) -> None:
    new = write(tmp_path / "new.txt", WORSE)
    old = write(tmp_path / "old.txt", REFERENCE)
    saved = str(tmp_path / "baseline.npz")
    arguments = ["score", old, "-r", old, "-m", "bleu", "--save", saved]
    assert CliRunner().invoke(truebleu, arguments).exit_code == 0
    status, said = run(tmp_path, new=new, baseline=saved, references=old, metrics="bleu")
    assert status == 1
    assert "::error title=new%3A BLEU::new is worse than baseline by " in said
    assert (tmp_path / "output").read_text(encoding="utf-8") == "passed=false\n"
    results = tmp_path / "truebleu-results"
    check_junit((results / "new.junit.xml").read_bytes(), failures=1)
    assert sorted(path.name for path in results.iterdir()) == [
        "new.html",
        "new.junit.xml",
        "summary.md",
    ]
    # Whose texts are not known has a page without texts.
    assert REFERENCE[0] not in (results / "new.html").read_text(encoding="utf-8")


def check_junit(data: bytes, *, failures: int) -> None:
    """What readers of JUnit's XML rely on: suites whose counts are those of their cases."""
    suites = fromstring(data)
    assert suites.tag == "testsuites"
    (suite,) = suites
    assert suite.tag == "testsuite"
    assert suite.get("name")
    cases = suite.findall("testcase")
    assert all(case.get("name") and case.get("classname") for case in cases)
    failed = [case for case in cases if case.find("failure") is not None]
    for counted in (suites, suite):
        found = {name: int(counted.get(name, "0")) for name in ("tests", "failures", "errors")}
        assert found == {"tests": len(cases), "failures": len(failed), "errors": 0}
    assert len(failed) == failures
    assert all(case.find("failure").get("message") for case in failed)


def test_folders_are_gated_file_by_file_and_share_the_error(tmp_path: Path) -> None:
    for name in ("news.de", "talks.de"):
        write(tmp_path / "new" / f"{name}.txt", WORSE if "talks" in name else REFERENCE)
        write(tmp_path / "old" / f"{name}.txt", REFERENCE)
        write(tmp_path / "ref" / f"{name}.txt", REFERENCE)
    write(tmp_path / "new" / ".gitkeep", [])
    status, said = run(tmp_path, new="new", baseline="old", references="ref", metrics="bleu")
    assert status == 1
    assert "::notice title=news%3A BLEU::" in said
    assert "::error title=talks%3A BLEU::" in said
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert summary.count("level 0.975") == 2


def scores(right: int) -> list[str]:
    return ["id,correct,passage", *(f"q{n},{int(n % 10 < right)},p{n // 2}" for n in range(200))]


@pytest.mark.parametrize(("right", "status"), [(7, 0), (3, 1)])
def test_scores_of_items_need_no_references(tmp_path: Path, right: int, status: int) -> None:
    new = write(tmp_path / "new" / "quiz.csv", scores(right))
    write(tmp_path / "old" / "quiz.csv", scores(6))
    options = {"metrics": "scores", "documents": "passage"}
    for paths in ({"new": new, "baseline": "old/quiz.csv"}, {"new": "new", "baseline": "old"}):
        found, said = run(tmp_path, **paths, **options)
        assert found == status
        assert "quiz%3A correct::" in said
    assert (tmp_path / "truebleu-results" / "quiz.html").exists()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"new": "missing.txt"}, "missing.txt"),
        ({"margin": "little"}, "margin: 'little'; expected a number"),
        ({"metrics": "blue"}, "did you mean 'bleu'"),
        ({"references": ""}, "references: ''"),
        ({"metrics": "scores"}, "none beside scores of items"),
        ({"results": "a.txt"}, "a.txt"),
    ],
)
def test_bad_inputs_are_errors_and_not_verdicts(
    tmp_path: Path, inputs: dict[str, str], message: str
) -> None:
    text = write(tmp_path / "a.txt", REFERENCE)
    given = {"new": text, "baseline": text, "references": text, **inputs}
    status, said = run(tmp_path, **given)
    assert status == 2
    assert said.startswith("::error title=truebleu::")
    assert message in said


def test_a_name_cannot_begin_a_command_of_its_own(tmp_path: Path) -> None:
    text = write(tmp_path / "x%0A::error::y,z.txt", REFERENCE)
    status, said = run(tmp_path, new=text, baseline=text, references=text, metrics="bleu")
    assert status == 0
    (line,) = said.splitlines()
    assert line.startswith("::notice title=x%250A%3A%3Aerror%3A%3Ay%2Cz%3A BLEU::")


def test_a_name_is_no_markup_in_the_summary(tmp_path: Path) -> None:
    text = write(tmp_path / "new" / "[x]<img src=y>.txt", REFERENCE)
    given = {"baseline": "new", "references": "new", "metrics": "bleu"}
    assert run(tmp_path, new=str(Path(text).parent), **given)[0] == 0
    heading = (tmp_path / "summary").read_text(encoding="utf-8").splitlines()[0]
    assert heading == r"## truebleu: \[x\]\<img src=y\>"


def test_outputs_whose_names_begin_alike_are_told_apart(tmp_path: Path) -> None:
    for folder in ("new", "old", "ref"):
        write(tmp_path / folder / "de.txt", REFERENCE)
        write(tmp_path / folder / "de.bak.txt", REFERENCE)
    write(tmp_path / "new" / "de.bak.txt", WORSE)
    folders = {"new": "new", "baseline": "old", "references": "ref"}
    status, said = run(tmp_path, **folders)
    assert status == 1
    assert "::notice title=de.txt%3A BLEU" in said
    assert "::error title=de.bak.txt%3A BLEU" in said
    pages = sorted(path.name for path in (tmp_path / "truebleu-results").glob("*.html"))
    assert pages == ["de.bak.txt.html", "de.txt.html"]
    (tmp_path / "ref" / "de.bak.txt").unlink()
    status, said = run(tmp_path, **folders)
    assert status == 2
    assert "one file ref/de.bak.txt for new/de.bak.txt" in said


#: What breaks the decision before or while it gates, and what it says on standard error.
FAULTS = {
    "raise SystemExit(1)": "",
    "raise SystemExit(2)": "",
    "import missing_package": "ModuleNotFoundError",
    "import os; os.kill(os.getpid(), 9)": "",
    "def gate(*_, **__): raise RuntimeError('broken')": "RuntimeError: broken",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_neither_a_yes_nor_a_no(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(tmp_path / "same.txt", REFERENCE)
    shadow = f"__path__ = [{str(ROOT / 'src' / 'truebleu')!r}]\nreport = None\n{fault}\n"
    write(tmp_path / "path" / "truebleu" / "__init__.py", [shadow])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    status, said = run(tmp_path, FAULTS[fault], new=text, baseline=text, references=text)
    assert status == 3
    assert said.startswith("::error title=truebleu::the gate did not decide")
    assert not (tmp_path / "output").exists()
