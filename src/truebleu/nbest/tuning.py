"""Tuning of feature weights on development lists, and their gain on other segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result
from truebleu.corpus.fingerprints import fingerprint
from truebleu.corpus.nbest import NBest
from truebleu.corpus.nbest_files import as_nbest
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.metrics.registry import by_name
from truebleu.nbest.choices import TestReplicates, measure_gain, weighted_choices
from truebleu.nbest.expectation import ExpectedBleu, ExpectedCorpusBleu, MinimumRisk
from truebleu.nbest.mert import Mert
from truebleu.nbest.mira import Mira
from truebleu.nbest.outer_loop import OuterLoop
from truebleu.nbest.pro import Pro
from truebleu.nbest.problem import (
    Problem,
    Search,
    Tuner,
    list_metrics,
    make_problem,
    require_weight,
    seed_of_run,
)
from truebleu.schema import Column, Seed, Setting, require_type, takes, to_builtins

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.choices import Gain
    from truebleu.nbest.outer_loop import Round, Tuned
    from truebleu.resampling import Indices, Values

    Progress = Callable[[int], None]

__all__ = ["TUNERS", "TuneResult", "tune"]

#: Tuners by name; their fields are their settings.
_TUNERS: tuple[type[Tuner], ...] = (Mert, Mira, Pro, ExpectedBleu, MinimumRisk, ExpectedCorpusBleu)
TUNERS: Mapping[str, type[Tuner]] = {tuner().name: tuner for tuner in _TUNERS}
#: Source of the segments on which a gain is measured.
HeldOut = Literal["test", "folds", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureWeight:
    """The weight of a feature.

    Attributes:
        feature: name of the feature.
        weight: weight of the unscaled feature, by the run that is best on the development lists.
        influence: weight times the feature's standard deviation within lists; for sparse features,
            which are not scaled, the weight.
        deviation: standard deviation of the weight over runs; None with a single run.
        is_useless: True if the feature is constant within every list, so that no weight changes a
            choice.
    """

    feature: Annotated[str, Column(heading="Feature")]
    weight: Annotated[float, Column(heading="Weight", digits=6)]
    influence: Annotated[float, Column(heading="Weight × deviation", digits=4)]
    deviation: Annotated[float | None, Column(heading="Deviation over runs", digits=6)]
    is_useless: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TuneResult(Result):
    """Tuned weights and their gain.

    Attributes:
        name: source of the development lists.
        method: tuner with its settings.
        metrics: metrics whose mean is the objective.
        segments: number of development segments.
        candidates: number of candidates in the development lists.
        normalized: True if weights were divided by the sum of their absolute values.
        seed: seed of all random parts.
        runs: number of runs of the tuner.
        start: objective of the start weights on the development lists.
        development: objective of each run on the development lists, which is optimistic: no
            evidence about other segments.
        first: objective of the first candidates of the development lists.
        by_chance: objective of a random candidate of each development list.
        oracle: objective of each list's best candidate by sentence score, about the maximum of any
            weights.
        weights: weight of each feature.
        held_out: source of the segments on which the gain was measured.
        held_out_segments: number of segments on which the gain was measured.
        folds: number of parts of the development lists with held_out "folds", or None.
        gains: gains on the held-out segments, by each metric of the objective and another one.
        changed: number of development segments whose choice differs from the start weights'.
        rounds: rounds of the outer loop with a decoder; empty without one.
    """

    name: str
    method: Tuner
    metrics: tuple[str, ...]
    segments: int
    candidates: int
    normalized: bool
    seed: int
    runs: int
    start: float
    development: tuple[float, ...]
    first: float
    by_chance: float
    oracle: float
    weights: tuple[FeatureWeight, ...]
    held_out: HeldOut
    held_out_segments: int
    folds: int | None
    gains: tuple[Gain, ...]
    changed: int
    rounds: tuple[Round, ...] = ()

    REPORT: ClassVar[str] = "truebleu.reports.nbest:tune_document"

    @property
    def by_feature(self) -> dict[str, float]:
        """Weights by the names of their features."""
        return {weight.feature: weight.weight for weight in self.weights}


class TuneOptions(TypedDict, total=False):
    """Options of `tune`.

    Attributes:
        folds: number of parts of neighbouring development segments, without test lists. Candidates
            of each part are chosen by weights tuned on the other parts; 0 measures no gain.
        repeats: number of runs, each with another seed.
    """

    folds: Annotated[int, Setting(minimum=0, maximum=10**6, rare=True, default=5)]
    repeats: Annotated[int, Setting(minimum=1, maximum=1000, default=1)]
    seed: Seed
    replicates: TestReplicates


@takes(TuneOptions)
def tune(
    lists: NBest | Iterable[Iterable[str]] | OuterLoop,
    references: ReferencesLike | None = None,
    metrics: str | Sequence[str | Metric] = ("bleu",),
    *,
    method: str | Tuner = "mert",
    test_lists: NBest | None = None,
    test_references: ReferencesLike | None = None,
    start: Mapping[str, float] | None = None,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    progress: Progress | None = None,
    runner: Runner | None = None,
    **options: Unpack[TuneOptions],
) -> TuneResult:
    """Tune weights of features so that the best candidates score highest.

    >>> from truebleu.nbest import NBest
    >>> lists = NBest.of([["a b c d", "e"]] * 6, features={"f": [[0, 1]] * 6, "g": [[2, 2]] * 6})
    >>> result = tune(lists, ["a b c d"] * 6, method="mert:restarts=3", folds=2, replicates=100)
    >>> result.by_feature
    {'f': -1.0, 'g': 0.0}

    Args:
        lists: development lists, with features; or the outer loop of a decoder, which produces
            lists and gets better weights until it finds nothing new. Rounds are tuned with the
            first seed, then runs and folds on the merged lists of all rounds. Runs start from the
            weights of the best round, and end no worse; folds, which must not depend on these
            weights, start from `start`.
        references: references as for `truebleu.score`; None if all metrics are ``feature:NAME``.
        metrics: metrics to tune for, whose counts add up; several are averaged, and
            lower-is-better metrics are negated.
        method: "mert", "mira", "pro", "expected-bleu", "risk" or "expected-corpus-bleu", with
            settings after a colon; or an object: `Mert`, `Mira`, `Pro`, `ExpectedBleu`,
            `MinimumRisk` or `ExpectedCorpusBleu` of `truebleu.nbest`.
        test_lists: other lists, to measure the gain on.
        test_references: references of the test lists.
        start: weights to start from, and baseline of the gain; 0 if not given. Without `start`, the
            baseline is the first candidate of each list. A decoder needs it for its first round.
        fixed: weights that must not change.
        bounds: lowest and highest weight by feature.
        progress: callback, called with the number of steps finished since the last call: restarts
            of MERT, or epochs; with a decoder, rounds. Not allowed with a runner that has an
            executor.
        runner: runner with a journal that keeps the weights of each run and resumes from them, or
            with an executor that tunes runs and folds in other processes.
    """
    seed, folds, repeats = options["seed"], options["folds"], options["repeats"]
    tuner = as_tuner(method)
    if repeats > 1 and not tuner.is_random:
        expected = f"1: {tuner.name} has no random part, so all runs are equal"
        raise SettingError("repeats", repeats, expected)
    if folds == 1:
        raise SettingError("folds", folds, "2 or more, or 0 to measure no gain")
    require_type("test_lists", test_lists, NBest | None, "lists, an NBest")
    runner = runner or Runner()
    if runner.executor is not None and progress is not None:
        raise SettingError("progress", progress, "None with an executor; set it on the runner")
    limits = Limits(start or {}, fixed or {}, bounds or {})
    goals = list_metrics(metrics)
    rounds: tuple[Round, ...] = ()
    if isinstance(lists, OuterLoop):
        lists, rounds = _run_decoder(lists, references, tuner, goals, limits, seed, progress)
        progress = None
    nbest = as_nbest(lists)
    problem = make_problem(nbest, references, goals)
    search = limits.search(problem, seed)
    # Runs start from the weights of the rounds that are best on the lists of all rounds.
    earlier = [
        problem.scaled([finished.weights.get(name, 0.0) for name in problem.names])
        for finished in rounds
    ]
    warm = replace(search, start=max(earlier, key=problem.value)) if earlier else search
    folds = 0 if test_lists is not None else min(folds, len(problem))
    if folds == 1:
        raise SettingError("folds", "a list of only one segment", "more segments, or folds 0")
    parts = np.array_split(np.arange(len(problem)), folds) if folds else []
    work = _Work(problem, tuner, search, warm, tuple(parts))
    task = partial(work.weights, progress=progress)
    tasks = [Task(("run", number), partial(task, number)) for number in range(repeats)]
    tasks += [
        Task(("fold", number, fold), partial(task, number, fold))
        for number in range(repeats)
        for fold in range(folds)
    ]
    header = {
        "study": "tune",
        "method": to_builtins(tuner),
        "metrics": [str(counted.metric.signature) for counted in problem.counted],
        "seed": seed,
        "folds": folds,
        **limits.header(),
        "counts": _fingerprint(nbest, problem),
        "rounds": [dict(finished.weights) for finished in rounds],
    }
    records = runner.run(header, tasks)
    tuned = {key: np.array(record["weights"]) for key, record in records.items()}
    by_run = [tuned["run", number] for number in range(repeats)]
    values = [problem.value(weights) for weights in by_run]
    normalized = not (fixed or bounds)
    raw = [problem.raw(weights) for weights in by_run]
    if normalized:
        raw = [_normalize(weights) for weights in raw]
    best = int(np.argmax(values))
    baseline = problem.choices(search.start)
    measure = partial(measure_gain, seed=seed, replicates=options["replicates"])
    gains: tuple[Gain, ...] = ()
    if test_lists is not None:
        before, *after = (
            weighted_choices(test_lists, dict(zip(problem.names, weights.tolist(), strict=True)))
            for weights in (problem.raw(search.start), *raw)
        )
        gains = measure(test_lists, test_references, goals, before, after)
    elif folds:
        crossed = [np.zeros(len(problem), dtype=np.int64) for _ in range(repeats)]
        for number, choices in enumerate(crossed):
            # The candidates of each part are chosen by weights tuned on the other parts.
            for fold, part in enumerate(parts):
                choices[part] = problem.take(part).choices(tuned["fold", number, fold])
        gains = measure(nbest, references, goals, baseline, crossed)
    return TuneResult(
        name=nbest.name,
        method=tuner,
        metrics=tuple(metric.name for metric in goals),
        segments=len(nbest),
        candidates=nbest.candidates,
        normalized=normalized,
        seed=seed,
        runs=repeats,
        start=problem.value(search.start),
        development=tuple(values),
        **problem.landmarks()._asdict(),
        weights=_weights(problem, raw, best),
        held_out="test" if test_lists is not None else "folds" if folds else "none",
        held_out_segments=len(test_lists) if test_lists is not None else len(nbest) if folds else 0,
        folds=folds or None,
        gains=gains,
        changed=int((problem.choices(problem.scaled(raw[best])) != baseline).sum()),
        rounds=rounds,
    )


def as_tuner(method: str | Tuner) -> Tuner:
    """Return a tuner, or parse its name and settings, such as ``mira:epochs=10,step=0.1``."""
    require_type("method", method, str | Tuner, "a name, or an object such as Mert()")
    return method if isinstance(method, Tuner) else by_name("method", method, TUNERS)


@dataclass(frozen=True, slots=True)
class _Work:
    """Inputs shared by all runs; picklable, so it holds no functions.

    Attributes:
        problem: the lists.
        tuner: tuner that finds the weights.
        search: start and bounds of folds.
        warm: start and bounds of runs; the start is the best round's weights with a decoder.
        parts: segments of each fold.
    """

    problem: Problem
    tuner: Tuner
    search: Search
    warm: Search
    parts: tuple[Indices, ...]

    def weights(
        self, number: int, fold: int | None = None, *, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Tune the weights of a run on all segments, or on all except a fold."""
        problem, search = self.problem, self.warm
        if fold is not None:
            problem = problem.take(np.delete(np.arange(len(problem)), self.parts[fold]))
            search = self.search
        search = replace(search, seed=seed_of_run(search.seed, number), progress=progress)
        weights = self.tuner.weights(problem, search)
        if search.start is not self.search.start:
            # A tuner that minimises another loss may return weights worse than the rounds'.
            weights = max(search.start, weights, key=problem.value)
        unused = self.problem.useless & (search.lower < search.upper)
        return {"weights": np.where(unused, 0.0, weights).tolist()}


@dataclass(frozen=True, slots=True)
class Limits:
    """Start, fixed values and bounds of weights, by feature.

    Attributes:
        start: weights to start from.
        fixed: weights that must not change.
        bounds: lowest and highest weight.
    """

    start: Mapping[str, float]
    fixed: Mapping[str, float]
    bounds: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        for name in ("start", "fixed", "bounds"):
            expected = "weights or bounds by the names of features"
            require_type(name, getattr(self, name), Mapping, expected)
        for name, weight in self.fixed.items():
            require_weight(name, weight)
        if both := set(self.fixed) & set(self.bounds):
            raise SettingError("bounds", sorted(both)[0], "a feature whose weight is not fixed")
        for name, bound in self.bounds.items():
            if not isinstance(bound, Sequence) or len(bound) != 2 or not bound[0] < bound[1]:
                raise SettingError(f"bounds of {name}", bound, "a lower and a higher number")
            for end in filter(isfinite, bound):
                require_weight(name, end)

    def search(self, problem: Problem, seed: int) -> Search:
        """Make a search with the start and bounds of the problem's weights."""
        ends = {**self.bounds, **{name: (value, value) for name, value in self.fixed.items()}}
        low, high = np.full((2, len(problem.names)), [[-np.inf], [np.inf]])
        problem.by_name(dict.fromkeys(ends, 0.0), "fixed or bounds")
        for index, name in enumerate(problem.names):
            if name in ends:
                low[index], high[index] = ends[name]
        first = problem.scaled(problem.by_name(self.start, "start"))
        low, high = problem.scaled(low), problem.scaled(high)
        return Search(np.clip(first, low, high), low, high, seed)

    def header(self) -> dict[str, Any]:
        """Return the limits for the header of a journal."""
        return {
            "start": dict(self.start),
            "fixed": dict(self.fixed),
            # JSON has no infinite numbers.
            "bounds": {name: [repr(end) for end in ends] for name, ends in self.bounds.items()},
        }


def _run_decoder(
    loop: OuterLoop,
    references: ReferencesLike | None,
    tuner: Tuner,
    goals: Sequence[Metric],
    limits: Limits,
    seed: int,
    progress: Progress | None,
) -> tuple[NBest, tuple[Round, ...]]:
    """Run the outer loop of a decoder; return the merged lists of all rounds, and the rounds."""
    if not limits.start:
        raise SettingError("start", None, "weights for the decoder's first round")

    of_round: Any = {"method": tuner, "metrics": goals, "seed": seed, "folds": 0}
    of_round |= {"fixed": limits.fixed, "bounds": limits.bounds}

    def tune_round(lists: NBest, weights: Mapping[str, float]) -> Tuned:
        result = tune(lists, references, start=weights, **of_round)
        return result.by_feature, result.start, result.development[0]

    header = {
        "method": to_builtins(tuner),
        "metrics": [metric.name for metric in goals],
        "seed": seed,
        **limits.header(),
        "references": None if references is None else _fingerprint_references(references),
    }
    rounds = []
    for finished, merged in loop.run(limits.start, header, tune_round):
        rounds.append(finished)
        lists = merged
        if progress is not None:
            progress(1)
    return lists, tuple(rounds)


def _fingerprint_references(references: Any) -> str:
    """Compute a fingerprint of references: one text, several, or several by name."""
    texts = list(references.values() if hasattr(references, "values") else references)
    return fingerprint([texts] if texts and isinstance(texts[0], str | None) else texts)


def _fingerprint(nbest: NBest, problem: Problem) -> str:
    """Compute a fingerprint of lists, features and references."""
    digest = blake2b(fingerprint([nbest.texts]).encode(), digest_size=8)
    matrix = problem.matrix.data if problem.is_sparse else problem.matrix
    for array in (nbest.offsets, problem.rows, problem.scales, matrix):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update("\n".join(problem.names).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _normalize(weights: Values) -> Values:
    total = np.abs(weights).sum()
    return weights / total if total > 0 else weights


def _weights(problem: Problem, runs: Sequence[Values], best: int) -> tuple[FeatureWeight, ...]:
    weights = runs[best].tolist()
    deviations = np.std(runs, axis=0, ddof=1) if len(runs) > 1 else None
    return tuple(
        FeatureWeight(
            feature=name,
            # Adding 0.0 avoids "-0.0" in files.
            weight=weights[index] + 0.0,
            influence=float(weights[index] * problem.scales[index]) + 0.0,
            deviation=None if deviations is None else float(deviations[index]),
            is_useless=bool(problem.useless[index]),
        )
        for index, name in enumerate(problem.names)
    )
