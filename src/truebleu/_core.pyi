"""Types of the native module: what crates/python offers."""

from collections.abc import Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "VERSION",
    "PairScorer",
    "Scorer",
    "Segments",
    "Statistics",
    "agreement",
    "bleu_details",
    "bleu_scorer",
    "bootstrap_sums",
    "calibrated_ties",
    "chrf_scorer",
    "count_bleu",
    "count_chrf",
    "count_composed",
    "count_gtm",
    "count_length",
    "count_nist",
    "count_per",
    "count_sentence_bleu",
    "count_ter",
    "count_wer",
    "error_rate_scorer",
    "exchanged_cells",
    "first_absent",
    "first_stranger",
    "gtm_scorer",
    "heads",
    "hybrid_values",
    "judgment_counts",
    "kept_pairs",
    "length_ratio_scorer",
    "mbleu_details",
    "mbleu_scorer",
    "nist_details",
    "nist_scorer",
    "pair_counts",
    "pair_differences",
    "pair_outcomes",
    "pair_sums",
    "replicate_agreement",
    "sentence_bleu_scorer",
    "set_threads",
    "shifts",
    "survey",
    "swapped_sums",
    "system_agreement",
    "ter_scorer",
    "threads",
    "tokenize",
    "tokenize_ter",
    "tokenizers",
]

VERSION: str

_Text: TypeAlias = Segments | Sequence[str] | Sequence[str | None]

@final
class Segments(Sequence[str | None]):
    """An immutable sequence of segments, None where one is absent."""

    def __new__(cls, segments: Sequence[str | None]) -> Segments: ...
    @staticmethod
    def from_lines(data: bytes) -> Segments: ...
    @property
    def carriage_returns(self) -> int: ...
    @property
    def byte_order_mark(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> str | None: ...  # type: ignore[override]

@final
class Statistics:
    """Counts shaped (segment, system, column)."""

    def __new__(cls, rows: NDArray[np.float64]) -> Statistics: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def sums(self) -> list[list[float]]: ...
    def array(self) -> NDArray[np.float64]: ...

@final
class PairScorer:
    """Sentence scores of all pairs of lists of candidates."""

    @staticmethod
    def bleu(scorer: Scorer, *, tokenizer: str, lowercase: bool, max_order: int) -> PairScorer: ...
    @staticmethod
    def chrf(
        scorer: Scorer, *, char_order: int, word_order: int, lowercase: bool, whitespace: bool
    ) -> PairScorer: ...
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
def count_bleu(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    tokenizer: str,
    lowercase: bool,
    max_order: int,
    reference_length: str = "closest",
) -> Statistics: ...
def bleu_details(
    sums: Sequence[float], *, smooth: str, smooth_value: float, effective_order: bool
) -> tuple[float, float, list[float], list[float], list[float]]: ...
def count_chrf(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    char_order: int,
    word_order: int,
    lowercase: bool,
    whitespace: bool,
    beta: float,
    eps_smoothing: bool,
) -> Statistics: ...
def count_ter(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    case_sensitive: bool,
) -> Statistics: ...
def mbleu_details(sums: Sequence[float]) -> tuple[float, float, list[float]]: ...
def count_sentence_bleu(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    tokenizer: str,
    lowercase: bool,
    max_order: int,
    smoothing: str,
    value: float,
    smooth_next_order: bool,
) -> Statistics: ...
def count_wer(
    systems: Sequence[_Text], references: Sequence[_Text], *, tokenizer: str, lowercase: bool
) -> Statistics: ...
def count_per(
    systems: Sequence[_Text], references: Sequence[_Text], *, tokenizer: str, lowercase: bool
) -> Statistics: ...
def count_gtm(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    tokenizer: str,
    lowercase: bool,
    exponent: float,
) -> Statistics: ...
def count_length(
    systems: Sequence[_Text], references: Sequence[_Text], *, tokenizer: str, lowercase: bool
) -> Statistics: ...
def count_nist(
    systems: Sequence[_Text],
    references: Sequence[_Text],
    *,
    tokenizer: str,
    lowercase: bool,
    max_order: int,
    zero_history: bool,
) -> Statistics: ...
def nist_details(sums: Sequence[float]) -> tuple[float, float, list[float]]: ...
def tokenize_ter(
    line: str, *, normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> str: ...
def first_absent(texts: Sequence[_Text], /) -> int | None: ...
def first_stranger(text: _Text, /) -> tuple[int, str] | None: ...
def count_composed(text: Segments, /) -> int: ...
def survey(text: Segments, /) -> dict[str, tuple[int, int | None]]: ...
def shifts(
    texts: Sequence[Segments], reference: Segments, /
) -> list[tuple[int, int, int] | None]: ...
def bootstrap_sums(
    rows: NDArray[np.float64],
    *,
    strata: Sequence[tuple[int, int]],
    first: int,
    replicates: int,
    seed: int,
) -> NDArray[np.float64]: ...
def swapped_sums(
    rows: NDArray[np.float64], *, first: int, trials: int, seed: int | None
) -> NDArray[np.float64]: ...
def pair_sums(
    taken: NDArray[np.float64], sums: NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> NDArray[np.float64]: ...
def pair_differences(
    taken: NDArray[np.float64],
    sums: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    scorer: Scorer,
) -> NDArray[np.float64]: ...
def bleu_scorer(*, smooth: str, smooth_value: float, effective_order: bool) -> Scorer: ...
def chrf_scorer(*, beta: float, eps_smoothing: bool) -> Scorer: ...
def ter_scorer() -> Scorer: ...

@final
class Scorer:
    """Scores rows of sums."""

    def score(self, sums: Sequence[float]) -> float: ...
    def scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]: ...

def mbleu_scorer() -> Scorer: ...
def sentence_bleu_scorer(*, weight: str) -> Scorer: ...
def nist_scorer() -> Scorer: ...
def error_rate_scorer() -> Scorer: ...
def gtm_scorer() -> Scorer: ...
def length_ratio_scorer() -> Scorer: ...
def agreement(
    human: NDArray[np.float64],
    metric: NDArray[np.float64],
    *,
    grouping: str,
    coefficient: str,
    parameter: float,
    micro: bool,
    undefined_as_zero: bool,
) -> tuple[float | None, int, int]: ...
def calibrated_ties(
    human: NDArray[np.float64], metric: NDArray[np.float64], *, grouping: str, micro: bool
) -> tuple[float, float, int, float, float | None, bool, bool] | None: ...
def pair_counts(
    human: NDArray[np.float64], metric: NDArray[np.float64], *, grouping: str, epsilon: float
) -> list[int]: ...
def kept_pairs(
    human: NDArray[np.float64], metric: NDArray[np.float64], *, grouping: str, threshold: float
) -> tuple[int, int]: ...
def judgment_counts(
    metric: NDArray[np.float64],
    *,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    item: NDArray[np.int64],
    verdict: NDArray[np.int64],
    epsilon: float,
) -> NDArray[np.uint64]: ...
def hybrid_values(
    human: NDArray[np.float64],
    metrics: NDArray[np.float64],
    *,
    grouping: str,
    coefficient: str,
    parameter: float,
    micro: bool,
    undefined_as_zero: bool,
    first: int,
    draws: int,
    seed: int | None,
) -> NDArray[np.float64]: ...
def exchanged_cells(cells: int, *, first: int, draws: int, seed: int) -> NDArray[np.bool_]: ...
def pair_outcomes(
    human: NDArray[np.float64],
    metrics: NDArray[np.float64],
    *,
    grouping: str,
    epsilons: tuple[float, float],
) -> list[tuple[int, int, int, int]]: ...
def heads(counts: Sequence[int], *, first: int, draws: int, seed: int) -> NDArray[np.uint64]: ...
def replicate_agreement(
    human: NDArray[np.float64],
    metrics: NDArray[np.float64],
    *,
    grouping: str,
    coefficient: str,
    parameter: float,
    micro: bool,
    undefined_as_zero: bool,
    units: Sequence[int] | None,
    systems: bool,
    first: int,
    replicates: int,
    seed: int,
) -> NDArray[np.float64]: ...
def system_agreement(
    human: NDArray[np.float64],
    metrics: NDArray[np.float64],
    *,
    coefficient: str,
    parameter: float,
    seed: int | None,
) -> NDArray[np.float64]: ...
