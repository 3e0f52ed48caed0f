"""Paired tests in the drop-in; the expected values are sacreBLEU 2.6.0's, with NumPy 2.4.6."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, TER
from truebleu.compat.sacrebleu.sacrebleu import main
from truebleu.compat.sacrebleu.significance import PairedTest, Result, estimate_ci
from truebleu.errors import CorpusError, SettingError, UnknownNameError, UnpairedSegmentsError

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.compat.sacrebleu.metrics.base import Metric

TEXTS = {
    "ref": [
        "A cat sat on the mat.",
        "It rained the whole day long.",
        "No one came to the party.",
        "She lost her keys in the park.",
        "The train left an hour ago.",
        "We had soup and bread for lunch.",
    ],
    "base": [
        "The cat sat on the mat.",
        "It rained all day long.",
        "Nobody came to the party.",
        "She lost the keys in a park.",
        "The train left one hour ago.",
        "We had soup and bread at lunch.",
    ],
    "good": [
        "A cat sat on the mat.",
        "It rained the whole day.",
        "No one came to the party.",
        "She lost her keys in the park.",
        "The train left an hour ago.",
        "We ate soup and bread for lunch.",
    ],
    "fair": [
        "A cat is on the mat.",
        "It rained the whole day.",
        "Nobody was at the party.",
        "She lost her keys in a park.",
        "The train left one hour ago.",
        "We had bread and soup for lunch.",
    ],
}
TEXTS["copy"] = TEXTS["base"]
SYSTEMS = [(name, TEXTS[name]) for name in ("base", "good", "fair")]

BOOTSTRAP = """\
╒════════════════╤══════════════════════╤═════════════════════╕
│         System │  chrF2 (μ ± 95% CI)  │  BLEU (μ ± 95% CI)  │
╞════════════════╪══════════════════════╪═════════════════════╡
│ Baseline: base │  69.2 (69.1 ± 9.8)   │ 49.4 (48.4 ± 19.6)  │
├────────────────┼──────────────────────┼─────────────────────┤
│           good │  92.7 (92.8 ± 7.2)   │ 89.8 (89.7 ± 10.5)  │
│                │    (p = 0.0010)*     │    (p = 0.0010)*    │
├────────────────┼──────────────────────┼─────────────────────┤
│           fair │  67.3 (67.1 ± 10.5)  │ 43.6 (43.1 ± 16.3)  │
│                │     (p = 0.3247)     │    (p = 0.2657)     │
╘════════════════╧══════════════════════╧═════════════════════╛

------------------------------------------------------------
Paired bootstrap resampling test with 1000 resampling trials
------------------------------------------------------------
-----------------
Metric signatures
-----------------
 - chrF2      #:1|bs:1000|rs:12345|c:mixed|e:yes|nc:6|nw:0|s:no|v:2.6.0
 - BLEU       #:1|bs:1000|rs:12345|c:mixed|e:no|tok:13a|s:exp|v:2.6.0
"""
RANDOMIZATION = """\
╒════════════════╤═══════════════╤═══════════════╕
│         System │     BLEU      │      TER      │
╞════════════════╪═══════════════╪═══════════════╡
│ Baseline: base │     49.4      │     23.7      │
├────────────────┼───────────────┼───────────────┤
│           good │     89.8      │      7.9      │
│                │ (p = 0.0020)* │ (p = 0.0020)* │
├────────────────┼───────────────┼───────────────┤
│           fair │     43.6      │     28.9      │
│                │ (p = 0.8802)  │ (p = 0.2216)  │
╘════════════════╧═══════════════╧═══════════════╛

-----------------------------------------------------
Paired approximate randomization test with 500 trials
-----------------------------------------------------
-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|ar:500|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
 - TER        nrefs:1|ar:500|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0
"""
LATEX = r"""\begin{tabular}{rc}
\toprule
         System &        BLEU (μ ± 95\% CI)         \\
\midrule
 Baseline: base &        49.4 (48.4 ± 19.6)        \\
           good & 89.8 (89.7 ± 10.5) (p = 0.0010)* \\
           fair & 43.6 (43.1 ± 16.3) (p = 0.2657)  \\
\bottomrule
\end{tabular}

------------------------------------------------------------
Paired bootstrap resampling test with 1000 resampling trials
------------------------------------------------------------
-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
"""
JSON = """\
[
    {
        "system": "Baseline: base",
        "BLEU": {
            "score": 49.42959159585253,
            "p_value": null,
            "mean": 49.89401059288145,
            "ci": 21.84615977000707
        }
    },
    {
        "system": "fair",
        "BLEU": {
            "score": 43.58302260331165,
            "p_value": 0.25742574257425743,
            "mean": 41.880952768896805,
            "ci": 16.56009955306023
        }
    }
]
"""
# sacreBLEU cannot write these numbers as JSON; its library gives them.
CHRF_BOOTSTRAP = [
    {
        "score": pytest.approx(69.20603205427648),
        "p_value": None,
        "mean": 69.13568878173828,
        "ci": 9.766702651977539,
    },
    {
        "score": pytest.approx(67.28747408831683),
        "p_value": 0.3246753246753247,
        "mean": 67.13431549072266,
        "ci": 10.471757888793945,
    },
]


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, lines in TEXTS.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for variable in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)


def run(command: str) -> int:
    return main(command.split())


def without_notes(output: str) -> str:
    """The output without the notes between the title of the test and the signatures."""
    lines = output.splitlines(keepends=True)
    title = next(i for i, line in enumerate(lines) if line.startswith("Paired "))
    signatures = lines.index("Metric signatures\n") - 1
    assert lines[title + 2].startswith(" - ")
    assert lines[signatures - 1] == "\n"
    return "".join(lines[: title + 2] + lines[signatures:])


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("-i base good fair -pbs -m chrf bleu -f text -sh", BOOTSTRAP),
        ("-i base good base fair --paired-bs -m chrf bleu -f text -sh -j 2", BOOTSTRAP),
        ("-i base good fair -par -parn 500 -m bleu ter -d", RANDOMIZATION),
        ("-i base good fair -par --paired-ar-n 500 -m bleu ter -f text -b", RANDOMIZATION),
        ("-i base good fair -pbs -f latex", LATEX),
    ],
)
def test_tables_are_sacrebleus(
    command: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"ref {command}") == 0
    assert without_notes(capsys.readouterr().out) == expected


def test_json_is_sacrebleus(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ref -i base fair -pbs -pbsn 100") == 0
    assert capsys.readouterr().out == JSON


def test_json_has_the_bootstrap_of_chrf_where_sacrebleu_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("ref -i base fair -pbs -m chrf") == 0
    systems = json.loads(capsys.readouterr().out)
    assert [system["chrF2"] for system in systems] == CHRF_BOOTSTRAP


def test_columns_of_standard_input_have_no_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = zip(TEXTS["base"], TEXTS["fair"], strict=True)
    data = "".join("\t".join(row) + "\n" for row in columns).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    assert run("ref -pbs -pbsn 100") == 0
    expected = JSON.replace("Baseline: base", "Baseline").replace('"fair"', '"System 1"')
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "command",
    [
        "ref -i base -par",
        "ref -i base base -pbs",
        "ref -i base good good -pbs",
        "ref -i -par",
        "ref -i base good -par -ci",
        "ref -i base good -par -sl",
        "ref -i base -pbs -sl",
        "ref -i base good -par -j -1",
        "ref -i base nowhere -par",
    ],
)
def test_what_cannot_be_tested_ends_with_sacrebleus_status(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 1
    out, err = capsys.readouterr()
    assert not out
    assert "sacreBLEU: " in err


def test_a_terminal_gets_sacrebleus_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "ref -i base fair -par -f text"
    assert run(command) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(command) == 0
    coloured = capsys.readouterr().out
    assert coloured.splitlines()[1::2][:3] == [
        "│         \x1b[36mSystem\x1b[0m │     \x1b[36mBLEU\x1b[0m     │",
        "│ \x1b[33mBaseline: base\x1b[0m │     \x1b[33m49.4\x1b[0m     │",
        "│           fair │     43.6     │",
    ]
    assert coloured.splitlines()[6] == "│                │ \x1b[31m(p = 0.8769)\x1b[0m │"
    for wanted in ("-nc", "-f latex"):
        assert run(f"{command} {wanted}") == 0
        assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(command) == 0
    assert capsys.readouterr().out == plain


def test_a_copy_of_the_baseline_is_pointed_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ref -i base fair copy -par -f text -q") == 0
    out, err = capsys.readouterr()
    assert "(p = 0.0001)*" in out
    assert err.startswith("sacreBLEU: copy: BLEU counts the same as in the baseline")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("systems", "test", "warned"),
    [("good fair", "-pbs", True), ("fair", "-pbs", False), ("good fair", "-par", False)],
)
def test_the_bootstraps_level_is_pointed_out_where_it_rejects(
    systems: str, test: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"ref -i base {systems} {test} -q") == 0
    assert ("this bootstrap test rejects too often" in capsys.readouterr().err) == warned


def test_the_library_returns_signatures_and_columns() -> None:
    metrics: dict[str, Metric[Any]]
    metrics = {"BLEU": BLEU(references=[TEXTS["ref"]]), "CHRF": CHRF(references=[TEXTS["ref"]])}
    test = PairedTest(SYSTEMS, metrics, None, test_type="bs", n_samples=100)
    signatures, scores = test()
    assert list(signatures) == ["BLEU", "chrF2"]
    assert str(signatures["BLEU"]).startswith("nrefs:1|bs:100|seed:12345|case:mixed|")
    assert list(scores) == ["System", "BLEU", "chrF2"]
    assert scores["System"] == ["base", "good", "fair"]
    assert isinstance(scores["BLEU"][2], Result)
    assert scores["BLEU"][2].p_value == 0.25742574257425743
    assert [type(value) for value in vars(scores["chrF2"][1]).values()] == [float] * 4
    assert list(test.metrics) == ["BLEU", "chrF2"]
    assert repr(test()[1]) == repr(scores)


def test_defaults_are_sacrebleus() -> None:
    metrics = {"TER": TER()}
    randomization = PairedTest(SYSTEMS, metrics, [TEXTS["ref"]], n_ar_confidence=0)
    assert (randomization.test_type, randomization.n_samples) == ("ar", 10_000)
    assert (randomization.n_ar_confidence, randomization.n_systems) == (1000, 2)
    bootstrap = PairedTest(SYSTEMS, metrics, [TEXTS["ref"]], "bs")
    assert (bootstrap.n_samples, bootstrap.n_ar_confidence, bootstrap.n_jobs) == (1000, -1, 1)


def test_intervals_may_come_with_randomization() -> None:
    test = PairedTest(SYSTEMS, {"TER": TER()}, [TEXTS["ref"]], n_samples=200, n_ar_confidence=100)
    signatures, scores = test()
    assert "|bs:100|ar:200|seed:12345|" in str(signatures["TER"])
    assert [result.p_value for result in scores["TER"]] == [
        None,
        0.004975124378109453,
        0.19402985074626866,
    ]
    means = [23.636795043945312, 7.422820568084717, 30.15190887451172]
    assert [result.mean for result in scores["TER"]] == pytest.approx(means, rel=1e-6)
    halves = [7.3830413818359375, 9.210526466369629, 15.113799095153809]
    assert [result.ci for result in scores["TER"]] == pytest.approx(halves, rel=1e-6)


def test_zero_is_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "0")

    def outcome(test_type: str) -> str:
        return repr(PairedTest(SYSTEMS, {"BLEU": BLEU()}, [TEXTS["ref"]], test_type, 99)())

    assert outcome("bs") == outcome("bs")
    assert outcome("ar") == outcome("ar")
    assert "|seed:0|" in outcome("ar")


def test_without_a_seed_every_run_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    test = PairedTest(SYSTEMS, {"BLEU": BLEU()}, [TEXTS["ref"]], "bs", 50)
    (signatures, first), (_, second) = test(), test()
    assert "|seed:none|" in str(signatures["BLEU"])
    assert repr(first) != repr(second)


def test_bad_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics, references = {"BLEU": BLEU()}, [TEXTS["ref"]]
    with pytest.raises(UnknownNameError, match="known: ar, bs"):
        PairedTest(SYSTEMS, metrics, references, "t-test")
    with pytest.raises(SettingError, match="n_jobs"):
        PairedTest(SYSTEMS, metrics, references, n_jobs=-1)
    with pytest.raises(SettingError, match="one metric or more"):
        PairedTest(SYSTEMS, {}, references)
    with pytest.raises(CorpusError, match="no systems"):
        PairedTest([], metrics, references)
    with pytest.raises(UnpairedSegmentsError):
        PairedTest([*SYSTEMS, ("short", ["one"])], metrics, references)
    monkeypatch.setenv("SACREBLEU_SEED", "some")
    with pytest.raises(SettingError, match="SACREBLEU_SEED"):
        PairedTest(SYSTEMS, metrics, references)


def test_estimate_ci_leaves_out_one_score_in_forty_at_each_end() -> None:
    scores = np.arange(80.0)[::-1]
    assert estimate_ci(scores) == (39.5, 37.5)
    assert scores[0] == 79.0


def test_a_baseline_alone_is_scored() -> None:
    _, scores = PairedTest(SYSTEMS[:1], {"BLEU": BLEU()}, [TEXTS["ref"]], "ar", 10)()
    assert [result.p_value for result in scores["BLEU"]] == [None]


def test_the_module_runs_tests() -> None:
    command = f"{sys.executable} -m truebleu.compat.sacrebleu ref -i base fair -pbs -pbsn 100"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert result.stdout.decode() == JSON
