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

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_replicates, require_seed, require_whole_number
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.nbest.expectation import SgdSettings, expected_bleu
from truebleu.nbest.mira import MiraSettings, mira
from truebleu.nbest.outer_loop import merge_lists
from truebleu.nbest.problem import Search, make_problem, seed_of_run
from truebleu.nbest.reranking import rerank
from truebleu.nbest.statistics import count_candidates
from truebleu.nbest.weights import weighted_choices
from truebleu.significance.compare import compare
from truebleu.studies._study import PoolSummary, StudyResult, StudySettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TextLike
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.nbest.problem import Problem
    from truebleu.nbest.reranking import RerankResult


# Tuning: does it matter which smoothed BLEU a log-linear model is tuned on?


SMOOTHINGS = tuple("01234567")
MIRA = "mira"
NONE = "0"
# Differences are significant at this level.
LEVEL = 0.05

#: Makes lists with given weights of features.
Decode: TypeAlias = "Callable[[Mapping[str, float]], NBest]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningSettings(StudySettings):
    """What `study_tuning` was asked for, and what it was given.

    Attributes:
        candidates: of the development lists.
        test_segments: of the test lists.
        test_fingerprint: tells other test lists from these.
        features: how many there are.
        tuners: the smoothings, and "mira".
    """

    STUDY: ClassVar[str] = "tuning"

    candidates: int
    test_segments: int
    test_fingerprint: str
    features: int
    tuners: tuple[str, ...]
    runs: int
    rounds: int
    epochs: int
    l2: float
    replicates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningRow:
    """One smoothing, or MIRA.

    Attributes:
        tuner: the smoothing's number, or "mira".
        development: the score on the lists that were tuned on, or of the decoder's best, the mean
            of all runs.
        development_sd: its standard deviation over runs; None of one run.
        test: the score on the test lists, or of the decoder's best, the mean of all runs.
        test_sd: its standard deviation over runs.
        difference: from that of no smoothing; None of no smoothing itself.
        low: where the interval of the difference begins.
        high: where it ends.
        p: corrected for the number of tuners (Holm).
    """

    tuner: str
    development: float
    development_sd: float | None
    test: float
    test_sd: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult(StudyResult):
    """What tuning on each smoothed BLEU gives; by `truebleu study tuning`.

    Attributes:
        settings: how to repeat it.
        first_development: the score of the first candidates of the development lists.
        first_test: that of the test lists.
        rows: a row for each tuner.
    """

    REPORT: ClassVar[str] = "truebleu.reports.nbest:tuning_document"

    settings: TuningSettings
    first_development: float
    first_test: float
    rows: tuple[TuningRow, ...]

    @property
    def significant(self) -> tuple[TuningRow, ...]:
        """The tuners that differ significantly from no smoothing."""
        return tuple(row for row in self.rows if row.p is not None and row.p <= LEVEL)


def study_tuning(
    lists: NBest,
    references: Sequence[TextLike],
    test: NBest,
    test_references: Sequence[TextLike],
    *,
    smoothings: Sequence[str] = SMOOTHINGS,
    with_mira: bool = True,
    metric: str = "bleu",
    runs: int = 5,
    decoders: tuple[Decode, Decode] | None = None,
    rounds: int = 1,
    epochs: int = 30,
    l2: float = 10.0,
    replicates: int = 1000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> TuningResult:
    """Tune on every smoothed BLEU, several times, and compare on test lists.

    Args:
        lists: development lists with features.
        references: theirs: one text per translator.
        test: test lists with the same features.
        test_references: theirs.
        smoothings: numbers from 0 to 7; 0, no smoothing, is what others are compared with.
        with_mira: whether batch k-best MIRA is beside them.
        metric: what choices are scored by, and what MIRA is tuned for.
        runs: of each tuner, by other orders of the segments.
        decoders: make lists with given weights, of the development and of the test sources.
        rounds: of the outer loop; more than one need decoders.
        epochs: of stochastic gradient descent.
        l2: the penalty, the paper's λ.
        replicates: of the tests and intervals.
        seed: of everything drawn.
        runner: keeps the weights of each run.
    """
    for name in smoothings:
        if name not in SMOOTHINGS:
            raise UnknownNameError("smoothing", name, SMOOTHINGS)
    if NONE not in smoothings or len(set(smoothings)) < len(smoothings):
        raise SettingError("smoothings", list(smoothings), "0 and others, each once")
    require_whole_number("runs", runs, 1, 1000)
    require_whole_number("rounds", rounds, 1, 1000)
    if (rounds > 1) != (decoders is not None):
        raise SettingError("rounds", rounds, "several with decoders, and one without")
    require_replicates("replicates", replicates)
    require_seed(seed)
    tuners = (*smoothings, *((MIRA,) if with_mira else ()))
    counted = count_candidates(lists, references, metric)
    tested = count_candidates(test, test_references, metric)

    decode, decode_test = decoders or (None, None)
    descent = SgdSettings(epochs=epochs, l2=l2)
    tuning = _Tuning(lists, references, metric, descent, seed, decode, rounds)
    names = tuning.problem(tuners[0]).names
    settings = TuningSettings(
        pool=PoolSummary.of_lists(lists, references, [counted.metric]),
        seed=seed,
        candidates=lists.candidates,
        test_segments=len(test),
        test_fingerprint=fingerprint([test.texts]),
        features=len(names),
        tuners=tuners,
        runs=runs,
        rounds=rounds,
        epochs=epochs,
        l2=l2,
        replicates=replicates,
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
            texts[f"{tuner}.{run}"] = test.choose(weighted_choices(test, weights))
        else:
            scores[str(tuner)].append(record["development"])
            texts[f"{tuner}.{run}"] = decode_test(weights).choose(_first(len(test)))
    return TuningResult(
        settings=settings,
        first_development=counted.score(_first(len(lists))),
        first_test=tested.score(_first(len(test))),
        rows=_tuning_rows(scores, texts, test_references, metric, settings),
    )


@dataclass(frozen=True, slots=True)
class _Tuning:
    """What all runs have in common; texts are counted when a tuner first needs them."""

    lists: NBest
    references: Sequence[TextLike]
    metric: str
    descent: SgdSettings
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
            return problem.raw(mira(problem, MiraSettings(), search).weights)
        return problem.raw(expected_bleu(problem, self.descent, search))


def _first(segments: int) -> NDArray[np.int64]:
    """The first of each list: what a decoder says is best."""
    return np.zeros(segments, dtype=np.int64)


def _tuning_rows(
    scores: dict[str, list[float]],
    texts: dict[str, list[str]],
    references: Sequence[TextLike],
    metric: str,
    settings: TuningSettings,
) -> tuple[TuningRow, ...]:
    runs = settings.runs
    if runs == 1:
        texts = {name.partition(".")[0]: text for name, text in texts.items()}
    compared = compare(
        texts,
        references,
        metrics=[metric],
        replicates=settings.replicates,
        seed=settings.seed,
        baseline=NONE,
        runs="{system}.{run}" if runs > 1 else None,
        curves=None,
    )
    (label,) = compared.metrics
    pairs = {pair.a: pair for pair in compared.comparisons}
    rows = []
    for tuner, values in scores.items():
        system = compared.systems[tuner][label]
        pair = pairs.get(tuner)
        rows.append(
            TuningRow(
                tuner=tuner,
                development=float(np.mean(values)),
                development_sd=float(np.std(values, ddof=1)) if runs > 1 else None,
                test=system.score,
                test_sd=None if system.runs is None else system.runs.sd_of_runs,
                difference=None if pair is None else pair.difference,
                low=None if pair is None else pair.interval[0],
                high=None if pair is None else pair.interval[1],
                p=None if pair is None else pair.p_adjusted,
            )
        )
    return tuple(rows)


# Reranking: what several metrics say of one reranker.


BASELINE, RERANKED = "baseline", "reranking"
#: `compare` refuses fewer replicates.
FEWEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingSettings(StudySettings):
    """What `study_reranking` was asked for, and what it was given.

    Attributes:
        candidates: of all lists.
        train_for: the metric by which the best candidate of a list is the gold standard.
    """

    STUDY: ClassVar[str] = "reranking"

    candidates: int
    ngrams: int
    train_for: str
    folds: int
    replicates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingRow:
    """What one metric says.

    Attributes:
        metric: its name.
        baseline: the score of the model with the lists' own features; of the first candidates,
            where there are none.
        reranking: the score of the model with n-grams beside them.
        difference: between the two.
        low: where its interval begins.
        high: where it ends.
        ar: the p-value by approximate randomization.
        bootstrap: that by the bootstrap.
        verdict: "better", "worse" or "undecided", at the level 0.05 by approximate randomization.
    """

    metric: str
    baseline: float
    reranking: float
    difference: float
    low: float | None
    high: float | None
    ar: float
    bootstrap: float
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingResult(StudyResult):
    """What metrics say of a reranker; by `truebleu study reranking`.

    Attributes:
        settings: how to repeat it.
        rows: a row for each metric.
        selected: how many features the reranker selected, trained on all lists.
        gamma: the strength of its penalty.
        changed: in how many segments it chooses another candidate than the baseline.
    """

    REPORT: ClassVar[str] = "truebleu.reports.nbest:reranking_document"

    settings: RerankingSettings
    rows: tuple[RerankingRow, ...]
    selected: int
    gamma: float
    changed: int


def _reranked(train: Callable[..., RerankResult], orders: int) -> Record:
    """The choices of a model with n-grams of these orders."""
    model = train(ngrams=orders)
    return {
        "indices": list(model.indices),
        "selected": len(model.selected),
        "gamma": model.gamma,
    }


def study_reranking(
    lists: NBest,
    references: Sequence[TextLike],
    *,
    metrics: Sequence[str | Metric] = ("nist", "bleu", "chrf"),
    ngrams: int = 3,
    folds: int = 5,
    replicates: int = 10_000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> RerankingResult:
    """Rerank lists with and without n-grams, and compare by every metric.

    Args:
        lists: the candidates of each segment.
        references: one text per translator.
        metrics: by which to compare; the first says which candidates are gold.
        ngrams: the reranker's n-grams have up to so many words.
        folds: each part is reranked by a model of the others.
        replicates: of the tests.
        seed: of the tests.
        runner: keeps the choices of each model.
    """
    if not metrics or ngrams < 1:
        raise SettingError("metrics and ngrams", (list(metrics), ngrams), "one or more of each")
    require_seed(seed)
    require_replicates("replicates", replicates)

    train = partial(
        rerank,
        lists,
        references,
        model="log-linear",
        metrics=metrics[:1],
        folds=folds,
        seed=seed,
        # Its own test of the gain is not looked at.
        replicates=FEWEST,
    )
    first = [[list_[0]] for list_ in lists]
    counted = [count_candidates(first, references, metric).metric for metric in metrics]
    settings = RerankingSettings(
        pool=PoolSummary.of_lists(lists, references, counted),
        seed=seed,
        candidates=lists.candidates,
        ngrams=ngrams,
        train_for=counted[0].name,
        folds=folds,
        replicates=replicates,
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
            curves=None,
        )
        for test in ("ar", "bootstrap")
    }
    rows = []
    for pair, other in zip(
        by_test["ar"].comparisons, by_test["bootstrap"].comparisons, strict=True
    ):
        metric = by_test["ar"].metrics[pair.metric]
        sign = -1 if metric.higher_is_better is False else 1
        verdict = "better" if sign * pair.difference > 0 else "worse"
        rows.append(
            RerankingRow(
                metric=pair.metric,
                baseline=by_test["ar"].systems[BASELINE][pair.metric].score,
                reranking=by_test["ar"].systems[RERANKED][pair.metric].score,
                difference=pair.difference,
                low=pair.interval[0],
                high=pair.interval[1],
                ar=pair.p,
                bootstrap=other.p,
                verdict=verdict if pair.p <= LEVEL else "undecided",
            )
        )
    last = records[RERANKED,]
    return RerankingResult(
        settings=settings,
        rows=tuple(rows),
        selected=last["selected"],
        gamma=last["gamma"],
        changed=sum(a != b for a, b in zip(indices[BASELINE], indices[RERANKED], strict=True)),
    )
