"""What a report is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.simulated_causes import simulate_causes
from truebleu.counts.inputs import counts_of
from truebleu.counts.saved import read_counts, save_counts
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.explanation.report import report

if TYPE_CHECKING:
    from pathlib import Path

CAUSES = simulate_causes(segments=60)
TWO = replace(CAUSES, systems={name: CAUSES.systems[name] for name in ("runaway", "baseline")})


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "nist"])
def test_contributions_of_every_pair_add_up_to_its_difference(metric: str) -> None:
    made = report(CAUSES, metrics=[metric], replicates=200)
    assert made.segments is not None
    names, (by_metric,) = list(CAUSES.systems), made.segments.counts.metrics
    for pair in made.comparison.comparisons:
        places = names.index(pair.a), names.index(pair.b)
        forth, back = (
            made.segments.contributions(by_metric, *order) for order in (places, places[::-1])
        )
        assert forth.sum() == pytest.approx(pair.difference, abs=1e-9)
        assert np.array_equal(forth, -back)


def test_the_two_best_are_explained_or_all_against_the_baseline() -> None:
    made = report(CAUSES, metrics=["ter"], replicates=200)
    assert made.explanation is not None
    (pair,) = made.explanation.pairs
    scores = {name: by["TER"].score for name, by in made.comparison.systems.items()}
    assert {pair.comparison.a, pair.comparison.b} == set(sorted(scores, key=scores.__getitem__)[:2])
    made = report(CAUSES, baseline="baseline", replicates=200)
    assert made.explanation is not None
    assert [pair.comparison.b for pair in made.explanation.pairs] == ["baseline"] * 3


def test_saved_counts_give_the_same_numbers(tmp_path: Path) -> None:
    save_counts(counts_of(TWO), tmp_path / "saved.npz")
    made = report(read_counts(tmp_path / "saved.npz"), replicates=200)
    texts = report(TWO, replicates=200)
    assert made.comparison.comparisons == texts.comparison.comparisons
    assert made.explanation is not None
    assert texts.explanation is not None
    assert made.explanation.pairs[0].segments == texts.explanation.pairs[0].segments
    # What only texts can tell.
    assert made.explanation.pairs[0].degenerate == ()
    assert made.explanation.pairs[0].ngrams == ()
    assert [variable.name for variable in made.explanation.pairs[0].variables] == ["domain"]


def test_human_scores_of_other_segments_are_refused() -> None:
    with pytest.raises(UnpairedSegmentsError, match="people of runaway"):
        report(TWO, human={"people": {"runaway": [1.0]}})
    with pytest.raises(SettingError, match="nobody"):
        report(TWO, human={"people": {"nobody": [1.0] * 60}})
    with pytest.raises(SettingError, match="human"):
        report(TWO, human={"people": [1.0]})  # type: ignore[dict-item]


def test_a_report_prints_itself_and_gives_plain_values() -> None:
    made = report(TWO, replicates=200)
    assert str(made).startswith("runaway and baseline can't be told apart: they differ by ")
    assert set(made.to_dict()) >= {"comparisons", "explanations", "settings", "systems"}
