"""``truebleu sample`` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from truebleu.cli.plan import sample_command as command
from truebleu.errors import TruebleuError
from truebleu.reports.document import FORMATS
from truebleu.simulation import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    channels = {"good": Channel.at_rate(0.1), "bad": Channel.at_rate(0.3)}
    save_test_set(simulate(segments=200, systems=channels, seed=3), path / "pool")
    return path / "pool"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def run_pool(folder: Path, *arguments: object) -> Result:
    texts = [folder / "good.txt", folder / "bad.txt"]
    documents = ("--documents", folder / "documents.tsv")
    return run("-r", folder / "reference-1.txt", *texts, *documents, *arguments)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("draw", ["systematic", "random", "stratified", "document"])
def test_the_files_hold_the_segments_whose_numbers_are_given(
    folder: Path, tmp_path: Path, draw: str
) -> None:
    result = run_pool(folder, "--size", 50, "--draw", draw, "-o", tmp_path)
    assert result.exit_code == 0, result.exception
    numbers = [int(line) for line in lines_of(tmp_path / "segments.txt")]
    for name in ("reference-1", "good", "bad"):
        pool = lines_of(folder / f"{name}.txt")
        assert lines_of(tmp_path / f"{name}.txt") == [pool[number - 1] for number in numbers]
    labels = lines_of(folder / "documents.tsv")
    drawn = lines_of(tmp_path / "documents.tsv")
    assert drawn == [labels[0], *(labels[number] for number in numbers)]
    assert result.stdout.startswith(f"Drew {len(numbers)} of 200 segments, ")
    assert (len(numbers) == 50) or draw == "document"


def test_the_report_compares_with_the_pool(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new"
    result = run_pool(folder, "--size", 50, "-o", out, "--format", "json")
    answer: Any = json.loads(result.stdout)
    assert answer["version"] == 1
    assert answer["settings"] == {
        "size": 50,
        "draw": "systematic",
        "tokenizer": "13a",
        "seed": 12345,
    }
    assert (answer["pool"]["segments"], answer["test_set"]["segments"]) == (200, 50)
    assert len(answer["segments"]) == 50
    assert abs(sum(one["share"] for one in answer["domains"]) - 1) < 1e-9
    text = run_pool(folder, "--size", 50, "-o", out, "--force").stdout
    for words in ("Kolmogorov", "domain", "median"):
        assert words in text


def test_references_alone_are_a_pool(folder: Path, tmp_path: Path) -> None:
    result = run("-r", folder / "reference-1.txt", "--size", 20, "-o", tmp_path)
    assert result.exit_code == 0, result.exception
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reference-1.txt", "segments.txt"]


def test_a_source_alone_is_a_pool(folder: Path, tmp_path: Path) -> None:
    source = folder / "reference-1.txt"
    result = run("-s", source, "--size", 20, "-o", tmp_path)
    assert result.exit_code == 0, result.exception
    assert len(lines_of(tmp_path / "reference-1.txt")) == 20


def test_a_source_goes_along(folder: Path, tmp_path: Path) -> None:
    run_pool(folder, "-s", folder / "reference-1.txt", "--size", 20, "-o", tmp_path)
    assert lines_of(tmp_path / "source.txt") == lines_of(tmp_path / "reference-1.txt")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_has_lengths(folder: Path, tmp_path: Path, format_: str) -> None:
    result = run_pool(folder, "--size", 50, "-o", tmp_path, "-f", format_)
    assert result.exit_code == 0, result.exception
    assert "length" in result.stdout or "words per segment" in result.stdout
    assert result.stdout.endswith("\n")
    assert "nan" not in result.stdout.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--size", 0), "size: 0; expected a whole number from 1 up"),
        (("--size", 201), "size: 201; expected at most 200, the segments of the pool"),
        (("--size", 9, "--seed", -1), "seed: -1"),
    ],
)
def test_a_rejected_sample_writes_nothing(
    folder: Path, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    result = run_pool(folder, *arguments, "-o", tmp_path / "out")
    assert isinstance(result.exception, TruebleuError)
    assert message in str(result.exception)
    assert result.stdout == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("draw", ["document", "stratified"])
def test_draws_by_labels_need_them(folder: Path, tmp_path: Path, draw: str) -> None:
    reference = ("-r", folder / "reference-1.txt")
    result = run(*reference, "--size", 9, "--draw", draw, "-o", tmp_path / "out")
    assert isinstance(result.exception, TruebleuError)
    assert "see --documents" in str(result.exception)
    (tmp_path / "one").write_text("d\n" * 200)
    result = run(
        *reference,
        "--documents",
        tmp_path / "one",
        "--size",
        9,
        "--draw",
        "document",
        "-o",
        tmp_path / "out",
    )
    assert "'one document'" in str(result.exception)


def test_systems_need_a_reference(folder: Path, tmp_path: Path) -> None:
    for arguments in ((folder / "good.txt",), ()):
        result = run(*arguments, "--size", 9, "-o", tmp_path / "out")
        assert isinstance(result.exception, TruebleuError)
        assert "no reference given: name one with -r FILE" in str(result.exception)


def test_only_force_overwrites_files(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("mine\n")
    result = run_pool(folder, "--size", 9, "-o", tmp_path)
    assert isinstance(result.exception, TruebleuError)
    assert "--force" in str(result.exception)
    assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]
    assert lines_of(tmp_path / "good.txt") == ["mine"]
    assert run_pool(folder, "--size", 9, "-o", tmp_path, "--force").exit_code == 0
    assert len(lines_of(tmp_path / "good.txt")) == 9


def test_the_seed_decides(folder: Path, tmp_path: Path) -> None:
    drawn = []
    for number, seed in enumerate((1, 1, 2)):
        out = tmp_path / str(number)
        run_pool(folder, "--size", 9, "--draw", "random", "--seed", seed, "-o", out)
        drawn.append(lines_of(out / "segments.txt"))
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
