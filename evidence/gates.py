"""Levels of gates, equivalence tests and verdicts on optimizer runs, for the page of defaults."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from evidence.rates import (
    ALPHA,
    ONE_UNIT,
    PAIRS,
    Design,
    Question,
    document_pool,
    few,
    like,
    pool,
    rejected,
)
from truebleu import compare
from truebleu.counts.counting import count_texts
from truebleu.reports.document import ENOUGH_DOCUMENTS_FOR_A_MARGIN
from truebleu.reports.gate import depends_on_one_unit
from truebleu.resampling import Units
from truebleu.significance.gate import GateSettings, check_metrics
from truebleu.significance.intervals import hall_p
from truebleu.significance.ledger import alpha_of_look
from truebleu.significance.optimizer_runs import RunAverage, two_way_p
from truebleu.significance.unit_counts import UnitCounts, count_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Answers = tuple[Sequence[float], Sequence[float]]

TRIALS = 1000
FIVE_METRICS = ("bleu", "chrf", "ter", "wer", "per")


def margins() -> Iterator[Design]:
    """Measure how often a gate passes a system that is worse by exactly the margin."""
    for name in ("bleu", "chrf", "ter"):
        by_segment, _, places = pool(name)
        for kind, whole, count in (
            ("segments", by_segment, 300),
            ("segments", by_segment, 1000),
            ("documents", document_pool(name), 20),
            ("documents", document_pool(name), 60),
            ("documents", document_pool(name), 150),
        ):
            for pair in PAIRS[:2]:
                # The new system is the one that is worse in the pool.
                chosen = [places[system] for system in pair]
                chosen.sort(key=(whole.sign * whole.scores).tolist().__getitem__)
                question = Question(
                    default=f"gate at its margin ({by_segment.label})",
                    design=f"{count} {kind} drawn, {' against '.join(pair)}",
                    always=few(kind, count, ENOUGH_DOCUMENTS_FOR_A_MARGIN),
                    sometimes=ONE_UNIT,
                )
                whole_pair = like(whole, whole.rows[:, chosen])
                yield Design(
                    questions=(question,),
                    trials=2500,
                    trial=partial(_at_the_margin, whole_pair, count),
                )


def _at_the_margin(whole: UnitCounts, count: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, count])
    drawn = generator.integers(0, len(whole.rows), count)
    settings = GateSettings(margin=float(abs(np.diff(whole.scores)[0])))
    (check,) = check_metrics([like(whole, whole.rows[drawn])], settings, ALPHA)
    return [check.passed], [depends_on_one_unit(check, count, settings.rule)]


# Sets of which seven outputs are repeated ten times; samples have 300 segments.
RUNAWAYS, TIMES, SAMPLED = 7, 10, 300
SETS = ("wmt21-en-de", "wmt23-en-cs", "wmt23-he-en", "wmt23-zh-en", "wmt24-en-es")


def runaways() -> Iterator[Design]:
    """Measure how often a gate passes a system with rare runaways, worse by exactly the margin.

    And how often it does on samples that have none of them. These are samples of the system without
    runaways, which is better than the margin asks for: no gate and no caution can tell them apart,
    so a gate that passes the one passes the other.
    """
    for name in SETS:
        for metric in ("ter", "bleu"):
            gate = f"gate at its margin, {RUNAWAYS} runaway outputs ({metric.upper()})"
            questions = (
                Question(default=gate, design=f"{name}, {SAMPLED} segments", sometimes=ONE_UNIT),
                Question(
                    default=f"{gate}: passed, and there were none in the sample",
                    design=f"{name}, {SAMPLED} segments",
                    expected=None,
                ),
            )
            trial = partial(_runaways, name, metric)
            yield Design(questions=questions, trials=TRIALS, trial=trial)


def _runaways(name: str, metric: str, trial: int) -> Answers:
    whole, repeated = with_repeated(name, metric)
    for attempt in itertools.count():
        generator = np.random.default_rng([trial, attempt])
        new, old = generator.choice(whole.systems, 2, replace=False)
        struck = generator.choice(whole.units, RUNAWAYS, replace=False)
        rows = whole.rows[:, [new, old]].astype(np.float64)
        rows[struck, 0] = repeated[struck, new]
        pair = like(whole, rows)
        lead = float(whole.sign * -np.diff(pair.scores)[0])
        if lead < 0:  # the new system is the worse one
            break
    drawn = generator.integers(0, whole.units, SAMPLED)
    settings = GateSettings(margin=-lead)
    (check,) = check_metrics([like(whole, rows[drawn])], settings, ALPHA)
    unseen = check.passed and not np.isin(drawn, struck).any()
    return [check.passed, unseen], [depends_on_one_unit(check, SAMPLED, settings.rule), False]


@cache
def with_repeated(name: str, metric: str) -> tuple[UnitCounts, NDArray[np.float64]]:
    """Count a set, and all its outputs repeated; return counts by unit, and rows."""
    test_set = read_set(name)
    texts = {
        system: [" ".join([segment or ""] * TIMES) for segment in text]
        for system, text in test_set.systems.items()
    }
    (whole,) = count_units(count_texts(test_set, metric), Units.segments(len(test_set)))
    (repeated,) = count_texts(replace(test_set, systems=texts), metric).metrics
    return whole, repeated.rows.floats()


def five_metrics() -> Iterator[Design]:
    """Measure how often a gate without a margin stops a system equal by five metrics."""
    question = Question(
        default="gate without a margin, five metrics", design="300 segments exchanged"
    )
    yield Design(questions=(question,), trials=TRIALS, trial=_five_metrics)


def _five_metrics(trial: int) -> Answers:
    generator = np.random.default_rng([trial, 5])
    places = pool("bleu")[2]
    names = PAIRS[trial % len(PAIRS)]
    segments = generator.choice(len(pool("bleu")[0].rows), size=300, replace=False)
    coins = generator.random(300) < 0.5
    statistics = []
    for name in FIVE_METRICS:
        by_segment = pool(name)[0]
        both = by_segment.rows[segments][:, [places[system] for system in names]]
        both[coins] = both[coins][:, ::-1]
        statistics.append(like(by_segment, both))
    checks = check_metrics(statistics, GateSettings(replicates=999, seed=trial), ALPHA)
    return [not all(check.passed for check in checks)], [False]


def equivalence() -> Iterator[Design]:
    """Measure how often any two systems are called equivalent if neighbours are a margin apart."""
    for systems in (2, 8):
        question = Question(
            default="compare --margin, any false equivalence",
            design=f"{systems} systems a margin apart, 100 segments, normal scores",
        )
        yield Design(questions=(question,), trials=TRIALS, trial=partial(_equivalent, systems))


def _equivalent(systems: int, trial: int) -> Answers:
    step = 0.5
    generator = np.random.default_rng([trial, systems])
    scores = generator.normal(size=(100, systems)) + step * np.arange(systems)
    by_system = {f"system {place}": column.tolist() for place, column in enumerate(scores.T)}
    comparison = compare(by_system, margin=step, replicates=600, test="bootstrap")
    return [any(pair.equivalent for pair in comparison.comparisons)], [False]


def runs() -> Iterator[Design]:
    """Measure false alarms about systems with equal expectation whose runs vary."""
    for count in (3, 5):
        for kind, effects in (
            ("segment", (0.0, 0.0)),
            ("segment", (0.3, 0.3)),
            ("segment", (0.4, 0.4)),
            ("segment", (0.4, 0.0)),
            ("document", (0.3, 0.3)),
        ):
            sizes = " and ".join(f"{effect:g}" for effect in dict.fromkeys(effects))
            question = Question(
                default="compare --runs, level (BLEU)",
                design=f"{count} + {count} runs, s.d. of a run's own effect {sizes} BLEU, "
                f"mixed by {kind}",
            )
            yield Design(
                questions=(question,), trials=TRIALS, trial=partial(_runs, count, kind, effects)
            )


# Tests of averages over runs: about further runs, and about these runs as it was before.
RUN_TESTS = {
    "two-way t": "compare --runs",
    "randomization of averages": "compare --runs --about these-runs",
}


def power_of_runs() -> Iterator[Design]:
    """Measure power for systems with runs, compared with a test about these runs only."""
    for count in (3, 5):
        for effect in (0.0, 0.3):
            questions = tuple(
                Question(
                    default=f"power of {command} (BLEU)",
                    design=f"true difference 1 BLEU, {count} + {count} runs, s.d. of a run's own "
                    f"effect {effect:g} BLEU"
                    + (", where its level is not kept" if about_these and effect else ""),
                    expected=None,
                )
                for about_these, command in enumerate(RUN_TESTS.values())
            )
            trial = partial(_power_of_runs, count, effect)
            yield Design(questions=questions, trials=500, trial=trial)


def _power_of_runs(count: int, effect: float, trial: int) -> Answers:
    statistics = _mixed_runs(count, "segment", (effect, effect), trial, apart=1.0)
    further = float(two_way_p(statistics, [(0, 1)], "two-sided")[0]) <= ALPHA
    return [further, rejected(statistics, [(0, 1)], trial, 999)[0]], [False, False]


def _runs(count: int, kind: str, effects: tuple[float, float], trial: int) -> Answers:
    statistics = _mixed_runs(count, kind, effects, trial)
    return [float(two_way_p(statistics, [(0, 1)], "two-sided")[0]) <= ALPHA], [False]


def _mixed_runs(
    count: int, kind: str, effects: tuple[float, float], trial: int, apart: float = 0.0
) -> UnitCounts:
    """Each run mixes two real systems by coins, with a share of its own of the first."""
    by_segment, documents, places = pool("bleu")
    chosen = [places["Claude-3.5"], places["Aya23"]]
    texts, gap = by_segment.rows[:, chosen], abs(np.diff(by_segment.scores[chosen])[0])
    unit = documents.of_segment if kind == "document" else np.arange(len(texts))
    generator = np.random.default_rng([trial, count])
    outputs = []
    for place, effect in enumerate(np.repeat(effects, count)):
        # A share that is larger by x moves the score by x times the gap between the two.
        moved = apart / 2 if place < count else -apart / 2
        share = 0.5 + (moved + effect * generator.normal()) / gap
        coins = generator.random(unit.max() + 1) < share
        outputs.append(np.where(coins[unit][:, None], texts[:, 0], texts[:, 1]))
    rows: NDArray[np.float64] = np.stack(outputs, axis=1)
    rows = documents.add_up(rows) if kind == "document" else rows
    metric = RunAverage(by_segment.metric, count)
    return UnitCounts("BLEU", metric, metric.by_system(rows))


def nights() -> Iterator[Design]:
    """Measure how often any of many gates on one test set passes a system at the margin."""
    for count in (10, 30):
        question = Question(
            default="gate --ledger, any bad system passed",
            design=f"{count} looks at one test set of 100 segments, normal scores",
        )
        yield Design(questions=(question,), trials=TRIALS, trial=partial(_nights, count))


def _nights(count: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, count])
    common = generator.normal(size=100)
    for night in range(1, count + 1):
        gains = common + generator.normal(size=100)
        left_out = (gains.sum() - gains) / 99
        if float(hall_p(gains.mean(), left_out)) <= alpha_of_look(night, ALPHA):
            return [True], [False]
    return [False], [False]


#: Designs of gates and runs on the page of defaults.
DESIGNS = (margins, runaways, five_metrics, equivalence, runs, nights, power_of_runs)
