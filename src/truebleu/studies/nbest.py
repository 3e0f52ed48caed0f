"""Studies of n-best lists: tuning on smoothed BLEU, and a reranker scored by several metrics.

Chen & Cherry (2014, §3.2, Tables 5 to 8) maximise expected sentence BLEU with each of their
smoothings, in five runs with different orders of the segments, and compare batch k-best MIRA; this
study adds MERT. Stratified randomization compares scores on test lists with the unsmoothed ones.
If there is a decoder, there is an outer loop, as in the paper: decode with the tuned weights, merge
the lists with the older ones, and tune the weights again.

Riezler & Maxwell (2005, §2 and Table 1) rerank n-best lists by an l1-penalised log-linear model
with phrases of up to three words as features, and compare it with a model of the system's own
scores only. NIST rose significantly; BLEU and F fell, not significantly. `study_reranking` makes
that table for any lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np

import truebleu.studies._study as base
from truebleu.corpus.fingerprints import fingerprint
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Task
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.choices import weighted_choices
from truebleu.nbest.expectation import PENALTY, ExpectedBleu
from truebleu.nbest.mert import Mert
from truebleu.nbest.mira import Mira
from truebleu.nbest.problem import (
    Search,
    count_candidates,
    drop_duplicates,
    make_problem,
    merge_lists,
    seed_of_run,
)
from truebleu.nbest.reranking import rerank
from truebleu.reports.document import Plot, join_names
from truebleu.schema import Seed, Setting
from truebleu.significance.compare import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.sequences import TextLike
    from truebleu.metrics.base import Metric
    from truebleu.metrics.registry import MetricsLike
    from truebleu.nbest.problem import Problem
    from truebleu.nbest.reranking import RerankResult

__all__ = ["study_reranking", "study_tuning"]


# Tuning: the choice of the smoothed BLEU that weights are tuned on.


SMOOTHINGS = tuple("01234567")
MERT, NONE = "mert", "0"
#: Tuners for the metric itself.
OTHERS = {"mira": Mira(), MERT: Mert()}
# Significance level.
LEVEL = 0.05

#: A decoder: makes n-best lists with given feature weights.
Decode: TypeAlias = "Callable[[Mapping[str, float]], NBest]"
TUNING_COLUMNS = base.columns(
    "tuner: Smoothing | development: Tune [.2f] | development_sd: std [.2f] | test: Test [.2f] | "
    "test_sd: std [.2f] | difference: From 0 [+.2f] | low [+.2f] | high [+.2f] | p: p [.4f]"
)


class TuningOptions(base.StudyOptions, total=False):
    """Options of `study_tuning`.

    Attributes:
        smoothings: numbers from 0 to 7; the others are compared with 0, no smoothing.
        metric: metric that scores the choices and that MIRA and MERT optimise.
        repeats: runs of each tuner, with different orders of the segments.
        rounds: rounds of the outer loop; several need decoders.
        epochs: epochs of stochastic gradient descent.
        l2: strength of the penalty per segment, the paper's λ divided by its 1,506 segments.
        margin: largest difference from no smoothing that counts as equivalent.
    """

    smoothings: Annotated[
        Sequence[str], Setting(choices=SMOOTHINGS, metavar="N,N,...", default=SMOOTHINGS)
    ]
    metric: Annotated[str, Setting(default="bleu")]
    repeats: Annotated[int, Setting(minimum=1, maximum=1000, default=5)]
    rounds: Annotated[int, Setting(minimum=1, maximum=1000, default=1, rare=True)]
    epochs: Annotated[int, Setting(minimum=1, default=30)]
    l2: Annotated[float, Setting(minimum=0, default=PENALTY)]
    margin: Annotated[float, Setting(above=0, default=1.0)]
    replicates: base.Replicates
    seed: Seed


@base.study(TuningOptions)
def study_tuning(
    lists: NBest,
    references: Sequence[TextLike],
    test_lists: NBest,
    test_references: Sequence[TextLike],
    *,
    decoders: tuple[Decode, Decode] | None = None,
    **options: Unpack[TuningOptions],
) -> base.StudyResult:
    """Does it matter which smoothed BLEU weights are tuned on?

    Weights maximise expected sentence BLEU by each smoothing, in several runs; MIRA and MERT are
    added for comparison (Chen & Cherry 2014, Tables 5 to 8). Scores on test lists are compared
    with the scores of no smoothing by stratified randomization.

    Args:
        lists: development lists with features.
        references: references of the development lists, one text per translator.
        test_lists: test lists with the same features.
        test_references: references of the test lists.
        decoders: functions that make lists with given weights, for the development and the test
            sources.
    """
    smoothings, metric = options["smoothings"] or SMOOTHINGS, options["metric"]
    repeats, rounds, seed = options["repeats"], options["rounds"], options["seed"]
    if NONE not in smoothings or len(set(smoothings)) < len(smoothings):
        raise SettingError("smoothings", list(smoothings), "0 and other smoothings, each once")
    if (rounds > 1) != (decoders is not None):
        raise SettingError("rounds", rounds, "at least 2 rounds with decoders, and 1 without")
    tuners = (*smoothings, *OTHERS)
    counted = count_candidates(lists, references, metric)
    tested = count_candidates(test_lists, test_references, metric)

    decode, decode_test = decoders or (None, None)
    descent = ExpectedBleu(epochs=options["epochs"], l2=options["l2"])
    tuning = _Tuning(lists, references, metric, descent, seed, decode, rounds)
    tasks = [
        Task((tuner, run), partial(tuning.weights, tuner, run))
        for tuner in tuners
        for run in range(repeats)
    ]
    settings, records = base.run_study(
        "tuning",
        options,
        base.lists_settings(lists, references, [counted.metric]),
        tasks,
        unused=["margin"],
        candidates=lists.candidates,
        test_segments=len(test_lists),
        test_fingerprint=fingerprint([test_lists.texts]),
        features=len(tuning.problem(NONE).names),
        is_sparse=lists.sparse is not None,
        tuners=tuners,
    )
    scores: dict[str, list[float]] = {tuner: [] for tuner in tuners}
    texts: dict[str, list[str]] = {}
    for (tuner, run), record in records.items():
        weights = record["weights"]
        if decode_test is None:
            scores[str(tuner)].append(counted.score(weighted_choices(lists, weights)))
            chosen = test_lists.choose(weighted_choices(test_lists, weights))
        else:
            scores[str(tuner)].append(record["development"])
            chosen = decode_test(weights).first()
        texts[f"{tuner}.{run}" if repeats > 1 else str(tuner)] = chosen
    rows = _tuning_rows(scores, texts, test_references, metric, settings)
    marks = {
        f"{mark}_{part}": score
        for part, statistics in (("development", counted), ("test", tested))
        for mark, score in statistics.landmarks()._asdict().items()
    }
    marks["features"] = max(record["features"] for record in records.values())
    title = (
        f"{counted.metric.name} after tuning on expected sentence BLEU by each smoothing, the mean "
        f"of {repeats} runs"
    )
    plot = Plot("point", "tuner", "difference", errors=("low", "high"), reference=0.0)
    sentences = list(_tuning_sentences(rows, marks, settings))
    chart_rows = [row for row in rows if row["difference"] is not None]
    return base.StudyResult(
        settings, title, TUNING_COLUMNS, plot, rows, sentences, chart_rows, details=marks
    )


@dataclass(frozen=True, slots=True)
class _Tuning:
    """Inputs of all runs; texts are counted when a tuner first needs them."""

    lists: NBest
    references: Sequence[TextLike]
    metric: str
    descent: ExpectedBleu
    seed: int
    decode: Decode | None
    rounds: int
    problems: dict[str, Problem] = field(default_factory=dict)

    def problem(self, tuner: str) -> Problem:
        if tuner not in self.problems:
            self.problems[tuner] = self._of(self.lists, tuner)
        return self.problems[tuner]

    def _of(self, lists: NBest, tuner: str) -> Problem:
        # MERT searches along every feature, so it tunes only the dense ones.
        lists = replace(lists, sparse=None) if tuner == MERT else lists
        goal = self.metric if tuner in OTHERS else f"sentbleu:smoothing={tuner}"
        return make_problem(lists, self.references, [goal])

    def weights(self, tuner: str, run: int) -> Record:
        """Tune a run; return its weights, and with a decoder the score of its best output."""
        lists, problem = self.lists, self.problem(tuner)
        weights = self._tuned(problem, tuner, run, {})
        if self.decode is None:
            return {"weights": weights, "features": len(problem.names)}
        for _ in range(1, self.rounds):
            lists, new = merge_lists(lists, self.decode(weights))
            if not new:
                break
            problem = self._of(lists, tuner)
            weights = self._tuned(problem, tuner, run, weights)
        counted = count_candidates(self.decode(weights), self.references, self.metric)
        score = counted.landmarks().first
        return {"weights": weights, "features": len(problem.names), "development": score}

    def _tuned(
        self, problem: Problem, tuner: str, run: int, start: Mapping[str, float]
    ) -> dict[str, float]:
        first = problem.scaled([start.get(name, 0.0) for name in problem.names])
        search = Search.of(first, seed=seed_of_run(self.seed, run))
        weights = problem.raw(OTHERS.get(tuner, self.descent).weights(problem, search)).tolist()
        return {name: weight for name, weight in zip(problem.names, weights, strict=True) if weight}


def _tuning_rows(
    scores: Mapping[str, Sequence[float]],
    texts: Mapping[str, list[str]],
    references: Sequence[TextLike],
    metric: str,
    settings: base.Settings,
) -> list[base.Row]:
    """Make a row per tuner: means of runs, and the difference from no smoothing with Holm's p."""
    several = settings["repeats"] > 1
    counts = counts_of(texts, references, [metric])
    # Choices that equal the reference are compared, too.
    outline = replace(counts.outline, copies=())
    compared = compare(
        replace(counts, outline=outline),
        baseline=NONE,
        runs="{system}.{run}" if several else None,
        people=None,
        **{name: settings[name] for name in ("replicates", "seed")},
    )
    (label,) = compared.metrics
    pairs = {pair.a: pair for pair in compared.comparisons}
    rows = []
    for tuner, values in scores.items():
        system = compared.systems[tuner][label]
        row: base.Row = {
            "tuner": tuner,
            "development": float(np.mean(values)),
            "development_sd": float(np.std(values, ddof=1)) if several else None,
            "test": system.score,
            "test_sd": None if system.runs is None else system.runs.sd_of_runs,
            **dict.fromkeys(("difference", "low", "high", "p")),
        }
        if tuner in pairs:
            pair = pairs[tuner]
            row |= {"difference": pair.difference, "p": pair.p_adjusted}
            row |= zip(("low", "high"), pair.interval, strict=True)
        rows.append(row)
    return rows


def significant(rows: Sequence[base.Row]) -> list[base.Row]:
    """Select the tuners that differ significantly from no smoothing."""
    return [row for row in rows if row["p"] is not None and row["p"] <= LEVEL]


def undecided_sentences(rows: Sequence[base.Row], margin: float) -> Iterator[str]:
    """Say within which difference tuners are equivalent to no smoothing, or that none is known."""
    undecided = [row for row in rows if row["p"] is not None and row["p"] > LEVEL]
    half_widths = {
        row["tuner"]: max(abs(row["low"]), abs(row["high"]))
        for row in undecided
        if row["low"] is not None
    }
    if near := [tuner for tuner, width in half_widths.items() if width <= margin]:
        largest = max(half_widths[tuner] for tuner in near)
        yield f"Equivalent to no smoothing within {largest:.2f}: {join_names(near)}."
    if far := [tuner for tuner in half_widths if tuner not in near]:
        largest = max(half_widths[tuner] for tuner in far)
        yield (
            f"Cannot tell from no smoothing: {join_names(far)}; intervals reach differences of "
            f"{largest:.2f}."
        )
    if few := [row["tuner"] for row in undecided if row["low"] is None]:
        yield f"Cannot tell from no smoothing, as too few choices differ: {join_names(few)}."


def _tuning_sentences(
    rows: Sequence[base.Row], marks: Mapping[str, float], settings: base.Settings
) -> Iterator[str]:
    yield (
        f"{marks['features']:,} features, {settings['candidates']:,} candidates for "
        f"{settings['pool']['segments']:,} segments, tested on {settings['test_segments']:,}. The "
        f"first candidates score {marks['first_development']:.2f} and {marks['first_test']:.2f}, "
        f"random ones {marks['by_chance_development']:.2f} and {marks['by_chance_test']:.2f}, the "
        f"oracles {marks['oracle_development']:.2f} and {marks['oracle_test']:.2f}."
    )
    if settings["is_sparse"]:
        yield "MERT tunes only the features of all candidates; sparse features stay at 0."
    minimum = max(marks["first_test"], marks["by_chance_test"])
    if below := [row["tuner"] for row in rows if row["test"] < minimum]:
        names = join_names(below)
        yield f"Warning: worse than the first or random candidates of the test lists: {names}."
    if settings["rounds"] > 1:
        yield (
            f"Each run decodes, merges lists and tunes up to {settings['rounds']} times; scores "
            "are for the decoder's best output in the end."
        )
    differ = significant(rows)
    for word, sign in (("better", 1), ("worse", -1)):
        if tuners := [row["tuner"] for row in differ if sign * row["difference"] > 0]:
            yield f"Significantly {word} than no smoothing: {join_names(tuners)}."
    yield from undecided_sentences(rows, settings["margin"])
    values = [row["test"] for row in rows]
    yield f"The lowest and the highest test score differ by {max(values) - min(values):.2f}."


# Reranking: one reranker by several metrics, and variants that should equal it.


BASELINE, RERANKED = "baseline", "reranking"
#: Smallest number of replicates that `compare` accepts.
FEWEST = 40
UNDECIDED, SAME = "cannot tell", "the same choices"
#: Column of each test of the paper's tables (Figs. 1 and 2).
RERANKING_TESTS = {"ar": "approxrand", "bootstrap-absolute": "bootstrap"}
#: Noise in a redundant feature, in its standard deviations; the copy keeps most information.
NOISE = 0.3
RERANKING_COLUMNS = base.columns(
    "metric | compared: Compared systems | baseline: First [.3f] | reranking: Second [.3f] | "
    "difference [+.3f] | low [+.3f] | high [+.3f] | approxrand: approxrand p-value [.4f] | "
    "bootstrap: bootstrap p-value [.4f] | changed: Other choices | verdict"
)


class RerankingOptions(base.StudyOptions, total=False):
    """Options of `study_reranking`.

    Attributes:
        ngrams: longest n-grams of the reranker, in words.
        gamma: strength of the l1 penalty; a smaller penalty keeps more features. Default: chosen on
            held-out segments.
        redundant: numbers of redundant features, noisy copies of the lists' own. The reranker is
            compared with a variant for each number.
        folds: number of folds; a model of the other folds reranks each fold.
    """

    ngrams: Annotated[int, Setting(minimum=1, default=3)]
    gamma: Annotated[float | None, Setting(above=0)]
    redundant: Annotated[
        Sequence[int], Setting(minimum=1, maximum=1000, metavar="N,N,...", default=())
    ]
    folds: Annotated[int, Setting(minimum=2, default=5)]
    replicates: Annotated[base.Replicates, Setting(default=10_000)]
    seed: Seed


@base.study(RerankingOptions)
def study_reranking(
    lists: NBest,
    references: Sequence[TextLike],
    metrics: MetricsLike = ("nist", "bleu", "chrf"),
    **options: Unpack[RerankingOptions],
) -> base.StudyResult:
    """How do several metrics judge one reranker, and variants that should equal it?

    A log-linear model with n-grams as features is compared by each metric with a model of the
    lists' own features only (Riezler & Maxwell 2005, Table 1). P-values are by approximate
    randomization (their Fig. 1) and by the bootstrap of absolute differences (Fig. 2). Table 2
    compares the reranker with variants with redundant features, which should not differ from it.

    Args:
        lists: candidates of each segment; duplicates count once.
        references: references, one text per translator.
        metrics: metrics to compare by; the first one decides which candidates are gold.
    """
    ngrams, redundant, seed = options["ngrams"], options["redundant"], options["seed"]
    parsed, lists = as_metrics(metrics), drop_duplicates(lists)
    has_features = bool(lists.feature_names) or lists.sparse is not None
    if redundant and not lists.feature_names:
        raise SettingError("redundant", list(redundant), "lists that have features to copy")
    variants = {RERANKED: 0, **{str(number): more for number, more in enumerate(redundant, 2)}}
    # The reranker's own test of its gain is not used.
    shared: base.Settings = {
        "metrics": parsed[:1],
        "folds": options["folds"],
        "seed": seed,
        "replicates": FEWEST,
    }
    train = partial(rerank, references=references, gamma=options["gamma"], **shared)
    tasks = [
        Task((name,), partial(_reranked, train, with_redundant(lists, more, seed), ngrams))
        for name, more in variants.items()
    ]
    if has_features:
        tasks.insert(0, Task((BASELINE,), partial(_reranked, train, lists, 0)))
    first = [[list_[0]] for list_ in lists]
    counted = [count_candidates(first, references, metric).metric for metric in parsed]
    settings, records = base.run_study(
        "reranking",
        options,
        base.lists_settings(lists, references, counted),
        tasks,
        candidates=lists.candidates,
        train_for=counted[0].name,
    )
    indices = {str(key[0]): record["indices"] for key, record in records.items()}
    indices.setdefault(BASELINE, [0] * len(lists))
    details = {name: records[RERANKED,][name] for name in ("selected", "gamma")}
    gold = count_candidates(lists, references, parsed[0])
    details |= gold.landmarks()._asdict() | {"score": gold.score(np.array(indices[RERANKED]))}
    details["below"] = gold.metric.sign * details["score"] < max(
        gold.metric.sign * details[mark] for mark in ("first", "by_chance")
    )
    details["variants"] = {name: records[name,]["selected"] for name in variants}
    rows: list[base.Row] = []
    for first_name, names in ((BASELINE, [RERANKED]), (RERANKED, list(variants)[1:])):
        if names:
            texts = {name: lists.choose(indices[name]) for name in (first_name, *names)}
            rows += _compared(texts, references, parsed, settings, first_name)
    title = f"A reranker with n-grams of up to {ngrams} words against one without, by each metric"
    panel = "compared" if redundant else None
    plot = Plot("point", "metric", "difference", errors=("low", "high"), reference=0.0, panel=panel)
    sentences = list(_reranking_sentences(rows, details, settings))
    return base.StudyResult(
        settings, title, RERANKING_COLUMNS, plot, rows, sentences, details=details
    )


def with_redundant(lists: NBest, count: int, seed: int) -> NBest:
    """Add `count` noisy copies of existing features to the lists."""
    if not count:
        return lists
    noise = np.random.default_rng([seed, count]).normal(size=(lists.candidates, count))
    repeated = lists.features[:, np.arange(count) % len(lists.feature_names)]
    return replace(
        lists,
        feature_names=(*lists.feature_names, *(f"redundant-{n}" for n in range(1, count + 1))),
        features=np.hstack([lists.features, repeated + NOISE * repeated.std(axis=0) * noise]),
    )


def _reranked(train: Callable[..., RerankResult], lists: NBest, orders: int) -> Record:
    """Train a model with n-grams of these orders; return its choices."""
    model = train(lists, ngrams=orders)
    selected = len(model.selected)
    return {"indices": list(model.indices), "selected": selected, "gamma": model.gamma}


def _compared(
    texts: Mapping[str, list[str]],
    references: Sequence[TextLike],
    metrics: Sequence[Metric],
    settings: base.Settings,
    first: str,
) -> Iterator[base.Row]:
    """Compare the first system with the others by each metric and both tests, as in the paper.

    Systems that choose the same everywhere leave nothing to test.
    """
    shared = {name: settings[name] for name in ("replicates", "seed")}
    results = [
        compare(
            texts, references, metrics=metrics, test=test, baseline=first, people=None, **shared
        )
        for test in RERANKING_TESTS
    ]
    scores = results[0].systems
    for pairs in zip(*(result.comparisons for result in results), strict=True):
        pair = pairs[0]
        higher_is_better = results[0].metrics[pair.metric].higher_is_better is not False
        verdict = "better" if (pair.difference > 0) == higher_is_better else "worse"
        changed = sum(a != b for a, b in zip(texts[first], texts[pair.a], strict=True))
        nothing = dict.fromkeys(("low", "high", *RERANKING_TESTS.values())) | {"verdict": SAME}
        row = {
            "metric": pair.metric,
            "compared": f"{first} : {pair.a}" if first == BASELINE else f"1 : {pair.a}",
            "a": first,
            "b": pair.a,
            "baseline": scores[first][pair.metric].score,
            "reranking": scores[pair.a][pair.metric].score,
            "difference": pair.difference,
            **dict(zip(("low", "high"), pair.interval, strict=True)),
            **{name: one.p for name, one in zip(RERANKING_TESTS.values(), pairs, strict=True)},
            "verdict": verdict if pair.p <= LEVEL else UNDECIDED,
            "changed": changed,
        }
        yield row if changed else row | nothing


def _reranking_sentences(
    rows: Sequence[base.Row], details: Mapping[str, Any], settings: base.Settings
) -> Iterator[str]:
    first = [row for row in rows if row["a"] == BASELINE]
    yield (
        f"{settings['candidates']:,} different candidates for {settings['pool']['segments']:,} "
        f"segments; gamma {details['gamma']:.4g} keeps {details['selected']:,} features; the "
        f"reranker and the baseline choose different candidates for {first[0]['changed']:,} "
        "segments."
    )
    yield (
        f"By {settings['train_for']} the reranker scores {details['score']:.3f}, the first "
        f"candidates {details['first']:.3f}, random ones {details['by_chance']:.3f}, the oracle "
        f"{details['oracle']:.3f}."
    )
    if details["below"]:
        yield "Warning: the reranker is worse than the first or random candidates."
    if not first[0]["changed"]:
        yield (
            "Nothing follows about the metrics: a model is compared with itself. A smaller --gamma "
            "keeps more features."
        )
    for kind in ("better", "worse", UNDECIDED):
        if metrics := [row["metric"] for row in first if row["verdict"] == kind]:
            yield f"{kind.capitalize()} by {join_names(metrics)}."
    for metric in dict.fromkeys(row["metric"] for row in rows if row["a"] != BASELINE):
        of_metric = (row for row in rows if row["a"] != BASELINE and row["metric"] == metric)
        equal = [row for row in of_metric if row["verdict"] != SAME]
        smaller = sum(row["bootstrap"] < row["approxrand"] for row in equal)
        yield (
            f"{metric}: the bootstrap gives a smaller p-value than approximate randomization for "
            f"{smaller} of {len(equal)} variants with redundant features and other choices."
        )
