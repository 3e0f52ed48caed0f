"""Scores of error spans against the published scorers, on real annotations and by hand."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import SHARED, case_id
from truebleu.human.span_matching import Span, Spans
from truebleu.human.spans import SpanMeasure, read_span_annotations, span_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Case = dict[str, Any]

FOLDER = SHARED / "data" / "wmt23-eval-set"
GOLD = FOLDER / "human-scores" / "en-de.mqm.merged.seg.rating"
PARTS = ("precision", "recall", "f1")
EXACT, LOOSE = 1e-9, 1e-6


def all_cases() -> list[Case]:
    path = SHARED / "golden" / "spans.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


HAND = [case for case in all_cases() if case["metric"] == "all"]
REAL = [case for case in all_cases() if case["metric"] != "all"]


@cache
def spans_in(path: str, weightless: bool = True) -> Mapping[str, Sequence[Spans | None]]:
    return read_span_annotations(path, weightless=weightless).spans


@cache
def texts(system: str) -> list[str]:
    path = FOLDER / "system-outputs" / "en-de" / f"{system}.txt"
    return path.read_bytes().decode().removesuffix("\n").split("\n")


def cells(case: Case) -> list[tuple[Spans, Spans, int]]:
    """The gold spans, the predicted spans and the length of each output of a case."""
    data = case["data"]
    gold = spans_in(str(GOLD), "gold_filter" not in data)
    if "systems" not in data:
        return same_texts(gold)
    found = []
    for system in data["systems"]:
        for index, spans in enumerate(gold[system]):
            predicted: Spans | None = ()
            if data["prediction"] == "mqm.merged":
                predicted = gold[system][index]
            elif data["prediction"].endswith(".rating"):
                path = SHARED / "golden" / data["prediction"]
                predicted = spans_in(str(path))[system][index]
            if spans is not None and predicted is not None:
                found.append((spans, predicted, len(texts(system)[index].strip())))
    return found


def same_texts(gold: Mapping[str, Sequence[Spans | None]]) -> list[tuple[Spans, Spans, int]]:
    """Ratings of one text under two names of systems."""
    found = []
    for first, second in combinations(sorted(set(gold) - {"synthetic_ref"}), 2):
        for index, pair in enumerate(zip(texts(first), texts(second), strict=True)):
            one, other = gold[first][index], gold[second][index]
            if pair[0] == pair[1] and one is not None and other is not None:
                found.append((one, other, len(pair[0].strip())))
    return found


def measure(name: str, params: Case) -> SpanMeasure:
    """The settings of a case."""
    if name.startswith("wmt"):
        credit = params["partial_credit" if "partial_credit" in params else "half_credit"]
        return SpanMeasure(measure="wmt23" if "23" in name else "wmt25", penalty=1 - credit)
    settings: Case = {"measure": {"char-counts": "chars"}.get(name, name)}
    if name == "mpp-sum-of-pair-f1":
        settings = {"measure": "mpp", "matching": "pairs"}
    elif params["matching"] == "many_to_many":
        settings["matching"] = "many"
    elif params["algorithm"] == "greedy":
        settings["matching"] = "greedy"
    if "severity_weights" in params:
        return SpanMeasure(**settings, **params["severity_weights"])
    return SpanMeasure(**settings, penalty=params["severity_penalty"])


@pytest.mark.usefixtures("shared")
def test_all_cases_are_there() -> None:
    counts = Counter(case["metric"] for case in all_cases())
    assert sum(counts.values()) == 277
    assert (counts["mpp"], counts["em"], counts["mp"], counts["all"]) == (91, 38, 44, 20)


@pytest.mark.slow
@pytest.mark.parametrize("case", REAL, ids=case_id)
def test_spans_of_real_annotations(case: Case) -> None:
    spans = cells(case)
    assert len(spans) == case["counts"]["segments"]
    rows = measure(case["metric"], case["params"]).rows(*zip(*spans, strict=True))
    macro = case["params"].get("averaging") == "macro"
    parts = span_scores(rows if macro else rows.sum(axis=0))
    scores = {part: float(values.mean()) for part, values in parts.items()}
    if "raises" in case["expect"]:  # WMT23's script stops without credit, or without a span
        assert rows.sum(axis=0)[0] == 0
        return
    many = case["params"].get("matching") == "many_to_many"
    expected = {part: case["expect"][part] for part in PARTS}
    assert scores == pytest.approx(expected, abs=LOOSE if macro or many else EXACT)


def by_hand() -> list[tuple[Case, str]]:
    return [(case, key) for case in HAND for key in case["expect"]]


def hand_measure(key: str) -> SpanMeasure:
    name, *settings = key.split("/")
    params: Case = {"partial_credit": 0.5, "matching": "one_to_one", "algorithm": "optimal"}
    for setting in settings:
        if setting.startswith("penalty-"):
            params["severity_penalty"] = float(setting.removeprefix("penalty-"))
        elif setting == "weights-1-5":
            params["severity_weights"] = {"minor": 1, "major": 5}
        else:
            params["matching"] = setting.removesuffix("-greedy")
            params["algorithm"] = "greedy" if setting.endswith("-greedy") else "optimal"
    return measure(name, params)


@pytest.mark.parametrize(
    ("case", "key"), by_hand(), ids=[f"{case['id']}:{key}" for case, key in by_hand()]
)
def test_spans_by_hand(case: Case, key: str) -> None:
    expected = case["expect"][key]
    gold, predicted = (
        [
            Span(s["start"], s["end"], s["severity"] == "major", s["is_source_error"])
            for s in case["data"][side]
        ]
        for side in ("gold", "prediction")
    )
    row = hand_measure(key).count(gold, predicted, len(case["data"]["text"]))
    if "raises" in expected:
        assert 0 in row
        return
    assert span_scores(np.array(row)) == pytest.approx(expected, abs=EXACT)
