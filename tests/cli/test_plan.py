"""``truebleu plan`` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.texts import save_channels
from truebleu.cli.plan import command
from truebleu.errors import SettingError, TruebleuError
from truebleu.reports.document import FORMATS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rates = {"old": 0.25, "new": 0.2, "copy": 0.3}
    path = save_channels(tmp_path_factory.mktemp("texts") / "demo", 200, rates)
    (path / "copy.txt").write_bytes((path / "old.txt").read_bytes())
    return path


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
    lines = result.stdout.splitlines()
    assert lines[0] == "BLEU: new against old."
    assert lines[1].startswith("To find a difference of 1 BLEU with a power of 80 %, a test set ")
    assert lines[2].startswith("With that power, 200 segments find differences from ")
    assert lines[3].startswith("Their power for a difference of 1 is ")
    # The power for the difference that was seen says nothing that p does not.
    assert lines[4].startswith("The pilot's own difference is an estimate.")
    assert "the winner's curse" in lines[4]
    assert any(line.endswith("this test set") for line in lines)
    assert any(line.endswith("needed") for line in lines)
    assert lines[-1].startswith("two-sided paired test at level 0.95; independent segments")


def test_json_has_settings_signature_and_answers(folder: Path) -> None:
    result = run_pilot(folder, "--difference", 1, "-m", "bleu", "-m", "ter", "--format", "json")
    answer = json_of(result)
    assert answer["version"] == 1
    assert answer["test_set"]["segments"] == 200
    expected = {"power": 0.8, "level": 0.95, "unit": "segment", "seed": 12345, "baseline": "old"}
    assert expected.items() <= answer["settings"].items()
    bleu, ter = answer["plans"]
    assert (bleu["metric"], bleu["a"], bleu["b"]) == ("BLEU", "new", "old")
    assert bleu["signature"].startswith("BLEU|nrefs:1|")
    assert ter["pilot_difference"] < 0 < bleu["pilot_difference"]
    low, high = bleu["units_needed_interval"]
    assert low < bleu["units_needed"] < high
    assert all(0 <= size["power"] <= 1 for size in bleu["sizes"])


def test_documents_are_units(folder: Path) -> None:
    documents = ("--documents", folder / "documents.tsv", "--unit", "document")
    answer = json_of(run_pilot(folder, *documents, "--difference", 1, "-f", "json"))
    (plan,) = answer["plans"]
    assert plan["units"] == answer["test_set"]["documents"]
    assert plan["segments"] == 200
    text = run_pilot(folder, *documents, "--difference", 1).stdout
    assert "documents, some " in text
    assert "about segments" in text


def test_several_systems_need_a_baseline(folder: Path) -> None:
    systems = ("old", "new", "reference-1")
    refused = run_pilot(folder, systems=systems)
    assert isinstance(refused.exception, TruebleuError)
    assert "baseline: found 'none', expected one of old, new, reference-1" in str(refused.exception)
    result = run_pilot(
        folder, "--baseline", "old", "--difference", 1, "-f", "json", systems=systems
    )
    assert [plan["a"] for plan in json_of(result)["plans"]] == ["new", "reference-1"]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_has_the_number_needed(folder: Path, format_: str) -> None:
    needed = json_of(run_pilot(folder, "--difference", 1, "-f", "json"))["plans"][0]["units_needed"]
    written = run_pilot(folder, "--difference", 1, "-f", format_).stdout
    assert str(needed) in written.replace(",", "") or f"{needed:,}" in written
    assert written.endswith("\n")
    assert "nan" not in written.lower()


def test_without_a_difference_it_says_what_is_found(folder: Path) -> None:
    lines = run_pilot(folder).stdout.splitlines()
    assert lines[1].startswith("With a power of 80 %, 200 segments find differences from ")
    # The power for the difference that was seen would only say p once more.
    assert not any("power would be" in line for line in lines)
    assert not any("power for" in line for line in lines)


def test_a_plan_from_a_standard_deviation() -> None:
    """((1.96 + 0.8416) 12 / 0.5) squared is 4521; Student's t asks for two more."""
    result = run("--sd", 12, "--difference", 0.5)
    assert result.exit_code == 0, result.exception
    assert "a test set needs about 4,523 segments." in result.stdout
    assert "it is not known how many segments the standard deviation is from" in result.stdout
    assert "0.5 points" in result.stdout
    assert "0.5 chrF2" in run("--sd", 12, "--difference", 0.5, "-m", "chrf").stdout


def test_a_plan_from_a_published_interval() -> None:
    arguments = (
        *("--reported-interval", 0.1, 1.1, "--level", 0.95),
        *("--reported-segments", 2000, "--difference", 0.5),
    )
    answer = json_of(run(*arguments, "--format", "json"))
    (plan,) = answer["plans"]
    assert plan["sd"] == pytest.approx(0.5 / 1.959964 * 2000**0.5)
    assert plan["pilot_difference"] == pytest.approx(0.6)
    assert answer["test_set"] is None
    assert "difference seen" not in run(*arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "pilot: found 'none', expected -r REF and two SYSTEMs"),
        (("--reported-segments", "9"), "pilot: found 'none'"),
        (("--sd", "3", "--difference", "0"), "difference: found 0.0"),
        (("--sd", "3", "--difference", "-1"), "difference: found -1.0"),
        (("--sd", "3", "--difference", "1", "--power", "1"), "power: found 1.0"),
        (("--sd", "3", "--difference", "1", "--power", "-0.5"), "power: found -0.5"),
        (("--sd", "3", "--difference", "1", "--difference", "2"), "difference: found '2 of them'"),
        (
            ("--sd", "3", "--difference", "1", "-m", "bleu", "-m", "ter"),
            "metric: found 'BLEU, TER'",
        ),
        (("--sd", "3", "--difference", "1", "--unit", "document"), "unit: found 'document'"),
        (("--sd", "3", "--difference", "1", "--documents", "d"), "documents: found 'd'"),
        (("--sd", "3", "--difference", "1", "--baseline", "a"), "baseline: found 'a'"),
        (("--sd", "3", "--difference", "1", "--seed", "1"), "seed: found 1"),
        (("--sd", "3", "--difference", "1", "--replicates", "99"), "replicates: found 99"),
        (("--se", "3", "--difference", "1"), "reported_segments: found 'none'"),
        (("-r", "ref"), "systems: found 'none'"),
        (("a", "b"), "references: found 'none'"),
        (
            ("-r", "ref", "a", "b", "--sd", "3"),
            "--sd: found 3.0, expected none: either texts of a pilot",
        ),
        (("-r", "ref", "a", "b", "--reported-level", "0.9"), "--reported-level: found"),
        (("-r", "ref", "a", "b"), "ref: no such file"),
    ],
)
def test_what_makes_no_plan_is_refused_in_words(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, TruebleuError), result.output
    assert message in str(result.exception)
    assert result.stdout == ""


def test_pilots_without_spread_or_documents_are_refused_in_words(
    folder: Path, tmp_path: Path
) -> None:
    same = run_pilot(folder, "--difference", 1, systems=("old", "copy"))
    assert isinstance(same.exception, TruebleuError)
    assert "without spread nothing can be planned" in str(same.exception)
    no_documents = run_pilot(folder, "--difference", 1, "--unit", "document")
    assert "a test set with documents; see --documents" in str(no_documents.exception)
    (tmp_path / "one").write_text("d\n" * 200)
    lone = run_pilot(
        folder, "--difference", 1, "--unit", "document", "--documents", tmp_path / "one"
    )
    assert "found 'one document', expected at least two" in str(lone.exception)


def test_the_same_seed_gives_the_same_digits(folder: Path) -> None:
    first, second, other = (
        run_pilot(folder, "--difference", 1, "-f", "json", "--seed", seed, "--threads", threads)
        for seed, threads in ((1, 1), (1, 2), (2, 2))
    )
    assert first.stdout == second.stdout
    assert first.stdout != other.stdout


def test_a_margin_is_planned_for_with_or_without_texts() -> None:
    result = run("--sd", "12", "--margin", "0.5")
    assert result.exit_code == 0
    assert "For a gate with a margin of 0.5 points to pass" in result.stdout
    twice = run("--sd", "12", "--margin", "0.5", "--margin", "1")
    assert isinstance(twice.exception, SettingError)
    assert "margin: found '2 of them'" in str(twice.exception)
