"""Claims about the study of references."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.columns import numbers
from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.metrics.bleu import BLEU
from truebleu.scores.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies._study import fit_law
from truebleu.studies.references import sets_of_references, study_references, worth_in_data

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"shares": [0.5, 0.75, 1.0], "samples": 2, "replicates": 200}

# Zhang & Vogel (2004, Table 4): widths of NIST's intervals in percent, by references.
SHARES = (50, 60, 70, 80, 90, 100)
TABLE_4 = {
    1: (5.92, 5.30, 5.06, 4.77, 4.53, 4.25),
    2: (5.20, 4.74, 4.49, 4.21, 3.94, 3.90),
    3: (5.10, 4.66, 4.24, 4.04, 3.64, 3.48),
    4: (4.72, 4.28, 3.99, 3.78, 3.70, 3.38),
}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=150, systems=[0.1, 0.3], references=3, seed=4)


@pytest.mark.parametrize("references", [2, 3, 4])
def test_the_worth_of_references_is_where_the_papers_own_widths_cross(references: int) -> None:
    one, more = fit_law(SHARES, TABLE_4[1]), fit_law(SHARES, TABLE_4[references])
    share = worth_in_data(one, more, 100)
    # Read off the table between its rows: 78.6, 69.8 and 61.0 %. The paper's text names the rows
    # around them, 80~90, 70~80 and 60~70 %. The law smooths the table's noise.
    crossing = np.interp(-TABLE_4[1][-1], [-width for width in TABLE_4[references]], SHARES)
    assert share is not None
    assert 100 * share == pytest.approx(crossing, abs=2)


def test_all_sets_of_each_size_are_taken() -> None:
    assert sets_of_references(4, 6, seed=0) == [
        combination for size in (1, 2, 3, 4) for combination in combinations(range(4), size)
    ]


def test_too_many_sets_are_chosen_among_at_random_and_never_twice() -> None:
    sets = sets_of_references(9, 10, seed=1)
    by_size = {size: [one for one in sets if len(one) == size] for size in range(1, 10)}
    assert [len(by_size[size]) for size in by_size] == [9, 10, 10, 10, 10, 10, 10, 9, 1]
    assert len(set(sets)) == len(sets)
    assert sets == sets_of_references(9, 10, seed=1)
    assert sets != sets_of_references(9, 10, seed=2)


def test_figures_are_means_over_all_sets_of_references(pool: TestSet) -> None:
    result = study_references(pool, ["bleu"], seed=1, **QUICK)
    for count in (1, 2, 3):
        scores = [
            BLEU().corpus(outputs, [pool.references[index] for index in chosen]).score
            for chosen in combinations(range(3), count)
            for outputs in pool.systems.values()
        ]
        (median,) = numbers(result, "median", references=count, share=1.0)
        # The bootstrap's medians lie within a percent or two of the scores.
        assert median == pytest.approx(np.mean(scores), rel=0.02)
    assert numbers(result, "sets", share=1.0) == [3, 3, 1]


def test_one_reference_on_all_of_the_data_is_worth_itself(pool: TestSet) -> None:
    result = study_references(pool, ["bleu"], **QUICK)
    (alone,) = numbers(result, "alone", references=1, share=1.0)
    assert alone == pytest.approx(1.0, abs=0.1)


def test_the_same_reference_again_is_worth_nothing(pool: TestSet) -> None:
    twice = as_test_set(pool.systems, [pool.references[0], pool.references[0]])
    result = study_references(twice, ["bleu", "ter"], **QUICK)
    assert "BLEU: its intervals do not depend on the references." in result.to_document().sentences
    assert "TER: its intervals do not depend on the references." in result.to_document().sentences
    one, two = (numbers(result, "width", metric="BLEU", references=r) for r in (1, 2))
    assert one == pytest.approx(two, rel=1e-12)


def test_scores_from_elsewhere_do_not_depend_on_references(pool: TestSet) -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(5, 1, len(pool)).tolist() for name in pool.systems}
    result = study_references(pool, [GivenScores.of(scores, name="human")], **QUICK)
    (sentence, *_) = result.to_document().sentences
    assert sentence == "human: its intervals do not depend on the references."


@pytest.mark.slow
def test_further_references_narrow_the_intervals_of_real_data(shared: Path) -> None:
    folder = shared / "data" / "four-references"
    test_set = read_test_set(
        [str(folder / "out.0.txt")], [str(folder / f"ref{index}.txt") for index in range(4)]
    )
    result = study_references(test_set, ["bleu", "nist"], samples=3, replicates=500)
    for metric in ("BLEU", "NIST"):
        widths = numbers(result, "width", metric=metric, share=1.0)
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] < 0.8 * widths[0]


def test_a_study_goes_on_to_the_same_result(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "study.jsonl"
    whole = study_references(pool, ["bleu"], runner=Runner(journal), **QUICK)
    lines = journal.read_bytes().split(b"\n")
    assert len(lines) == 1 + 7 + 1
    journal.write_bytes(b"\n".join(lines[:4]) + b"\n")
    assert study_references(pool, ["bleu"], runner=Runner(journal), **QUICK) == whole


def test_one_reference_is_refused(pool: TestSet) -> None:
    single = as_test_set(pool.systems, pool.references[0])
    with pytest.raises(SettingError, match="references: found 1, expected at least 2"):
        study_references(single, ["bleu"], **QUICK)


def test_references_with_absent_segments_are_refused_by_name(pool: TestSet) -> None:
    second = [None, *list(pool.references[1])[1:]]
    partial = as_test_set(pool.systems, [pool.references[0], second])
    with pytest.raises(SettingError, match="absent segments in reference 2"):
        study_references(partial, ["bleu"], **QUICK)


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"shares": [1.0]}, "at least 3"),
        ({"samples": 1}, "at least 2"),
        ({"subsets": 0}, "from 1"),
        ({"replicates": 10}, "at least 40"),
    ],
)
def test_what_can_say_nothing_is_refused(
    pool: TestSet, options: dict[str, Any], claim: str
) -> None:
    with pytest.raises(SettingError, match=claim):
        study_references(pool, ["bleu"], **{**QUICK, **options})
