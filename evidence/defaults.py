"""Levels and coverages of every default, in this module and others.

`DESIGNS` lists functions that return designs; add yours.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence import agreement, gates, panels
from evidence.data import read_set
from evidence.rates import (
    ALPHA,
    ONE_UNIT,
    PAIRS,
    Design,
    Question,
    Rates,
    document_pool,
    few,
    like,
    measured,
    p_values,
    pool,
    rejected,
)
from evidence.unlike import Unlike, equal_rows
from truebleu import _core, compare
from truebleu.corpus.outline import Outline
from truebleu.counts import Counts
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.metrics import GivenMean, Signature
from truebleu.reports.document import ENOUGH_DOCUMENTS, FEW_UNITS, LARGEST_SHARE
from truebleu.resampling import Units
from truebleu.scores import ItemScores
from truebleu.significance.corrections import default_correction
from truebleu.significance.intervals import choose_interval, interval_bounds
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.replicates import swap_ratios
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import default_replicates
from truebleu.significance.unit_counts import UnitCounts, largest_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.significance.unit_counts import Pair

    Answers = tuple[Sequence[float], ...]

METRICS = ("bleu", "ter", "chrf")
# Trials of families, by number of systems.
FAMILIES = {2: 2000, 5: 1000, 10: 500, 20: 300, 40: 80}
SCORE = GivenMean(name="score", signature=Signature.of("score"))
# Journal of measurements, so that an interrupted run can resume.
JOURNAL = Path(__file__).parent / "journal" / "defaults.jsonl"


def two_systems() -> Iterator[Design]:
    """Measure the level of comparing two systems whose outputs are swapped by a fair coin."""
    for metric in ("bleu", "ter"):
        by_segment, by_document = pool(metric)[0], document_pool(metric)
        designs = [("segments", by_segment, 500)]
        designs += [("documents", by_document, count) for count in (20, 60, 170)]
        for kind, whole, count in designs:
            question = Question(
                default=f"compare, level ({whole.label})",
                design=f"{count} {kind} exchanged",
            )
            yield Design(
                questions=(question,), trials=1000, trial=partial(_exchanged, metric, whole, count)
            )


def _exchanged(metric: str, whole: UnitCounts, count: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, count])
    chosen = generator.choice(len(whole.rows), size=count, replace=False)
    places, names = pool(metric)[2], PAIRS[trial % len(PAIRS)]
    both = whole.rows[chosen][:, [places[name] for name in names]]
    coins = generator.random(count) < 0.5
    both[coins] = both[coins][:, ::-1]
    return rejected(like(whole, both), [(0, 1)], trial, 1999).tolist(), [False]


def families() -> Iterator[Design]:
    """Measure the rate of any false alarm among many systems, if none or half of them differ."""
    for systems, trials in FAMILIES.items():
        for truth in ("full", "partial") if systems > 2 else ("full",):
            question = Question(
                default="compare, any false alarm (BLEU)",
                design=f"{systems} systems, {truth} null, 100 segments",
            )
            yield Design(
                questions=(question,), trials=trials, trial=partial(_family, systems, truth)
            )


def _family(systems: int, truth: str, trial: int) -> Answers:
    by_segment = pool("bleu")[0]
    order, half = np.argsort(-by_segment.scores), systems // 2
    generator = np.random.default_rng([trial, systems, len(truth)])
    segments = generator.choice(len(by_segment.rows), size=100, replace=False)
    groups = [order] * systems
    if truth == "partial":  # the first half of the systems draws from better ones
        groups = [order[:8]] * half + [order[8:]] * (systems - half)
    drawn = np.stack([generator.choice(group, size=100) for group in groups], axis=1)
    pairs = list(itertools.combinations(range(systems), 2))
    sample = like(by_segment, by_segment.rows[segments[:, None], drawn])
    equal = [truth == "full" or (a < half) == (b < half) for a, b in pairs]
    return [_any_alarm(sample, pairs, np.array(equal), trial)], [False]


def _any_alarm(sample: UnitCounts, pairs: list[Pair], equal: NDArray[np.bool_], seed: int) -> bool:
    """Return whether the default rejects any true null hypothesis.

    Holm's first false rejection needs an uncorrected p of at most alpha / the number of equal
    pairs. Replicates are the first of the default's, and their extremes only become more: pairs
    that have too many of them already need no further ones.
    """
    correction = default_correction(len(pairs))
    whole = default_replicates(correction, len(pairs), ALPHA)
    if correction == "holm":
        left = [pair for pair, is_equal in zip(pairs, equal, strict=True) if is_equal]
        least = ALPHA / len(left) * (whole + 1)
        for number in (1999, whole):
            p = p_values(sample, left, seed, number, correction="none")
            left = [
                pair for pair, share in zip(left, p, strict=True) if share * (number + 1) <= least
            ]
            if not left:
                return False
    return bool(rejected(sample, pairs, seed)[equal].any())


# Pairs of systems with different and with equal lengths in each set; then all systems of a set.
UNLIKE = (
    ("wmt24-en-es",),
    ("wmt23-he-en", "NLLB_MBR_BLEU", "ONLINE-B"),
    ("wmt23-he-en", "ONLINE-A", "ZengHuiMT"),
    ("wmt23-en-cs", "ONLINE-Y", "ONLINE-W"),
    ("wmt23-en-cs", "CUNI-Transformer", "ZengHuiMT"),
    ("wmt24-en-es", "Dubformer", "Gemini-1.5-Pro"),
    ("wmt24-en-es", "Phi-3-Medium", "Gemini-1.5-Pro"),
    ("wmt23-zh-en", "ONLINE-G", "ZengHuiMT"),
    ("wmt23-zh-en", "ONLINE-M", "ZengHuiMT"),
)
UNLIKE_TESTS = {"scaled": "compare, level", "ar": "compare --test ar, level"}
UNLIKE_LENGTHS = "outputs differ in length"


def lengths() -> Iterator[Design]:
    """Measure the level for systems with one score on the pool but different lengths."""
    for name, *systems in UNLIKE:
        questions = tuple(
            Question(
                default=f"{default}, equal scores but not exchangeable (BLEU)",
                design=f"{name}, {' and '.join(systems) or 'any two'}, the better one cut short",
                sometimes=UNLIKE_LENGTHS if test == "ar" else "",
            )
            for test, default in UNLIKE_TESTS.items()
        )
        trial = partial(_unlike, name, *systems)
        # Pairs differ, so each pair needs more samples.
        trials = 3000 if systems else 12_000
        yield Design(questions=questions, trials=trials, trial=trial)


def _unlike(*name_and_trial: Any) -> Answers:
    *name, trial = name_and_trial
    ((sample,),) = _sampled(*name).sets(trial, 1)
    (ratio,) = swap_ratios(sample, [(0, 1)])
    alarms = [p_values(sample, [(0, 1)], trial, 999, test)[0] <= ALPHA for test in UNLIKE_TESTS]
    return alarms, [False, alarms[1] and ratio < _core.MIN_SWAP_RATIO]


@cache
def _sampled(name: str, *systems: str, metric: str = "bleu") -> Unlike:
    test_set = read_set(name)
    chosen = {system: test_set.systems[system] for system in systems or test_set.systems}
    return Unlike.of(replace(test_set, systems=chosen), [metric], "segment", 7)


def runaways() -> Iterator[Design]:
    """Measure the level by TER with natural runaway outputs, and with seven planted ones.

    Seven outputs of 2,000 are missing from a third of all samples of 300. Such a sample is one of
    the system without them, which is better: no test can find that and not this.
    """
    for name in gates.SETS:
        of_set = f"{name}, any two, the better one cut short, {gates.SAMPLED} segments"
        default = "compare, level, runaway outputs"
        question = Question(default=f"{default} of the systems' own (TER)", design=of_set)
        yield Design(questions=(question,), trials=2000, trial=partial(_own_runaways, name))
        seven = f"{default}, {gates.RUNAWAYS} in one system"
        questions = (
            Question(default=f"{seven} (TER)", design=of_set, sometimes=ONE_UNIT),
            Question(
                default=f"{seven}: found, and none in the sample",
                design=of_set,
                expected=None,
            ),
        )
        yield Design(questions=questions, trials=1000, trial=partial(_planted_runaways, name))


def _own_runaways(name: str, trial: int) -> Answers:
    ((sample,),) = _sampled(name, metric="ter").sets(trial, 1)
    part = like(sample, sample.rows[: gates.SAMPLED])
    return rejected(part, [(0, 1)], trial, 999).tolist(), [False]


def _planted_runaways(name: str, trial: int) -> Answers:
    whole, repeated = gates.with_repeated(name, "ter")
    half = _sampled(name, metric="ter").cut.statistics[0].rows
    for attempt in itertools.count():
        generator = np.random.default_rng([trial, attempt])
        chosen = generator.choice(whole.systems, 2, replace=False)
        struck = generator.choice(whole.units, gates.RUNAWAYS, replace=False)
        both = np.stack([whole.rows[:, chosen], half[:, chosen]]).astype(np.float64)
        both[:, struck, 0] = repeated[struck, chosen[0]]
        pair, short = (like(whole, rows) for rows in both)
        worse, better = np.argsort(whole.sign * pair.scores).tolist()
        if whole.sign * (short.scores[better] - pair.scores[worse]) < 0:
            break
    order = generator.permutation(whole.units)
    equal = equal_rows(pair, short, better, worse, order)
    drawn = generator.integers(0, whole.units, gates.SAMPLED)
    sample = like(whole, equal[drawn])
    alarm = bool(rejected(sample, [(0, 1)], trial, 999)[0])
    ((_, share),) = largest_units(sample, [(0, 1)])
    none = alarm and not np.isin(drawn, struck).any()
    return [alarm, none], [(share or 0.0) > LARGEST_SHARE, False]


def several_metrics() -> Iterator[Design]:
    """Measure false alarms by any of three metrics, and by the metric of the verdict."""
    questions = tuple(
        Question(
            default=f"compare by {', '.join(METRICS)}: {what}",
            design="300 segments exchanged",
            always=always,
        )
        for what, always in (
            ("the verdict", ""),
            ("any metric", "the verdict is by the first metric; the others describe"),
            ("any metric with --correct-over metrics", ""),
        )
    )
    yield Design(questions=questions, trials=1000, trial=_several_metrics)


def _several_metrics(trial: int) -> Answers:
    generator = np.random.default_rng([trial, 3])
    places, names = pool("bleu")[2], PAIRS[trial % len(PAIRS)]
    segments = generator.choice(len(pool("bleu")[0].rows), size=300, replace=False)
    coins = generator.random(300) < 0.5
    counted = []
    for name in METRICS:
        whole = pool(name)[0]
        both = whole.rows[segments][:, [places[system] for system in names]]
        both[coins] = both[coins][:, ::-1]
        counted.append((whole.metric, Rows.of(ArrayRows(np.ascontiguousarray(both)))))
    counts = Counts.of(Outline(systems=names, segments=300), counted)
    found = []
    for over in ("pairs", "metrics"):
        comparison = compare(counts, correct_over=over, replicates=999, seed=trial, people=None)
        found.append([pair.significant for pair in comparison.comparisons])
    return [found[0][0], any(found[0]), any(found[1])], [False] * 3


def several_answers() -> Iterator[Design]:
    """Measure false alarms about equal models whose epochs of answers vary."""
    for epochs, effect in ((3, 0.0), (3, 0.05), (5, 0.05)):
        questions = tuple(
            Question(
                default=f"compare, several answers to an item, about {about}",
                design=f"100 items, {epochs} epochs, s.d. of an epoch's own rate {effect:g}",
                always="" if further or not effect else "the verdict says that it is about these",
            )
            for about, further in (("further epochs", True), ("these answers", False))
        )
        trial = partial(_several_answers, epochs, effect)
        yield Design(questions=questions, trials=1000, trial=trial)


def _several_answers(epochs: int, effect: float, trial: int) -> Answers:
    generator = np.random.default_rng([trial, epochs])
    rates = generator.beta(3, 2, size=100)
    lines = ["item,system,epoch,score"]
    for system in "ab":
        for epoch in range(epochs):
            own = effect * generator.normal()
            passed = generator.random(100) < rates + own
            lines += [f"{item},{system},{epoch},{int(ok)}" for item, ok in enumerate(passed)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        scored = ItemScores.read([str(path)])
    further, these = (
        compare(scored, about=about, replicates=999, seed=trial) for about in (None, "these-runs")
    )
    assert further.settings.about == "further-runs"
    return [c.comparisons[0].significant for c in (further, these)], [False, False]


def few_items() -> Iterator[Design]:
    """Measure coverage of differences on few items, for scores that are not pass or fail."""
    for name, draw in FEW.items():
        for items in (5, 6, 8, 10):
            question = Question(
                default="compare, interval of a difference of few items",
                design=f"{items} items, {name} differences",
                expected=1 - ALPHA,
                always=f"with fewer than {FEW_UNITS} items it can be too narrow",
            )
            trial = partial(_few_items, draw, items)
            yield Design(questions=(question,), trials=4000, trial=trial)


# Differences of two systems whose mean is 0.
FEW: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda generator, items: generator.normal(size=items),
    "skewed (exponential)": lambda generator, items: generator.exponential(size=items) - 1,
    "long-tailed (Student's, 3 degrees)": lambda generator, items: generator.standard_t(3, items),
}


def _few_items(draw: Callable[..., np.ndarray], items: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, items])
    second = generator.normal(size=items)
    scores = np.stack([second + draw(generator, items), second], axis=1)
    rows = np.stack([scores, np.ones_like(scores)], axis=2)
    statistics = UnitCounts.of("score", SCORE, rows, Units.segments(items))
    settings = CompareSettings(test="scaled", replicates=999, seed=trial)
    (tests,) = all_pair_tests([statistics], [], [(0, 1)], settings, lambda _first, _count: [])
    low, high = tests.intervals()[0]
    return [(low is None or low <= 0) and (high is None or high >= 0)], [False]


def scores_by_documents() -> Iterator[Design]:
    """Measure how often printed intervals by documents cover the pool's scores."""
    for metric in METRICS:
        whole = document_pool(metric)
        for documents in (3, 5, 10, 20, 60, 150):
            questions = tuple(
                Question(
                    default=f"{what} by documents ({whole.label})",
                    design=f"{documents} documents drawn, {whole.systems} systems",
                    expected=1 - ALPHA,
                    always=few("documents", documents, ENOUGH_DOCUMENTS),
                )
                for what in ("score, interval", "score --interval hall, interval")
            )
            trial = partial(_scores_by_documents, whole, documents)
            yield Design(questions=questions, trials=1000, trial=trial)


def _scores_by_documents(whole: UnitCounts, documents: int, trial: int) -> Answers:
    generator = np.random.default_rng([trial, documents])
    sample = like(whole, whole.rows[generator.integers(0, whole.units, documents)])
    covered = []
    for method in (choose_interval(sample, None, "hall"), "hall"):
        low, high = interval_bounds(sample, np.empty((0, whole.systems)), None, method, 1 - ALPHA)
        covered.append(float(((low <= whole.scores) & (whole.scores <= high)).mean()))
    return covered, [False, False]


def further_sets() -> Iterator[Design]:
    """Measure how often a panel's interval for a further set covers that set's difference."""
    for metric in panels.METRICS:
        question = Question(
            default=f"panel, interval of a further set ({metric})",
            design=f"{panels.FEW_SETS} WMT sets, {panels.SEGMENTS} segments of each",
            expected=1 - ALPHA,
        )
        yield Design(questions=(question,), trials=1000, trial=partial(_further_set, metric))


def _further_set(metric: str, trial: int) -> Answers:
    generator = np.random.default_rng([trial, 14])
    return [panels.holds_further_set(metric, generator)], [False]


def coverage() -> Iterator[Design]:
    """Measure how often intervals of `compare` cover the pool's difference."""
    for metric in METRICS:
        by_segment = pool(metric)[0]
        designs = [("segments", by_segment, 300)]
        designs += [("documents", document_pool(metric), count) for count in (20, 60, 150)]
        for kind, whole, count in designs:
            questions = tuple(
                Question(
                    default=f"compare, interval of a difference ({whole.label})",
                    design=f"{count} {kind} drawn, {pairs}",
                    expected=1 - ALPHA,
                    sometimes=ONE_UNIT,
                )
                for pairs in (" against ".join(PAIRS[0]), "three other pairs")
            )
            yield Design(
                questions=questions, trials=1000, trial=partial(_covered, metric, whole, count)
            )


def _covered(metric: str, whole: UnitCounts, count: int, trial: int) -> Answers:
    places = pool(metric)[2]
    pairs: list[Pair] = [(places[a], places[b]) for a, b in PAIRS]
    truth = np.array([whole.scores[a] - whole.scores[b] for a, b in pairs])
    generator = np.random.default_rng([trial, count])
    sample = like(whole, whole.rows[generator.integers(0, len(whole.rows), count)])
    settings = CompareSettings(test="scaled", replicates=999, seed=trial, correction="none")
    (tests,) = all_pair_tests([sample], [], pairs, settings, lambda _first, _count: [])
    low, high = np.array(tests.intervals(), dtype=float).T
    # A missing bound is open, so it covers any value.
    covers = ~((low > truth) | (truth > high))
    shares = np.array([share or 0.0 for _, share in largest_units(sample, pairs)])
    large = shares > LARGEST_SHARE
    return tuple([values[0], values[1:].mean()] for values in (covers, large, ~covers & large))


#: Functions of the page's designs, in order.
DESIGNS: tuple[Callable[[], Iterator[Design]], ...] = (
    two_systems,
    families,
    lengths,
    runaways,
    several_metrics,
    several_answers,
    few_items,
    coverage,
    scores_by_documents,
    further_sets,
    *gates.DESIGNS,
    *agreement.DESIGNS,
)


def page() -> Rates:
    """Run all designs, or the remaining ones of an interrupted run."""
    JOURNAL.parent.mkdir(exist_ok=True)
    designs = [design for designs in DESIGNS for design in designs()]
    return Rates(measured(designs, JOURNAL), JOURNAL)
