"""``truebleu gate`` and ``truebleu score --save`` as a build pipeline meets them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import pytest

from tests.cli.texts import save_channels
from truebleu.cli.main import main
from truebleu.counts import read_counts
from truebleu.simulation import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path

RATES = {"good": 0.05, "middle": 0.15, "twin": 0.15, "bad": 0.3}


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Systems of known quality: middle and twin are equal, good is better, bad is worse."""
    folder = tmp_path_factory.mktemp("gate")
    channels = {name: Channel.at_rate(rate) for name, rate in RATES.items()}
    save_test_set(simulate(segments=150, systems=channels), folder)
    score = ["score", str(folder / "middle.txt"), "-r", str(folder / "reference-1.txt")]
    labels = ["-m", "bleu", "-m", "ter", "--documents", str(folder / "documents.tsv")]
    assert run(*score, *labels, "--save", str(folder / "saved.npz")).returncode == 0
    return folder


@pytest.fixture(autouse=True)
def folder(saved_once: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(saved_once)
    return saved_once


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command line does with these arguments, without the wait for a new process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        main(arguments)
    code = caught.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def gate(new: str, old: str, *options: str) -> subprocess.CompletedProcess[str]:
    return run("gate", new, "--baseline", old, *options, "-r", "reference-1.txt")


@pytest.mark.parametrize(
    ("new", "options", "code", "claim"),
    [
        ("good.txt", [], 0, "pass: no evidence that good is worse than OLD; it is ahead by "),
        ("twin.txt", [], 0, "pass: no evidence that twin is worse than OLD; a loss of up to "),
        ("bad.txt", [], 1, "fail: bad is worse than OLD by "),
        ("bad.txt", ["-m", "ter"], 1, "fail: bad is worse than OLD by "),
        ("good.txt", ["--margin", "0"], 0, "pass: good is shown to be better than OLD; "),
        ("twin.txt", ["--margin", "0"], 1, "fail: twin is not shown to be better than OLD; "),
        ("bad.txt", ["--margin", "50"], 0, "pass: bad is shown to be less than 50 BLEU worse"),
        ("bad.txt", ["--margin", "5"], 1, "fail: bad is not shown to be less than 5 BLEU worse"),
        ("bad.txt", ["--unit", "block", "--block-length", "10"], 1, "fail: bad is worse than"),
    ],
)
@pytest.mark.parametrize("old", ["middle.txt", "saved.npz"])
def test_the_exit_code_and_one_line_say_whether_it_passes(
    new: str, old: str, options: list[str], code: int, claim: str
) -> None:
    result = gate(new, old, *options, "--people", "none")
    assert (result.returncode, result.stderr) == (code, "")
    verdict, _, quoted = result.stdout.partition("\n\n")
    assert verdict.startswith(claim.replace("OLD", old.partition(".")[0]))
    assert quoted.startswith(("BLEU|nrefs:1|", "TER|nrefs:1|"))
    units = "17 documents" if old == "saved.npz" else "150 segments"
    assert ("15 blocks" if "block" in options else units) in quoted


def test_a_saved_file_gives_the_answer_of_the_text_to_the_last_digit() -> None:
    options = ["-m", "bleu", "-m", "ter", "--format", "json"]
    text = gate("twin.txt", "middle.txt", *options, "--documents", "documents.tsv")
    saved = gate("twin.txt", "middle=saved.npz", *options)
    assert (text.returncode, text.stdout) == (saved.returncode, saved.stdout)


def test_the_lines_hold_scores_difference_interval_and_p() -> None:
    number = json.loads(gate("bad.txt", "middle.txt", "-f", "json").stdout)["checks"][0]
    low, high = number["interval"]
    lines = gate("bad.txt", "middle.txt", "--people", "none").stdout
    assert " ".join(lines.split()) == (
        f"fail: bad is worse than middle by {-number['difference']:.2f} BLEU. "
        f"BLEU {number['new_score']:.2f} against {number['old_score']:.2f}, "
        f"bad − middle: {number['difference']:+.2f}, 90 % interval [{low:+.2f}, {high:+.2f}], "
        f"p < 0.0001. {number['signature']} "
        "one-sided approximate randomization over 150 segments (no documents given), 10,000 "
        "replicates; intervals of the inverted test; level 0.95, seed 12345"
    )


def test_the_first_line_says_that_every_metric_must_pass() -> None:
    options = ["-m", "bleu", "-m", "ter", "--margin", "20", "--people", "none"]
    result = gate("bad.txt", "middle.txt", *options)
    assert result.returncode == 1
    assert "one-sided tests by Hall's skewness-corrected t intervals" in result.stdout
    first, *others = result.stdout.splitlines()
    assert first.startswith("fail: bad passes on 1 of 2 metrics and must pass on each of them")
    verdicts = [line[:7] for line in others if line.startswith(("  fail", "  pass"))]
    assert verdicts == ["  fail:", "  pass:"]


def test_human_accuracy_does_not_change_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(save_channels(tmp_path / "close", 500, {"good": 0.08, "close": 0.1}))
    told = gate("good.txt", "close.txt")
    without = gate("good.txt", "close.txt", "--people", "none")
    assert told.returncode == without.returncode
    assert "Kocmi et al. (2024)" in told.stdout
    assert "Kocmi" not in without.stdout
    with_json, plain = (
        json.loads(gate("good.txt", "close.txt", "-f", "json", *options).stdout)["checks"][0]
        for options in ([], ["--people", "none"])
    )
    assert with_json.pop("people")["source"] == "Kocmi et al. (2024)"
    assert plain.pop("people") is None
    assert with_json == plain


def test_json_carries_the_same_decision() -> None:
    result = gate("bad.txt", "saved.npz", "--format", "json", "--seed", "0")
    answer = json.loads(result.stdout)
    assert result.returncode == 1
    assert (answer["passed"], answer["new"], answer["old"]) == (False, "bad", "saved")
    assert (answer["settings"]["seed"], answer["settings"]["units"]) == (0, 17)
    assert answer["checks"][0]["signature"].startswith("BLEU|nrefs:1|")


def test_saved_documents_serve_as_units() -> None:
    result = gate("bad.txt", "saved.npz", "--unit", "document", "--format", "json")
    assert json.loads(result.stdout)["settings"]["units"] < 150
    without = gate("bad.txt", "middle.txt", "--unit", "document")
    assert (without.returncode, without.stdout) == (2, "")
    assert "--documents" in without.stderr


def test_identical_outputs_pass_with_a_sentence() -> None:
    result = gate("middle.txt", "middle.txt")
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == (
        "pass: no evidence that middle is worse than middle (baseline); BLEU counts the same in "
        "both."
    )


def test_the_old_system_may_be_named_and_come_through_a_pipe(folder: Path) -> None:
    command = [sys.executable, "-m", "truebleu", "gate", "bad.txt", "--baseline", "last=-"]
    piped = subprocess.run(
        [*command, "-r", "reference-1.txt"],
        input=(folder / "middle.txt").read_bytes(),
        capture_output=True,
        check=False,
    )
    by_segment = gate("bad.txt", "last=saved.npz", "--unit", "segment").stdout
    first_line = piped.stdout.decode().splitlines()[0]
    assert (piped.returncode, first_line) == (1, by_segment.splitlines()[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["good.txt", "none.txt"], "none.txt: no such file"),
        (["none.txt", "saved.npz"], "none.txt: no such file"),
        (["good.txt", "middle.txt", "-m", "length"], "metric: 'Length'"),
        (["good.txt", "middle.txt", "--margin", "-1"], "margin: -1.0"),
        (["good.txt", "middle.txt", "--level", "0.4"], "level: 0.4"),
        (["good.txt", "middle.txt", "--replicates", "10"], "replicates: 10"),
        (["good.txt", "saved.npz", "-m", "chrf"], "saved.npz: signature: BLEU|"),
        (["good.txt", "saved.npz", "-m", "bleu:lowercase"], "saved.npz: signature: BLEU|"),
        (["good.txt", "saved.npz", "-r", "good.txt"], "saved.npz: references: 1"),
        (["documents.tsv#doc", "saved.npz", "-m", "bogus"], "unknown metric 'bogus'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_usage_and_bad_input_exit_with_2_and_an_empty_answer(
    arguments: list[str], message: str
) -> None:
    result = gate(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


def test_statistics_against_other_references_are_refused() -> None:
    result = run("gate", "good.txt", "--baseline", "saved.npz", "-r", "twin.txt")
    assert (result.returncode, result.stdout) == (2, "")
    assert "saved.npz: text of the references: sha256:" in result.stderr


def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.npz").write_bytes((folder / "saved.npz").read_bytes()[:-200])
    result = gate("good.txt", str(tmp_path / "cut.npz"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "cut.npz: damaged data" in result.stderr


def test_score_prints_the_same_whether_or_not_it_saves(tmp_path: Path) -> None:
    score = ["score", "good.txt", "-r", "reference-1.txt"]
    saving = run(*score, "--save", str(tmp_path / "new" / "good.npz"))
    assert saving.stdout == run(*score).stdout
    assert (tmp_path / "new" / "good.npz").is_file()


def test_score_overwrites_a_file_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    path.write_text("mine")
    score = ["score", "good.txt", "-r", "reference-1.txt", "--save", str(path)]
    refused = run(*score)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--force" in refused.stderr
    assert path.read_text() == "mine"
    assert run(*score, "--force").returncode == 0
    assert read_counts(path).outline.systems == ("good",)


def test_a_ledger_counts_looks_and_keeps_the_exit_codes(folder: Path) -> None:
    ledger = folder / "looks.db"
    codes = [
        gate(new, "middle.txt", "--ledger", str(ledger)).returncode
        for new in ("twin.txt", "bad.txt", "twin.txt")
    ]
    assert codes == [0, 1, 0]
    ledger.write_text("not a ledger\n")
    damaged = gate("twin.txt", "middle.txt", "--ledger", str(ledger))
    assert damaged.returncode == 2
    assert "looks.db: another layout, or damaged data; expected a ledger" in damaged.stderr


def test_options_that_would_do_nothing_are_refused() -> None:
    looks = gate("twin.txt", "middle.txt", "--looks", "5")
    assert (looks.returncode, "--looks: 5; expected None without a ledger" in looks.stderr) == (
        2,
        True,
    )
    seed = gate("twin.txt", "middle.txt", "--margin", "1", "--seed", "5")
    assert (seed.returncode, "--seed has no effect with --margin" in seed.stderr) == (2, True)


@pytest.fixture
def lost(folder: Path) -> str:
    """Outputs of a good system that lost their first line."""
    lines = (folder / "good.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "lost.txt").write_text("".join([*lines[1:], lines[-1]]), encoding="utf-8")
    return "lost.txt"


@pytest.mark.parametrize("place", ["new", "baseline"])
def test_no_decision_follows_from_serious_faults_of_the_texts(lost: str, place: str) -> None:
    result = gate(lost, "middle.txt") if place == "new" else gate("middle.txt", lost)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no decision follows from these texts")
    assert "with --accept-inputs" in result.stderr
    assert "lost.txt: segments 1 to" in result.stderr


def test_accepted_faults_are_shown_with_the_decision(lost: str) -> None:
    result = gate(lost, "middle.txt", "--accept-inputs")
    assert result.returncode == 1
    assert result.stdout.startswith("fail: lost is worse than middle by")
    decided = json.loads(gate(lost, "middle.txt", "--accept-inputs", "-f", "json").stdout)
    assert [warning["code"] for warning in decided["warnings"]] == ["shifted"]
    assert decided["warnings"][0]["message"] in decided["sentences"]


def test_no_decision_follows_from_lines_in_another_order(folder: Path) -> None:
    lines = (folder / "good.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "sorted.txt").write_text("".join(sorted(lines)), encoding="utf-8")
    for texts in (("sorted.txt", "middle.txt"), ("middle.txt", "sorted.txt")):
        refused = gate(*texts)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert (
            "sorted.txt: its segments fit reference-1.txt no better than other segments"
            in refused.stderr
        )
    accepted = gate("sorted.txt", "middle.txt", "--accept-inputs", "-f", "json")
    assert accepted.returncode == 1
    assert [warning["code"] for warning in json.loads(accepted.stdout)["warnings"]] == [
        "misaligned"
    ]
