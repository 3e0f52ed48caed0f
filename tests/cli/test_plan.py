"""``truebleu plan`` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.texts import save_channels
from truebleu.cli.plan import plan_command as command
from truebleu.errors import TruebleuError
from truebleu.reports.document import FORMATS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rates = {"old": 0.25, "new": 0.2, "copy": 0.3}
    path = save_channels(tmp_path_factory.mktemp("texts") / "demo", 200, rates)
    (path / "copy.txt").write_bytes((path / "old.txt").read_bytes())
    return path


PILOT = ("-r", "ref.txt", "a.txt", "b.txt")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def run_pilot(
    folder: Path, *arguments: object, systems: tuple[str, ...] = ("old", "new")
) -> Result:
    texts = [folder / f"{name}.txt" for name in systems]
    return run("-r", folder / "reference-1.txt", *texts, "--replicates", 200, *arguments)


def json_of(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr or result.exception
    return json.loads(result.stdout)


def test_the_text_says_what_to_do(folder: Path) -> None:
    result = run_pilot(folder, "--difference", 1)
    assert result.exit_code == 0, result.exception
    words = " ".join(result.stdout.split())
    places = [
        words.find(claim)
        for claim in (
            "To detect a difference of 1 BLEU with a power of 80 %, a test ",
            "With that power, 200 segments can detect differences of ",
            "; for 1 BLEU, their power is ",
            " this test set ",
            " needed ",
            "two-sided paired test at level 0.95; the size needed is the upper end of a one-sided "
            "80 % interval; assumes independent segments",
        )
    ]
    assert places[0] == 0
    assert places == sorted(places)


def test_json_has_settings_signature_and_answers(folder: Path) -> None:
    result = run_pilot(folder, "--difference", 1, "-m", "bleu", "-m", "ter", "--format", "json")
    answer = json_of(result)
    assert answer["version"] == 1
    assert answer["test_set"]["segments"] == 200
    expected = {"power": 0.8, "level": 0.95, "unit": "segment", "seed": 12345, "baseline": None}
    assert expected.items() <= answer["settings"].items()
    bleu, ter = answer["plans"]
    assert (bleu["metric"], bleu["a"], bleu["b"]) == ("BLEU", "old", "new")
    assert bleu["signature"].startswith("BLEU|nrefs:1|")
    assert bleu["pilot_difference"] < 0 < ter["pilot_difference"]
    low, high = bleu["units_needed_interval"]
    assert low < bleu["units_needed"] < high
    assert all(0 <= size["power"] <= 1 for size in bleu["sizes"])


def test_documents_are_units(folder: Path) -> None:
    documents = ("--documents", folder / "documents.tsv", "--unit", "document")
    answer = json_of(run_pilot(folder, *documents, "--difference", 1, "-f", "json"))
    (plan,) = answer["plans"]
    assert plan["units"] == answer["test_set"]["documents"]
    assert plan["segments"] == 200
    text = " ".join(run_pilot(folder, *documents, "--difference", 1).stdout.split())
    assert " documents (200 segments) can detect" in text
    assert "about segments" in text


def test_several_systems_need_a_baseline(folder: Path) -> None:
    (folder / "newer.txt").write_text((folder / "new.txt").read_text("utf-8"), "utf-8")
    systems = ("old", "new", "newer")
    refused = run_pilot(folder, systems=systems)
    assert isinstance(refused.exception, TruebleuError)
    assert "3 systems given: choose one with --baseline" in str(refused.exception)
    result = run_pilot(
        folder, "--baseline", "old", "--difference", 1, "-f", "json", systems=systems
    )
    assert [plan["a"] for plan in json_of(result)["plans"]] == ["new", "newer"]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_has_the_number_needed(folder: Path, format_: str) -> None:
    needed = json_of(run_pilot(folder, "--difference", 1, "-f", "json"))["plans"][0]["units_needed"]
    written = run_pilot(folder, "--difference", 1, "-f", format_).stdout
    assert str(needed) in written.replace(",", "") or f"{needed:,}" in written
    assert written.endswith("\n")
    assert "nan" not in written.lower()


def test_plan_reports_the_detectable_difference_by_default(folder: Path) -> None:
    words = " ".join(run_pilot(folder).stdout.split())
    assert "With a power of 80 %, 200 segments can detect differences of " in words
    # The power for the difference that was seen would only say p once more.
    assert "power would be" not in words
    assert "power for" not in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PILOT, "--difference", "0"), "difference: 0.0"),
        ((*PILOT, "--difference", "-1"), "difference: -1.0"),
        ((*PILOT, "--difference", "1e308"), "difference: 1e+308"),
        ((*PILOT, "--difference", "1", "--power", "1"), "power: 1.0"),
        ((*PILOT, "--difference", "1", "--power", "-0.5"), "power: -0.5"),
        (("a.txt", "b.txt"), "no reference given"),
        (("-r", "none", "a.txt", "b.txt"), "none: no such file"),
    ],
)
def test_bad_options_are_rejected_with_a_message(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, word in (("ref", "mat"), ("a", "mat"), ("b", "cat")):
        (tmp_path / f"{name}.txt").write_text(f"the cat sat on the {word}\nand slept\n" * 9)
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert isinstance(result.exception, TruebleuError), result.output
    assert message in str(result.exception)
    assert result.stdout == ""


def test_pilots_without_spread_or_documents_are_refused_in_words(
    folder: Path, tmp_path: Path
) -> None:
    same = run_pilot(folder, "--difference", 1, systems=("old", "copy"))
    assert isinstance(same.exception, TruebleuError)
    assert "a plan needs its variance" in str(same.exception)
    no_documents = run_pilot(folder, "--difference", 1, "--unit", "document")
    assert "a test set with documents; see --documents" in str(no_documents.exception)
    (tmp_path / "one").write_text("d\n" * 200)
    lone = run_pilot(
        folder, "--difference", 1, "--unit", "document", "--documents", tmp_path / "one"
    )
    assert "'one document'; expected at least two" in str(lone.exception)


def test_a_seed_repeats_the_plan(folder: Path) -> None:
    first, second, other = (
        run_pilot(folder, "--difference", 1, "-f", "json", "--seed", seed, "--threads", threads)
        for seed, threads in ((1, 1), (1, 2), (2, 2))
    )
    assert first.stdout == second.stdout
    assert first.stdout != other.stdout
