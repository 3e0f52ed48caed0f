"""The drop-in's paired tests against sacreBLEU 2.6.0: the same draws, so the same p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import case_id, cases, texts
from truebleu.compat.sacrebleu.metrics import METRICS
from truebleu.compat.sacrebleu.significance import PairedTest

if TYPE_CHECKING:
    from truebleu.compat.sacrebleu.significance import Result

# These settings belong to the test, not to the metric.
TEST_SETTINGS = ("n_samples", "n_ar_confidence")
CASES = cases("sacrebleu", "paired-bs", "paired-ar")


def run(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Result]]:
    """The signatures and the results of a case, the baseline's first."""
    params = dict(case["params"])
    monkeypatch.setenv("SACREBLEU_SEED", str(params.pop("seed")))
    settings = {name: params.pop(name) for name in TEST_SETTINGS if name in params}
    systems, references = texts(case)
    test = PairedTest(
        list(zip(case["systems"], systems, strict=True)),
        {case["metric"]: METRICS[case["metric"].upper()](**params)},
        references,
        test_type=case["kind"].removeprefix("paired-"),
        **settings,
    )
    signatures, scores = test()
    assert scores["System"] == case["systems"]
    return signatures, scores[case["expect"]["name"]]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_paired_tests_agree(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expect = case["expect"]
    signatures, results = run(case, monkeypatch)
    assert {name: str(signature) for name, signature in signatures.items()} == {
        expect["name"]: expect["signature"]
    }
    p_values = [expected["p_value"] for expected in expect["results"]]
    assert [result.p_value for result in results] == p_values
    for result, expected in zip(results, expect["results"], strict=True):
        assert result.score == pytest.approx(expected["score"], rel=1e-9)
        if expected["mean"] is None:
            assert (result.mean, result.ci) == (None, None)
        else:
            # The last digits depend on how a NumPy release adds and on the system's logarithm.
            assert result.mean == pytest.approx(expected["mean"], rel=1e-6)
            assert result.ci == pytest.approx(expected["ci"], rel=1e-5)


@pytest.mark.parametrize("case", [case for case in CASES if "expect_numpy1" in case], ids=case_id)
def test_an_older_numpy_would_give_the_same_p_values_and_almost_the_same_intervals(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, results = run(case, monkeypatch)
    expect = case["expect_numpy1"]["results"]
    assert [result.p_value for result in results] == [expected["p_value"] for expected in expect]
    for result, expected in zip(results, expect, strict=True):
        assert result.mean == pytest.approx(expected["mean"], abs=1e-4)
        assert result.ci == pytest.approx(expected["ci"], abs=1e-4)
