"""MQM scores from annotations agree with mt-metrics-eval and with the published averages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import SHARED, case_id, lines_of, tool_cases
from truebleu.human import HumanScores, read_human

if TYPE_CHECKING:
    from pathlib import Path

CASES = [
    case
    for case in tool_cases("meta", "mt-metrics-eval 68a481a (score_mqm)")
    if case["metric"] == "mqm-scores"
]
SEGMENTS = 529


def weights(case: dict[str, Any]) -> dict[str, float] | None:
    """The weights that a case names; None where they are the usual ones in words."""
    written = case["params"]["weights"]
    if ":" not in written:
        return None
    return {key.strip(): float(weight) for key, weight in re.findall(r"([^:]+):([\d.]+)", written)}


def documents(data: str) -> list[str]:
    return [line.split("\t")[1] for line in lines_of(f"{data}/docs.tsv")[1:]]


def scores(case: dict[str, Any], **choices: Any) -> HumanScores:
    path = SHARED / "data" / case["data"] / case["params"]["file"]
    systems = case["expect"]["system_mean"]
    judgments = read_human(
        path, systems=systems, segments=SEGMENTS, weights=weights(case), **choices
    )
    assert isinstance(judgments, HumanScores)
    return judgments


@pytest.mark.usefixtures("shared")
def test_the_cases_are_there() -> None:
    assert len(CASES) == 3


@pytest.mark.parametrize("matched", [False, True], ids=["in order", "by document"])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_system_means_agree_with_mt_metrics_eval(case: dict[str, Any], matched: bool) -> None:
    found = scores(case, documents=documents(case["data"]) if matched else None)
    expected = case["expect"]
    assert expected["segments"] == SEGMENTS
    assert found.means() == pytest.approx(expected["system_mean"], rel=1e-9)
    every = [score for row in found.scores.values() for score in row]
    assert sum(score for score in every if score is not None) == pytest.approx(
        expected["total"], rel=1e-9
    )


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_scores_of_segments_agree_with_mt_metrics_eval(case: dict[str, Any]) -> None:
    found = scores(case)
    rows = [line.split("\t") for line in lines_of(f"{case['data']}/segments.tsv")[1:]]
    place = {(doc, int(number)): int(segment) - 1 for segment, doc, number, _ in rows}
    for system, doc, number, score in case["expect"]["examples"]:
        assert found.scores[system][place[doc, number]] == score


def test_scores_are_those_that_were_published(shared: Path) -> None:
    data = shared / "data" / "ted-mqm-en-de"
    systems = sorted(path.stem for path in (data / "sys").iterdir())
    choices: dict[str, Any] = {"systems": systems, "segments": SEGMENTS}
    published = read_human(data / "human-mqm.tsv", **choices)
    computed = read_human(data / "mqm-annotations.tsv", others="ignore", **choices)
    assert isinstance(published, HumanScores)
    assert isinstance(computed, HumanScores)
    assert computed.scores == published.scores
    assert computed.ignored == ("ref",)
    assert computed.raters == 4


def test_half_of_a_large_test_set_is_judged_and_the_rest_stays_missing(shared: Path) -> None:
    # The numbers of shared/facts/meta.md, section 11.
    data = shared / "data" / "wmt21-en-de"
    systems = sorted(path.stem for path in (data / "sys").iterdir())
    judgments = read_human(data / "human-mqm.tsv", systems=systems, segments=1002)
    assert isinstance(judgments, HumanScores)
    judged = [sum(score is not None for score in row) for row in judgments.scores.values()]
    assert judged == [527] * 8
