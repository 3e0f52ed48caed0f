"""Types of the native module: what crates/python offers."""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MIN_SWAP_RATIO",
    "ROUNDING",
    "SWAPS_OF_RATIOS",
    "TIE_TOLERANCE",
    "VERSION",
    "Cells",
    "Inspection",
    "LineSearch",
    "Mira",
    "NativeMetric",
    "PairScorer",
    "PairTally",
    "Pairs",
    "Parses",
    "ReadyReferences",
    "ReferenceCache",
    "Repetitions",
    "Rows",
    "Segments",
    "Statistics",
    "TrainingIndex",
    "choose_interval",
    "critical_rank",
    "default_interval",
    "exact_bounds",
    "exact_p",
    "few_differing_intervals",
    "hall_p",
    "heads",
    "intervals",
    "inverted_intervals",
    "inverted_level",
    "jackknife_errors",
    "line_ends",
    "loops",
    "match_differences",
    "mcnemar_tests",
    "mean_gradients",
    "mean_intervals",
    "min_replicates",
    "normal_quantile",
    "on_exact_grid",
    "one_sided_p",
    "p_values",
    "paired_rates",
    "pass_fail_intervals",
    "percentile_rank",
    "rate_intervals",
    "scale_swaps",
    "set_threads",
    "student_p",
    "student_quantiles",
    "swap_ratios",
    "swap_scales",
    "swapped_shares",
    "tango_bounds",
    "threads",
    "tokenize",
    "tokenize_ter",
    "tokenizers",
    "trigrams",
    "value_of_counts",
    "without_skewness",
]

VERSION: str
MIN_SWAP_RATIO: float
ROUNDING: float
SWAPS_OF_RATIOS: int
TIE_TOLERANCE: float

class _Settings(TypedDict):
    grouping: str
    coefficient: str
    parameter: float
    micro: bool
    undefined_as_zero: bool

_Text: TypeAlias = Segments | Sequence[str] | Sequence[str | None]

@final
class Segments(Sequence[str | None]):
    """An immutable sequence of segments, None where one is absent."""

    def __new__(cls, segments: Sequence[str | None]) -> Segments: ...
    @staticmethod
    def from_lines(data: bytes, *, is_beginning: bool = True) -> Segments: ...
    @property
    def carriage_returns(self) -> int: ...
    @property
    def byte_order_mark(self) -> bool: ...
    def absent(self) -> list[int]: ...
    def survey(self) -> dict[str, tuple[int, int | None]]: ...
    def letters(self) -> dict[str, int]: ...
    def count_composed(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> str | None: ...  # type: ignore[override]

@final
class Repetitions:
    """Equal rows of texts that are added part by part."""

    def __new__(cls) -> Repetitions: ...
    def add(self, texts: Sequence[Segments], /) -> None: ...
    def count(self) -> int: ...
    def first_equal(self) -> list[int]: ...

@final
class Inspection:
    """Evidence about texts that pair segment by segment, added part by part."""

    def __new__(cls) -> Inspection: ...
    def add(
        self,
        references: Sequence[Segments],
        systems: Sequence[Segments],
        source: Segments | None,
        /,
    ) -> None: ...
    def findings(self) -> list[tuple[str, int, int, int, int, int, str]]: ...

@final
class TrainingIndex:
    """The words of a test set, looked for in training text."""

    def __new__(cls, texts: Sequence[Segments], order: int, /) -> TrainingIndex: ...
    def add(self, data: bytes, /) -> None: ...
    @property
    def lines(self) -> int: ...
    def sightings(self) -> list[tuple[int, bool, int]]: ...

@final
class Statistics:
    """Counts shaped (segment, system, column)."""

    def __new__(cls, rows: NDArray[np.float64]) -> Statistics: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def sums(self) -> list[list[float]]: ...
    def array(self) -> NDArray[np.float64]: ...

@final
class Parses:
    """The parsed sentences of one text."""

    def __new__(cls, label: str, text: str, /) -> Parses: ...
    @staticmethod
    def of_words(
        label: str, segments: Sequence[Sequence[tuple[str, str, int, str]]], /
    ) -> Parses: ...
    def __len__(self) -> int: ...
    def relations(
        self,
        text: _Text,
        name: str,
        /,
        *,
        check_text: bool,
        labelled: bool,
        word: str,
        direction: bool,
        lowercase: bool,
        root: bool,
    ) -> Segments: ...

@final
class NativeMetric:
    """A metric of the core with its settings: it counts texts, and scores any sum of the rows."""

    @staticmethod
    def from_settings(json: str) -> NativeMetric: ...
    @property
    def width(self) -> int: ...
    @property
    def keeps_references(self) -> bool: ...
    def count(self, systems: Sequence[_Text], references: Sequence[_Text]) -> Statistics: ...
    def impossible(self, rows: NDArray[np.float64]) -> tuple[int, int] | None: ...
    def score(self, sums: Sequence[float]) -> float: ...
    def scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def gradient(self, sums: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def details(self, sums: Sequence[float]) -> dict[str, Any]: ...

# Native metrics whose rows stand side by side with the factor of each score, or a function of a
# matrix of sums.
_Scorer: TypeAlias = Sequence[tuple[NativeMetric, float]] | Any

@final
class LineSearch:
    """Exact line search over lists of candidates."""

    def __new__(
        cls, features: NDArray[np.float64], offsets: Sequence[int], rows: NDArray[np.float64]
    ) -> LineSearch: ...
    def profile(
        self, origin: Sequence[float], direction: Sequence[float]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[list[int]]]: ...
    def best_points(
        self,
        origin: Sequence[float],
        directions: Sequence[Sequence[float]],
        rooms: Sequence[Sequence[float]],
        by: _Scorer,
        *,
        window: int,
        minimum: bool,
        ends: Sequence[float],
        nearest: float,
    ) -> list[list[float] | None]: ...

@final
class Mira:
    """A run of batch k-best MIRA."""

    def __new__(
        cls,
        weights: Sequence[float],
        *,
        lower: Sequence[float],
        upper: Sequence[float],
        offsets: Sequence[int],
        starts: NDArray[np.int64],
        columns: NDArray[np.int64] | None,
        values: NDArray[np.float64],
        rows: NDArray[np.float64],
        lengths: NDArray[np.float64],
        largest_step: float,
        decay: float,
        model_background: bool,
        safe_hope: bool,
    ) -> Mira: ...
    def run(
        self, order: Sequence[int], by: _Scorer
    ) -> tuple[int, float, NDArray[np.float64], NDArray[np.float64]]: ...

@final
class ReadyReferences:
    """The references of all segments of a test set, as a metric keeps them."""

    def __new__(cls, metric: NativeMetric, references: Sequence[_Text], /) -> ReadyReferences: ...
    def count(self, outputs: _Text, /) -> Statistics: ...

@final
class ReferenceCache:
    """References by their texts, as a metric keeps them."""

    def __new__(cls, metric: NativeMetric, max_bytes: int, /) -> ReferenceCache: ...
    def count(self, outputs: _Text, references: Sequence[Sequence[str]], /) -> Statistics: ...
    def __len__(self) -> int: ...

@final
class PairScorer:
    """Sentence scores of all pairs of lists of candidates."""

    def __new__(cls, metric: NativeMetric) -> PairScorer: ...
    def expected(
        self,
        candidates: _Text,
        ends: Sequence[int],
        weights: NDArray[np.float64],
        references: _Text | None = None,
        reference_ends: Sequence[int] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def aggregate(
        self,
        candidates: _Text,
        ends: Sequence[int],
        weights: NDArray[np.float64],
        references: _Text | None = None,
        reference_ends: Sequence[int] | None = None,
    ) -> NDArray[np.float64]: ...
    def matrix(self, candidates: _Text, references: _Text | None = None) -> NDArray[np.float64]: ...

def set_threads(threads: int) -> None: ...
def threads() -> int: ...
def tokenizers() -> list[str]: ...
def tokenize(line: str, *, tokenizer: str, lowercase: bool) -> list[str]: ...
def tokenize_ter(
    line: str, *, normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> str: ...
def match_differences(
    first: _Text,
    second: _Text,
    references: Sequence[_Text],
    *,
    tokenizer: str,
    lowercase: bool,
    max_order: int,
) -> tuple[
    NDArray[np.int64], list[str], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]
]: ...
def trigrams(text: str, /) -> frozenset[str]: ...
def loops(text: str, longest: int, /) -> list[tuple[int, int]]: ...
def line_ends(data: bytes, lines: int, /) -> tuple[int, int]: ...

@final
class Rows:
    """Rows of counts, one for each unit, and their sums in replicates."""

    def __new__(
        cls, rows: NDArray[np.float64] | NDArray[np.int16] | NDArray[np.int32], /
    ) -> Rows: ...
    def bootstrap_sums(
        self, *, strata: Sequence[tuple[int, int]], first: int, replicates: int, seed: int
    ) -> NDArray[np.float64]: ...
    def swapped_sums(
        self, *, first: int, replicates: int, seed: int | None, first_row: int = 0
    ) -> NDArray[np.float64]: ...
    def count_at_most(
        self, bounds: Sequence[float], *, first: int, replicates: int, seed: int | None
    ) -> NDArray[np.uint64]: ...
    def add_up(self, unit_of: NDArray[np.int64], units: int) -> NDArray[np.float64]: ...
    def are_rates(self) -> bool: ...

@final
class Pairs:
    """Pairs of systems, by their places, and what replicates say of them."""

    def __new__(cls, pairs: Sequence[tuple[int, int]], /) -> Pairs: ...
    def sums(
        self, swapped_sums: NDArray[np.float64], sums: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def differences(
        self, swapped_sums: NDArray[np.float64], sums: NDArray[np.float64], metric: NativeMetric
    ) -> NDArray[np.float64]: ...
    def step_down_counts(
        self,
        swapped_sums: NDArray[np.float64],
        sums: NDArray[np.float64],
        metric: NativeMetric,
        *,
        factors: Sequence[float],
        side: str,
        order: Sequence[int],
        bounds: Sequence[float],
    ) -> NDArray[np.uint64]: ...
    def ranked(self, scores: NDArray[np.float64], ranks: Sequence[int]) -> NDArray[np.float64]: ...
    def above_and_below(
        self, scores: NDArray[np.float64], *, tolerance: float, scale: float
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
    def differing_units(self, rows: NDArray[np.float64]) -> NDArray[np.uint64]: ...

@final
class PairTally:
    """What differences of pairs after swaps come to."""

    def __new__(
        cls,
        observed: Sequence[float],
        bounds: Sequence[float],
        *,
        sign: float,
        side: str,
        kept: int,
    ) -> PairTally: ...
    def add(self, differences: NDArray[np.float64], shares: NDArray[np.float64], /) -> None: ...
    @property
    def extreme(self) -> NDArray[np.uint64]: ...
    @property
    def spread(self) -> NDArray[np.float64]: ...
    def half_widths(self, ranks: Sequence[int]) -> NDArray[np.float64]: ...

@final
class Cells:
    """Human scores, shaped (system, item), and those of metrics, shaped alike."""

    def __new__(cls, human: NDArray[np.float64], /, *metrics: NDArray[np.float64]) -> Cells: ...
    def measure(self, by: _Settings) -> tuple[float | None, int, int]: ...
    def calibrated_ties(
        self, *, grouping: str, micro: bool
    ) -> tuple[float, float, int, float, float | None, bool, bool] | None: ...
    def pair_counts(self, *, grouping: str, epsilon: float) -> list[int]: ...
    def pair_outcomes(
        self, *, grouping: str, epsilons: tuple[float, float]
    ) -> list[tuple[int, int, int, int]]: ...
    def hybrid_values(
        self, by: _Settings, *, systems: bool, first: int, replicates: int, seed: int | None
    ) -> NDArray[np.float64]: ...
    def hybrid_soft_accuracies(
        self, *, systems: bool, first: int, replicates: int, seed: int | None
    ) -> NDArray[np.float64]: ...
    def bootstrap_values(
        self,
        by: _Settings,
        *,
        units: Sequence[int] | None,
        systems: bool,
        first: int,
        replicates: int,
        seed: int,
    ) -> NDArray[np.float64]: ...
    def values_by_row(
        self, *, coefficient: str, parameter: float, seed: int | None
    ) -> NDArray[np.float64]: ...

def value_of_counts(coefficient: str, counts: Sequence[int]) -> float | None: ...
def one_sided_p(
    totals: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def heads(
    counts: Sequence[int], *, first: int, replicates: int, seed: int
) -> NDArray[np.uint64]: ...

# Statistics: one column of an array, or one number of a vector, for each score or difference.
_Floats: TypeAlias = NDArray[np.float64]

def on_exact_grid(rows: _Floats, /) -> _Floats: ...
def normal_quantile(share: float, /) -> float: ...
def student_quantiles(level: float, degrees: _Floats) -> _Floats: ...
def student_p(
    differences: _Floats, errors: _Floats, degrees: _Floats, scales: _Floats, side: str
) -> _Floats: ...
def jackknife_errors(jackknife: _Floats) -> _Floats: ...
def mean_intervals(values: _Floats, level: float) -> _Floats: ...
def hall_p(
    distances: _Floats,
    jackknife: _Floats,
    side: str,
    scales: _Floats,
    strata: Sequence[tuple[int, int]],
) -> _Floats: ...
def without_skewness(shifted: float, bend: float) -> float: ...
def min_replicates(level: float) -> int: ...
def percentile_rank(replicates: int, level: float) -> int: ...
def intervals(
    name: str,
    level: float,
    *,
    estimates: _Floats | None = None,
    replicates: _Floats | None = None,
    jackknife: _Floats | None = None,
    successes: _Floats | None = None,
    trials: _Floats | None = None,
    strata: Sequence[tuple[int, int]] = ...,
    limits: tuple[float, float] = ...,
) -> _Floats: ...
def default_interval(*, about_further_runs: bool, by_segment: bool, by_domain: bool) -> str: ...
def choose_interval(requested: str | None, default: str, kind: str, units: int) -> str: ...
def rate_intervals(name: str, rates: _Floats, trials: _Floats, level: float) -> _Floats: ...
def tango_bounds(rates: _Floats, quantile: float) -> _Floats: ...
def exact_bounds(
    first: float, second: float, count: float, alpha: float
) -> tuple[float, float]: ...
def exact_p(first: float, second: float, count: float, margin: float) -> float: ...
def paired_rates(
    rows: _Floats, scores: NDArray[Any], pairs: Sequence[tuple[int, int]], level: float
) -> _Floats: ...
def critical_rank(replicates: int, alpha: float, *, exact: bool) -> int: ...
def p_values(extreme: NDArray[np.uint64], replicates: int, *, exact: bool) -> _Floats: ...
def few_differing_intervals(
    bounds: _Floats,
    student: _Floats,
    differing: Sequence[int],
    p: _Floats,
    *,
    units: int,
    side: str,
    alpha: float,
) -> _Floats: ...
def inverted_level(alpha: float, side: str) -> float: ...
def inverted_intervals(
    differences: _Floats,
    half_widths: _Floats,
    p: _Floats,
    *,
    side: str,
    alpha: float,
    sign: float,
) -> _Floats: ...
def mcnemar_tests(rates: _Floats, *, side: str, alpha: float, sign: float) -> _Floats: ...
def pass_fail_intervals(
    differences: _Floats,
    rates: _Floats,
    bounds: _Floats,
    p: _Floats,
    *,
    side: str,
    alpha: float,
    sign: float,
) -> _Floats: ...
def swap_ratios(squares: _Floats, count: int, errors: _Floats, size: float) -> _Floats: ...
def swap_scales(ratios: _Floats) -> _Floats: ...
def swapped_shares(
    swapped_sums: _Floats,
    sums: _Floats,
    weights: Sequence[int],
    pairs: Sequence[tuple[int, int]],
) -> _Floats | None: ...
def scale_swaps(
    differences: _Floats, shares: _Floats, scales: Sequence[float]
) -> tuple[_Floats, _Floats]: ...

# A metric of Python has `score` and `gradient`.
def mean_gradients(
    metric: NativeMetric | Any, starts: _Floats, ends: _Floats, tolerance: float
) -> tuple[_Floats, _Floats]: ...
