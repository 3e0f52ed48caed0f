"""``truebleu compare`` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.shell import assert_refused, run as shell
from tests.cli.texts import save_channels
from truebleu.cli.main import truebleu
from truebleu.errors import TruebleuError
from truebleu.simulation import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rates = {"good": 0.1, "same": 0.1, "bad": 0.3}
    return save_channels(tmp_path_factory.mktemp("texts") / "demo", 120, rates)


def run(folder: Path, *arguments: str) -> Result:
    systems = [str(folder / f"{name}.txt") for name in ("good", "same", "bad")]
    reference = str(folder / "reference-1.txt")
    command = ["compare", "-r", reference, *systems, "--replicates", "500", *arguments]
    return CliRunner().invoke(truebleu, command)


def json_of(folder: Path, *arguments: str) -> Any:
    result = run(folder, *arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_verdict_comes_first_then_one_table_then_the_evidence(folder: Path) -> None:
    result = run(folder, "-m", "bleu")
    assert result.exit_code == 0, result.stderr
    headline, blank, heading, _, *rows = result.stdout.splitlines()
    assert headline in (
        "good has the best BLEU, but is not significantly better than same.",
        "same has the best BLEU, but is not significantly better than good.",
    )
    assert (blank, heading.split()[:3]) == ("", ["System", "BLEU", "95"])
    assert [row.split()[-1] for row in rows[:3]] == ["1–2", "1–2", "3"]
    assert rows[2].split()[0] == "bad"
    assert rows[4].startswith("BLEU|nrefs:1|")
    assert "Holm's correction for 3 comparisons" in " ".join(result.stdout.split())


def test_details_have_the_experimentwise_error(folder: Path) -> None:
    lines = run(folder, "-m", "bleu", "--details").stdout.splitlines()
    assert any("a false alarm somewhere in 3 comparisons" in line for line in lines)


@pytest.mark.parametrize(
    ("systems", "metrics", "most"), [(2, "bleu", 14), (3, "bleu,chrf,ter", 3 + 10 + 3)]
)
def test_the_answer_is_short(folder: Path, systems: int, metrics: str, most: int) -> None:
    files = [str(folder / f"{name}.txt") for name in ("good", "bad", "same")[:systems]]
    command = ["compare", "-r", str(folder / "reference-1.txt"), *files, "-m", metrics]
    lines = CliRunner().invoke(truebleu, command).stdout.splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= 100


def test_right_is_better_in_the_chart_by_every_metric(folder: Path) -> None:
    file = folder / "forest.json"
    options = ("-m", "bleu,ter", "--baseline", "bad")
    assert run(folder, *options, "--chart", str(file)).exit_code == 0
    rows = json.loads(file.read_text())["datasets"]["rows"]
    compared = json_of(folder, *options)
    scores = {system["name"]: system["scores"] for system in compared["systems"]}
    assert len(rows) == 6
    for label, turn in (("BLEU", 1), ("TER", -1)):
        points = {row["x"]: row for row in rows if row["panel"].startswith(label)}
        assert points["bad"]["series"] == "baseline"
        for pair in compared["comparisons"]:
            if pair["metric"] == label:
                point = points[pair["a"]]
                ends = sorted(turn * end for end in pair["interval"])
                assert point["y"] == turn * pair["difference"] > 0
                assert [point["low"], point["high"]] == ends
                assert point["series"] == "better"
                assert point["label"] == f"{scores[pair['a']][label]['score']:.2f}"
    again = run(folder, "--chart", str(file))
    assert isinstance(again.exception, TruebleuError)


def test_undecided_pairs_are_hollow_in_the_chart(folder: Path) -> None:
    file = folder / "undecided.json"
    copies = ["--baseline", "good", f"copy={folder / 'good.txt'}"]
    assert run(folder, *copies, "--chart", str(file)).exit_code == 0
    chart = json.loads(file.read_text())
    rows = chart["datasets"]["rows"]
    for row in rows:
        if "low" in row:
            assert (row["series"] == "undecided") == (row["low"] <= 0 <= row["high"])
    points = {row["x"]: row["series"] for row in rows}
    assert points == {"good": "baseline", "same": "undecided", "bad": "worse", "copy": "undecided"}
    (panel,) = chart["concat"]
    (dots,) = (layer for layer in panel["layer"] if layer["mark"]["type"] == "point")
    outline, inside = (dots["encoding"][channel]["scale"] for channel in ("color", "fill"))
    undecided, worse = map(outline["domain"].index, ("undecided", "worse"))
    assert (outline["range"][undecided], inside["range"][undecided]) == ("#545c66", "#ffffff")
    assert (outline["range"][worse], inside["range"][worse]) == ("#a8410a", "#a8410a")


def test_human_accuracy_is_given_only_within_the_range_of_the_curve(folder: Path) -> None:
    pair = json_of(folder, "-m", "bleu", "--baseline", "bad")["comparisons"][0]
    assert pair["people"] is None  # the curve is level at so large a difference
    other = json_of(folder, "-m", "ter", "--baseline", "bad")["comparisons"][0]
    assert other["people"] is None


def test_human_accuracy_is_given_only_for_significant_differences(
    folder: Path, tmp_path: Path
) -> None:
    pair = json_of(folder, "-m", "bleu", "--baseline", "good")["comparisons"][0]
    assert (pair["p"] > 0.05, pair["people"]) == (True, None)
    texts = save_channels(tmp_path / "close", 500, {"good": 0.08, "close": 0.1})
    two = ["compare", "-r", *(str(texts / f"{name}.txt") for name in ("reference-1", "good"))]
    two.append(str(texts / "close.txt"))
    (pair,) = json.loads(CliRunner().invoke(truebleu, [*two, "-f", "json"]).stdout)["comparisons"]
    assert pair["p"] < 0.05
    assert pair["people"]["curve"] == "BLEU"
    assert 50 <= pair["people"]["accuracy"] < 88.4
    assert "human raters" in CliRunner().invoke(truebleu, two).stdout
    assert "human raters" not in CliRunner().invoke(truebleu, [*two, "--people", "none"]).stdout


def test_json_has_the_promised_shape(folder: Path) -> None:
    answer = json_of(folder, "-m", "bleu", "-m", "ter")
    assert answer["version"] == 1
    assert answer["test_set"]["segments"] == 120
    expected = {"test": "ar", "replicates": 500, "seed": 12345, "level": 0.95, "correction": "holm"}
    assert expected.items() <= answer["settings"].items()
    assert answer["settings"]["unit"] == "segment"
    assert [metric["name"] for metric in answer["metrics"]] == ["BLEU", "TER"]
    score = answer["systems"][0]["scores"]["BLEU"]
    assert score.keys() >= {"score", "interval", "median", "relative_interval", "rank_range"}
    assert score["interval"][0] < score["score"] < score["interval"][1]
    assert len(answer["comparisons"]) == 6
    pair = answer["comparisons"][1]
    assert (pair["metric"], pair["a"], pair["b"]) == ("BLEU", "good", "bad")
    assert pair["significant"] is True
    assert pair["wins"] == 1.0
    assert pair["p"] == pytest.approx(1 / 501)
    assert pair["p_adjusted"] == pytest.approx(3 / 501)


def test_less_is_better_where_the_metric_says_so(folder: Path) -> None:
    answer = json_of(folder, "-m", "ter")
    pair = answer["comparisons"][1]
    assert pair["difference"] < 0
    assert pair["wins"] == 1.0
    assert answer["systems"][2]["scores"]["TER"]["rank_range"] == [3, 3]


def test_a_baseline_is_compared_with_each_other_system(folder: Path) -> None:
    answer = json_of(folder, "--baseline", "bad")
    assert [(pair["a"], pair["b"]) for pair in answer["comparisons"]] == [
        ("good", "bad"),
        ("same", "bad"),
    ]
    result = run(folder, "--baseline", "bad")
    assert "good is better than bad by" in result.stdout


@pytest.mark.parametrize("format_", ["tsv", "latex", "markdown"])
def test_every_format_has_the_scores(folder: Path, format_: str) -> None:
    result = run(folder, "--format", format_)
    assert result.exit_code == 0, result.stderr
    assert "good" in result.stdout
    assert "nrefs:1" in result.stdout


def test_latex_is_one_table_of_systems_by_metrics_with_marks_against_the_baseline(
    folder: Path,
) -> None:
    written = run(folder, "-m", "bleu,ter", "--baseline", "bad", "-f", "latex").stdout
    assert written.isascii()
    assert written.count("\\begin{tabular}") == 1
    rows = [line for line in written.splitlines() if line.endswith("\\\\")]
    assert rows[0] == "System & BLEU & TER $\\downarrow$ \\\\"
    assert rows[1].startswith("bad (baseline) & ")
    assert "rlap" not in rows[1]
    assert sum(row.count(r"\rlap{$^{\dagger}$}") for row in rows[2:]) == 4
    assert written.count(r"\textbf") == 2
    assert r"Bold: best score. $\dagger$ better and $\ddagger$ worse than bad (approx" in written
    detailed = run(folder, "--baseline", "bad", "-f", "latex", "--details").stdout
    assert "System & BLEU & difference & adjusted interval & adjusted p \\\\" in detailed


def test_markdown_separates_clusters_where_all_pairs_were_compared(folder: Path) -> None:
    written = run(folder, "-f", "markdown").stdout.splitlines()
    start = written.index("| System | BLEU | 95 % interval | rank |")
    # The two that can't be told apart, an empty row, and the one that both beat.
    assert written[start + 4] == "|  |  |  |  |"
    assert written[start + 5].startswith("| bad | ")


def test_quiet_leaves_out_warnings_but_no_results(folder: Path) -> None:
    copies = [f"copy={folder / 'good.txt'}", "-m", "wer"]
    loud, quiet = run(folder, *copies), run(folder, *copies, "--quiet")
    assert "warning: " in loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout


def test_the_number_of_threads_does_not_change_the_answer(folder: Path) -> None:
    one = run(folder, "--seed", "0", "--threads", "1", "--format", "json").stdout
    two = run(folder, "--seed", "0", "--threads", "2", "--format", "json").stdout
    assert one == two
    assert one != run(folder, "--seed", "1", "--format", "json").stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--test", "bootstrap"],
        ["--test", "bootstrap-absolute"],
        ["--correction", "westfall-young"],
        ["--correction", "bh"],
        ["--interval", "bca"],
        ["--unit", "block", "--block-length", "10"],
        ["--alternative", "greater"],
        ["--adaptive"],
        ["--margin", "50"],
    ],
    ids=" ".join,
)
def test_every_option_keeps_the_plain_truth(folder: Path, options: list[str]) -> None:
    answer = json_of(folder, *options)
    decisions = {(pair["a"], pair["b"]): pair["significant"] for pair in answer["comparisons"]}
    assert decisions == {("good", "same"): False, ("good", "bad"): True, ("same", "bad"): True}


def test_documents_are_units(folder: Path) -> None:
    options = ["--documents", str(folder / "documents.tsv"), "--unit", "document", "--by-domain"]
    answer = json_of(folder, *options)
    assert answer["settings"]["units"] == answer["test_set"]["documents"] < 120


def test_a_folder_and_a_pattern_stand_for_their_files(folder: Path, tmp_path: Path) -> None:
    systems = tmp_path / "sys"
    systems.mkdir()
    for name in ("good", "bad"):
        (systems / f"{name}.txt").write_bytes((folder / f"{name}.txt").read_bytes())
    reference = str(folder / "reference-1.txt")
    answers = [
        CliRunner().invoke(
            truebleu, ["compare", "-r", reference, text, "--replicates", "100", "--format", "json"]
        )
        for text in (str(systems), str(systems / "*.txt"))
    ]
    assert answers[0].exit_code == 0, answers[0].stderr
    assert answers[0].stdout == answers[1].stdout
    names = [system["name"] for system in json.loads(answers[0].stdout)["systems"]]
    assert names == ["bad", "good"]


def test_a_copy_is_never_different(folder: Path) -> None:
    copy = f"copy={folder / 'good.txt'}"
    answer = json.loads(run(folder, copy, "--format", "json").stdout)
    (pair,) = [p for p in answer["comparisons"] if {p["a"], p["b"]} == {"good", "copy"}]
    assert (pair["p"], pair["p_adjusted"], pair["difference"]) == (1.0, 1.0, 0.0)
    assert pair["note"] == "identical"


BAD: list[tuple[list[str], str]] = [
    (["--baseline", "none"], "unknown baseline 'none'"),
    (["--replicates", "10"], "at least 40 at the level 0.95; with 10 the smallest possible p is"),
    (["--level", "1.5"], "level: 1.5"),
    (["--unit", "document"], "a test set with documents"),
    (["--unit", "block"], "--block-length"),
    (["--unit", "block", "--block-length", "1000"], "block length: 1000"),
    (["--by-domain"], "a test set with domains"),
    (["--seed", "-1"], "seed: -1"),
    (["--margin", "-2"], "margin: -2.0"),
    (["--interval", "student"], "a metric that is a mean over segments"),
    (["--correction", "tukey"], "a metric that is a mean over segments"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=lambda part: str(part))
def test_bad_options_are_rejected_with_a_message(
    folder: Path, options: Sequence[str], message: str
) -> None:
    assert_refused(run(folder, *options), message)


def test_one_system_or_one_segment_is_not_enough(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "b").write_text("two\n")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    alone = CliRunner().invoke(truebleu, ["compare", "-r", a, b])
    assert "at least two to compare" in str(alone.exception)
    short = CliRunner().invoke(truebleu, ["compare", "-r", a, b, f"c={b}"])
    assert "one segment" in str(short.exception)


def test_a_constant_metric_is_answered(tmp_path: Path) -> None:
    for name in ("a", "b", "ref"):
        (tmp_path / name).write_text(f"{name}\n" * 10)
    arguments = ["compare", "-r", str(tmp_path / "ref"), str(tmp_path / "a"), str(tmp_path / "b")]
    result = CliRunner().invoke(truebleu, [*arguments, "--format", "json"])
    assert result.exit_code == 0
    (pair,) = json.loads(result.stdout)["comparisons"]
    assert (pair["p"], pair["difference"], pair["interval"]) == (1.0, 0.0, [None, None])


def test_score_shows_intervals(folder: Path) -> None:
    reference, system = str(folder / "reference-1.txt"), str(folder / "good.txt")
    command = ["score", "-r", reference, system, "--confidence", "--replicates", "200"]
    text = CliRunner().invoke(truebleu, command)
    assert "95 % interval" in text.stdout
    answer = json.loads(CliRunner().invoke(truebleu, [*command, "--format", "json"]).stdout)
    low, high = answer["systems"][0]["scores"]["BLEU"]["interval"]
    assert low < answer["systems"][0]["scores"]["BLEU"]["score"] < high
    assert answer["settings"]["replicates"] == 200


def test_runs_are_grouped_by_a_pattern(tmp_path: Path) -> None:
    rates = {"a.1": 0.1, "a.2": 0.12, "b.1": 0.3, "b.2": 0.28}
    channels = {name: Channel.at_rate(rate) for name, rate in rates.items()}
    save_test_set(simulate(segments=100, systems=channels), tmp_path / "runs")
    folder = tmp_path / "runs"
    systems = [str(folder / f"{name}.txt") for name in rates]
    command = ["compare", "-r", str(folder / "reference-1.txt"), *systems, "--replicates", "200"]
    text = CliRunner().invoke(truebleu, [*command, "--runs", "{system}.{run}"])
    assert text.exit_code == 0, text.stderr
    assert "s.d. of runs" in text.stdout
    assert "a is better than b by" in text.stdout
    unmatched = CliRunner().invoke(truebleu, [*command, "--runs", "{system}.opt{run}"])
    assert isinstance(unmatched.exception, TruebleuError)


def test_swaps_of_separate_runs_without_runs_are_refused(folder: Path) -> None:
    result = run(folder, "--swap-runs", "separately")
    assert result.exit_code == 2
    assert "--swap-runs requires --runs PATTERN" in result.stderr


@pytest.mark.parametrize("command", ["score", "compare"])
def test_plain_commands_never_load_scipy(folder: Path, command: str) -> None:
    # Loading SciPy takes longer than most comparisons.
    arguments = [command, "-r", "reference-1.txt", "good.txt", "bad.txt"]
    code = (
        "import sys, contextlib\n"
        "from truebleu.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n"
        f"    main({arguments!r})\n"
        "print('scipy' in sys.modules, file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert "good" in run.stdout
    assert run.stderr.splitlines()[-1] == "False"


def test_a_table_by_groups_fits_a_terminal(folder: Path) -> None:
    names = {"a": "Unbabel-Tower", "b": "Gemini-1.5"}
    lines = [f"the cat {number} sat on the mat" for number in range(60)]
    for name, text in ((names["a"], lines), (names["b"], lines[::-1]), ("long.ref", lines)):
        (folder / f"{name}.txt").write_text("\n".join(text) + "\n")
    table = "\n".join(["doc\tdomain", *(f"d{n // 2}\tdomain-{n // 2 % 2}" for n in range(60))])
    (folder / "groups.tsv").write_text(f"{table}\n")
    systems = [str(folder / f"{name}.txt") for name in names.values()]
    options = ["--documents", str(folder / "groups.tsv"), "--by", "domain", "--replicates", "200"]
    result = CliRunner().invoke(
        truebleu, ["compare", "-r", str(folder / "long.ref.txt"), *systems, *options]
    )
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 100
    (heading,) = [line for line in result.stdout.splitlines() if line.startswith("domain ")]
    assert "adjusted p" in heading


def test_groups_with_too_few_documents_are_shown_with_scores_and_the_reason(folder: Path) -> None:
    labels = [f"d{number // 24}\t{'news' if number < 72 else 'talks'}" for number in range(120)]
    table = folder / "few-documents.tsv"
    table.write_text("\n".join(["doc\tdomain", *labels]) + "\n")
    options = ["--documents", str(table), "--by", "domain"]
    shown = run(folder, *options)
    assert shown.exit_code == 0
    assert "Too few documents to test: news and talks." in shown.stdout
    values = json_of(folder, *options)
    assert [(group["label"], group["units"]) for group in values["groups"]] == [
        ("news", 3),
        ("talks", 2),
    ]
    for group in values["groups"]:
        assert group["comparisons"] == []
        scores = [system["scores"]["BLEU"] for system in group["systems"]]
        assert len(scores) == 3
        assert f"{scores[0]:.2f}" in shown.stdout


def test_an_evaluation_set_shows_human_and_automatic_ranks(shared: Path) -> None:
    base = str(shared / "data" / "wmt23-eval-set")
    result = shell("compare", base, "--lp", "en-de", "--unit", "segment", "--format", "json")
    assert result.code == 0
    assert "reference refA" in result.err
    values = json.loads(result.out)
    names = [metric["name"] for metric in values["metrics"]]
    assert (names[0], len(names)) == ("mqm", 10)
    systems = {system["name"]: system["scores"] for system in values["systems"]}
    assert len(systems) == 12
    scores = systems["GPT4-5shot"]
    assert scores["mqm"]["score"] == pytest.approx(-3.724130434782608, abs=1e-12)
    assert all(score["rank_range"] for score in scores.values())
