"""N-best lists, oracles and minimum Bayes risk against Moses, mbrs and plain definitions."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import SHARED, case_id, lines_of
from truebleu import BLEU, CHRF, TER
from truebleu.errors import TruebleuError
from truebleu.nbest import NBest, count_candidates, mbr, oracle_scores, read_nbest, utility_matrix
from truebleu.nbest.problem import plus_one_bleu

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

PATH = SHARED / "golden" / "tuning.json"
#: What this file tests, and what test_tuners.py and test_rerankers.py do.
HERE = {"parse", "statistics", "sentence-bleu", "oracle", "mbr"}
ELSEWHERE = {
    *("line", "coordinate-ascent", "zmert", "mert-restarts", "kbmira", "kbmira-range"),
    *("pro-classifier", "pro-range", "expected-bleu", "mrt", "expected-corpus-bleu"),
    *("travatar-mert", "l1-reranker"),
}
#: What truebleu does not do.
LEFT_OUT = {"noisy-channel"}
PLAIN_BLEU = BLEU(tokenize="none", smooth="none")
#: What Moses reads and truebleu refuses, with a part of the reason.
REFUSED = {
    "parse-ids-unsorted": "line 1: segment 1 first",
    "parse-id-missing-no-list-for-segment-1": "line 2: segment 2 after segment 0",
    "parse-fewer-features-on-a-later-line": "line 2: no feature 'X0_0'",
    "parse-sparse-features": "line 3: the feature 'wt_a~b' twice",
    "parse-numbers": "line 3: feature 'X0': inf",
    "parse-alignment-before-the-features-marian-alignment": "line 1: '0-0' among",
    "parse-id-not-a-number": "line 1: segment 's0'",
    "parse-empty-file": "no segments",
}
#: What Moses takes by position and truebleu by name.
BY_NAME = {"parse-groups-in-another-order": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
#: Moses removes duplicates; truebleu keeps them.
KEPT = {"parse-exact-duplicate-line": [[1, 2], [7, 8], [1, 2], [9, 9], [3, 4], [5, 6]]}


@cache
def golden() -> Any:
    if not PATH.exists():
        return {"cases": [], "inputs": {}}
    return json.loads(PATH.read_text(encoding="utf-8"))


def cases(kind: str) -> list[dict[str, Any]]:
    return [case for case in golden()["cases"] if case["kind"] == kind]


@cache
def lists_of(name: str) -> NBest:
    text = golden()["inputs"][name]["nbest"]
    from io import BytesIO

    return read_nbest("-", input_format="moses", stdin=BytesIO(text.encode()))


def references_of(name: str) -> list[list[str]]:
    references: list[list[str]] = golden()["inputs"][name]["references"]
    return references


def test_every_kind_of_case_is_accounted_for(shared: Any) -> None:
    assert shared.is_dir()
    kinds = {case["kind"] for case in golden()["cases"]}
    assert kinds == HERE | ELSEWHERE | LEFT_OUT
    assert sum(case["kind"] in HERE for case in golden()["cases"]) == 47


@pytest.mark.parametrize("case", cases("parse"), ids=case_id)
def test_lists_are_read_as_moses_reads_them_or_refused(case: dict[str, Any], folder: Any) -> None:
    path = folder.write("lists", case["settings"]["nbest"])
    if case["id"] in REFUSED:
        with pytest.raises(TruebleuError) as error:
            read_nbest(path, input_format="moses")
        assert REFUSED[case["id"]] in str(error.value)
        return
    lists = read_nbest(path, input_format="moses")
    expected = BY_NAME.get(case["id"]) or KEPT.get(case["id"])
    if expected is None:
        # Lines of one or more numbers; what is between the lists is marked by words.
        lines = case["expect"]["features_file"].splitlines()
        expected = [[float(v) for v in line.split()] for line in lines if "FEATURES" not in line]
    assert lists.features.tolist() == expected
    assert len(lists) == len(case["settings"]["references"])


@pytest.mark.usefixtures("shared")
def test_marians_lists_are_read_by_their_look(folder: Any) -> None:
    (case,) = [case for case in cases("parse") if "marian" in case["id"]]
    lists = read_nbest(folder.write("lists", case["settings"]["nbest"]))
    assert lists.format == "marian"
    assert lists.feature("F0").tolist() == [-1.5, -2.5, -3.5]


@pytest.mark.parametrize("case", cases("statistics"), ids=case_id)
def test_statistics_equal_the_extractor_of_moses(case: dict[str, Any]) -> None:
    length = case["settings"]["reference_length"]
    lists = lists_of(case["input"])
    metric = BLEU(tokenize="none", smooth="none", reference_length=length)
    counted = count_candidates(lists, references_of(case["input"]), metric)
    rows = np.empty((lists.candidates, 9))
    rows[:, 0:8:2], rows[:, 1:8:2] = counted.rows[:, 2:6], counted.rows[:, 6:10]
    rows[:, 8] = counted.rows[:, 1]
    for segment, expected in enumerate(case["expect"]["first_segments"]):
        assert rows[lists.span(segment)].tolist() == expected
    assert rows.sum(axis=0).tolist() == case["expect"]["totals"]


@pytest.mark.parametrize("case", cases("sentence-bleu"), ids=case_id)
def test_sentence_bleu_equals_moses(case: dict[str, Any]) -> None:
    lists = lists_of(case["input"])
    counted = count_candidates(lists, references_of(case["input"]), PLAIN_BLEU)
    scores = plus_one_bleu(counted) / 100
    for segment, expected in enumerate(case["expect"]["first_segments"]):
        assert scores[lists.span(segment)] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", cases("oracle"), ids=case_id)
def test_oracles_equal_the_plain_definition(case: dict[str, Any]) -> None:
    lists, expect = lists_of(case["input"]), case["expect"]
    result = oracle_scores(
        lists, references_of(case["input"]), metrics=[PLAIN_BLEU], sentence="plus-one"
    )
    (oracle,) = result.metrics
    assert oracle.first / 100 == pytest.approx(expect["first"], rel=1e-9)
    assert oracle.best / 100 == pytest.approx(expect["sentence_oracle_bleu"], rel=1e-9)
    assert oracle.worst / 100 == pytest.approx(expect["worst_bleu"], rel=1e-9)
    assert list(oracle.best_indices) == expect["sentence_oracle_index"]
    assert oracle.best_of_text / 100 >= expect["corpus_hill_climb_bleu_at_least"] * (1 - 1e-12)


def utility(case: dict[str, Any]) -> tuple[Metric, bool]:
    """The metric of a case, and whether it scores pairs with effective order."""
    settings = dict(case["settings"]["metric_settings"])
    settings.pop("fastchrf", None)
    effective = settings.pop("effective_order", True)
    if "smooth_method" in settings:
        settings["smooth"] = settings.pop("smooth_method")
    return {"chrf": CHRF, "bleu": BLEU, "ter": TER}[case["settings"]["metric"]](
        **settings
    ), effective


def candidates(case: dict[str, Any]) -> NBest:
    start, end = case["segments"]
    systems = {
        name: [line.strip() for line in lines_of(f"{case['data']}/{name}")[start:end]]
        for name in case["systems"]
    }
    lists = NBest.of_systems(systems)
    if case["settings"]["log_probabilities"] is None:
        return lists
    assert case["settings"]["log_probabilities"] == "-(k+1)/4 for candidate k from 0"
    logs = [[-(k + 1) / 4 for k in range(len(list_))] for list_ in lists]
    return NBest.of(list(lists), log_probabilities=logs)


@pytest.mark.parametrize("case", cases("mbr"), ids=case_id)
def test_expected_utilities_equal_mbrs(case: dict[str, Any]) -> None:
    metric, effective = utility(case)
    lists, expect = candidates(case), case["expect"]
    weights = "uniform" if lists.log_probabilities is None else "probability"
    method = "aggregate" if case["settings"]["decoder"] == "aggregate_mbr" else "exact"
    result = mbr(
        lists,
        metric=metric,
        weigh_by=weights,
        method=method,
        sentence_level=effective,
    )
    found = np.array([segment.utilities for segment in result.segments], dtype=float)
    tolerance = 1e-7 if "double" in case["tool"] else 2e-5
    assert np.abs(found - np.array(expect["utilities"])).max() < tolerance
    assert result.indices == expect["index"]
    if "utilities_without_self" in expect:
        result = mbr(lists, metric=metric, include_self=False)
        found = np.array([segment.utilities for segment in result.segments], dtype=float)
        assert np.abs(found - np.array(expect["utilities_without_self"])).max() < tolerance
        assert result.indices == expect["index_without_self"]
        matrix = utility_matrix(metric, lists[0])
        assert np.abs(matrix - np.array(expect["matrix_of_segment_0"])).max() < tolerance
