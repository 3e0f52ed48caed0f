"""Claims about the study of test-set size."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.columns import numbers
from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.nist import NIST
from truebleu.scores import GivenScores
from truebleu.simulation import simulate
from truebleu.studies._study import fit_law, orders_of_growth
from truebleu.studies.interval_width import (
    sets_of_references,
    study_references,
    study_test_size,
    worth_in_data,
)

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"shares": [0.25, 0.5, 1.0], "samples": 4, "replicates": 200}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=200, systems=[0.15, 0.3], document_length=5, seed=2)


def human(scores: dict[str, list[float]]) -> tuple[TestSet, GivenScores]:
    """A test set whose only content is scores."""
    text = ["x"] * len(next(iter(scores.values())))
    return as_test_set(dict.fromkeys(scores, text), text), GivenScores.of(scores, name="human")


def test_doubling_independent_scores_narrows_their_interval_by_29_percent() -> None:
    scores = np.random.default_rng(5).normal(10.0, 2.0, 1000)
    test_set, metric = human({"a": scores.tolist()})
    result = study_test_size(test_set, [metric], samples=20, replicates=500)
    for size, width in zip(numbers(result, "size"), numbers(result, "width"), strict=True):
        # 2 * 1.96 standard errors of the mean, beside the mean.
        expected = 2 * 1.96 * scores.std() / size**0.5 / scores.mean()
        assert width == pytest.approx(expected, rel=0.05)
    (law,) = result.details["laws"]
    assert law["doubling"].value == pytest.approx(1 - 0.5**0.5, abs=0.01)
    assert f"the interval by {law['doubling']}" in result.sentences[0]


def test_scores_are_means_over_the_parts_of_random_growth(pool: TestSet) -> None:
    result = study_test_size(pool, ["nist"], recount=True, seed=9, **QUICK)
    outputs, references = list(pool.systems["system-1"]), list(pool.references[0])
    parts = [sorted(order[:50]) for order in orders_of_growth(200, 4, seed=9)]
    alone = [
        NIST().corpus([outputs[i] for i in part], [references[i] for i in part]).score
        for part in parts
    ]
    assert result.rows[0]["score"] == pytest.approx(np.mean(alone), rel=1e-9)
    assert result.rows[0]["score_sd"] == pytest.approx(np.std(alone, ddof=1), rel=1e-6)


def test_nist_grows_with_the_test_set_only_if_parts_are_recounted(
    pool: TestSet,
) -> None:
    within = study_test_size(pool, ["nist"], **QUICK)
    anew = study_test_size(pool, ["nist"], recount=True, **QUICK)
    small, large = within.rows[0], within.rows[2]
    assert small["score"] == pytest.approx(large["score"], rel=0.05)
    assert any("--recount" in finding for finding in within.to_document().sentences)
    scores = numbers(anew, "score", system="system-1")
    assert scores == sorted(scores)
    assert scores[0] < 0.9 * scores[2]
    assert not any("--recount" in finding for finding in anew.to_document().sentences)
    # The whole is the same, however it is counted.
    assert scores[2] == pytest.approx(large["score"], rel=1e-9)


def test_documents_vary_more_than_as_many_segments_and_widen_the_interval() -> None:
    shifts = np.repeat(np.random.default_rng(6).normal(0, 1, 40), 5)
    test_set, metric = human({"a": (5 + shifts).tolist()})
    documents = tuple(f"d{place // 5}" for place in range(200))
    grouped = TestSet(
        systems=test_set.systems,
        references=test_set.references,
        reference_names=test_set.reference_names,
        documents=documents,
    )
    by_segment = study_test_size(grouped, [metric], **QUICK)
    by_document = study_test_size(grouped, [metric], unit="document", **QUICK)
    assert by_document.rows[-1]["size"] == 40
    # Segments of a document are all alike: five of them say as much as one.
    ratio = numbers(by_document, "width")[-1] / numbers(by_segment, "width")[-1]
    assert ratio == pytest.approx(5**0.5, rel=0.15)


def test_an_interrupted_study_resumes_to_equal_results(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "study.jsonl"
    whole = study_test_size(pool, ["bleu"], runner=Runner(journal), **QUICK)
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:6]) + b"\n")
    assert study_test_size(pool, ["bleu"], runner=Runner(journal), **QUICK) == whole
    assert study_test_size(pool, ["bleu"], **QUICK) == whole


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"shares": [0.5, 1.0]}, "at least 3"),
        ({"shares": [0.01, 0.5, 1.0]}, "at least 5 segments"),
        ({"shares": [0.0, 0.5, 1.0]}, "above 0 and up to 1"),
        ({"shares": [0.5, 0.8, 1.5]}, "above 0 and up to 1"),
        ({"samples": 1}, "from 2"),
        ({"replicates": 10}, "at least 40"),
        ({"level": 1.0}, "below 1"),
    ],
)
def test_invalid_settings_are_rejected(pool: TestSet, options: dict[str, Any], claim: str) -> None:
    with pytest.raises(SettingError, match=claim):
        study_test_size(pool, ["bleu"], **{**QUICK, **options})


def test_documents_must_be_known_to_be_added(pool: TestSet) -> None:
    bare = as_test_set(pool.systems, pool.references)
    with pytest.raises(SettingError, match="documents"):
        study_test_size(bare, ["bleu"], unit="document", **QUICK)


def test_real_data_narrow_by_about_30_percent_when_they_double(shared: Path) -> None:
    folder = shared / "data" / "wmt23-he-en"
    test_set = read_test_set([str(folder / "sys" / "GPT4-5shot.txt")], [str(folder / "refA.txt")])
    result = study_test_size(test_set, ["bleu", "ter"], samples=20, replicates=300)
    assert [law["metric"] for law in result.details["laws"]] == ["BLEU", "TER"]
    assert all(0.27 < law["doubling"].value < 0.32 for law in result.details["laws"])


def test_scores_of_zero_have_no_interval() -> None:
    test_set, metric = human({"nothing": [0.0] * 40, "something": list(range(1, 41))})
    result = study_test_size(test_set, [metric], **QUICK)
    assert [row["width"] for row in result.rows[:3]] == [None] * 3
    assert "without nothing, whose scores are 0" in result.to_document().sentences[0]
    alone, metric = human({"nothing": [0.0] * 40})
    nothing = study_test_size(alone, [metric], **QUICK)
    assert "no power law can be fitted" in nothing.to_document().sentences[0]
    json.dumps(result.to_dict(), allow_nan=False)


# References.


REFERENCES: dict[str, Any] = {"shares": [0.5, 0.75, 1.0], "samples": 2, "replicates": 200}

# Zhang & Vogel (2004, Table 4): widths of NIST's intervals in percent, by references.
TABLE_4_SHARES = (50, 60, 70, 80, 90, 100)
TABLE_4 = {
    1: (5.92, 5.30, 5.06, 4.77, 4.53, 4.25),
    2: (5.20, 4.74, 4.49, 4.21, 3.94, 3.90),
    3: (5.10, 4.66, 4.24, 4.04, 3.64, 3.48),
    4: (4.72, 4.28, 3.99, 3.78, 3.70, 3.38),
}


@pytest.fixture(scope="module")
def translated() -> TestSet:
    return simulate(segments=150, systems=[0.1, 0.3], references=3, seed=4)


@pytest.mark.parametrize("references", [2, 3, 4])
def test_the_worth_of_references_is_where_the_papers_own_widths_cross(references: int) -> None:
    one, more = fit_law(TABLE_4_SHARES, TABLE_4[1]), fit_law(TABLE_4_SHARES, TABLE_4[references])
    assert one is not None
    assert more is not None
    share = worth_in_data(one, more, 100)
    # Read off the table between its rows: 78.6, 69.8 and 61.0 %. The paper's text names the rows
    # around them, 80~90, 70~80 and 60~70 %. The law smooths the table's noise.
    crossing = np.interp(-TABLE_4[1][-1], [-width for width in TABLE_4[references]], TABLE_4_SHARES)
    assert share is not None
    assert 100 * share == pytest.approx(crossing, abs=2)


def test_all_sets_of_each_size_are_taken() -> None:
    assert sets_of_references(4) == [
        combination for size in (1, 2, 3, 4) for combination in combinations(range(4), size)
    ]


def test_figures_are_means_over_all_sets_of_references(translated: TestSet) -> None:
    result = study_references(translated, ["bleu"], seed=1, **REFERENCES)
    for count in (1, 2, 3):
        scores = [
            BLEU().corpus(outputs, [translated.references[index] for index in chosen]).score
            for chosen in combinations(range(3), count)
            for outputs in translated.systems.values()
        ]
        (median,) = numbers(result, "median", references=count, share=1.0)
        # The bootstrap's medians lie within a percent or two of the scores.
        assert median == pytest.approx(np.mean(scores), rel=0.02)
    assert numbers(result, "sets", share=1.0) == [3, 3, 1]


def test_the_table_is_a_grid_of_references_and_sizes(translated: TestSet) -> None:
    """Zhang & Vogel (2004), Table 4."""
    result = study_references(translated, ["bleu"], **REFERENCES)
    assert result.display_table is not None
    heads = [column.heading for column in result.display_table.columns]
    assert heads[-3:] == ["1 reference", "2 references", "3 references"]
    assert len(result.display_table.rows) == len(result.rows) / 3
    (low,) = numbers(result, "low", references=2, share=1.0)
    (high,) = numbers(result, "high", references=2, share=1.0)
    expected = f"[{100 * low:+.2f} %, {100 * high:+.2f} %]"
    assert result.display_table.rows[-1]["2 references"] == expected
    assert expected in str(result)


def test_a_repeated_reference_is_worth_nothing(translated: TestSet) -> None:
    twice = as_test_set(translated.systems, [translated.references[0], translated.references[0]])
    result = study_references(twice, ["bleu", "ter"], **REFERENCES)
    assert "BLEU: its intervals do not depend on the references." in result.to_document().sentences
    assert "TER: its intervals do not depend on the references." in result.to_document().sentences
    one, two = (numbers(result, "width", metric="BLEU", references=r) for r in (1, 2))
    assert one == pytest.approx(two, rel=1e-12)


def test_scores_from_elsewhere_do_not_depend_on_references(translated: TestSet) -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(5, 1, len(translated)).tolist() for name in translated.systems}
    result = study_references(translated, [GivenScores.of(scores, name="human")], **REFERENCES)
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


def test_a_study_of_references_resumes_to_equal_results(
    translated: TestSet, tmp_path: Path
) -> None:
    journal = tmp_path / "study.jsonl"
    whole = study_references(translated, ["bleu"], runner=Runner(journal), **REFERENCES)
    lines = journal.read_bytes().split(b"\n")
    assert len(lines) == 1 + 7 + 1
    journal.write_bytes(b"\n".join(lines[:4]) + b"\n")
    assert study_references(translated, ["bleu"], runner=Runner(journal), **REFERENCES) == whole


def test_one_reference_is_refused(translated: TestSet) -> None:
    single = as_test_set(translated.systems, translated.references[0])
    with pytest.raises(SettingError, match="references: 1; expected 2 to 8"):
        study_references(single, ["bleu"], **REFERENCES)


def test_references_with_absent_segments_are_refused_by_name(translated: TestSet) -> None:
    second = [None, *list(translated.references[1])[1:]]
    partial = as_test_set(translated.systems, [translated.references[0], second])
    with pytest.raises(SettingError, match="absent segments in reference 2"):
        study_references(partial, ["bleu"], **REFERENCES)


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"shares": [1.0]}, "at least 3"),
        ({"samples": 1}, "from 2"),
        ({"replicates": 10}, "at least 40"),
    ],
)
def test_invalid_settings_of_references_are_rejected(
    translated: TestSet, options: dict[str, Any], claim: str
) -> None:
    with pytest.raises(SettingError, match=claim):
        study_references(translated, ["bleu"], **{**REFERENCES, **options})


def test_scores_of_zero_have_no_intervals_by_references(translated: TestSet) -> None:
    zeros = GivenScores.of(
        {name: [0.0] * len(translated) for name in translated.systems}, name="zero"
    )
    result = study_references(translated, [zeros], **REFERENCES)
    (sentence, *_) = result.to_document().sentences
    assert sentence == "zero: there are no intervals, because scores are 0 or do not vary."
    json.dumps(result.to_dict(), allow_nan=False)


def test_systems_are_compared_with_a_held_out_reference(translated: TestSet) -> None:
    """Koehn (2004), §2.3: BLEU relative to a human translation."""
    result = study_references(translated, ["bleu"], **REFERENCES)
    texts = [list(text) for text in translated.references]
    metric = BLEU()
    others = [[text for text in texts if text is not left_out] for left_out in texts]
    human = np.mean(
        [metric.corpus(text, rest).score for text, rest in zip(texts, others, strict=True)]
    )
    for row in result.details["human"]:
        output = list(translated.systems[row["system"]])
        score = np.mean([metric.corpus(output, rest).score for rest in others])
        assert row["system_score"] == pytest.approx(score)
        assert row["human_score"] == pytest.approx(human)
        assert row["share"] == pytest.approx(score / human)
    assert any("of the human score" in line for line in result.sentences)
