"""Claims about grids of settings, about development and test parts, and about what is chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.properties import plain_sentence_bleu
from truebleu.agreement.agree import agree
from truebleu.agreement.data import agreement_data
from truebleu.agreement.grid import MOST_SETTINGS, GridChoice, parse_grid, split_items
from truebleu.corpus import TestSet, as_test_set
from truebleu.counts.counting import count_texts
from truebleu.errors import AbsentTextError, MalformedFileError, SettingError, UnknownNameError
from truebleu.human import HumanScores, Judgment, PairwiseJudgments
from truebleu.metrics.bleu import SentenceBLEU
from truebleu.metrics.chrf import CHRF
from truebleu.metrics.threads import set_threads
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from truebleu.agreement.agree import Agreement
    from truebleu.agreement.coefficients import MetricAgreement

QUICK: dict[str, Any] = {"replicates": 100, "permutations": 50}
KS = (1, 2, 5, 20)
GRID = "sentbleu:smoothing=4,tokenize=none,k=1|2|5|20"


def scores(rows: Mapping[str, Sequence[float | None]], **others: Any) -> HumanScores:
    values: dict[str, Any] = {"label": "human.tsv", "level": "segment", "signature": "test"}
    return HumanScores(scores={name: tuple(row) for name, row in rows.items()}, **values | others)


def noise(test_set: TestSet, seed: int = 3) -> dict[str, list[float | None]]:
    rng = np.random.default_rng(seed)
    return {
        name: (-rng.integers(0, 5, len(test_set))).astype(float).tolist()
        for name in test_set.systems
    }


def without_documents(test_set: TestSet) -> TestSet:
    return as_test_set(
        {name: list(text) for name, text in test_set.systems.items()}, list(test_set.references[0])
    )


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=60, systems=[0.3, 0.4, 0.5], document_length=4, seed=5)


def plain_scores(test_set: TestSet, k: float, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Smoothing 4 with this K by the paper's equations, shaped (system, segment)."""
    monkeypatch.setattr(plain_sentence_bleu, "K", k)
    return np.array(
        [
            [
                plain_sentence_bleu.sentence_bleu(str(output), [str(reference)], 4)
                for output, reference in zip(text, test_set.references[0], strict=True)
            ]
            for text in test_set.systems.values()
        ]
    )


def plain_tau(people: Any, metric: Any, items: Sequence[int]) -> float:
    """Eq. 12 of Chen & Cherry over some items."""
    right = wrong = 0.0
    for item in items:
        for a, b in combinations(range(len(people)), 2):
            said, found = (float(one[a, item] - one[b, item]) for one in (people, metric))
            if said:
                right += 0.5 if found == 0 else said * found > 0
                wrong += 0.5 if found == 0 else said * found < 0
    return (right - wrong) / (right + wrong)


def chosen(grid: str, systems: TestSet, human: Any, **settings: Any) -> Agreement:
    return agree(systems, human, grid=[grid], **settings)


def choice_of(agreement: Agreement) -> GridChoice:
    assert agreement.grid is not None
    return agreement.grid


def held_out(agreement: Agreement, role: str = "chosen") -> MetricAgreement:
    """The chosen settings, or the default ones, on the part that had no part in the choice."""
    return agreement.answers[0][getattr(choice_of(agreement), role)]


# Grids.


def test_several_settings_with_alternatives_stand_for_all_combinations() -> None:
    grid = parse_grid("chrf:char_order=4|6,lowercase,beta=1|2|3")
    assert len(grid) == 6
    assert grid[0].text == "chrf:char_order=4,lowercase,beta=1"
    assert grid[4].metric == CHRF(char_order=6, lowercase=True, beta=2)
    assert {one.default for one in grid} == {"chrf:lowercase"}


def test_several_grids_merge_without_duplicates() -> None:
    grid = parse_grid(["sentbleu:smoothing=4,k=1|5", "sentbleu:smoothing=length-scaled|3", "chrf"])
    assert [one.text for one in grid[:3]] == [
        "sentbleu:smoothing=4,k=1",
        "sentbleu:smoothing=4,k=5",
        "sentbleu:smoothing=3",
    ]
    assert grid[3].metric == CHRF()
    assert len(parse_grid("sentbleu:smoothing=4,k=1|5|5.0")) == 2


def test_an_impossible_default_becomes_the_first_alternative() -> None:
    grid = parse_grid("sentbleu:smoothing=6|interpolate|1,max_order=2|4")
    assert {one.default for one in grid} == {"sentbleu"}
    grid = parse_grid("sentbleu:smoothing=6,alpha=1|2")
    assert {one.default for one in grid} == {"sentbleu:smoothing=6"}
    with pytest.raises(SettingError, match="settings that go together"):
        parse_grid("sentbleu:smoothing=1|6,alpha=2")


@pytest.mark.parametrize(
    ("grid", "claim"),
    [
        ("sentbleu", "at least two settings"),
        ("sentbleu:k=5|5.0", "at least two settings"),
        ("sentbleu:smoothing=4,k=1||2", r"sentbleu: k: '1\|\|2'"),
        ("sentbleu:smoothing=4,k=1|", "such as 1"),
        ("sentbleu:smoothing=4,k=1|x", "expected a number"),
        ("sentbleu:smoothing=4,q=1|2", "unknown setting of sentbleu 'q'"),
        ("nonsense:k=1|2", "unknown metric 'nonsense'"),
        ([], "at least two settings"),
        ("chrf:char_order=" + "|".join(map(str, range(1, 1002))), "1,001 settings.*at most 1,000"),
    ],
)
def test_grids_that_cannot_be_are_refused(grid: Any, claim: str) -> None:
    with pytest.raises(SettingError, match=claim):
        parse_grid(grid)


def test_too_large_products_are_refused_before_they_are_made() -> None:
    many = "|".join(map(str, range(100)))
    with pytest.raises(SettingError, match="100,000,000 settings"):
        parse_grid(f"chrf:char_order={many},word_order={many},beta={many},eps={many}")
    assert MOST_SETTINGS == 1000


# Parts.


def test_documents_stay_whole_and_the_share_is_kept(pool: TestSet) -> None:
    assert pool.documents is not None
    judged = agreement_data(count_texts(pool, SentenceBLEU()), scores(noise(pool)))
    for share in (0.3, 0.5, 0.8):
        development, test = split_items(judged, share)
        assert sorted([*development, *test]) == list(range(60))
        assert not {pool.documents[i] for i in development} & {pool.documents[i] for i in test}
        assert len(development) / 60 == pytest.approx(share, abs=0.1)


def test_segments_without_documents_take_turns(pool: TestSet) -> None:
    judged = agreement_data(count_texts(without_documents(pool)), scores(noise(pool)))
    development, test = split_items(judged, 0.5)
    assert development.tolist() == list(range(0, 60, 2))
    assert test.tolist() == list(range(1, 60, 2))
    development, _ = split_items(judged, 0.25)
    assert set(np.diff(development).tolist()) == {4}


def test_judged_and_unjudged_items_are_split_separately(pool: TestSet) -> None:
    odd = {
        name: [score if item % 2 else None for item, score in enumerate(row)]
        for name, row in noise(pool).items()
    }
    judged = agreement_data(count_texts(without_documents(pool)), scores(odd))
    development, _ = split_items(judged, 0.5)
    assert sum(item % 2 for item in development.tolist()) == 15
    assert len(development) == 30


def test_a_part_is_judged_as_a_test_set_of_its_own_would_be(pool: TestSet) -> None:
    people = noise(pool)
    for name in list(people)[1:]:
        people[name][::7] = [None] * len(people[name][::7])
    plain = without_documents(pool)
    halves = [
        (
            as_test_set(
                {name: list(text)[start::2] for name, text in plain.systems.items()},
                list(plain.references[0])[start::2],
            ),
            scores({name: row[start::2] for name, row in people.items()}),
        )
        for start in (0, 1)
    ]
    for question in ("chen-cherry", "pearson", "kendall-b:grouping=none", "acc-eq", "spa"):
        split = chosen(GRID, plain, scores(people), coefficients=[question], **QUICK)
        choice = choice_of(split)
        texts = [candidate.metric for candidate in choice.candidates]
        apart = agree(*halves[0], texts, coefficients=[question], **QUICK).answers[0]
        values = {metric.value or 0.0 for metric in apart.metrics}
        assert sorted(values) == pytest.approx(
            sorted({candidate.value or 0.0 for candidate in choice.candidates}), abs=1e-12
        )
        roles = list(dict.fromkeys([choice.chosen, choice.default]))
        alone = agree(*halves[1], roles, coefficients=[question], **QUICK).answers[0]
        found, expected = (
            sorted((m.value, m.low, m.high) for m in answer.metrics)
            for answer in (split.answers[0], alone)
        )
        assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)


# Choices.


def test_the_best_on_development_is_chosen_by_the_papers_equations(
    pool: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = noise(pool, seed=8)
    matrix = np.array(list(people.values()))
    plain = without_documents(pool)
    values = [plain_tau(matrix, plain_scores(pool, k, monkeypatch), range(0, 60, 2)) for k in KS]
    assert len(set(values)) > 1
    agreement = chosen(GRID, plain, scores(people), **QUICK)
    choice = choice_of(agreement)
    assert [candidate.value for candidate in choice.candidates] == pytest.approx(values, abs=1e-12)
    best = KS[int(np.argmax(values))]
    assert choice.chosen == f"sentbleu:smoothing=4,tokenize=none,k={best}"
    assert choice.value == pytest.approx(max(values), abs=1e-12)
    on_test = plain_tau(matrix, plain_scores(pool, best, monkeypatch), range(1, 60, 2))
    default = plain_tau(matrix, plain_scores(pool, 5, monkeypatch), range(1, 60, 2))
    assert held_out(agreement).value == pytest.approx(on_test, abs=1e-12)
    assert held_out(agreement, "default").value == pytest.approx(default, abs=1e-12)
    assert choice.default == "sentbleu:smoothing=4,tokenize=none,k=5"


def test_people_who_judge_like_a_setting_get_it_and_it_beats_the_default(
    pool: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    likes = plain_scores(pool, 1, monkeypatch)
    judged = scores({name: row.tolist() for name, row in zip(pool.systems, likes, strict=True)})
    agreement = chosen(GRID, pool, judged, replicates=100, permutations=999)
    choice, metric = choice_of(agreement), held_out(agreement)
    assert choice.chosen.endswith("k=1")
    assert choice.value == 1.0
    assert (metric.value, metric.low, metric.high) == (1.0, 1.0, 1.0)
    (pair,) = agreement.answers[0].pairs
    assert pair.better == choice.chosen
    assert pair.p is not None
    assert pair.p <= 0.01
    assert ", significant (p" in agreement.to_document().sentences[1]


@pytest.mark.slow
def test_the_value_on_development_flatters_and_that_on_the_held_out_part_does_not(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(21)
    texts = as_test_set({name: ["x"] * 40 for name in "abc"}, ["x"] * 40)
    names = ["score", *(f"m{n}" for n in range(1, 8))]
    grid = f"scores:path={tmp_path / 'scores.tsv'},column={'|'.join(names)}"
    on_development, on_test = [], []
    for _ in range(60):
        # Metrics and people that know nothing of each other: the truth is 0.
        lines = ["\t".join(["system", "segment", *names])]
        for system in "abc":
            for segment in range(1, 41):
                numbers = map(str, rng.normal(size=8))
                lines.append("\t".join([system, str(segment), *numbers]))
        (tmp_path / "scores.tsv").write_text("\n".join(lines) + "\n")
        people = scores({name: rng.normal(size=40).tolist() for name in "abc"})
        agreement = chosen(grid, texts, people, replicates=50, permutations=1)
        on_development.append(choice_of(agreement).value or 0.0)
        on_test.append(held_out(agreement).value)
    # Kendall's tau of n = 3 has the variance 2 (2n + 5) / 9n (n - 1), and that of 20 segments a
    # twentieth; the largest of eight normal values is 1.424 standard deviations on average.
    deviation = (2 * 11 / (9 * 3 * 2) / 20) ** 0.5
    error = deviation / 60**0.5
    assert np.mean(np.array(on_test)) == pytest.approx(0, abs=4 * error)
    assert np.mean(on_development) == pytest.approx(1.424 * deviation, abs=4 * error)


def test_ties_choose_the_default_or_else_the_first() -> None:
    # Of systems so far apart all settings give the same ranks.
    pool = simulate(segments=60, systems=[0.05, 0.3, 0.7], seed=5)
    levels = {name: [float(-n)] * 60 for n, name in enumerate(pool.systems)}
    agreement = chosen(GRID, pool, scores(levels), coefficients=["spearman"], **QUICK)
    choice = choice_of(agreement)
    assert choice.tied == 4
    assert choice.value == pytest.approx(1.0)
    assert choice.chosen == choice.default == "sentbleu:smoothing=4,tokenize=none,k=5"
    assert agreement.answers[0].pairs == ()
    assert agreement.to_document().sentences[1].endswith("these are the default settings.")
    other = "sentbleu:smoothing=4,tokenize=none,k=20|10"
    choice = choice_of(chosen(other, pool, scores(levels), coefficients=["spearman"], **QUICK))
    assert choice.chosen.endswith("k=20")
    assert choice.default == "sentbleu:smoothing=4,tokenize=none"
    assert choice.default_value == pytest.approx(1.0)


def test_error_rates_are_negated() -> None:
    pool = simulate(segments=60, systems=[0.05, 0.3, 0.7], seed=5)
    levels = {name: [float(-n)] * 60 for n, name in enumerate(pool.systems)}
    choice = choice_of(chosen("ter:case_sensitive=yes|no", pool, scores(levels), **QUICK))
    assert choice.value is not None
    assert choice.value > 0


def test_comparisons_of_pairs_choose_like_the_scores_that_they_come_from(pool: TestSet) -> None:
    people = noise(pool, seed=8)
    matrix, names = np.array(list(people.values())), list(pool.systems)
    judgments = tuple(
        Judgment(item, names[a], names[b], int(np.sign(matrix[a, item] - matrix[b, item])))  # type: ignore[arg-type]
        for item in range(60)
        for a, b in combinations(range(3), 2)
    )
    compared = PairwiseJudgments(
        label="pairs.csv", systems=tuple(names), judgments=judgments, signature="pairs"
    )
    by_scores = chosen(GRID, pool, scores(people), **QUICK)
    by_pairs = chosen(GRID, pool, compared, **QUICK)
    values = [
        [candidate.value for candidate in choice_of(agreement).candidates]
        for agreement in (by_pairs, by_scores)
    ]
    assert values[0] == values[1]
    assert held_out(by_pairs).value == held_out(by_scores).value
    by_systems = chosen(GRID, pool, compared, coefficients=["pearson"], **QUICK)
    assert held_out(by_systems).low is not None
    with pytest.raises(SettingError, match="human scores of segments"):
        chosen(GRID, pool, compared, coefficients=["spa"], **QUICK)


def test_documents_that_people_scored_are_split_and_measured(pool: TestSet) -> None:
    assert pool.documents is not None
    documents = tuple(dict.fromkeys(pool.documents))
    rng = np.random.default_rng(4)
    levels = {name: rng.normal(size=len(documents)).tolist() for name in pool.systems}
    judged = scores(levels, level="document", items=documents)
    agreement = chosen(GRID, pool, judged, **QUICK)
    parts = (choice_of(agreement).development, agreement.human)
    first, second = (part.items or 0 for part in parts)
    assert {part.level for part in parts} == {"document"}
    assert first + second == len(documents)
    assert abs(first - second) <= 1


def test_scores_of_whole_systems_cannot_be_split(pool: TestSet) -> None:
    levels = scores({name: [float(-n)] for n, name in enumerate(pool.systems)}, level="system")
    with pytest.raises(SettingError, match="scores of segments to split"):
        chosen(GRID, pool, levels, coefficients=["pearson"], **QUICK)


def test_undefined_settings_are_told_and_never_chosen() -> None:
    texts = as_test_set({name: ["a b", "c d"] * 4 for name in "ab"}, ["a b", "c e"] * 4)
    people = scores({"a": [1.0, 2.0] * 4, "b": [2.0, 1.0] * 4})
    with pytest.raises(SettingError, match="undefined"):
        chosen("chrf:beta=1|2", texts, people, coefficients=["kendall-b"], **QUICK)
    # No output has a 4-gram of the reference, so that without smoothing all have the same score.
    outputs = {"a": ["a b c x"] * 8, "b": ["a x y z"] * 8}
    texts = as_test_set(outputs, ["a b c d"] * 8)
    agreement = chosen(
        "sentbleu:smoothing=0,max_order=4|1", texts, people, coefficients=["kendall-b"], **QUICK
    )
    choice = choice_of(agreement)
    undefined = [tried for tried in choice.candidates if tried.value is None]
    assert undefined
    assert undefined[0].reason
    assert choice.chosen not in [tried.metric for tried in undefined]
    json.dumps(agreement.to_dict(), allow_nan=False)


@pytest.mark.usefixtures("restored_threads")
def test_threads_change_nothing(pool: TestSet) -> None:
    set_threads(1)
    one = chosen(GRID, pool, scores(noise(pool)), **QUICK).to_dict()
    set_threads(3)
    assert chosen(GRID, pool, scores(noise(pool)), **QUICK).to_dict() == one


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, True, float("nan"), 0.01])
def test_shares_that_leave_a_part_empty_are_refused(pool: TestSet, share: Any) -> None:
    with pytest.raises(SettingError, match="development"):
        chosen(GRID, pool, scores(noise(pool)), development=share, **QUICK)


def test_grids_that_do_not_fit_the_data_raise(pool: TestSet) -> None:
    people = scores(noise(pool))
    with pytest.raises(UnknownNameError, match="coefficient"):
        chosen(GRID, pool, people, coefficients=["nonsense"], **QUICK)
    with pytest.raises(SettingError, match="no metrics with `grid`"):
        chosen(GRID, pool, people, metrics=["chrf"], **QUICK)
    with pytest.raises(AbsentTextError, match="counts without text"):
        agree(replace(count_texts(pool), texts=None), people, grid=[GRID], **QUICK)
    with pytest.raises(SettingError, match="documents"):
        chosen(GRID, without_documents(pool), people, resample="documents")
    alone = {name: row for name, row in people.scores.items() if name == "system-1"}
    with pytest.raises(MalformedFileError, match="two systems"):
        chosen(GRID, pool, scores(alone), **QUICK)
    few = as_test_set({"a": ["x", "y"], "b": ["y", "x"]}, ["x", "y"])
    with pytest.raises(SettingError, match="at least 2 of the 2 judged segments to each part"):
        chosen(GRID, few, scores({"a": [1, 2], "b": [2, 1]}), **QUICK)
