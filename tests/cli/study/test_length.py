"""``truebleu study length`` as a shell meets it."""

from __future__ import annotations

import pytest

from tests.cli.shell import answer, refuses, run, says
from tests.cli.texts import save_three_systems as save  # noqa: F401  # for conftest

TEXTS = ["study", "length", "-r", "reference-1.txt", "system-1.txt", "system-2.txt", "system-3.txt"]


def test_koehns_two_metrics_are_studied_by_default() -> None:
    result = answer(*TEXTS)
    assert list(dict.fromkeys(row["metric"] for row in result["rows"])) == ["BLEU", "GTM"]
    assert [row["kept"] for row in result["rows"][:9]] == [
        0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1,
    ]  # fmt: skip
    out = run("study", "length", "--help").out
    assert "[default: bleu, gtm]" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*TEXTS, "--by", "choice"], "outputs chosen by their words"),
        ([*TEXTS, "--lengths", "50,120", "-m", "chrf"], "at 50 % and"),
        (["study", "length", "--simulate", "20", "-m", "ter"], "TER (lower is better)"),
        ([*TEXTS, "--piece", "character"], "characters cut off or repeated"),
    ],
)
def test_every_way_answers(options: list[str], said: str) -> None:
    says(said, *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*TEXTS, "--lengths", "0"], "error: lengths: found 0.0"),
        ([*TEXTS, "--lengths", "70;80"], "error: lengths: found '70;80'"),
        ([*TEXTS, "--by", "choice", "--lengths", "80"], "error: lengths: found (0.8,)"),
        ([*TEXTS[:6], "--by", "choice"], "error: systems: found 2, expected at least 3"),
        ([*TEXTS, "-m", "blue"], "error: unknown metric 'blue'"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_words(options: list[str], said: str) -> None:
    refuses(said, *options)
