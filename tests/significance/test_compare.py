"""Which systems, runs and metrics a comparison compares, and which verdict counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truebleu import compare
from truebleu.errors import SettingError
from truebleu.significance import adjust
from truebleu.simulation import simulate

TEXTS = simulate(segments=40, systems=[0.1, 0.2, 0.3], seed=1)


def test_texts_and_a_test_set_give_the_same_answer() -> None:
    options: dict[str, Any] = {"metrics": ["bleu", "ter"], "replicates": 100, "unit": "document"}
    from_texts = compare(
        TEXTS.systems,
        dict(zip(TEXTS.reference_names, TEXTS.references, strict=True)),
        documents=TEXTS.documents,
        domains=TEXTS.domains,
        **options,
    )
    assert from_texts == compare(TEXTS, **options)


def test_runs_may_be_named_or_told_by_a_pattern() -> None:
    channels = {"a.1": 0.1, "a.2": 0.1, "b.1": 0.2, "b.2": 0.2}
    simulated = simulate(segments=40, systems=list(channels.values()), seed=1)
    texts = dict(zip(channels, simulated.systems.values(), strict=True))
    by_name = compare(
        texts,
        simulated.references,
        replicates=100,
        runs={"a": ["a.1", "a.2"], "b": ["b.1", "b.2"]},
    )
    assert by_name == compare(texts, simulated.references, replicates=100, runs="{system}.{run}")


def test_the_first_metric_decides_the_verdict() -> None:
    two = simulate(segments=40, systems=[0.1, 0.2], seed=1)
    result = compare(two, metrics=["bleu", "chrf"], unit="segment", replicates=1000)
    assert result.settings.primary == "BLEU"
    assert "The verdict uses BLEU only; for information, " in str(result)
    chosen = compare(two, metrics=["chrf", "bleu"], unit="segment")
    assert "The verdict uses chrF2 only; " in str(chosen)
    assert compare(two, replicates=1000).settings.primary is None


def test_corrected_over_metrics_all_their_verdicts_count() -> None:
    requested: dict[str, Any] = {"metrics": ["bleu", "chrf"], "correct_over": "metrics"}
    result = compare(TEXTS, replicates=2000, unit="segment", **requested)
    p = np.array([pair.p for pair in result.comparisons])
    assert [pair.p_adjusted for pair in result.comparisons] == pytest.approx(adjust(p, "holm"))
    printed = " ".join(str(result).split())
    assert f"Holm's correction for {len(p)} comparisons by 2 metrics" in printed
    assert "The verdict uses" not in printed
    with pytest.raises(SettingError, match="to correct over metrics"):
        compare(TEXTS, correction="westfall-young", **requested)


def test_a_system_that_is_a_reference_is_left_out_if_two_others_remain() -> None:
    reference = list(TEXTS.references[0])
    systems = {**TEXTS.systems, "ref": reference}
    names = list(TEXTS.systems)
    assert list(compare(systems, reference, replicates=100).systems) == names
    assert "ref" in compare(systems, reference, replicates=100, baseline="ref").systems
    pair = {names[0]: systems[names[0]], "ref": reference}
    assert "ref" in compare(pair, reference, replicates=100).systems
