"""``truebleu study length`` as a shell meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from truebleu.cli.main import main
from truebleu.simulation import save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["-r", "reference-1.txt", "system-1.txt", "system-2.txt", "system-3.txt"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("length")
    save_test_set(simulate(segments=40, systems=[0.1, 0.2, 0.3]), folder)
    return folder


@pytest.fixture(autouse=True)
def folder(saved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(saved)
    return saved


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["study", "length", *arguments])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_koehns_two_metrics_are_studied_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *TEXTS, "--format", "json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert list(dict.fromkeys(row["metric"] for row in result["rows"])) == ["BLEU", "GTM"]
    assert [row["kept"] for row in result["rows"][:9]] == [
        0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1,
    ]  # fmt: skip
    _, out, _ = run(capsys, "--help")
    assert "[default: bleu, gtm]" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*TEXTS, "--by", "choice"], "outputs chosen by their words"),
        ([*TEXTS, "--lengths", "50,120", "-m", "chrf"], "at 50 % and"),
        (["--simulate", "20", "-m", "ter"], "TER (lower is better)"),
        ([*TEXTS, "--piece", "character"], "characters cut off or repeated"),
    ],
)
def test_every_way_answers(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    code, out, err = run(capsys, *options)
    assert (code, err) == (0, "")
    assert said in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*TEXTS, "--lengths", "0"], "error: lengths: found 0.0"),
        ([*TEXTS, "--lengths", "70;80"], "error: lengths: found '70;80'"),
        ([*TEXTS, "--by", "choice", "--lengths", "80"], "error: lengths: found (0.8,)"),
        ([*TEXTS[:4], "--by", "choice"], "error: systems: found 2, expected at least 3"),
        ([*TEXTS, "-m", "blue"], "error: unknown metric 'blue'"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_words(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    code, out, err = run(capsys, *options)
    assert (code, out) == (2, "")
    assert err.startswith(said)
