"""``truebleu agree`` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from tests.agreement.judged_texts import RATES, SEGMENTS, comparisons, human_scores, texts
from tests.cli.shell import answer, assert_refused, refuses, run as shell
from tests.scores.evaluation_sets import write_set
from truebleu.cli.main import main, truebleu
from truebleu.simulation import save_test_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

WORDS = {1: "better", 0: "tied", -1: "worse"}


def table(*rows: Iterable[object]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def long_table() -> list[tuple[object, ...]]:
    scores = human_scores(whole=False).scores
    return [
        ("system", "segment", "score"),
        *(
            (name, segment, score)
            for name, row in scores.items()
            for segment, score in enumerate(row, 1)
            if score is not None
        ),
    ]


GRID = "sentbleu:smoothing=4,k=1|2|5|10"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "demo"
    save_test_set(texts(), path)
    (path / "human.tsv").write_text(table(*long_table()))
    pairs = [
        (j.segment + 1, j.left, j.right, WORDS[j.verdict], number)
        for number, j in enumerate(comparisons().judgments)
    ]
    header = ("segment", "system1", "system2", "judgment", "rater")
    (path / "pairs.tsv").write_text(table(header, *pairs))
    return path


def run(folder: Path, *options: str, human: str = "human.tsv") -> Result:
    systems = [str(folder / f"{name}.txt") for name in RATES]
    reference = str(folder / "reference-1.txt")
    command = ["agree", "-r", reference, *systems, "--human", str(folder / human)]
    return CliRunner().invoke(
        truebleu, [*command, "--replicates", "100", "--permutations", "50", *options]
    )


def json_of(folder: Path, *options: str, human: str = "human.tsv") -> Any:
    result = run(folder, *options, "--format", "json", human=human)
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(name))


def test_the_default_questions_are_answered_for_all_metrics(folder: Path) -> None:
    answer = json_of(folder, "-m", "bleu", "-m", "ter")
    assert [one["coefficient"] for one in answer["answers"]] == [
        "soft-pairwise-accuracy",
        "pairwise-accuracy",
        "pearson",
        "acc-eq",
        "kendall-b",
    ]
    for one in answer["answers"]:
        assert {metric["metric"] for metric in one["metrics"]} == {"BLEU", "TER"}
        assert all(metric["value"] > 0.3 for metric in one["metrics"])


@pytest.mark.parametrize("format_", ["text", "tsv", "latex", "markdown"])
def test_every_format_has_the_values(folder: Path, format_: str) -> None:
    result = run(folder, "-m", "bleu", "-c", "pearson", "--format", format_)
    assert result.exit_code == 0, result.exception
    assert "BLEU" in result.stdout
    assert "nrefs:1" in result.stdout


def test_the_number_of_threads_does_not_change_the_answer(folder: Path) -> None:
    one = run(folder, "--threads", "1", "--format", "json").stdout
    two = run(folder, "--threads", "2", "--format", "json").stdout
    assert one == two != ""


@pytest.mark.parametrize(
    "options",
    [
        ["--resample", "systems"],
        ["--resample", "segments+systems"],
        ["--permute", "pairs"],
        ["--correction", "none"],
        ["--system-scores", "rated"],
        ["--level", "0.9"],
        ["--raters", "mean"],
        ["--test", "williams", "-c", "pearson"],
        ["-c", "kendall-like:25", "-c", "chen-cherry"],
    ],
    ids=" ".join,
)
def test_every_option_finds_a_good_metric_good(folder: Path, options: list[str]) -> None:
    answer = json_of(folder, "-m", "bleu", *options)
    assert all(metric["value"] > 0.3 for one in answer["answers"] for metric in one["metrics"])


def test_resample_documents_uses_the_file_of_documents(folder: Path) -> None:
    options = ["--documents", str(folder / "documents.tsv"), "--resample", "documents"]
    answer = json_of(folder, *options, "-c", "kendall-b")
    assert answer["answers"][0]["resampled"] == "documents"


def test_comparisons_are_read_and_counted(folder: Path) -> None:
    answer = json_of(folder, human="pairs.tsv")
    assert answer["human"]["comparisons"] == 120
    assert answer["answers"][0]["question"] == "segment|chen-cherry|comparisons"


def test_scores_from_elsewhere_are_metrics_too(folder: Path) -> None:
    given = folder / "given.tsv"
    rows = [(name, i, (i * 7) % 5) for name in RATES for i in range(1, SEGMENTS + 1)]
    given.write_text(table(("system", "segment", "score"), *rows))
    answer = json_of(folder, "-m", f"scores:path={given},name=COMET", "-c", "pearson:level=segment")
    (metric,) = answer["metrics"]
    assert metric["name"] == "COMET"
    # The same scores for all systems on each segment.
    (one,) = answer["answers"][0]["metrics"]
    assert one["value"] is None
    assert "all cells of an item have the same score by people or the metric" in one["notes"][0]


def test_given_scores_need_no_texts(folder: Path, tmp_path: Path) -> None:
    filled = [
        (name, segment, (segment * 7) % 5 + len(name))
        for name in RATES
        for segment in range(1, SEGMENTS + 1)
    ]
    path = tmp_path / "given.tsv"
    path.write_text(table(("system", "segment", "score"), *filled))
    options = ["-m", f"scores:path={path},name=given", "-c", "kendall-b:grouping=none"]
    with_texts = json_of(folder, *options)["answers"]
    command = [
        "agree",
        "--human",
        str(folder / "human.tsv"),
        "--replicates",
        "100",
        "--permutations",
        "50",
    ]
    result = CliRunner().invoke(truebleu, [*command, *options, "--format", "json"])
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["answers"] == with_texts


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-m", "bleu"], "which BLEU needs"),
        (["-r", "ref.txt"], "Name the outputs of the systems"),
        (["output.txt"], "no reference given"),
        (["-s", "source.txt"], "no reference given"),
    ],
)
def test_half_of_the_texts_is_refused(folder: Path, arguments: list[str], words: str) -> None:
    command = ["agree", "--human", str(folder / "human.tsv"), *arguments]
    result = CliRunner().invoke(truebleu, command)
    assert result.exit_code != 0
    assert words in result.stderr + str(result.exception)


def test_a_chart_is_drawn(folder: Path, tmp_path: Path) -> None:
    chart = tmp_path / "agree.svg"
    result = run(folder, "-m", "ter", "-c", "pearson", "--chart", str(chart))
    assert result.exit_code == 0, result.exception
    assert "TER, negated" in chart.read_text()
    again = run(folder, "-c", "pearson", "--chart", str(chart))
    assert again.exit_code != 0


def changed(*rows: tuple[object, ...]) -> str:
    return table(*long_table(), *rows)


LAST = len(long_table()) + 1
HEADER = ("system", "segment", "score")
BAD_FILES: dict[str, tuple[str, str]] = {
    "a system that does not exist": (
        changed(("other", 1, 5)),
        f"line {LAST}: a judgment of 'other'",
    ),
    "a segment that does not exist": (changed(("good", 99, 5)), f"line {LAST}: segment 99"),
    "a second judgment without a rater": (changed(long_table()[1]), f"line {LAST}: a second"),
    "a rating that is text": (changed(("good", 1, "fine")), f"line {LAST}: 'fine'"),
    "a rating that is no number": (changed(("good", 1, "nan")), f"line {LAST}: 'nan'"),
    "one system only": (table(HEADER, ("good", 1, 5), ("good", 2, 5)), "at least two systems"),
    "no overlap at all": (
        table(HEADER, ("x", 1, 5), ("y", 1, 6)),
        "line 2: judgments of 'x', 'y', not of systems of the test set",
    ),
    "nothing at all": ("", "no"),
}


@pytest.mark.parametrize(("content", "part"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_human_scores_are_refused_with_file_and_line(
    folder: Path, content: str, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = folder / "bad.tsv"
    bad.write_text(content)
    systems = [str(folder / f"{name}.txt") for name in RATES]
    reference = str(folder / "reference-1.txt")
    with pytest.raises(SystemExit) as exited:
        main(["agree", "-r", reference, *systems, "--human", str(bad)])
    written = capsys.readouterr()
    assert exited.value.code == 2
    assert written.out == ""
    assert written.err.startswith(f"error: {bad}: ")
    assert part in written.err


BAD_OPTIONS: list[tuple[list[str], str]] = [
    (["-c", "nope"], "unknown coefficient 'nope'"),
    (["-c", "kendall-b:5", "-m", "bleu", "-m", "ter"], "one metric at a time"),
    (["-m", "bleu", "-m", "bleu"], "every metric once"),
    (["--resample", "documents"], "a test set with documents"),
    (["--replicates", "10"], "at least 40"),
    (["--permutations", "0"], "permutations: 0"),
    (["--seed", "-1"], "seed: -1"),
    (["--level", "1"], "level: 1.0"),
    (["--test", "williams"], "Williams' test is for Pearson's r"),
    (["--raters", "z"], "rater"),
    (["--human-column", "fluency"], "'fluency'"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS, ids=lambda part: str(part))
def test_bad_options_are_rejected_with_a_message(
    folder: Path, options: Sequence[str], message: str
) -> None:
    assert_refused(run(folder, *options), message)


def test_systems_of_the_file_that_are_not_given_may_be_ignored(folder: Path) -> None:
    (folder / "more.tsv").write_text(changed(("other", 1, 5)))
    answer = json_of(folder, "--others", "ignore", "-c", "pearson", human="more.tsv")
    assert answer["human"]["ignored"] == ["other"]


def test_one_given_system_is_not_enough(folder: Path) -> None:
    command = ["agree", "-r", str(folder / "reference-1.txt"), str(folder / "good.txt")]
    result = CliRunner().invoke(truebleu, [*command, "--human", str(folder / "human.tsv")])
    assert "at least two systems" in str(result.exception)


# Grids of settings.


def test_the_chosen_settings_are_reported_on_the_held_out_part(folder: Path) -> None:
    result = run(folder, "--grid", GRID)
    assert result.exit_code == 0, result.exception
    assert result.stdout.startswith("Of 4 settings, sentbleu:smoothing=4,k=")
    assert "On the held-out part it has " in result.stdout
    for k in (1, 2, 5, 10):
        assert f"sentbleu:smoothing=4,k={k} " in result.stdout


def test_json_of_a_grid_has_all_that_is_needed_to_repeat_it(folder: Path) -> None:
    found = json_of(folder, "--grid", GRID, "--development", "0.4")
    grid, answer = found["grid"], found["answers"][0]
    values = {tried["metric"]: tried["value"] for tried in grid["candidates"]}
    assert list(values) == [f"sentbleu:smoothing=4,k={k}" for k in (1, 2, 5, 10)]
    assert values[grid["chosen"]] == max(values.values())
    assert grid["default"] == "sentbleu:smoothing=4,k=5"
    assert grid["share"] == 0.4
    assert {metric["metric"] for metric in answer["metrics"]} == {grid["chosen"], grid["default"]}
    judged = json_of(folder, "-c", "pearson")["human"]["items"]
    assert grid["development"]["items"] + found["human"]["items"] == judged
    assert grid["development"]["items"] == pytest.approx(0.4 * judged, abs=1)


def test_the_first_coefficient_chooses_and_all_are_reported(folder: Path) -> None:
    options = ("--grid", "chrf:char_order=4|6,word_order=0|2", "--grid", GRID)
    found = json_of(folder, *options, "-c", "kendall-b", "-c", "pearson")
    assert len(found["grid"]["candidates"]) == 8
    assert [answer["coefficient"] for answer in found["answers"]] == ["kendall-b", "pearson"]
    assert json_of(folder, "--grid", GRID, human="pairs.tsv")["grid"]["chosen"]


def test_the_chart_of_a_grid_has_all_settings(folder: Path, tmp_path: Path) -> None:
    chart = tmp_path / "grid.svg"
    assert run(folder, "--grid", GRID, "--chart", str(chart)).exit_code == 0
    picture = chart.read_bytes()
    assert all(text in picture for text in (b"k=10", b"chosen", b"default"))


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        (["--grid", "sentbleu"], "at least two settings"),
        (["--grid", "sentbleu:smoothing=1|4,k=1|2"], "settings that go together"),
        (["--grid", "nonsense:k=1|2"], "unknown metric"),
        (["--grid", GRID, "--development", "0"], "development: 0.0"),
        (["--grid", GRID, "--development", "0.02"], "at least 2 of the 39 judged segments"),
        (["--grid", GRID, "-m", "chrf"], "--metric has no effect with --grid"),
        (["--development", "0.3"], "--development requires --grid"),
    ],
)
def test_grids_that_cannot_be_are_refused(folder: Path, options: list[str], claim: str) -> None:
    result = run(folder, *options)
    assert result.exit_code != 0
    assert claim in result.stderr + str(result.exception)


def test_scores_of_segments_say_that_a_systems_score_is_their_mean(
    folder: Path, tmp_path: Path
) -> None:
    rows = [(name, n * 7 % 5 + len(name)) for name in RATES for n in range(SEGMENTS)]
    (tmp_path / "BLEU.seg.score").write_text(table(*rows))
    metric = f"scores:path={tmp_path / 'BLEU.seg.score'},name=BLEU"
    result = run(folder, "-m", metric, "--replicates", "40", "--permutations", "40")
    assert "BLEU: a system's score is the mean of its segments' scores." in result.stdout
    counted = run(folder, "-m", "bleu", "--replicates", "40", "--permutations", "40")
    assert "the mean of its segments' scores" not in counted.stdout


# Evaluation sets, as people type them first.


def test_agree_with_the_folder_of_an_evaluation_set(tmp_path: Path) -> None:
    base = write_set(tmp_path)
    result = shell("agree", str(base))
    assert (result.code, result.err) == (0, "")
    assert "BLEU" in result.out
    assert "Model-2" in result.out
    assert "-refB" not in result.out
    # The reference is no system, and what was chosen is said.
    assert "3 systems" in result.out
    assert "wmt24 en-de: reference refB, the standard of wmt24; human scores mqm" in result.out
    values = answer("agree", str(base))
    assert [(a["coefficient"], a["level"]) for a in values["answers"]] == [
        ("soft-pairwise-accuracy", "system"),
        ("pairwise-accuracy", "system"),
        ("pearson", "system"),
        ("acc-eq", "segment"),
        ("pearson", "segment"),
    ]
    assert values["answers"][4]["question"] == "segment|pearson|grouping:none"
    assert {row["metric"] for row in values["leaderboard"]} == {"BLEU", "Model-2"}


def test_agree_with_a_language_pair(tmp_path: Path) -> None:
    base = write_set(tmp_path)
    write_set(tmp_path, lp="en-es")
    refuses("--lp: '2 language pairs.*en-de or en-es", "agree", str(base))
    values = answer("agree", str(base), "--lp", "en-es")
    assert values["evaluation_set"] == "wmt24 en-es"
    assert values["test_set"]["reference_names"] == ["refA"]
    refuses("unknown language pair 'de-en'", "agree", str(base), "--lp", "de-en")
    refuses("--lp requires the folder of an evaluation set", "agree", "a.txt", "--lp", "en-de")


def test_a_task_and_other_choices_of_an_evaluation_set(tmp_path: Path) -> None:
    base = str(write_set(tmp_path))
    values = answer("agree", base, "--task", "wmt25")
    names = [answered["coefficient"] for answered in values["answers"]]
    assert names == ["soft-pairwise-accuracy", "acc-eq"]
    refuses("--task", "agree", base, "--task", "wmt25", "-c", "pearson")
    humans = answer("agree", base, "-r", "refA", "--humans", "-c", "pearson")
    assert humans["human"]["systems"] == ["A", "B", "C", "refB"]
    without = answer("agree", base, "-r", "refA", "--no-humans", "-c", "pearson")
    assert without["human"]["systems"] == ["A", "B", "C"]
    esa = answer("agree", base, "--human", "esa", "-c", "pearson")
    assert esa["human"]["file"] == "en-de.esa.seg.score"
    refuses("unknown human score 'da'", "agree", base, "--human", "da")
    refuses("--human-format has no effect", "agree", base, "--human-format", "mqm")


def test_an_own_metric_stands_in_the_leaderboard(tmp_path: Path) -> None:
    values = answer("agree", str(write_set(tmp_path)), "-m", "chrf", "-c", "pearson")
    assert [metric["name"] for metric in values["metrics"]] == ["BLEU", "Model-2", "chrF2"]


@pytest.mark.parametrize("lp", ["en-de", "he-en"])
def test_the_first_try_with_a_real_set(shared: Path, lp: str) -> None:
    base = str(shared / "data" / "wmt23-eval-set")
    result = shell("agree", base, "--lp", lp, "-c", "pearson", "--format", "json")
    assert result.code == 0
    values = json.loads(result.out)
    assert len(values["metrics"]) == 9
    expected = {"en-de": (12, 0.992974864999352), "he-en": (13, 0.9388382833903138)}[lp]
    assert len(values["human"]["systems"]) == expected[0]
    (answered,) = values["answers"]
    gemba = {row["metric"]: row["value"] for row in answered["metrics"]}["GEMBA-MQM"]
    assert gemba == pytest.approx(expected[1], abs=1e-9)


def test_agree_writes_a_page(tmp_path: Path) -> None:
    base, file = write_set(tmp_path), tmp_path / "a.html"
    result = shell("agree", str(base), "-o", str(file))
    assert (result.code, result.out) == (0, "")
    assert f"wrote {file}" in result.err
    page = file.read_text(encoding="utf-8")
    assert "2 metrics against people" in page
    assert "BLEU" in page
    refuses("a.html", "agree", str(base), "-o", str(file))
    result = shell("agree", str(base), "-o", str(file), "-f", "html", "--force")
    assert result.code == 0
    assert "<!DOCTYPE" not in file.read_text(encoding="utf-8")
