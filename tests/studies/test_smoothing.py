"""Claims about the study of smoothings."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from tests.parity.meta import meta_cases, segment_scores
from tests.properties.plain_sentence_bleu import sentence_bleu
from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import MalformedFileError, SettingError
from truebleu.execution.journal import Runner
from truebleu.human import HumanScores, Judgment, PairwiseJudgments, read_human
from truebleu.metrics.bleu import BLEU, SentenceBLEU
from truebleu.metrics.threads import set_threads
from truebleu.simulation import simulate
from truebleu.studies.smoothing import study_smoothing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

LABELS = ("crp", "0", "1", "2", "3", "4", "5", "6", "7")
QUICK: dict[str, Any] = {"replicates": 100, "permutations": 50, "tokenize": "none"}


def scores(rows: Mapping[str, Sequence[float | None]], **others: Any) -> HumanScores:
    values: dict[str, Any] = {"label": "human.tsv", "level": "segment", "signature": "test"}
    return HumanScores(scores={name: tuple(row) for name, row in rows.items()}, **values | others)


def integer_scores(test_set: TestSet, seed: int = 3) -> dict[str, list[float | None]]:
    """Few values, so that people tie, and some cells that nobody judged."""
    rng = np.random.default_rng(seed)
    cells = -rng.integers(0, 5, (len(test_set.systems), len(test_set))).astype(float)
    missing = rng.random(cells.shape) < 0.1
    return {
        name: [None if gone else float(cell) for cell, gone in zip(row, lost, strict=True)]
        for name, row, lost in zip(test_set.systems, cells, missing, strict=True)
    }


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=40, systems=[0.2, 0.3, 0.4, 0.5], references=2, seed=5)


@pytest.fixture(scope="module")
def human(pool: TestSet) -> HumanScores:
    return scores(integer_scores(pool))


def plain_scores(test_set: TestSet, smoothing: int) -> np.ndarray[Any, Any]:
    """Sentence BLEU by the paper's equations, shaped (system, segment)."""
    references = list(zip(*test_set.references, strict=True))
    return np.array(
        [
            [
                sentence_bleu(str(output), [str(text) for text in texts], smoothing)
                for output, texts in zip(outputs, references, strict=True)
            ]
            for outputs in test_set.systems.values()
        ]
    )


def closest_lengths(test_set: TestSet) -> np.ndarray[Any, Any]:
    """len(R) of eq. 13: of several references the length next to that of the output."""
    references = list(zip(*test_set.references, strict=True))
    return np.array(
        [
            [
                min(
                    sorted(len(str(text).split()) for text in texts),
                    key=lambda length: abs(length - len(str(output).split())),
                )
                for output, texts in zip(outputs, references, strict=True)
            ]
            for outputs in test_set.systems.values()
        ]
    )


def plain_tau(people: np.ndarray[Any, Any], metric: np.ndarray[Any, Any]) -> float:
    """Eq. 12: pairs that people tie are removed, those that the metric ties count half and half."""
    concordant = discordant = 0.0
    for item in range(people.shape[1]):
        for a, b in combinations(range(len(people)), 2):
            said = people[a, item] - people[b, item]
            if np.isnan(said) or said == 0:
                continue
            found = metric[a, item] - metric[b, item]
            concordant += 0.5 if found == 0 else float(said * found > 0)
            discordant += 0.5 if found == 0 else float(said * found < 0)
    return (concordant - discordant) / (concordant + discordant)


def as_matrix(human: HumanScores) -> np.ndarray[Any, Any]:
    return np.array([[np.nan if s is None else s for s in row] for row in human.scores.values()])


def row(result: StudyResult, label: str) -> Row:
    return next(row for row in result.rows if row["smoothing"] == label)


def value(found: StudyResult, name: str, label: str) -> float:
    """A coefficient, which must be there."""
    return float(row(found, label)[name])


def test_every_smoothing_has_the_values_of_the_equations(pool: TestSet, human: HumanScores) -> None:
    result = study_smoothing(pool, human, **QUICK)
    assert tuple(row["smoothing"] for row in result.rows) == LABELS
    people = as_matrix(human)
    lengths = closest_lengths(pool)
    for smoothing in range(8):
        metric = plain_scores(pool, smoothing)
        tau = value(result, "tau", str(smoothing))
        assert tau == pytest.approx(plain_tau(people, metric), abs=1e-12)
        documents = (lengths * metric).sum(axis=1) / lengths.sum(axis=1)
        systems = np.nanmean(people, axis=1)
        gamma = value(result, "gamma", str(smoothing))
        rho = value(result, "rho", str(smoothing))
        assert gamma == pytest.approx(pearsonr(systems, documents).statistic, abs=1e-9)
        assert rho == pytest.approx(spearmanr(systems, documents).statistic, abs=1e-9)


def test_corpus_bleu_has_system_values_and_a_reason_for_its_missing_segment_value(
    pool: TestSet, human: HumanScores
) -> None:
    result = study_smoothing(pool, human, **QUICK)
    metric = BLEU(smooth="none", tokenize="none")
    corpus = [metric.corpus(text, pool.references).score for text in pool.systems.values()]
    expected = pearsonr(np.nanmean(as_matrix(human), axis=1), corpus).statistic
    crp = row(result, "crp")
    assert (crp["tau"], crp["tau_low"], crp["p"]) == (None, None, None)
    assert crp["gamma"] == pytest.approx(expected, abs=1e-9)
    assert any(finding.startswith("No τ of crp: ") for finding in result.to_document().sentences)


def test_pairs_and_human_ties_are_counted(pool: TestSet, human: HumanScores) -> None:
    people = as_matrix(human)
    tied = preferred = 0
    for a, b in combinations(people, 2):
        both = ~np.isnan(a) & ~np.isnan(b)
        tied += int((both & (a == b)).sum())
        preferred += int((both & (a != b)).sum())
    result = study_smoothing(pool, human, **QUICK)
    assert (result.details["pairs"], result.details["ties"]) == (preferred, tied)
    (sentence,) = [line for line in result.to_document().sentences if "ties" in line]
    assert f"τ compares {preferred} pairs" in sentence
    assert f"{tied} of their ties are left out" in sentence


def read_set(shared: Path, name: str) -> tuple[TestSet, HumanScores]:
    folder = shared / "data" / name
    texts = read_test_set([str(folder / "sys")], [str(folder / "refA.txt")])
    judged = read_human(folder / "human-mqm.tsv", systems=texts.systems, segments=len(texts))
    assert isinstance(judged, HumanScores)
    return texts, judged


@pytest.mark.slow
# sacreBLEU without smoothing is smoothing 0, and its exp is smoothing 3, where outputs have four
# words and any match.
@pytest.mark.parametrize(("column", "label"), [("BLEU0", "0"), ("BLEU", "3")])
@pytest.mark.parametrize("name", ["wmt21-en-de", "ted-mqm-en-de"])
def test_unsmoothed_and_halved_counts_agree_as_sacrebleu_scores_do(
    shared: Path, name: str, column: str, label: str
) -> None:
    (case,) = [
        case
        for case in meta_cases("chen-cherry-tau", level="segment")
        if (case["data"], case["params"]["score"]) == (name, column)
        and "mask" not in case["params"]
    ]
    texts, judged = read_set(shared, name)
    golden_human, golden = segment_scores(case, column)
    result = study_smoothing(texts, judged, replicates=50, permutations=1)
    tied = f"{case['expect']['human_ties_removed']:,} of their ties are left out"
    assert any(tied in finding for finding in result.to_document().sentences)
    if name == "wmt21-en-de":
        tau = value(result, "tau", label)
        assert tau == pytest.approx(case["expect"]["tau"], abs=1e-9)
        return
    # sacreBLEU scores 0 where an output is too short or matches nowhere: leave those segments out.
    short = np.array(
        [
            any(
                len(str(text[n]).split()) < 4
                for text in (*texts.systems.values(), *texts.references)
            )
            for n in range(len(texts))
        ]
    )
    unmatched = (golden == 0).any(axis=0) if label == "3" else np.zeros(len(texts), dtype=bool)
    assert 0 < (short | unmatched).sum() < 100
    kept = {
        name: [None if gone else s for s, gone in zip(row, short | unmatched, strict=True)]
        for name, row in judged.scores.items()
    }
    metric = SentenceBLEU(smoothing=label)
    rated = {name: texts.systems[name] for name in judged.scores}
    own = np.array([metric.statistics(text, texts.references)[:, 2] for text in rated.values()])
    left = ~(short | unmatched)
    np.testing.assert_allclose(own[:, left], golden[:, left], rtol=0, atol=1e-6)
    # Rounded scores tie what differs in the last digits, so that tau is compared on our own.
    fewer = study_smoothing(texts, scores(kept), replicates=50, permutations=1)
    tau = value(fewer, "tau", label)
    people = np.where(left, golden_human, np.nan)
    assert tau == pytest.approx(plain_tau(people, own), abs=1e-12)


def test_comparisons_that_scores_imply_give_the_same_tau(pool: TestSet, human: HumanScores) -> None:
    people = as_matrix(human)
    names = list(pool.systems)
    judgments = [
        Judgment(item, names[a], names[b], int(np.sign(people[a, item] - people[b, item])))  # type: ignore[arg-type]
        for item in range(len(pool))
        for a, b in combinations(range(len(names)), 2)
        if not np.isnan(people[a, item] - people[b, item])
    ]
    compared = PairwiseJudgments(
        label="pairs.csv", systems=tuple(names), judgments=tuple(judgments), signature="pairs"
    )
    by_scores = study_smoothing(pool, human, **QUICK)
    by_pairs = study_smoothing(pool, compared, **QUICK)
    for label in LABELS[1:]:
        assert row(by_pairs, label)["tau"] == row(by_scores, label)["tau"]
    assert by_pairs.to_document().sentences[0] == by_scores.to_document().sentences[0]
    wins = np.array(
        [
            np.mean(
                [
                    (judgment.verdict > 0) == (judgment.left == name)
                    for judgment in judgments
                    if judgment.verdict and name in (judgment.left, judgment.right)
                ]
            )
            for name in names
        ]
    )
    lengths, metric = closest_lengths(pool), plain_scores(pool, 4)
    documents = (lengths * metric).sum(axis=1) / lengths.sum(axis=1)
    assert row(by_pairs, "4")["gamma"] == pytest.approx(pearsonr(wins, documents).statistic)
    for column in ("tau", "gamma", "rho"):
        low, value, high = (row(by_pairs, "4")[f"{column}{end}"] for end in ("_low", "", "_high"))
        assert -1 <= low < high <= 1
        assert -1 <= value <= 1


def test_ratings_made_from_a_smoothing_agree_best_with_it(pool: TestSet) -> None:
    likes = plain_scores(pool, 2)
    judged = scores({name: row.tolist() for name, row in zip(pool.systems, likes, strict=True)})
    result = study_smoothing(pool, judged, **QUICK | {"permutations": 999})
    best = row(result, "2")
    assert (best["tau"], best["tau_low"], best["tau_high"]) == (1.0, 1.0, 1.0)
    # Nothing is as good, so that hardly a permutation is: seven times 1 / 1000, by Holm.
    assert best["p"] == pytest.approx(7 / 1000, abs=0.01)
    (sentence,) = [one for one in result.to_document().sentences if one.startswith("By segment τ")]
    assert "smoothing 2 (add-one) agrees best, with 1.0000" in sentence
    assert "significantly above smoothing 0 (none)" in sentence
    assert "cannot be told from smoothing 0" not in sentence


@pytest.mark.slow
def test_intervals_have_about_their_coverage() -> None:
    whole = simulate(segments=1200, systems=[0.2, 0.3, 0.4], seed=11)
    rng = np.random.default_rng(1)
    quality = plain_scores(whole, 3) + rng.normal(0, 0.5, (3, 1200))
    people = {name: row.round(1).tolist() for name, row in zip(whole.systems, quality, strict=True)}
    truth = study_smoothing(whole, scores(people), replicates=50, permutations=1)
    expected = value(truth, "tau", "4")
    held = 0
    for start in range(0, 1200, 60):
        part = as_test_set(
            {name: list(text)[start : start + 60] for name, text in whole.systems.items()},
            [list(text)[start : start + 60] for text in whole.references],
        )
        judged = scores({name: row[start : start + 60] for name, row in people.items()})
        of_part = row(study_smoothing(part, judged, replicates=200, permutations=1), "4")
        held += of_part["tau_low"] <= expected <= of_part["tau_high"]
    # 20 samples at 95 %: fewer than 16 would happen once in 400 times.
    assert held >= 16


@pytest.mark.slow
def test_random_ratings_reject_at_the_level() -> None:
    texts = simulate(segments=30, systems=[0.3, 0.4, 0.5], seed=13)
    rng = np.random.default_rng(14)
    runs = 80
    rejected = 0
    for _ in range(runs):
        judged = scores({name: rng.normal(size=30).tolist() for name in texts.systems})
        result = study_smoothing(texts, judged, replicates=50, permutations=99)
        rejected += min(row(result, label)["p"] or 1.0 for label in LABELS[2:]) <= 0.05
    # Corrected for seven, one in twenty sets at most has a false finding; three errors above that.
    assert rejected / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_scores_and_the_comparisons_that_they_imply_are_tested_alike(
    pool: TestSet, human: HumanScores
) -> None:
    people, names = as_matrix(human), list(pool.systems)
    judgments = tuple(
        Judgment(item, names[a], names[b], int(np.sign(people[a, item] - people[b, item])))  # type: ignore[arg-type]
        for item in range(len(pool))
        for a, b in combinations(range(len(names)), 2)
        if not np.isnan(people[a, item] - people[b, item])
    )
    compared = PairwiseJudgments(
        label="pairs.csv", systems=tuple(names), judgments=judgments, signature="pairs"
    )
    one, other = (study_smoothing(pool, each, **QUICK) for each in (human, compared))
    assert [row["p"] for row in one.rows] == [row["p"] for row in other.rows]


def test_documents_with_human_scores_are_the_items(pool: TestSet) -> None:
    assert pool.documents is not None
    documents = tuple(dict.fromkeys(pool.documents))
    rng = np.random.default_rng(2)
    levels = {name: rng.normal(0, 1, len(documents)).tolist() for name in pool.systems}
    result = study_smoothing(pool, scores(levels, level="document", items=documents), **QUICK)
    columns = result.to_document().data.columns
    assert [column.heading for column in columns[2:4]] == ["document τ", "95 % from"]
    metric = BLEU(smooth="none", tokenize="none")
    corpus = np.array(
        [
            [
                metric.corpus(
                    [s for s, at in zip(text, pool.documents, strict=True) if at == document],
                    [
                        [
                            s
                            for s, at in zip(reference, pool.documents, strict=True)
                            if at == document
                        ]
                        for reference in pool.references
                    ],
                ).score
                for document in documents
            ]
            for text in pool.systems.values()
        ]
    )
    expected = plain_tau(np.array(list(levels.values())), corpus)
    assert row(result, "crp")["tau"] == pytest.approx(expected, abs=1e-12)


def test_tau_is_undefined_if_all_human_scores_tie(pool: TestSet) -> None:
    same = scores({name: [float(n % 3)] * 40 for n, name in enumerate(pool.systems)})
    ties = scores({name: [1.0] * 40 for name in pool.systems})
    assert row(study_smoothing(pool, same, **QUICK), "0")["tau"] is not None
    result = study_smoothing(pool, ties, **QUICK)
    for name in ("tau", "gamma", "rho"):
        assert {one[name] for one in result.rows} == {None}
    assert {one["p"] for one in result.rows} == {None}
    sentences = result.to_document().sentences
    assert any("tie" in line for line in sentences if line.startswith("No τ of 0"))
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.usefixtures("restored_threads")
def test_threads_and_the_order_of_rows_change_nothing(pool: TestSet, human: HumanScores) -> None:
    set_threads(1)
    one = study_smoothing(pool, human, **QUICK, unit="document")
    set_threads(3)
    assert study_smoothing(pool, human, **QUICK, unit="document") == one
    assert study_smoothing(pool, human, **QUICK, unit="document", seed=1) != one


def test_an_interrupted_study_resumes(pool: TestSet, human: HumanScores, tmp_path: Path) -> None:
    journal = tmp_path / "study.jsonl"
    whole = study_smoothing(pool, human, runner=Runner(journal), **QUICK)
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:4]) + b"\n")
    assert study_smoothing(pool, human, runner=Runner(journal), **QUICK) == whole
    assert sorted(journal.read_bytes().split(b"\n")) == sorted(lines)
    other = scores({name: row[::-1] for name, row in human.scores.items()})
    with pytest.raises(SettingError, match="judgments"):
        study_smoothing(pool, other, runner=Runner(journal), **QUICK)
    with pytest.raises(SettingError, match="tok:char"):
        study_smoothing(pool, human, runner=Runner(journal), **{**QUICK, "tokenize": "char"})


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"replicates": 10}, "replicates: 10"),
        ({"permutations": 0}, "permutations: 0"),
        ({"level": 1.0}, "level"),
        ({"seed": -1}, "seed"),
        ({"unit": "block"}, "unknown unit 'block'"),
    ],
)
def test_impossible_settings_are_refused(
    pool: TestSet, human: HumanScores, options: dict[str, Any], claim: str
) -> None:
    with pytest.raises(SettingError, match=claim):
        study_smoothing(pool, human, **{"tokenize": "none", **options})


def test_invalid_judgments_are_rejected(pool: TestSet, human: HumanScores) -> None:
    alone = as_test_set(list(next(iter(pool.systems.values()))), list(pool.references[0]))
    names = list(pool.systems)
    with pytest.raises((SettingError, MalformedFileError)):
        study_smoothing(alone, human, **QUICK)
    with pytest.raises(MalformedFileError, match="at least two systems"):
        study_smoothing(pool, scores({names[0]: human.scores[names[0]]}), **QUICK)
    without = as_test_set(
        {name: list(text) for name, text in pool.systems.items()}, list(pool.references[0])
    )
    with pytest.raises(SettingError, match="see --documents"):
        study_smoothing(without, human, unit="document", **QUICK)


def test_scores_of_whole_systems_leave_out_tau_with_a_reason(pool: TestSet) -> None:
    levels = {name: [float(-n)] for n, name in enumerate(pool.systems)}
    result = study_smoothing(pool, scores(levels, level="system"), **QUICK)
    assert all(row["tau"] is None and row["p"] is None for row in result.rows)
    assert all(row["gamma_low"] is None for row in result.rows)
    assert row(result, "7")["gamma"] is not None
    sentences = result.to_document().sentences
    assert any("human scores are of whole systems" in line for line in sentences)
    json.dumps(result.to_dict(), allow_nan=False)


def test_nothing_agrees_best_if_no_agreement_is_positive(pool: TestSet) -> None:
    dislikes = -plain_scores(pool, 2)
    judged = scores({name: row.tolist() for name, row in zip(pool.systems, dislikes, strict=True)})
    result = study_smoothing(pool, judged, **QUICK)
    said = " ".join(result.to_document().sentences)
    assert "By segment τ no smoothing agrees with human raters: the highest value is -" in said
    assert "agrees best" not in said
