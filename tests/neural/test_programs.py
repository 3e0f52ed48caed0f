"""Programs of other environments: their files, their failures, and what users are told."""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from tests.neural.conftest import OUTPUTS, REFERENCE, SOURCE, STAND_INS, forget, stand_in
from tests.neural.stand_ins import comet_score, plain_score
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import parse_metric
from truebleu.neural.metrics import CommandMetric
from truebleu.neural.programs import find_program

if TYPE_CHECKING:
    from pathlib import Path

COMET = "comet:model=tiny/comet"
pytestmark = pytest.mark.usefixtures("hub", "programs")


def segment_scores(texts: TestSet, metric: str) -> dict[str, list[float]]:
    rows = truebleu.count(texts, metrics=metric).metrics[0].rows.floats()
    return {name: rows[:, i, 0].tolist() for i, name in enumerate(texts.systems)}


# The stand-in itself.


def recorded(shared: Path) -> dict[str, Any]:
    cases: dict[str, Any] = json.loads((shared / "golden/neural/comet-score.json").read_text())
    # Without a network, a test set of sacreBLEU and the help are not what a runner asks for.
    return {
        n: c
        for n, c in cases.items()
        if "sacrebleu" not in n and n not in ("help", "kiwi-with-reference")
    }


def test_the_stand_in_ends_and_prints_as_the_recorded_comet_score(
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inputs = shared / "golden" / "neural" / "inputs"
    for name, case in recorded(shared).items():
        work = tmp_path / name
        shutil.copytree(inputs, work)
        monkeypatch.chdir(work)
        status = 0
        try:
            comet_score(case["arguments"])
        except SystemExit as error:
            status = int(str(error.code))
        output, errors = capsys.readouterr()
        assert status == case["exit"], (name, errors)
        assert masked(output) == masked(case["stdout"]), name
        if case["exit"]:
            last = case["stderr"].strip().splitlines()[-1]
            assert errors.strip().splitlines()[-1][:25] == last[:25], name
        if case.get("json"):
            made = json.loads((work / "out.json").read_text())
            expected = {
                path: [set(row) - {"errors"} for row in rows] for path, rows in case["json"].items()
            }
            assert {path: [set(row) for row in rows] for path, rows in made.items()} == expected


def masked(stdout: str) -> str:
    """Output without scores; a lone carriage return counts as a line end, as for comet-score."""
    return re.sub(r"score: (-?\d\.\d{4}|nan)|CacheInfo.*", "score", stdout)


# comet-score.


def test_scores_are_the_programs(texts: TestSet) -> None:
    scores = segment_scores(texts, COMET)
    for system, outputs in OUTPUTS.items():
        expected = [plain_score(*row) for row in zip(SOURCE, outputs, REFERENCE, strict=True)]
        assert scores[system] == pytest.approx(expected, abs=0)


def test_each_distinct_triple_is_scored_once(texts: TestSet, runs: Path) -> None:
    truebleu.score(texts, metrics=COMET)
    distinct = {row for out in OUTPUTS.values() for row in zip(SOURCE, out, REFERENCE, strict=True)}
    assert runs.read_text() == f"{len(distinct)}\n"


def test_a_second_run_starts_no_program(texts: TestSet, runs: Path) -> None:
    first = truebleu.score(texts, metrics=COMET)
    forget()
    assert truebleu.score(texts, metrics=COMET) == first
    assert len(runs.read_text().splitlines()) == 1


def test_models_without_references_get_none(texts: TestSet) -> None:
    scores = segment_scores(texts, "cometkiwi:model=tiny/kiwi")
    assert scores["a"][0] == plain_score(SOURCE[0], OUTPUTS["a"][0])


def test_the_signature_names_what_a_score_depends_on(texts: TestSet) -> None:
    counts = truebleu.count(texts, metrics=COMET)
    signature = str(counts.signature(counts.metrics[0]))
    assert signature.startswith("COMET|nrefs:1|model:tiny/comet|rev:0123456789ab|device:")
    assert "|prec:half|unbabel-comet:unknown|batch:16|by:comet-score|version:truebleu-" in signature


def test_several_references_are_averaged() -> None:
    second = ["x", "y", "z", "w"]
    texts = as_test_set({"a": OUTPUTS["a"]}, [REFERENCE, second], source=SOURCE)
    scores = segment_scores(texts, COMET)["a"]
    rows = list(zip(SOURCE, OUTPUTS["a"], REFERENCE, second, strict=True))
    expected = [(plain_score(s, o, r) + plain_score(s, o, t)) / 2 for s, o, r, t in rows]
    assert scores == pytest.approx(expected, abs=1e-15)
    counts = truebleu.count(texts, metrics=COMET)
    assert "nrefs:2" in str(counts.signature(counts.metrics[0]))
    assert "refs:mean" in str(counts.signature(counts.metrics[0]))


def test_line_ends_inside_segments_become_blanks() -> None:
    texts = as_test_set({"a": ["one\rtwo", "three\nfour"]}, ["x", "y"], source=["s", "t"])
    assert segment_scores(texts, COMET)["a"] == [
        plain_score("s", "one two", "x"),
        plain_score("t", "three four", "y"),
    ]


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("short", r"COMET: 4 scores for 5 texts"),
        ("other-texts", r"COMET: score 1 of \S+ is of the output '.*'; expected"),
        ("killed", r"COMET: .* ended with exit status -9: it wrote no message"),
        ("silent", r"COMET: the scores of \S+ cannot be read: .*No such file"),
        ("infinite", r"COMET: [ab], segment \d: the score is inf, of the output"),
    ],
)
def test_a_failure_is_a_sentence(
    texts: TestSet, monkeypatch: pytest.MonkeyPatch, failure: str, message: str
) -> None:
    monkeypatch.setenv("STAND_IN", failure)
    with pytest.raises(RefusedError, match=message):
        truebleu.score(texts, metrics=COMET)


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("nan", r"COMET: [ab], segment \d: the score is nan"),
        (
            "trunc",
            r"RuntimeError: PytorchStreamReader .*; the checkpoint is damaged: fetch it again",
        ),
        ("noenc", r"AttributeError: .*; the model's encoder is not on this machine"),
    ],
)
def test_a_broken_checkpoint_is_a_sentence(
    texts: TestSet, tmp_path: Path, folder: str, message: str
) -> None:
    path = tmp_path / folder / "checkpoints" / "model.ckpt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"weights")
    (tmp_path / folder / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    with pytest.raises(RefusedError, match=message):
        truebleu.score(texts, metrics=f"comet:model={path}")


def test_a_failed_run_leaves_no_score(texts: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN", "infinite")
    with pytest.raises(RefusedError):
        truebleu.score(texts, metrics=COMET)
    monkeypatch.setenv("STAND_IN", "")
    assert segment_scores(texts, COMET)["b"][3] == plain_score("Ja.", "Yeah.", "Yes.")


def test_single_precision_is_refused_with_the_reason(texts: TestSet) -> None:
    with pytest.raises(SettingError, match="precision: 'single'; expected half, in which this"):
        truebleu.score(texts, metrics=f"{COMET},precision=single")


def test_the_environment_of_a_program_tells_its_versions(
    texts: TestSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An environment whose python knows other versions than this one.
    folder = tmp_path / "env" / "bin"
    folder.mkdir(parents=True)
    (folder / "comet-score").write_text(f'#!/bin/sh\nexec {stand_in("comet-score")} "$@"\n')
    (folder / "python").write_text("#!/bin/sh\necho \"['2.2.4', '2.1', '4.40']\"\n")
    for program in folder.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("TRUEBLEU_COMET", str(folder / "comet-score"))
    counts = truebleu.count(texts, metrics=COMET)
    signature = str(counts.signature(counts.metrics[0]))
    # Versions before 2.2.5 compute in single precision.
    assert "|prec:single|unbabel-comet:2.2.4|torch:2.1|transformers:4.40|" in signature


# Other programs.


def test_metricx_is_lower_is_better_and_scores_each_text_once(texts: TestSet, runs: Path) -> None:
    scores = segment_scores(texts, "metricx")
    assert scores["b"][3] == pytest.approx(25 * plain_score("Ja.", "Yeah.", "Yes."), abs=1e-12)
    assert parse_metric("metricx").higher_is_better is False
    assert runs.read_text() == "5\n"
    without = segment_scores(texts, "metricx:references=no")
    assert without["b"][3] == pytest.approx(25 * plain_score("Ja.", "Yeah."), abs=1e-12)


def test_bertscore_takes_f1_of_the_best_reference() -> None:
    texts = as_test_set({"a": ["u v", "w"]}, [["u", "w"], ["v", "x"]])
    best = [
        max(round(plain_score(output, reference), 6) for reference in references)
        for output, references in (("u v", ("u", "v")), ("w", ("w", "x")))
    ]
    assert segment_scores(texts, "bertscore")["a"] == pytest.approx(best, abs=1e-12)
    with pytest.raises(RefusedError, match="KeyError: 'tiny/encoder'"):
        truebleu.score(texts, metrics="bertscore:model=tiny/encoder")


def test_bertscore_of_this_environment_is_found(
    texts: TestSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TRUEBLEU_BERTSCORE")
    versions = {"bert-score": "0.3.13", "torch": "2.1"}
    monkeypatch.setattr(truebleu.neural.metrics, "installed_versions", lambda *_: versions)
    script = tmp_path / "bert-score"
    script.write_text(f'#!/bin/sh\nexec {stand_in("bert-score")} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    counts = truebleu.count(texts, metrics="bertscore:layers=9")
    assert counts.metrics[0].rows.floats()[3, 1, 0] == round(plain_score("Yeah.", "Yes."), 6)
    signature = str(counts.signature(counts.metrics[0]))
    assert signature.startswith("BERTScore|nrefs:1|model:bert-base-multilingual-cased|rev:0123")
    assert "|layer:9|bert-score:0.3.13|torch:2.1|device:" in signature


@pytest.mark.parametrize("settings", ["", " {output} {reference}"])
def test_a_command_writes_one_score_a_line(texts: TestSet, settings: str) -> None:
    metric = f'command:run="{stand_in("lines")}{settings}",name=judge'
    scores = segment_scores(texts, metric)
    assert scores["a"][1] == plain_score("Good day.", "Good day.")
    assert list(truebleu.score(texts, metrics=metric)["a"]) == ["judge"]


def test_a_command_reads_the_source_if_it_names_it(texts: TestSet) -> None:
    run = f"{stand_in('lines')} {{source}} {{output}}"
    metric = CommandMetric(run=run)
    rows = truebleu.count(texts, metrics=metric).metrics[0].rows.floats()
    assert rows[3, 1, 0] == plain_score("Ja.", "Yeah.")
    tabs = CommandMetric(run=stand_in("lines"), source=True, references=False)
    assert truebleu.count(texts, metrics=tabs).metrics[0].rows.floats()[3, 1, 0] == rows[3, 1, 0]


def test_output_that_is_no_score_is_quoted(texts: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN", "words")
    with pytest.raises(RefusedError, match=r"cannot be read: .* to float: 'loading the model"):
        truebleu.score(texts, metrics=CommandMetric(run=stand_in("lines")))


def test_a_changed_program_is_run_again(texts: TestSet, tmp_path: Path) -> None:
    program = tmp_path / "scores.py"
    program.write_text("import sys\nfor line in sys.stdin: print(0.25)\n")
    metric = CommandMetric(run=f"'{sys.executable}' '{program}'")
    assert float(truebleu.score(texts, metrics=metric)["a"]["command"]) == 0.25
    program.write_text("import sys\nfor line in sys.stdin: print(0.125)\n")
    assert float(truebleu.score(texts, metrics=metric)["a"]["command"]) == 0.125


# Where programs are named.


def test_a_file_of_settings_names_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEBLEU_COMET")
    assert find_program("comet") is None
    (tmp_path / "config" / "truebleu").mkdir(parents=True)
    file = tmp_path / "config" / "truebleu" / "programs"
    file.write_text(f"# mine\ncomet = {stand_in('comet-score')} --num_workers 2\n")
    assert find_program("comet") == [
        sys.executable,
        str(STAND_INS),
        "comet-score",
        "--num_workers",
        "2",
    ]
    assert find_program("metricx") is not None


def test_a_program_that_cannot_be_found_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_COMET", "/nowhere/comet-score")
    with pytest.raises(RefusedError, match="TRUEBLEU_COMET: /nowhere/comet-score: no such program"):
        find_program("comet")
    monkeypatch.setenv("TRUEBLEU_COMET", "uv 'run")
    with pytest.raises(RefusedError, match=r"TRUEBLEU_COMET: .*No closing quotation"):
        find_program("comet")
