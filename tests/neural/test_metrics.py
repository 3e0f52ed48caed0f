"""Neural metrics as any metric: in verbs, commands, saved counts, and without references."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

import truebleu
import truebleu.neural.metrics
from tests.neural.conftest import OUTPUTS, REFERENCE, SOURCE
from tests.neural.stand_ins import plain_score
from truebleu.cli.main import main
from truebleu.corpus.nbest import NBest
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import parse_metric
from truebleu.nbest import mbr

if TYPE_CHECKING:
    from pathlib import Path

COMET, KIWI = "comet:model=tiny/comet", "cometkiwi:model=tiny/kiwi"
pytestmark = pytest.mark.usefixtures("hub", "programs")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with the texts as files, each segment ten times."""
    texts = {"src": SOURCE, "ref": REFERENCE, **OUTPUTS}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line} {i}\n" for i in range(10) for line in lines))
    return tmp_path


def run(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command on the files; return its status and its output, or its errors."""
    names = {*OUTPUTS, "src", "ref"}
    with pytest.raises(SystemExit) as status:
        main([str(folder / word) if word in names else word for word in arguments])
    captured = capsys.readouterr()
    code = status.value.code
    assert isinstance(code, int)
    return code, captured.out if code < 2 else captured.err


COMMANDS = {
    "score": ["score", "a", "b", "--confidence"],
    "compare": ["compare", "a", "b"],
    "explain": ["explain", "a", "b"],
    "gate": ["gate", "a", "--baseline", "b"],
    "plan": ["plan", "a", "b"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_take_a_neural_metric(
    files: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    arguments = [*COMMANDS[command], "-s", "src", "-r", "ref", "-m", COMET, "-f", "json"]
    status, output = run(arguments, files, capsys)
    assert status in (0, 1), output
    assert "COMET" in output
    json.loads(output)


def test_compare_shows_the_mean_of_the_programs_scores(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "a", "b", "-s", "src", "-r", "ref", "-m", COMET, "-f", "json"]
    result = json.loads(run(arguments, files, capsys)[1])
    columns = [(files / name).read_text().splitlines() for name in ("src", "b", "ref")]
    expected = sum(plain_score(*row) for row in zip(*columns, strict=True)) / 40
    scores = {system["name"]: system["scores"]["COMET"]["score"] for system in result["systems"]}
    assert scores["b"] == pytest.approx(expected, abs=1e-12)


def test_a_missing_source_is_one_sentence(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, errors = run(["score", "a", "-r", "ref", "-m", COMET], files, capsys)
    assert status == 2
    assert errors.startswith("error: COMET reads the source: name it with -s FILE")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_need_no_reference_for_quality_estimation(
    files: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    arguments = [*COMMANDS[command], "-s", "src", "-m", KIWI, "-f", "json"]
    status, output = run(arguments, files, capsys)
    assert status in (0, 1), output
    assert "CometKiwi|model:tiny/kiwi" in output


def test_a_report_needs_no_reference(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = files / "report.html"
    arguments = ["report", "a", "b", "-s", "src", "-m", KIWI, "-o", str(page)]
    assert run(arguments, files, capsys)[0] == 0
    assert "CometKiwi|model:tiny/kiwi" in page.read_text()


def test_agree_needs_no_reference_for_quality_estimation(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = files / "people.tsv"
    rows = (f"{name}\t{i}\t{(i * k) % 7}\n" for k, name in enumerate("ab", 2) for i in range(1, 41))
    people.write_text("system\tsegment\tscore\n" + "".join(rows))
    arguments = ["agree", "a", "b", "-s", "src", "-m", KIWI, "--human", str(people), "-f", "json"]
    status, output = run(arguments, files, capsys)
    assert status == 0, output
    assert json.loads(output)["metrics"][0]["name"] == "CometKiwi"


def test_outputs_in_memory_need_only_a_source() -> None:
    result = truebleu.compare(OUTPUTS, metrics=KIWI, source=SOURCE)
    assert result.test_set.references == 0
    with pytest.raises(RefusedError, match="no reference given"):
        truebleu.compare(OUTPUTS, metrics=["bleu", KIWI], source=SOURCE)
    with pytest.raises(RefusedError, match="CometKiwi reads the source"):
        truebleu.compare(OUTPUTS, REFERENCE, KIWI)


def test_outputs_are_not_held_against_the_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = [f"Zeile {i}: ein längerer Satz über das Wetter und die Straße." for i in range(60)]
    outputs = [f"Line {i}: a longer sentence about weather & street." for i in range(60)]
    for name, lines in {"src": source, "a": outputs, "b": [*outputs[:59], "One."]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(SystemExit):
        main(["score", *(str(tmp_path / n) for n in "ab"), "-s", str(tmp_path / "src"), "-m", KIWI])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["score", "compare"])
def test_quality_estimation_needs_no_reference(
    files: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    arguments = [command, "a", "b", "-s", "src", "-m", KIWI, "-f", "json"]
    result = json.loads(run(arguments, files, capsys)[1])
    columns = [(files / name).read_text().splitlines() for name in ("src", "a")]
    expected = sum(plain_score(*row) for row in zip(*columns, strict=True)) / 40
    scores = {
        system["name"]: system["scores"]["CometKiwi"]["score"] for system in result["systems"]
    }
    assert scores["a"] == pytest.approx(expected, abs=1e-12)
    assert result["test_set"]["reference_names"] == []
    assert "nrefs" not in result["metrics"][0]["signature"]


def test_a_metric_with_references_still_needs_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, errors = run(["score", "a", "-s", "src", "-m", KIWI, "-m", "bleu"], files, capsys)
    assert status == 2
    assert "no reference given" in errors


def test_a_wrong_number_of_lines_stops_before_the_program_starts(
    files: Path, capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    (files / "a").write_text("one line\n")
    status, errors = run(["score", "a", "-s", "src", "-r", "ref", "-m", COMET], files, capsys)
    assert status == 2
    assert "1 segments" in errors
    assert not runs.exists()


def test_empty_and_long_outputs_are_reported(texts: TestSet) -> None:
    outputs = {"a": ["", "x" * 2000, "y", "z"]}
    counts = truebleu.count(as_test_set(outputs, REFERENCE, source=SOURCE), metrics=COMET)
    messages = {w.code: w.message for w in counts.outline.warnings}
    assert (
        messages["neural-empty"] == "a: 1 output is empty; COMET scores empty outputs as any other"
    )
    assert messages["neural-cut"] == (
        "a: 1 output is longer than 1,500 characters; COMET may cut texts after about 510 tokens"
    )
    codes = {w.code for w in truebleu.count(texts, metrics=COMET).outline.warnings}
    assert not codes & {"neural-empty", "neural-cut"}


def test_saved_counts_need_no_model(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = str(files / "s.npz")
    arguments = ["score", "a", "b", "-s", "src", "-r", "ref", "-m", COMET, "--save", saved]
    first = run([*arguments, "-f", "json"], files, capsys)[1]
    monkeypatch.delenv("TRUEBLEU_COMET")
    monkeypatch.setenv("HF_HUB_CACHE", str(files / "nothing"))
    second = run(["score", saved, "-f", "json"], files, capsys)[1]
    assert json.loads(second)["systems"] == json.loads(first)["systems"]
    assert json.loads(second)["metrics"] == json.loads(first)["metrics"]


LISTS = [["the dog", "a dog", "the dog", "dogs"], ["yes", "yeah"]]


def test_minimum_bayes_risk_scores_all_pairs_in_one_run(runs: Path) -> None:
    lists = NBest.of(LISTS, sources=["der Hund", "ja"])
    result = mbr(lists, metric=COMET)
    for source, texts, segment in zip(lists.sources or (), LISTS, result.segments, strict=True):
        expected = [sum(plain_score(source, t, r) for r in texts) / len(texts) for t in texts]
        assert segment.utilities == pytest.approx(expected, abs=1e-12)
    assert runs.read_text() == f"{3 * 3 + 2 * 2}\n"


def test_minimum_bayes_risk_needs_sources_and_references() -> None:
    with pytest.raises(RefusedError, match="COMET reads the source"):
        mbr(LISTS, metric=COMET)
    with pytest.raises(SettingError, match="a metric that compares with references"):
        mbr(NBest.of(LISTS, sources=["der Hund", "ja"]), metric=KIWI)


def test_mbr_takes_the_source_of_lists_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lists").write_text("".join(f"0 ||| {text} ||| f=1 ||| 1\n" for text in LISTS[0]))
    (tmp_path / "source").write_text("der Hund\n")
    arguments = ["mbr", str(tmp_path / "lists"), "-m", COMET, "-s", str(tmp_path / "source")]
    with pytest.raises(SystemExit) as status:
        main([*arguments, "-o", "-"])
    assert status.value.code == 0
    means = [sum(plain_score("der Hund", t, r) for r in LISTS[0]) for t in LISTS[0]]
    assert capsys.readouterr().out == f"{LISTS[0][means.index(max(means))]}\n"


def test_a_missing_package_names_both_remedies(
    texts: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COMET", "METRICX", "BERTSCORE"):
        monkeypatch.delenv(f"TRUEBLEU_{name}")
    for metric, hint in (
        (COMET, r"pip install 'truebleu\[comet\]'.*TRUEBLEU_COMET"),
        ("metricx", "TRUEBLEU_METRICX"),
        ("bertscore", "pip install bert-score.*TRUEBLEU_BERTSCORE"),
    ):
        with pytest.raises(RefusedError, match=hint):
            truebleu.score(texts, metrics=metric)


def test_references_can_be_left_out_only_if_the_model_can(texts: TestSet) -> None:
    counts = truebleu.count(texts, metrics="xcomet:model=tiny/xcomet,references=no")
    assert counts.metrics[0].rows.floats()[1, 0, 0] == plain_score("Guten Tag.", "Good day.")
    with pytest.raises(SettingError, match="references: False; expected yes: tiny/comet needs"):
        truebleu.score(texts, metrics=f"{COMET},references=no")


def test_default_models_are_the_documented_ones() -> None:
    models = {name: parse_metric(name).model for name in ("comet", "cometkiwi", "xcomet")}  # type: ignore[attr-defined]
    assert models == {
        "comet": "Unbabel/wmt22-comet-da",
        "cometkiwi": "Unbabel/wmt22-cometkiwi-da",
        "xcomet": "Unbabel/XCOMET-XL",
    }


def test_a_command_with_commas_stands_between_quotes() -> None:
    metric = parse_metric('command:run="python s.py --fields src,mt",name=judge')
    assert metric == truebleu.neural.metrics.CommandMetric(
        run="python s.py --fields src,mt", name="judge"
    )


def test_a_stopped_command_counts_its_scores(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = files / "stop.py"
    # A block that ends, and a block in which someone presses Ctrl-C.
    program.write_text(
        "import os, pathlib, sys\n"
        "lines = sys.stdin.readlines()\n"
        f"mark = pathlib.Path({str(files / 'mark')!r})\n"
        "if mark.exists(): os.kill(os.getppid(), 2); import time; time.sleep(60)\n"
        "mark.touch()\n"
        "for line in lines: print(0.5)\n"
    )
    monkeypatch.setattr(truebleu.neural.programs.ProgramEngine, "first_block", 30)
    monkeypatch.setattr(truebleu.neural.programs.ProgramEngine, "block_seconds", 1e-9)
    metric = f"command:run=\"'{sys.executable}' '{program}'\""
    status, errors = run(["score", "a", "b", "-r", "ref", "-m", metric], files, capsys)
    assert status == 130
    assert errors.startswith("note: command: 30 of ")
    assert "are cached; run the same command again to continue" in errors


def test_the_cache_command_describes_and_clears(
    texts: TestSet, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truebleu.score(texts, metrics=COMET)
    for arguments, expected in (([], "5 scores"), (["--clear"], "0 scores"), ([], "0 scores")):
        with pytest.raises(SystemExit):
            main(["cache", *arguments])
        assert f"{cache}: {expected}" in capsys.readouterr().out
