"""Studies of n-best lists: which smoothed BLEU to tune on, and what metrics say of one reranker.

Chen & Cherry (2014, §3.2, Tables 5 to 8) maximise expected sentence BLEU with each of their
smoothings, five times by other orders of the segments, with batch k-best MIRA beside them. The
scores of the test lists are compared with those of no smoothing by stratified randomization. With
a decoder at hand there is an outer loop, as in the paper: it decodes with the tuned weights, its
lists are merged with the older ones, and weights are tuned again.

Riezler & Maxwell (2005, §2 and Table 1) rerank n-best lists by an l1-penalised log-linear model
with phrases of up to three words as features, against one with the system's own scores only. NIST
rose significantly; BLEU and F fell, not significantly. This makes that table for any lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from truebleu.corpus.test_set import fingerprint
from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Runner, Task
from truebleu.metrics.registry import as_metrics
from truebleu.nbest.choices import weighted_choices
from truebleu.nbest.expectation import ExpectedBleu
from truebleu.nbest.mira import Mira
from truebleu.nbest.outer_loop import merge_lists
from truebleu.nbest.problem import Search, count_candidates, make_problem, seed_of_run
from truebleu.nbest.reranking import rerank
from truebleu.reports.document import Plot
from truebleu.reports.sentences import listed
from truebleu.schema import DEFAULT_SEED, Seed, Setting
from truebleu.significance.compare import compare
from truebleu.studies._pool import Replicates
from truebleu.studies._study import (
    Row,
    Settings,
    StudyResult,
    columns,
    lists_settings,
    settings_of,
    study,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import TextLike
    from truebleu.metrics.registry import MetricsLike
    from truebleu.nbest.problem import Problem
    from truebleu.nbest.reranking import RerankResult

__all__ = ["study_reranking", "study_tuning"]


# Tuning: does it matter which smoothed BLEU a log-linear model is tuned on?


SMOOTHINGS = tuple("01234567")
Smoothings = Annotated[Sequence[str], Setting(choices=SMOOTHINGS, metavar="N,N,...")]
MIRA = "mira"
NONE = "0"
# Differences are significant at this level.
LEVEL = 0.05

#: Makes lists with given weights of features.
Decode: TypeAlias = "Callable[[Mapping[str, float]], NBest]"
TUNING_COLUMNS = columns(
    "tuner: Smoothing | development: Tuned on [.2f] | development_sd: SD [.2f] | test [.2f] | "
    "test_sd: SD of test [.2f] | difference: From 0 [+.2f] | low [+.2f] | high [+.2f] | p: p [.4f]"
)


@study
def study_tuning(
    lists: NBest,
    references: Sequence[TextLike],
    test_lists: NBest,
    test_references: Sequence[TextLike],
    *,
    smoothings: Smoothings = SMOOTHINGS,
    without_mira: bool = False,
    metric: str = "bleu",
    runs: Annotated[int, Setting(least=1, most=1000)] = 5,
    decoders: tuple[Decode, Decode] | None = None,
    rounds: Annotated[int, Setting(least=1, most=1000)] = 1,
    epochs: Annotated[int, Setting(least=1)] = 30,
    l2: Annotated[float, Setting(least=0)] = 10.0,
    replicates: Replicates = 1000,
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> StudyResult:
    """Does it matter which smoothed BLEU weights are tuned on?

    Chen & Cherry (2014, Tables 5 to 8): weights that maximise expected sentence BLEU by each
    smoothing, several runs each, with MIRA beside them; scores on test lists are compared with
    those of no smoothing by stratified randomization.

    Args:
        lists: development lists with features.
        references: theirs: one text per translator.
        test_lists: test lists with the same features.
        test_references: theirs.
        smoothings: numbers from 0 to 7; 0, no smoothing, is what others are compared with.
        without_mira: leave out batch k-best MIRA, which is beside them otherwise.
        metric: what choices are scored by, and what MIRA is tuned for.
        runs: of each tuner, by other orders of the segments.
        decoders: make lists with given weights, of the development and of the test sources.
        rounds: of the outer loop; more than one need decoders.
        epochs: of stochastic gradient descent.
        l2: the penalty, the paper's λ.
        runner: keeps the weights of each run.
    """
    asked = {**locals()}
    smoothings = smoothings or SMOOTHINGS
    if NONE not in smoothings or len(set(smoothings)) < len(smoothings):
        raise SettingError("smoothings", list(smoothings), "0 and others, each once")
    if (rounds > 1) != (decoders is not None):
        raise SettingError("rounds", rounds, "several with decoders, and one without")
    tuners = (*smoothings, *(() if without_mira else (MIRA,)))
    counted = count_candidates(lists, references, metric)
    tested = count_candidates(test_lists, test_references, metric)

    decode, decode_test = decoders or (None, None)
    descent = ExpectedBleu(epochs=epochs, l2=l2)
    tuning = _Tuning(lists, references, metric, descent, seed, decode, rounds)
    names = tuning.problem(tuners[0]).names
    settings = settings_of(
        "tuning",
        asked,
        lists_settings(lists, references, [counted.metric]),
        candidates=lists.candidates,
        test_segments=len(test_lists),
        test_fingerprint=fingerprint([test_lists.texts]),
        features=len(names),
        tuners=tuners,
    )
    tasks = [
        Task((tuner, run), partial(tuning.weights, tuner, run))
        for tuner in tuners
        for run in range(runs)
    ]
    records = (runner or Runner()).run(settings, tasks)
    scores: dict[str, list[float]] = {tuner: [] for tuner in tuners}
    texts: dict[str, list[str]] = {}
    for (tuner, run), record in records.items():
        weights = dict(zip(names, record["weights"], strict=True))
        if decode_test is None:
            scores[str(tuner)].append(counted.score(weighted_choices(lists, weights)))
            chosen = test_lists.choose(weighted_choices(test_lists, weights))
        else:
            scores[str(tuner)].append(record["development"])
            chosen = decode_test(weights).choose(_first(len(test_lists)))
        texts[f"{tuner}.{run}" if runs > 1 else str(tuner)] = chosen
    rows = _tuning_rows(scores, texts, test_references, metric, settings)
    firsts = {
        "first_development": counted.score(_first(len(lists))),
        "first_test": tested.score(_first(len(test_lists))),
    }
    return StudyResult(
        settings=settings,
        title=f"{counted.metric.name} after tuning on expected sentence BLEU by each smoothing, "
        f"the mean of {runs} runs",
        columns=TUNING_COLUMNS,
        rows=rows,
        sentences=list(_tuning_sentences(rows, firsts, settings)),
        plot=Plot("point", "tuner", "difference", errors=("low", "high"), reference=0.0),
        drawn=[row for row in rows if row["difference"] is not None],
        details=firsts,
    )


@dataclass(frozen=True, slots=True)
class _Tuning:
    """What all runs have in common; texts are counted when a tuner first needs them."""

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
        goal = self.metric if tuner == MIRA else f"sentbleu:smoothing={tuner}"
        return make_problem(lists, self.references, [goal])

    def weights(self, tuner: str, run: int) -> Record:
        problem = self.problem(tuner)
        weights = self._tuned(problem, tuner, run)
        if self.decode is None:
            return {"weights": weights.tolist()}
        lists = self.lists
        for _ in range(1, self.rounds):
            decoded = self.decode(dict(zip(problem.names, weights, strict=True)))
            lists, new = merge_lists(lists, decoded)
            if not new:
                break
            problem = self._of(lists, tuner)
            weights = self._tuned(problem, tuner, run)
        decoded = self.decode(dict(zip(problem.names, weights, strict=True)))
        counted = count_candidates(decoded, self.references, self.metric)
        return {"weights": weights.tolist(), "development": counted.score(_first(len(lists)))}

    def _tuned(self, problem: Problem, tuner: str, run: int) -> NDArray[np.float64]:
        search = Search.of(np.zeros(len(problem.names)), seed=seed_of_run(self.seed, run))
        if tuner == MIRA:
            return problem.raw(Mira().weights(problem, search))
        return problem.raw(self.descent.weights(problem, search))


def _first(segments: int) -> NDArray[np.int64]:
    """The first of each list: what a decoder says is best."""
    return np.zeros(segments, dtype=np.int64)


def _tuning_rows(
    scores: Mapping[str, Sequence[float]],
    texts: Mapping[str, list[str]],
    references: Sequence[TextLike],
    metric: str,
    settings: Settings,
) -> list[Row]:
    """A row for each tuner: means of runs, and the difference from no smoothing, with Holm's p."""
    several = settings["runs"] > 1
    compared = compare(
        texts,
        references,
        metrics=[metric],
        replicates=settings["replicates"],
        seed=settings["seed"],
        baseline=NONE,
        runs="{system}.{run}" if several else None,
        people=None,
    )
    (label,) = compared.metrics
    pairs = {pair.a: pair for pair in compared.comparisons}
    rows = []
    for tuner, values in scores.items():
        system, pair = compared.systems[tuner][label], pairs.get(tuner)
        low, high = (None, None) if pair is None else pair.interval
        rows.append(
            {
                "tuner": tuner,
                "development": float(np.mean(values)),
                "development_sd": float(np.std(values, ddof=1)) if several else None,
                "test": system.score,
                "test_sd": None if system.runs is None else system.runs.sd_of_runs,
                "difference": None if pair is None else pair.difference,
                "low": low,
                "high": high,
                "p": None if pair is None else pair.p_adjusted,
            }
        )
    return rows


def significant(rows: Sequence[Row]) -> list[Row]:
    """The tuners that differ significantly from no smoothing."""
    return [row for row in rows if row["p"] is not None and row["p"] <= LEVEL]


def _tuning_sentences(
    rows: Sequence[Row], firsts: Mapping[str, float], settings: Settings
) -> Iterator[str]:
    yield (
        f"{settings['features']:,} features, {settings['candidates']:,} candidates for "
        f"{settings['pool']['segments']:,} segments, tested on {settings['test_segments']:,}. The "
        f"first candidates score {firsts['first_development']:.2f} and {firsts['first_test']:.2f}."
    )
    if settings["rounds"] > 1:
        yield (
            f"Each run decodes, merges lists and tunes up to {settings['rounds']} times; scores "
            "are of what the decoder says is best in the end."
        )
    differ = significant(rows)
    if not differ:
        yield "No smoothing differs significantly from none: it does not matter which is tuned on."
    for word, sign in (("better", 1), ("worse", -1)):
        tuners = [row["tuner"] for row in differ if sign * row["difference"] > 0]
        if tuners:
            yield f"Significantly {word} than no smoothing: {listed(tuners)}."
    values = [row["test"] for row in rows]
    yield f"From the lowest to the highest test score there are {max(values) - min(values):.2f}."


# Reranking: what several metrics say of one reranker.


BASELINE, RERANKED = "baseline", "reranking"
#: `compare` refuses fewer replicates.
FEWEST = 40
RERANKING_COLUMNS = columns(
    "metric | baseline [.3f] | reranking [.3f] | difference [+.3f] | low [+.3f] | high [+.3f] | "
    "ar: p, randomization [.4f] | bootstrap: p, bootstrap [.4f] | verdict"
)


@study
def study_reranking(
    lists: NBest,
    references: Sequence[TextLike],
    metrics: MetricsLike = ("nist", "bleu", "chrf"),
    *,
    ngrams: Annotated[int, Setting(least=1)] = 3,
    folds: Annotated[int, Setting(least=2)] = 5,
    replicates: Replicates = 10_000,
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> StudyResult:
    """What do several metrics say of one reranker?

    Riezler & Maxwell (2005, Table 1): a log-linear model with n-grams as features against one with
    the lists' own features only, by each metric, with p-values by approximate randomization and by
    the bootstrap. The first metric says which candidates are gold.

    Args:
        lists: the candidates of each segment.
        references: one text per translator.
        metrics: by which to compare; the first says which candidates are gold.
        ngrams: the reranker's n-grams have up to so many words.
        folds: each part is reranked by a model of the others.
        runner: keeps the choices of each model.
    """
    asked = {**locals()}
    metrics = as_metrics(metrics)
    train = partial(
        rerank,
        lists,
        references,
        metrics=metrics[:1],
        folds=folds,
        seed=seed,
        # Its own test of the gain is not looked at.
        replicates=FEWEST,
    )
    first = [[list_[0]] for list_ in lists]
    counted = [count_candidates(first, references, metric).metric for metric in metrics]
    settings = settings_of(
        "reranking",
        asked,
        lists_settings(lists, references, counted),
        candidates=lists.candidates,
        train_for=counted[0].name,
    )
    own = bool(lists.feature_names) or lists.sparse is not None
    tasks = [Task((RERANKED,), partial(_reranked, train, ngrams))]
    if own:
        tasks.insert(0, Task((BASELINE,), partial(_reranked, train, 0)))
    records = (runner or Runner()).run(settings, tasks)
    indices = {key[0]: record["indices"] for key, record in records.items()}
    indices.setdefault(BASELINE, [0] * len(lists))
    texts = {str(name): lists.choose(chosen) for name, chosen in indices.items()}
    by_test = {
        test: compare(
            texts,
            references,
            metrics=metrics,
            test=test,
            replicates=replicates,
            seed=seed,
            baseline=BASELINE,
            people=None,
        )
        for test in ("ar", "bootstrap")
    }
    rows: list[Row] = []
    for pair, other in zip(
        by_test["ar"].comparisons, by_test["bootstrap"].comparisons, strict=True
    ):
        metric = by_test["ar"].metrics[pair.metric]
        sign = -1 if metric.higher_is_better is False else 1
        verdict = "better" if sign * pair.difference > 0 else "worse"
        low, high = pair.interval
        systems = by_test["ar"].systems
        rows.append(
            {
                "metric": pair.metric,
                "baseline": systems[BASELINE][pair.metric].score,
                "reranking": systems[RERANKED][pair.metric].score,
                "difference": pair.difference,
                "low": low,
                "high": high,
                "ar": pair.p,
                "bootstrap": other.p,
                "verdict": verdict if pair.p <= LEVEL else "undecided",
                "points_up": metric.higher_is_better is not False,
            }
        )
    last = records[RERANKED,]
    details = {
        "selected": last["selected"],
        "gamma": last["gamma"],
        "changed": sum(a != b for a, b in zip(indices[BASELINE], indices[RERANKED], strict=True)),
    }
    return StudyResult(
        settings=settings,
        title=f"A reranker with n-grams of up to {ngrams} words against one without, by each "
        "metric",
        columns=RERANKING_COLUMNS,
        rows=rows,
        sentences=list(_reranking_sentences(rows, details, settings)),
        plot=Plot("point", "metric", "difference", errors=("low", "high"), reference=0.0),
        details=details,
    )


def _reranked(train: Callable[..., RerankResult], orders: int) -> Record:
    """The choices of a model with n-grams of these orders."""
    model = train(ngrams=orders)
    return {
        "indices": list(model.indices),
        "selected": len(model.selected),
        "gamma": model.gamma,
    }


def _reranking_sentences(
    rows: Sequence[Row], details: Mapping[str, float], settings: Settings
) -> Iterator[str]:
    yield (
        f"{settings['candidates']:,} candidates for {settings['pool']['segments']:,} segments; "
        f"gamma {details['gamma']:.4g} keeps {details['selected']:,} features; another candidate "
        f"than the baseline's is chosen for {details['changed']:,} segments."
    )
    for kind in ("better", "worse", "undecided"):
        metrics = [row["metric"] for row in rows if row["verdict"] == kind]
        if metrics:
            yield f"{kind.capitalize()} by {listed(metrics)}."
    directions = {row["difference"] > 0 for row in rows if row["difference"] and row["points_up"]}
    if len(directions) > 1:
        yield (
            "The metrics point in different directions: which of them one reports decides whether "
            "the reranker is an improvement."
        )
