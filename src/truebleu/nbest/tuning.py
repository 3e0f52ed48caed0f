"""`tune`: weights of features from development lists, and what they gain on other segments."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED, require_replicates, require_seed, require_whole_number
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.nbest.expectation import (
    SgdSettings,
    SmoothSettings,
    expected_bleu,
    expected_corpus,
    minimum_risk,
)
from truebleu.nbest.gain import another_metric, measure_gain
from truebleu.nbest.mert import MertSettings, mert
from truebleu.nbest.mira import MiraSettings, mira
from truebleu.nbest.outer_loop import OuterLoop, Rounds
from truebleu.nbest.pro import ProSettings, pro
from truebleu.nbest.problem import (
    Problem,
    Search,
    first_best,
    make_problem,
    seed_of_run,
    within_deviations,
)
from truebleu.nbest.statistics import as_list_metric, as_nbest
from truebleu.nbest.weights import weighted_choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.gain import Gain
    from truebleu.nbest.outer_loop import Round

    Progress = Callable[[int], None]

MethodName = Literal["mert", "mira", "pro", "expected-bleu", "risk", "expected-corpus-bleu"]
#: Where the segments that measure a gain come from.
HeldOut = Literal["test", "folds", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuner:
    """A way to tune weights.

    Attributes:
        title: what it does, for people.
        settings: the class of its settings.
        run: makes weights of a problem, these settings and a search.
        is_random: whether another seed may give other weights.
    """

    title: str
    settings: type
    run: Callable[[Problem, Any, Search], NDArray[np.float64]]
    is_random: bool = True


#: Every way to tune; one entry each.
TUNERS: Mapping[str, Tuner] = {
    "mert": Tuner(title="minimum error rate training", settings=MertSettings, run=mert),
    "mira": Tuner(
        title="batch k-best MIRA", settings=MiraSettings, run=lambda *given: mira(*given).weights
    ),
    "pro": Tuner(
        title="pairwise ranking optimisation",
        settings=ProSettings,
        run=pro,
    ),
    "expected-bleu": Tuner(
        title="expected sentence scores by stochastic gradient descent",
        settings=SgdSettings,
        run=expected_bleu,
    ),
    "risk": Tuner(
        title="minimum risk by L-BFGS",
        settings=SmoothSettings,
        run=minimum_risk,
        is_random=False,
    ),
    "expected-corpus-bleu": Tuner(
        title="the score of expected counts by L-BFGS",
        settings=SmoothSettings,
        run=expected_corpus,
        is_random=False,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureWeight:
    """The weight of a feature.

    Attributes:
        feature: its name.
        weight: for the feature as the lists have it; of the run that is best on the development
            lists, where there are several.
        influence: the weight times the feature's standard deviation within lists: how much it moves
            scores. Sparse features are not scaled; theirs is the weight.
        deviation: the standard deviation of the weight over runs; None of one run.
        lowest: the lowest weight of a run; None of one run.
        highest: the highest.
        is_useless: the feature is constant within every list, so that no weight changes a choice.
    """

    feature: str
    weight: float
    influence: float
    deviation: float | None
    lowest: float | None
    highest: float | None
    is_useless: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult(Result):
    """Tuned weights, and what they gain.

    Attributes:
        name: where the development lists are from.
        method: the tuner's name.
        settings: its settings.
        metrics: what was tuned for: the mean, where there are several.
        segments: of the development lists.
        candidates: of the development lists.
        scaled: whether features were divided by their standard deviation within lists meanwhile.
        normalized: whether weights were divided by the sum of their absolute values.
        seed: of all random parts.
        runs: how often the tuner ran.
        start: the objective before, on the development lists.
        development: the objective of each run on the lists that it was tuned on: no evidence of
            what the weights are worth.
        by_chance: the objective of a candidate drawn at random from each development list.
        oracle: the objective of the candidates that are best by themselves: about the most that
            any weights could reach.
        weights: one for each feature.
        held_out: where the segments are from that the gain was measured on.
        held_out_segments: how many they are.
        folds: how many parts the development lists were cut into, with held_out "folds".
        gains: what the weights gain there, by each metric that was tuned for and another one.
        changed: in how many development segments they choose another candidate than before.
        rounds: of the outer loop with a decoder; none without one.
    """

    name: str
    method: str
    settings: Mapping[str, Any]
    metrics: tuple[str, ...]
    segments: int
    candidates: int
    scaled: bool
    normalized: bool
    seed: int
    runs: int
    start: float
    development: tuple[float, ...]
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
        """The weights by the names of their features."""
        return {weight.feature: weight.weight for weight in self.weights}


def tune(
    lists: NBest | Iterable[Iterable[str]] | OuterLoop,
    references: ReferencesLike | None = None,
    *,
    method: str = "mert",
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: Mapping[str, Any] | None = None,
    test: NBest | None = None,
    test_references: ReferencesLike | None = None,
    folds: int = 5,
    runs: int = 1,
    seed: int = DEFAULT_SEED,
    replicates: int = 10_000,
    start: Mapping[str, float] | None = None,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    tied: Iterable[Iterable[str]] = (),
    scale: bool = True,
    progress: Progress | None = None,
    runner: Runner | None = None,
) -> TuneResult:
    """Weights of features that make the best candidates win.

    >>> from truebleu.nbest import NBest
    >>> lists = NBest.of([["a b c d", "e"]] * 6, features={"f": [[0, 1]] * 6, "g": [[2, 2]] * 6})
    >>> result = tune(lists, ["a b c d"] * 6, folds=2, replicates=100)
    >>> result.by_feature
    {'f': -1.0, 'g': 0.0}

    Args:
        lists: development lists, with features; or the outer loop of a decoder, which makes lists
            and is given better weights until it finds nothing new. Rounds are tuned with the
            first seed; runs and folds are of the lists of all rounds together.
        references: as for `truebleu.score`; not needed where all metrics are ``feature:NAME``.
        method: "mert", "mira", "pro", "expected-bleu", "risk" or "expected-corpus-bleu".
        metrics: what to tune for: any metrics whose statistics add up; the mean of several, where
            lower-is-better metrics are negated.
        settings: of the method, by name: those of `MertSettings`, `MiraSettings` and so on.
        test: other lists, to measure the gain on.
        test_references: theirs.
        folds: without test lists, the development segments are cut into so many parts of
            neighbours; each is chosen from by weights tuned on the others. 0 measures no gain.
        runs: how often to tune, with another seed each.
        seed: of restarts, orders and drawn pairs, and of the test of the gain.
        replicates: of that test.
        start: weights to start from, and the baseline of the gain; 0 where not given. Without
            them, the baseline is the first candidate of each list. A decoder needs them for its
            first round.
        fixed: weights that must not change.
        bounds: the lowest and highest weight of features.
        tied: groups of features that must have the same weight; other settings name the first.
        scale: divide features by their standard deviation within lists before tuning, and fold that
            back into the weights.
        progress: called with the number of steps done since the last call: restarts of MERT, or
            epochs; with a decoder, rounds. Not where a runner has an executor.
        runner: keeps the weights of each run in a journal, and goes on from it; and says where
            runs and folds are tuned, in other processes for example.
    """
    tuner = as_tuner(method)
    chosen = tuner_settings(method, settings or {})
    require_seed(seed)
    require_whole_number("runs", runs, 1, 1000)
    require_whole_number("folds", folds, 0, 10**6)
    require_replicates("replicates", replicates)
    if runs > 1 and not tuner.is_random:
        raise SettingError("runs", runs, f"1: {method} has no random part, all runs are the same")
    if folds == 1:
        raise SettingError("folds", folds, "2 or more, or 0 to measure no gain")
    groups = _groups(tied)
    runner = runner or Runner()
    if runner.executor is not None and progress is not None:
        raise SettingError("progress", progress, "the runner's own, where it has an executor")
    rounds: tuple[Round, ...] = ()
    if isinstance(lists, OuterLoop):
        lists, rounds = _decoded(
            lists,
            references,
            start or {},
            progress,
            method=method,
            metrics=metrics,
            settings=settings,
            seed=seed,
            fixed=fixed,
            bounds=bounds,
            tied=groups.values(),
            scale=scale,
        )
        progress = None
    nbest = as_nbest(lists)
    problem = _tie(make_problem(nbest, references, metrics, scale=scale), groups)
    search = _search(problem, start or {}, fixed or {}, bounds or {}, seed)
    folds = 0 if test is not None else min(folds, len(problem))
    if folds == 1:
        raise SettingError("folds", "a list of only one segment", "more segments, or folds 0")
    parts = np.array_split(np.arange(len(problem)), folds) if folds else []
    work = _Work(problem, method, chosen, search, tuple(parts))
    tasks = [Task(("run", n), partial(work.weights, n, progress=progress)) for n in range(runs)]
    tasks += [
        Task(("fold", n, fold), partial(work.weights, n, fold, progress=progress))
        for n in range(runs)
        for fold in range(folds)
    ]
    header = {
        "study": "tune",
        "method": method,
        "settings": {field.name: getattr(chosen, field.name) for field in fields(chosen)},
        "metrics": [str(counted.metric.signature) for counted in problem.counted],
        "seed": seed,
        "folds": folds,
        "scale": scale,
        "start": dict(start or {}),
        **_restrictions(fixed, bounds, groups.values()),
        "counts": _fingerprint(nbest, problem),
    }
    records = runner.run(header, tasks)
    tuned = {key: np.array(record["weights"]) for key, record in records.items()}
    by_run = [tuned["run", number] for number in range(runs)]
    values = [problem.value(weights) for weights in by_run]
    normalized = not (fixed or bounds)
    raw = [_normalized(problem.raw(weights), on=normalized) for weights in by_run]
    best = int(np.argmax(values))
    baseline = problem.choices(search.start)
    gains: tuple[Gain, ...] = ()
    held_out: HeldOut = "none"
    measured = [*metrics, *another_metric(metrics, references)]
    if test is not None:
        held_out = "test"
        others = [_expanded(problem.names, weights, groups) for weights in raw]
        before = _expanded(problem.names, problem.raw(search.start), groups)
        gains = measure_gain(
            test,
            test_references,
            measured,
            weighted_choices(test, before),
            [weighted_choices(test, weights) for weights in others],
            seed=seed,
            replicates=replicates,
        )
    elif folds:
        held_out = "folds"
        crossed = [np.zeros(len(problem), dtype=np.int64) for _ in range(runs)]
        for number, choices in enumerate(crossed):
            # Each part is chosen from by weights that were tuned on the others.
            for fold, part in enumerate(parts):
                choices[part] = problem.take(part).choices(tuned["fold", number, fold])
        gains = measure_gain(
            nbest, references, measured, baseline, crossed, seed=seed, replicates=replicates
        )
    by_chance, oracle = _bounds(problem)
    return TuneResult(
        name=nbest.name,
        method=method,
        settings={field.name: getattr(chosen, field.name) for field in fields(chosen)},
        metrics=tuple(as_list_metric(metric).name for metric in metrics),
        segments=len(nbest),
        candidates=nbest.candidates,
        scaled=scale,
        normalized=normalized,
        seed=seed,
        runs=runs,
        start=problem.value(search.start),
        development=tuple(values),
        by_chance=by_chance,
        oracle=oracle,
        weights=_weights(problem, raw, best, groups),
        held_out=held_out,
        held_out_segments={"test": len(test or ()), "folds": len(nbest), "none": 0}[held_out],
        folds=folds or None,
        gains=gains,
        changed=int((problem.choices(problem.scaled(raw[best])) != baseline).sum()),
        rounds=rounds,
    )


def as_tuner(method: str) -> Tuner:
    """The tuner of this name."""
    if method not in TUNERS:
        raise UnknownNameError("method", method, list(TUNERS))
    return TUNERS[method]


def tuner_settings(method: str, settings: Mapping[str, Any]) -> Any:
    """A method's settings; what it does not have is refused."""
    tuner = as_tuner(method)
    known = [field.name for field in fields(tuner.settings)]
    for name in settings:
        if name not in known:
            raise UnknownNameError(f"setting of {method}", name, known)
    return tuner.settings(**settings)


def steps_of_tune(method: str, settings: Mapping[str, Any], *, folds: int, runs: int) -> int:
    """How often `tune` reports progress in all."""
    chosen = tuner_settings(method, settings)
    each = getattr(chosen, "epochs", None) or getattr(chosen, "restarts", -1) + 1
    return int(each * runs * (1 + folds))


@dataclass(frozen=True, slots=True)
class _Work:
    """What all runs have in common: it travels to other processes, so it holds no function."""

    problem: Problem
    method: str
    settings: Any
    search: Search
    parts: tuple[NDArray[np.int64], ...]

    def weights(
        self, number: int, fold: int | None = None, *, progress: Progress | None = None
    ) -> dict[str, Any]:
        """The weights of a run, tuned on all segments or on those outside of a fold."""
        problem = self.problem
        if fold is not None:
            problem = problem.take(np.delete(np.arange(len(problem)), self.parts[fold]))
        seed = seed_of_run(self.search.seed, number)
        search = replace(self.search, seed=seed, progress=progress)
        weights = TUNERS[self.method].run(problem, self.settings, search)
        idle = self.problem.useless & (search.lower < search.upper)
        return {"weights": np.where(idle, 0.0, weights).tolist()}


def _decoded(
    loop: OuterLoop,
    references: ReferencesLike | None,
    start: Mapping[str, float],
    progress: Progress | None,
    **options: Any,
) -> tuple[NBest, tuple[Round, ...]]:
    """The lists of all rounds of a decoder, and the rounds."""
    if not start:
        raise SettingError("start", None, "weights for the decoder's first round")

    def tuned(
        lists: NBest, weights: Mapping[str, float]
    ) -> tuple[Mapping[str, float], float, float]:
        result = tune(lists, references, start=weights, folds=0, **options)
        return result.by_feature, result.start, result.development[0]

    header = {
        "method": options["method"],
        "settings": dict(options["settings"] or {}),
        "metrics": [as_list_metric(metric).name for metric in options["metrics"]],
        "seed": options["seed"],
        "start": dict(start),
        **_restrictions(options["fixed"], options["bounds"], options["tied"]),
        "scale": options["scale"],
        "references": None if references is None else _of_references(references),
    }
    rounds = []
    for made, merged in Rounds(loop).run(start, header, tuned):
        rounds.append(made)
        lists = merged
        if progress is not None:
            progress(1)
    return lists, tuple(rounds)


def _restrictions(
    fixed: Mapping[str, float] | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    tied: Iterable[Iterable[str]],
) -> dict[str, Any]:
    """What weights must not do, for the header of a journal."""
    return {
        "fixed": dict(fixed or {}),
        # Infinite ones are no JSON.
        "bounds": {name: [repr(end) for end in ends] for name, ends in (bounds or {}).items()},
        "tied": [list(group) for group in tied],
    }


def _of_references(references: Any) -> str:
    """Tells other references from these: one text, several, or several by name."""
    texts = list(references.values() if hasattr(references, "values") else references)
    return fingerprint([texts] if texts and isinstance(texts[0], str | None) else texts)


def _bounds(problem: Problem) -> tuple[float, float]:
    """The objective of random candidates, and of those that are best by themselves."""
    starts, sizes = problem.offsets[:-1], np.diff(problem.offsets)
    means = np.add.reduceat(problem.rows, starts, axis=0) / sizes[:, None]
    best = problem.rows[starts + first_best(problem.utilities(), problem.offsets)]
    return float(problem.objective(means.sum(axis=0))), float(problem.objective(best.sum(axis=0)))


def _fingerprint(nbest: NBest, problem: Problem) -> str:
    """Tells other lists, features or references from these."""
    digest = blake2b(fingerprint([nbest.texts]).encode(), digest_size=8)
    for array in (nbest.offsets, problem.rows, problem.scales):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update("\n".join(problem.names).encode("utf-8", "surrogatepass"))
    matrix = problem.matrix.data if problem.is_sparse else np.ascontiguousarray(problem.matrix)
    digest.update(np.asarray(matrix).tobytes())
    return digest.hexdigest()


def _search(
    problem: Problem,
    start: Mapping[str, float],
    fixed: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
    seed: int,
) -> Search:
    """Start and bounds of the problem's weights."""
    first = problem.by_name(start, "start")
    low = np.full(len(first), -np.inf)
    high = np.full(len(first), np.inf)
    both = set(fixed) & set(bounds)
    if both:
        raise SettingError("bounds", sorted(both)[0], "a feature whose weight is not fixed")
    for name, (lowest, highest) in bounds.items():
        if not lowest < highest:
            raise SettingError(
                f"bounds of {name}", (lowest, highest), "a lower and a higher number"
            )
    limits = {**bounds, **{name: (value, value) for name, value in fixed.items()}}
    problem.by_name(dict.fromkeys(limits, 0.0), "fixed or bounds")
    for place, name in enumerate(problem.names):
        if name in limits:
            low[place], high[place] = limits[name]
    first, low, high = problem.scaled(first), problem.scaled(low), problem.scaled(high)
    return Search(np.clip(first, low, high), low, high, seed)


def _normalized(weights: NDArray[np.float64], *, on: bool) -> NDArray[np.float64]:
    total = np.abs(weights).sum()
    return weights / total if on and total > 0 else weights


def _weights(
    problem: Problem,
    runs: Sequence[NDArray[np.float64]],
    best: int,
    groups: Mapping[str, tuple[str, ...]],
) -> tuple[FeatureWeight, ...]:
    several = len(runs) > 1
    deviations = np.std(runs, axis=0, ddof=1) if several else runs[0]
    lowest, highest = np.min(runs, axis=0), np.max(runs, axis=0)
    return tuple(
        FeatureWeight(
            feature=member,
            # No "-0.0" in files.
            weight=float(weight) + 0.0,
            influence=float(weight * scale) + 0.0,
            deviation=float(deviations[place]) if several else None,
            lowest=float(lowest[place]) + 0.0 if several else None,
            highest=float(highest[place]) + 0.0 if several else None,
            is_useless=bool(problem.useless[place]),
        )
        for place, (name, weight, scale) in enumerate(
            zip(problem.names, runs[best], problem.scales, strict=True)
        )
        for member in groups.get(name, (name,))
    )


# Tied weights.


def _groups(tied: Iterable[Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The members of each group by its first one."""
    groups = [tuple(group) for group in tied]
    members = [name for group in groups for name in group]
    if any(len(group) < 2 for group in groups) or len(set(members)) < len(members):
        raise SettingError("tied", groups, "groups of two or more features, each in one group")
    return {group[0]: group for group in groups}


def _expanded(
    names: Sequence[str], weights: NDArray[np.float64], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, float]:
    return {
        member: float(weight)
        for name, weight in zip(names, weights, strict=True)
        for member in groups.get(name, (name,))
    }


def _tie(problem: Problem, groups: Mapping[str, tuple[str, ...]]) -> Problem:
    """One feature in place of each group: the sum of its members as the lists have them."""
    if not groups:
        return problem
    from scipy.sparse import csr_array, diags_array

    followers = {name: group[0] for group in groups.values() for name in group}
    problem.by_name(dict.fromkeys(followers, 0.0), "tied")
    names = [name for name in problem.names if followers.get(name, name) == name]
    columns = {name: place for place, name in enumerate(names)}
    goal = [columns[followers.get(name, name)] for name in problem.names]
    adder = csr_array((problem.scales, (np.arange(len(goal)), goal)), shape=(len(goal), len(names)))
    matrix = problem.matrix @ adder
    deviations = within_deviations(matrix, problem.offsets)
    useless = deviations <= 1e-12
    is_scaled = not np.all(problem.scales == 1.0)
    scales = np.where(is_scaled & ~useless, deviations, 1.0)
    divided = (
        matrix / scales
        if isinstance(matrix, np.ndarray)
        else csr_array(matrix @ diags_array(1 / scales))
    )
    return replace(
        problem,
        names=tuple(names),
        matrix=np.asarray(divided) if not problem.is_sparse else divided,
        scales=scales,
        useless=useless,
    )
