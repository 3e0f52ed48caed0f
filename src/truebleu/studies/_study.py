"""Shared parts of all studies: pools, samples, tests, estimates and results.

A pool is a test set counted once, whose score is the truth. Zhang & Vogel (2004, §3.1) give an
interval's bounds in percent of the median, so that metrics with different scales compare. Their
rule that twice the data narrow the interval by some 30 % (§4.1) is a power law of the size with an
exponent of about -1/2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import combinations
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    TypeVar,
    cast,
)

import numpy as np

from truebleu._results import Result
from truebleu.corpus.fingerprints import fingerprint
from truebleu.corpus.nbest import NBest
from truebleu.corpus.test_set import TestSet
from truebleu.counts.counting import count_texts
from truebleu.counts.counts import Counts
from truebleu.errors import ArgumentTypeError, SettingError
from truebleu.execution.journal import Key, Record, Runner, Task
from truebleu.human.judgments import HumanScores, PairwiseJudgments
from truebleu.metrics.base import Metric
from truebleu.reports.document import Column, Document, Plot, Table, charted_document, join_names
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, Units
from truebleu.schema import Seed, Setting, Streams, takes, to_builtins
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.replicates import bootstrap_scores
from truebleu.significance.student import student_quantile
from truebleu.significance.tests import (
    REPLICATE_TESTS,
    SwapTest,
    bootstrap_wins,
    monte_carlo_interval,
    replicates_for,
    smallest_p,
)
from truebleu.significance.unit_counts import count_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.outline import Outline
    from truebleu.corpus.sequences import TextLike
    from truebleu.metrics.base import Scorer
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.schema import Draw
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = ["StudyResult"]

Row: TypeAlias = dict[str, Any]
Settings: TypeAlias = dict[str, Any]
Floats: TypeAlias = "NDArray[np.float64]"
Sample: TypeAlias = "NDArray[np.int64]"
Studied = TypeVar("Studied", bound=Callable[..., Any])

# Settings that studies share.

# More tasks would fill the memory before the first one has run.
MOST_TASKS = 10**7
# A bootstrap of fewer units says next to nothing about the spread.
FEWEST_UNITS = 5

PoolUnit = Annotated[
    Literal["segment", "document"],
    Setting(help="unit to draw, resample or swap.", default="segment"),
]
Sampling = Annotated[
    Literal["systematic", "block", "random", "independent"],
    Setting(
        help="how samples are taken: every k-th unit, consecutive ones, or at random without or "
        "with replacement.",
        default="independent",
    ),
]
Sizes = Annotated[
    Sequence[int] | None,
    Setting(
        help="units in a sample. Default: the sizes of the paper that leave several samples.",
        minimum=2,
        metavar="N,N,...",
    ),
]
# Fewer samples could not distinguish 95 % from 80 %, or rare from frequent conclusions.
Samples = Annotated[
    int,
    Setting(
        help="samples of each size; systematic ones and blocks may be fewer.",
        minimum=5,
        maximum=MOST_TASKS,
        default=100,
    ),
]
Shares = Annotated[
    Sequence[float] | None,
    Setting(
        help="shares of the test set, up to 1. Default: the shares of the paper.",
        above=0,
        maximum=1,
        metavar="P,P,...",
    ),
]
# The variance between growths needs at least two.
Growths = Annotated[
    int, Setting(help="random orders to average over.", minimum=2, maximum=MOST_TASKS)
]
Replicates = Annotated[
    int, Setting(help="replicates of each interval or test.", minimum=1, default=1000)
]


class StudyOptions(TypedDict, total=False):
    """Options of all studies.

    Attributes:
        runner: runner of the tasks, which can save results, show progress and use an executor.
    """

    runner: Annotated[Runner | None, Setting(option=False)]


class PoolOptions(StudyOptions, total=False):
    """Options of studies of a pool of segments or documents."""

    unit: PoolUnit
    seed: Seed


class SampleOptions(PoolOptions, total=False):
    """Options of studies that draw samples of several sizes from a pool."""

    sizes: Sizes
    samples: Samples
    sampling: Sampling


# A study and its result.


@dataclass(frozen=True, slots=True, repr=False)
class StudyResult(Result):
    """Result of a study: its settings, one tidy table, sentences about it, and a plot.

    Attributes:
        settings: everything needed to repeat the study: its arguments, with defaults filled in, its
            name, `study`, and `pool`, the sizes, names and fingerprints of the texts.
        title: title of the table and of the chart.
        columns: columns of the table.
        plot: type and axes of the chart; error bars end at `_low` and `_high` of the y column.
        rows: rows of the table; keys that are no columns are for the chart and for programs.
        sentences: findings in words.
        chart_rows: rows of the chart, if they differ from the rows of the table.
        display_table: table for people, if it has other rows than `rows`.
        details: results about several rows, such as a power law fitted to them.
    """

    REPORT: ClassVar[str] = "truebleu.studies._study:study_document"

    settings: Settings
    title: str
    columns: Sequence[Column]
    plot: Plot
    rows: list[Row] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    chart_rows: list[Row] = field(default_factory=list)
    display_table: Table | None = None
    details: Row = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """Return settings, rows and details as built-in values, without sentences."""
        names = ("settings", "rows", "chart_rows", "details")
        values = {name: to_builtins(getattr(self, name)) for name in names if getattr(self, name)}
        return {"version": self.VERSION, "study": self.settings["study"], **values}


def study_document(result: StudyResult) -> Document:
    """Make the document of a study: its table, sentences and chart."""
    table, plot = Table(tuple(result.columns), tuple(result.rows)), result.plot
    chart_rows = tuple(result.chart_rows) or table.rows
    names = {name: None for row in chart_rows for name in row if name not in table.names}
    errors = (f"{plot.y}_low", f"{plot.y}_high")
    if errors[0] in names or errors[0] in table.names:
        plot = replace(plot, errors=errors)
    copies = [
        f"{join_names(names)} are the same text, but count as different systems here: leave out "
        "all but one of them."
        for names in result.settings["pool"].get("copies", ())
    ]
    return charted_document(
        result.title,
        result.display_table or table,
        [*result.sentences, *copies],
        plot,
        chart=Table(
            (*table.columns, *(Column(name, name.capitalize()) for name in names)), chart_rows
        ),
        data=table,
    )


#: Classes that a study accepts for each parameter.
OBJECTS: dict[str, tuple[type, ...]] = {
    "test_set": (TestSet, Counts),
    "lists": (NBest,),
    "test_lists": (NBest,),
    "human": (HumanScores, PairwiseJudgments),
    "runner": (Runner, NoneType),
}


def study(options: type, *, needs_texts: bool = False) -> Callable[[Studied], Studied]:
    """Make a function a study: a verb that also checks the classes of the objects it takes.

    Args:
        options: the TypedDict that declares its options.
        needs_texts: True if counts without texts are not enough.
    """
    objects = OBJECTS | ({"test_set": (TestSet,)} if needs_texts else {})

    def decorate(function: Studied) -> Studied:
        signature = inspect.signature(function)

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> StudyResult:
            given = signature.bind_partial(*arguments, **named).arguments
            given |= given.get("options", {})
            for name, kinds in objects.items():
                if name in given and not isinstance(given[name], kinds):
                    classes = " or ".join(kind.__name__ for kind in kinds)
                    raise ArgumentTypeError(name, given[name], f"an object of the class {classes}")
            if isinstance(given.get("test_set"), Counts) and "metrics" in given:
                expected = "no metrics with counts, which have their own; see Counts.only"
                raise SettingError("metrics", given["metrics"], expected)
            return cast("StudyResult", function(*arguments, **named))

        return takes(options)(cast("Studied", call))

    return decorate


def run_study(
    name: str,
    options: Mapping[str, Any],
    pool: Settings,
    tasks: Sequence[Task],
    *,
    unused: Iterable[str] = (),
    **chosen: Any,
) -> tuple[Settings, dict[Key, Record]]:
    """Run the tasks of a study; return the settings that repeat it, and the tasks' records.

    Args:
        name: name of the study.
        options: options of the study, with the runner of the tasks.
        pool: description of the texts.
        tasks: tasks to run.
        unused: options that change no task; one journal serves all their values.
        chosen: values that replace options without one.
    """
    settings: Settings = {"study": name, "pool": pool, **options, **chosen}
    runner = settings.pop("runner") or Runner()
    later = {key: settings.pop(key) for key in unused}
    settings = to_builtins(settings)
    return settings | to_builtins(later), runner.run(settings, tasks)


def pool_settings(counts: Counts, unit: str) -> Settings:
    """Describe a test set by its sizes, names and fingerprints."""
    outline, texts = counts.outline, counts.texts
    prints: Settings = {}
    copies: list[list[str]] = []
    if texts is not None:
        by_text: dict[str, list[str]] = {}
        for name, text in texts.systems.items():
            by_text.setdefault(fingerprint([text]), []).append(name)
        copies = [names for names in by_text.values() if len(names) > 1]
        prints["references_fingerprint"] = fingerprint(texts.references)
        prints["outputs_fingerprint"] = fingerprint(list(texts.systems.values()))
    elif outline.fingerprints is not None:
        prints["references_fingerprint"] = outline.fingerprints.references
    # Identical texts can still have different scores if another tool computed them.
    if not all(isinstance(counted.scorer, Metric) for counted in counts.metrics):
        copies = []
    labelled = {"documents": outline.documents, "domains": outline.domains}
    groups = {name: labels for name, labels in labelled.items() if labels is not None}
    return {
        "segments": outline.segments,
        "systems": list(outline.systems),
        **({"copies": copies} if copies else {}),
        "references": len(outline.reference_names),
        "reference_names": list(outline.reference_names),
        **{name: len(set(labels)) for name, labels in groups.items()},
        "unit": unit,
        "metrics": metric_settings(
            [counted.scorer for counted in counts.metrics], counts.labels, outline.references_each
        ),
        **prints,
        **{f"{name}_fingerprint": fingerprint([labels]) for name, labels in groups.items()},
    }


def lists_settings(
    lists: NBest, references: Sequence[TextLike], metrics: Sequence[Metric]
) -> Settings:
    """Describe n-best lists by their sizes and fingerprints."""
    labels = [metric.name for metric in metrics]
    return {
        "segments": len(lists),
        "references": len(references),
        "unit": "segment",
        "metrics": metric_settings(metrics, labels, len(references)),
        "references_fingerprint": fingerprint(references),
        "outputs_fingerprint": fingerprint([lists.texts]),
    }


def metric_settings(
    metrics: Iterable[Scorer], labels: Iterable[str], references: int | None
) -> list[Settings]:
    """Describe metrics by their labels and their signatures with `references` references."""
    return [
        {"label": label, "signature": str(metric.signature.with_references(references))}
        for metric, label in zip(metrics, labels, strict=True)
    ]


# The pool.


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Each metric's counts of all units of a test set.

    Statistics that depend on the whole text, such as NIST's information, come from the whole pool.

    Attributes:
        names: names of the systems.
        statistics: counts of each metric, shaped (unit, system, column).
        unit: unit of the samples: segments or whole documents.
        settings: description of the texts in results: sizes, names, fingerprints, signatures.
    """

    names: tuple[str, ...]
    statistics: tuple[UnitCounts, ...]
    unit: PoolUnit
    settings: Settings

    @classmethod
    def of(
        cls,
        source: TestSet | Counts,
        metrics: MetricsLike | None = None,
        unit: PoolUnit = "segment",
    ) -> Pool:
        """Count a test set; each metric reads the texts once."""
        counts = source if isinstance(source, Counts) else count_texts(source, metrics)
        counted = tuple(count_units(counts, units_of(counts.outline, unit)))
        settings = pool_settings(counts, unit)
        settings["counts_fingerprint"] = _fingerprint_of_counts(counted)
        return cls(counts.outline.systems, counted, unit, settings)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.statistics[0].rows)

    @property
    def digits(self) -> int:
        """Number of decimals for a column with the scores of all metrics."""
        return max(statistics.metric.digits for statistics in self.statistics)

    @property
    def ranking(self) -> list[int]:
        """Systems ranked by the first metric, best first."""
        first = self.statistics[0]
        return list(np.argsort(-first.sign * first.scores, kind="stable").tolist())

    def take(self, sample: Sample) -> list[UnitCounts]:
        """Return the counts of a sample's units; a unit drawn twice counts twice."""
        return [
            replace(statistics, rows=np.ascontiguousarray(statistics.rows[sample]))
            for statistics in self.statistics
        ]

    def require_systems(self, minimum: int) -> None:
        """Raise SettingError for fewer systems than a study needs."""
        if len(self.names) < minimum:
            raise SettingError("systems", len(self.names), f"at least {minimum} to compare")


def resampled_scores(
    counted: Sequence[UnitCounts], replicates: int, seed: int, index: int
) -> Iterator[tuple[UnitCounts, Values]]:
    """Yield each metric's counts and its scores on replicates, shaped (replicate, system).

    Each sample has its own replicates, so that Monte-Carlo errors of samples are independent.
    """
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    units = Units.segments(len(counted[0].rows))
    scores = bootstrap_scores(counted, units, bootstrap, first=index * replicates)
    return zip(counted, scores, strict=True)


def _fingerprint_of_counts(counted: Sequence[UnitCounts]) -> str:
    """Compute SHA-256 over every metric's counts; test sets that share it have equal scores."""
    from hashlib import sha256

    digest = sha256()
    for statistics in counted:
        # The shape keeps one array from having the digest of two.
        digest.update(f"{statistics.label!r} {statistics.rows.shape}\n".encode())
        digest.update(np.ascontiguousarray(statistics.rows, dtype="<f8").data)
    return f"sha256:{digest.hexdigest()}"


def units_of(outline: Outline, unit: PoolUnit, setting: str = "unit") -> Units:
    """Return the segments or documents of a test set as units."""
    if unit == "segment":
        return Units.segments(outline.segments)
    if outline.documents is None:
        raise SettingError(setting, "document", "a test set with documents; see --documents")
    return Units.documents(outline.documents)


# Samples: smaller test sets drawn from a pool, as by Koehn (2004, §3) and in other ways.


def numbers(draw: Draw, count: int) -> Floats:
    """Draw `count` random numbers between 0 and 1."""
    return np.fromiter((draw() for _ in range(count)), dtype=np.float64, count=count)


def sizes_of_shares(shares: Sequence[float], pool: int, unit: str, minimum: int = 1) -> list[int]:
    """Convert shares of a pool to numbers of units, ascending.

    Raises SettingError if two shares give the same size, or if there are fewer than `minimum`, too
    few to fit a power law.

    >>> sizes_of_shares([0.1, 0.5, 1.0], 101, "document")
    [10, 50, 101]
    """
    sizes = sorted({round(share * pool) for share in shares})
    if len(sizes) < len(shares) or sizes[0] < FEWEST_UNITS:
        expected = f"shares that give different sizes, each of at least {FEWEST_UNITS} {unit}s"
        raise SettingError("shares", f"{list(shares)} of {pool} {unit}s", expected)
    if len(sizes) < minimum:
        raise SettingError("shares", list(shares), f"at least {minimum}, to fit a law to")
    return sizes


def orders_of_growth(pool: int, repetitions: int, seed: int) -> list[Sample]:
    """Draw a random order of the units for each repetition.

    Its first n units are the part of size n, as Zhang & Vogel (2004, §4.1) keep adding random
    documents: every part contains the smaller ones, and no unit is drawn twice.
    """
    streams = Streams(seed, "growth of a test set")
    draws = map(streams.at, range(repetitions))
    return [np.argsort(numbers(draw, pool), kind="stable") for draw in draws]


def draw_samples(sampling: Sampling, pool: int, size: int, count: int, seed: int) -> list[Sample]:
    """Draw `count` samples of `size` units, each in the order of the pool.

    "systematic" takes every k-th unit (Koehn 2004, §3.3, "broad" samples), "block" consecutive
    units (§3.2). Both cut the pool into disjoint samples, at most pool / size of them, so there may
    be fewer than `count`; fewer samples are still spread over the whole pool. If the size divides
    the pool and `count` takes all samples, they are the paper's own: units 1, 101, 201, ... and 2,
    102, 202, ... of Koehn's 30,000; otherwise k is a fraction. "random" draws without replacement.
    "independent" draws with replacement: the pool is then the population, and no finite population
    correction is needed.
    """
    _require_size(size, pool)
    if sampling in ("systematic", "block"):
        available = pool // size
        indices = np.arange(min(count, available), dtype=np.int64)
        steps = np.arange(size, dtype=np.int64)
        if sampling == "block":
            return [start + steps for start in indices * pool // len(indices)]
        return [start + steps * pool // size for start in indices * available // len(indices)]
    draws = map(Streams(seed, f"samples of a pool: {sampling} {size}").at, range(count))
    if sampling == "independent":
        # The bias of 53 random bits towards any unit is below one in a billion.
        return [np.sort((numbers(draw, size) * pool).astype(np.int64)) for draw in draws]
    return [np.sort(np.argsort(numbers(draw, pool), kind="stable")[:size]) for draw in draws]


def _require_size(size: int, pool: int) -> None:
    """Raise SettingError for a size larger than the pool."""
    if size > pool:
        raise SettingError("size", size, f"at most {pool}, the size of the pool")


def sizes_that_fit(
    sizes: Sequence[int] | None, pool: int, defaults: Sequence[int], min_samples: int = 2
) -> list[int]:
    """Check sizes; without any, choose the defaults that fit `min_samples` times into the pool.

    A pool too small for all defaults is cut into 2 * `min_samples` and into `min_samples` samples.
    """
    if sizes:
        for size in sizes:
            _require_size(size, pool)
        return sorted(set(sizes))
    fitting = [size for size in defaults if min_samples * size <= pool]
    parts = fitting or [
        size for size in (pool // (2 * min_samples), pool // min_samples) if size >= 2
    ]
    if not parts:
        expected = f"at least {2 * min_samples}: {min_samples} samples of 2 must fit in it"
        raise SettingError("test set", f"{pool} units", expected)
    return parts


def draw_by_size(
    options: Mapping[str, Any], pool: int, defaults: Sequence[int], min_samples: int = 5
) -> dict[int, list[Sample]]:
    """Draw the samples of every size, once all sizes are checked.

    Args:
        options: options of a study: sampling, sizes, samples and seed.
        pool: number of units in the pool.
        defaults: default sizes; the ones that fit are used if the options have no sizes.
        min_samples: smallest number of samples of a size from which shares can be estimated.
    """
    sampling, samples, seed = options["sampling"], options["samples"], options["seed"]
    cut = sampling in ("systematic", "block")
    chosen = sizes_that_fit(options["sizes"], pool, defaults, min_samples if cut else 2)
    if cut and min_samples * chosen[-1] > pool:
        expected = (
            f"at most {pool // min_samples} for {min_samples} {sampling} samples without common "
            "units; or draw them at random"
        )
        raise SettingError("size", chosen[-1], expected)
    return {size: draw_samples(sampling, pool, size, samples, seed) for size in chosen}


def do_overlap(options: Mapping[str, Any], pool: int, size: int) -> bool:
    """Return whether samples are drawn at random and each takes more than half of the pool."""
    return options["sampling"] in ("random", "independent") and 2 * size > pool


def overlap_notes(options: Mapping[str, Any], pool: int, sizes: Iterable[int]) -> Iterator[str]:
    """Yield a caution for each size whose samples overlap."""
    for size in sizes:
        if do_overlap(options, pool, size):
            yield (
                f"Samples of {size:,} are {100 * size / pool:.0f} % of the pool and share many of "
                "their units: they do not count as independent, so that their rates have no "
                "intervals."
            )


# Pairs of systems, and the tests of their differences.


Pairs = Annotated[
    Literal["neighbours", "near", "all"],
    Setting(
        help="systems one rank apart, up to two ranks apart as in the paper, or all.",
        default="near",
    ),
]
# Largest difference of ranks; Table 3 has the nine pairs of six systems up to 2 ranks apart.
RANKS_APART = {"neighbours": 1, "near": 2}


def choose_pairs(pool: Pool, pairs: Pairs) -> list[Pair]:
    """Choose the pairs to compare, each with the better system by the pool's first metric first."""
    pool.require_systems(2)
    ranked = combinations(enumerate(pool.ranking), 2)
    max_apart = RANKS_APART.get(pairs, len(pool.names))
    return [
        (better, worse) for (first, better), (last, worse) in ranked if last - first <= max_apart
    ]


def differences_of(scores: Values, pairs: Sequence[Pair]) -> Values:
    """Subtract each pair's second score from its first, for scores shaped (..., system)."""
    left, right = np.array(pairs).T
    return np.asarray(scores[..., left] - scores[..., right])


def true_differences(statistics: UnitCounts, pairs: Sequence[Pair]) -> Floats:
    """Compute by how much each pair's first system is better in the pool; 0 for ties."""
    differences = statistics.sign * differences_of(statistics.scores, pairs)
    return np.where(np.abs(differences) > TIE_TOLERANCE * statistics.scale, differences, 0.0)


def require_replicates(replicates: int, alpha: float) -> None:
    """Raise SettingError if `replicates` cannot give a p-value as small as alpha."""
    if replicates < (minimum := replicates_for(alpha)):
        smallest = f"with {replicates} the smallest possible p is {smallest_p(replicates):.3g}"
        expected = f"at least {minimum} at the level {alpha:g}; {smallest}"
        raise SettingError("replicates", replicates, expected)


#: The papers' own rules, by their short titles: "wins" concludes at the level L when the better
#: system wins in a share L of the bootstrap's replicates, "interval" when the interval of the
#: difference leaves out 0.
RULES = {"wins": "bootstrap wins", "interval": "bootstrap interval"}
#: Tests of `compare` and the papers' rules, by name.
STUDY_TESTS = {
    name: replace(test, title=RULES.get(name, test.title)) for name, test in REPLICATE_TESTS.items()
}
#: Tests that work with every metric.
TESTS = tuple(name for name in STUDY_TESTS if name != "scaled")
Tests = Annotated[
    Sequence[str],
    Setting(
        help=f"the tests: {', '.join(STUDY_TESTS)}.", choices=tuple(STUDY_TESTS), metavar="NAME,..."
    ),
]
# Decimals of a share that are free of rounding errors.
DECIMALS = 12


class Conclusions(NamedTuple):
    """Conclusions of one test about all pairs on one sample.

    Attributes:
        p: p-value of each pair; the test draws a conclusion if it is at most alpha.
        better: 1 if the first system of the pair would be concluded to be better, -1 for the
            second, 0 for neither: the system with the better score on the sample, or for "wins"
            and "interval" the winner of most replicates.
    """

    p: Floats
    better: Floats


@dataclass(frozen=True, slots=True)
class Testing:
    """Tests to perform, with their replicates and seed."""

    tests: tuple[str, ...]
    replicates: int
    seed: int

    # Keeps pytest from collecting this class.
    __test__ = False

    def conclusions(
        self, statistics: UnitCounts, pairs: Sequence[Pair], index: int
    ) -> dict[str, Conclusions]:
        """Perform all tests on sample `index`, which has its own replicates."""
        # Scores that differ only by rounding are ties.
        better = np.sign(true_differences(statistics, pairs))
        conclusions = {}
        by_kind: dict[tuple[str, bool], tuple[Floats, bool]] = {}
        draws: Any = {"replicates": self.replicates, "seed": self.seed}
        for name in self.tests:
            test = REPLICATE_TESTS[name]
            kind = test.source, isinstance(test, SwapTest) and test.scaled
            if kind not in by_kind:
                first = index * self.replicates
                differences, exact = test.differences(statistics, pairs, first=first, **draws)
                by_kind[kind] = statistics.sign * differences, exact
            differences, exact = by_kind[kind]
            # The papers' rules conclude for the winner of most replicates, not of the sample.
            if name not in RULES:
                tested = statistics.sign * statistics.differences(pairs)
                p = test.p_values(tested, differences, exact=exact, scale=statistics.scale)
                conclusions[name] = Conclusions(p, better)
            else:
                conclusions[name] = _by_wins(name, differences, statistics.scale)
        return conclusions


def _by_wins(test: str, differences: Floats, scale: float) -> Conclusions:
    wins = bootstrap_wins(differences, scale=scale)
    # Koehn's conclusion is one-sided: the loser's share of wins is compared with alpha. Shares are
    # rounded because 1 - 0.95 exceeds 0.05 in floats.
    one_sided = np.minimum(wins, 1 - wins).round(DECIMALS)
    winner = np.sign((wins - 0.5).round(DECIMALS))
    p = one_sided if test == "wins" else np.minimum(1.0, 2 * one_sided)
    return Conclusions(p, winner)


# Columns; rates and means over samples, with confidence intervals.


# Headings of an interval's bounds without the name of the interval.
BOUNDS = ("Low", "High")


def columns(text: str) -> tuple[Column, ...]:
    """Parse columns, written as ``name: Heading [format]`` with | between them.

    The heading defaults to the name. Formats are Python's; % is for shares. A column whose heading
    begins with a small letter, such as "to", or is Low or High continues the column before it.

    >>> metric, width = columns("metric | width: Relative width [+.2%]")
    >>> metric.heading, width.heading, width.cell(0.5)
    ('Metric', 'Relative width', '+50.00 %')
    """
    parsed = []
    for part in text.split("|"):
        title, _, form = part.strip().removesuffix("]").partition(" [")
        name, _, heading = title.partition(": ")
        digits = int(form.strip("+.f%")) if form.strip("+.f%") else None
        heading = heading or name.capitalize()
        column = Column(name, heading, digits, percent="%" in form, sign="+" in form)
        parsed.append(replace(column, continues=heading[0].islower() or heading in BOUNDS))
    return tuple(parsed)


def bounded(name: str, heading: str, low: str = "from") -> str:
    """Return the columns of a share and the bounds of its interval, as `columns` parses them."""
    return f"{name}: {heading} [.1%] | {name}_low: {low} [.1%] | {name}_high: to [.1%]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share or a mean, with its 95 % confidence interval if it has one."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        value = f"{100 * self.value:.1f} %"
        if self.low is None or self.high is None:
            return value
        return f"{value} ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def cells(self, name: str, overlap: bool = False) -> Row:
        """Return the cells of the columns that `bounded` declares; no bounds with an overlap."""
        low, high = (None, None) if overlap else (self.low, self.high)
        return {name: self.value, f"{name}_low": low, f"{name}_high": high}

    @classmethod
    def from_cells(cls, row: Row, name: str) -> Estimate:
        """Return the estimate in the columns of a row that `bounded` declares."""
        return cls(row[name], row[f"{name}_low"], row[f"{name}_high"])


def mean_estimate(values: ArrayLike) -> Estimate:
    """Compute the mean over independent samples with Student's interval; one sample has none."""
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    if len(array) < 2:
        return Estimate(mean)
    error = float(array.std(ddof=1)) / len(array) ** 0.5
    half = student_quantile(0.95, len(array) - 1) * error
    return Estimate(mean, mean - half, mean + half)


def binomial_rate(hits: int, trials: int, confidence: float = 0.95) -> Estimate:
    """Compute a share of independent trials and its binomial interval (Wilson 1927)."""
    return _rate(hits / trials, trials, confidence)


def clustered_rate(hits: ArrayLike) -> Estimate:
    """Compute the share of `hits`, shaped (sample, ...), assuming only independent samples.

    All systems and pairs are tested on the same samples, so their hits are correlated.
    """
    array = np.asarray(hits, dtype=np.float64)
    by_sample = array.reshape(len(array), -1)
    return ratio_rate(by_sample.sum(axis=1), np.full(len(by_sample), by_sample.shape[1]))


def ratio_rate(hits: ArrayLike, totals: ArrayLike) -> Estimate:
    """Compute the share of hits among trials, given each sample's number of both.

    Its variance is the variance of a ratio of two sums over independent samples (Cochran 1977,
    §6.4). The interval is Wilson's for the effective sample size, at most the number of trials. If
    all trials or none are hits, samples show no variance, and each counts as one trial.
    """
    hit, total = np.asarray(hits, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    hit, total = hit[total > 0], total[total > 0]
    count, trials = len(total), float(total.sum())
    share = float(hit.sum()) / trials
    equivalent = float(count)
    if count > 1 and 0 < share < 1:
        residuals = hit - share * total
        variance = float(residuals @ residuals) * count / (count - 1) / trials**2
        equivalent = min(trials, share * (1 - share) / variance) if variance > 0 else trials
    return _rate(share, max(1, round(equivalent)))


def _rate(value: float, trials: int, confidence: float = 0.95) -> Estimate:
    low, high = (float(bound) for bound in monte_carlo_interval(value, trials, confidence))
    # Rounding may move a bound past a share of 0 or 1.
    return Estimate(value, min(low, value), max(high, value))


# Widths of intervals relative to the score, and the power law of their widths.


#: Narrowing by twice as many independent units: 1 - 1 / sqrt(2).
SQUARE_ROOT_NARROWING = 1 - 2**-0.5
# A power law has two parameters; a third size shows whether it fits.
FEWEST_SIZES = 3
# First axis of `relative_intervals`.
MEDIAN, LOW, HIGH = range(3)


def relative_intervals(scores: Floats, level: float) -> Floats:
    """Compute each system's median, and its interval's bounds relative to the median.

    Returns an array shaped (3, system). Bounds are NaN if the median is 0; `as_lists` replaces
    NaN before results leave a study.
    """
    low, high = percentile_interval(scores, level)
    median = np.median(scores, axis=0)
    size = np.where(median == 0, np.nan, np.abs(median))
    return np.stack([median, (low - median) / size, (high - median) / size])


def from_record(values: object) -> Floats:
    """Convert a journal's nested lists to an array, with NaN for None."""
    return np.array(values, dtype=np.float64)


def mean_of_known(values: Floats, axis: int | tuple[int, ...] = 0) -> Floats:
    """Compute means along an axis over values other than NaN; NaN if all values are NaN."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count == 0, np.nan, total / np.maximum(count, 1)))


def or_none(**cells: float) -> Row:
    """Convert the numbers of a row to floats, or None for NaN."""
    return {name: None if np.isnan(value) else float(value) for name, value in cells.items()}


@dataclass(frozen=True, slots=True)
class Law:
    """Power law of widths, constant * size ** exponent, by least squares on logarithms.

    Attributes:
        constant: width for one unit.
        exponent: exponent of the size; -0.5 for independent units.
    """

    constant: float
    exponent: float

    @property
    def narrowing(self) -> float:
        """Share by which doubling the data narrows the interval; negative if it widens it."""
        return float(1 - 2**self.exponent)

    def width(self, size: float) -> float:
        """Return the width at a size."""
        return float(self.constant * size**self.exponent)

    def size(self, width: float) -> float | None:
        """Return the size that gives a width, or None if more data do not narrow the interval."""
        if self.exponent >= 0:
            return None
        return float((width / self.constant) ** (1 / self.exponent))


def fit_law(sizes: Sequence[int], widths: ArrayLike) -> Law | None:
    """Fit a power law to widths by size; None with fewer than three widths above 0.

    >>> law = fit_law([100, 200, 400], [0.2, 0.2 / 2**0.5, 0.1])
    >>> round(law.exponent, 6), round(law.narrowing, 3)
    (-0.5, 0.293)
    """
    values = np.asarray(widths, dtype=np.float64)
    # NaN > 0 is false, so this also leaves out unknown widths.
    fit = values > 0
    if fit.sum() < FEWEST_SIZES:
        return None
    x, y = np.log(np.asarray(sizes, dtype=np.float64)[fit]), np.log(values[fit])
    exponent = float(((x - x.mean()) * y).sum() / ((x - x.mean()) ** 2).sum())
    intercept = float(y.mean() - exponent * x.mean())
    return Law(float(np.exp(intercept)), exponent)


def doubling(sizes: Sequence[int], widths: Floats) -> Estimate | None:
    """Estimate the share by which doubling the data narrows intervals; None without a power law.

    `widths` is shaped (repetition, size). The law is fitted to means over repetitions, as the
    paper averages. The error is about other random orders of the same pool, from a law for each
    repetition.
    """
    width_law = fit_law(sizes, mean_of_known(widths))
    if width_law is None:
        return None
    single = filter(None, (fit_law(sizes, row) for row in widths))
    error, value = mean_estimate([fit.narrowing for fit in single]), width_law.narrowing
    if error.low is None or error.high is None:
        return Estimate(value)
    return Estimate(value, value + error.low - error.value, value + error.high - error.value)
