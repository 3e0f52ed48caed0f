"""The cases about metrics and people, and the scores that they start from."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tests.parity.cases import SHARED, all_cases

if TYPE_CHECKING:
    from truebleu.agreement.coefficients import Grouping

GROUPINGS: dict[str, Grouping] = {"none": "none", "item": "item", "sys": "system"}
MASK = "drop the human score where (segment + 2*system_index) mod 5 == 0"

Scores = NDArray[np.float64]


def meta_cases(*metrics: str, level: str | None = None) -> list[dict[str, Any]]:
    """The cases of these statistics; with a level, those about a data set at this level."""
    cases = [case for case in all_cases("meta") if case["metric"] in metrics]
    return [case for case in cases if case["params"].get("level") == level]


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a tab-separated file in ../shared, by its header."""
    lines = (SHARED / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    header = lines[0].split("\t")
    return tuple(dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:])


def segment_scores(case: dict[str, Any], score: str) -> tuple[Scores, Scores]:
    """Human and metric scores shaped (system, segment) of a case about segments."""
    data = case["data"]
    human = _matrix(f"data/{data}/human-mqm.tsv", data, "mqm")
    mask = case["params"].get("mask")
    if mask is not None:
        assert mask.startswith(MASK)
        systems, segments = human.shape
        places = np.arange(1, segments + 1) + 2 * np.arange(systems)[:, np.newaxis]
        human = np.where(places % 5 == 0, np.nan, human)
    return human, _signed(case, score, _matrix(f"golden/meta-scores-{data}.tsv", data, score))


def system_scores(case: dict[str, Any], data: str) -> tuple[Scores, Scores]:
    """Human and metric scores of the systems of a data set."""
    rows = table(f"golden/meta-sys-{data}.tsv")
    score = case["params"]["score"]
    human = np.array([float(row["human"]) for row in rows])
    return human, _signed(case, score, np.array([float(row[score]) for row in rows]))


@cache
def _matrix(name: str, data: str, column: str) -> Scores:
    """A column shaped (system, segment), in the order of the golden scores; NaN for None."""
    rows = table(name)
    systems = list(dict.fromkeys(row["system"] for row in table(f"golden/meta-scores-{data}.tsv")))
    segments = max(int(row["segment"]) for row in rows)
    matrix = np.full((len(systems), segments), np.nan)
    for row in rows:
        if row["system"] in systems and re.fullmatch(r"-?[\d.]+(e-?\d+)?", row[column]):
            place = (systems.index(row["system"]), int(row["segment"]) - 1)
            matrix[place] = float(row[column])
    return matrix


def _signed(case: dict[str, Any], score: str, values: Scores) -> Scores:
    negate = case["params"].get("negate", False)
    negated = score in negate if isinstance(negate, list) else negate
    return -values if negated else values
