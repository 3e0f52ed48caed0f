"""Names, defaults and settings that several verbs share.

Options get this help unless their verb describes them.

Attributes:
    level: confidence level; tests use 1 − level.
    replicates: number of replicates. Default: 10,000, or more if many comparisons need them.
    seed: seed of all random numbers; the same seed gives the same digits.
    unit: unit to resample or swap. Default: document if documents are known, else segment.
    block_length: number of consecutive segments in a block, with unit "block".
    by_domain: resample within each domain.
    interval: method of the intervals of scores. Default: Hall's for documents or blocks, the
        jackknife's for fewer than 30 of them, else percentiles; for pass/fail scores Wilson's, or
        Korn and Graubard's for documents.
    alternative: "two-sided"; "greater" tests only whether the first system is better, "less"
        whether it is worse.
    baseline: system to compare all others with, instead of comparing all pairs.
    lower_is_better: direction of scores of other programs: True if lower is better, False if
        higher is. Default: what the tool or the name of the score says.
    people: curves of human agreement with a metric: "kocmi" for Kocmi et al. (2024), or "none".
"""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict, get_args

from truebleu.schema.declare import Setting

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000
DEFAULT_LEVEL = 0.95

Unit = Literal["segment", "document", "block"]
#: Units of texts without blocks.
TextUnit = Literal["segment", "document"]
IntervalName = Literal[
    "percentile",
    "bca",
    "student",
    "jackknife",
    "gaffke",
    "hall",
    "wilson",
    "korn-graubard",
    "two-way",
]
Alternative = Literal["two-sided", "greater", "less"]
#: Scope of a verdict on systems with several runs.
About = Literal["further-runs", "these-runs"]
#: Swaps of systems with several runs: all runs of a unit together, or each run separately.
RunSwaps = Literal["together", "separately"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: Intervals to choose from; two-way intervals belong to the test of that name.
INTERVALS: tuple[IntervalName, ...] = tuple(
    name for name in get_args(IntervalName) if name != "two-way"
)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)

Level = Annotated[
    float, Setting(minimum=0.5, below=1, hint="did you mean 0.95?", default=DEFAULT_LEVEL)
]
Seed = Annotated[int, Setting(minimum=0, maximum=2**64 - 1, rare=True, default=DEFAULT_SEED)]
Replicates = Annotated[int | None, Setting(minimum=1, rare=True)]
UnitChoice = Annotated[Unit | None, Setting(rare=True)]
TextUnitChoice = Annotated[TextUnit | None, Setting(rare=True)]
Tested = Annotated[Alternative, Setting(rare=True)]
Baseline = Annotated[str | None, Setting(metavar="NAME")]
#: Name of the curves of Kocmi et al. (2024).
PUBLISHED_CURVES = "kocmi"
People = Annotated[
    str | None,
    Setting(choices=(PUBLISHED_CURVES, "none"), rare=True, default=PUBLISHED_CURVES),
]


class ResamplingOptions(TypedDict, total=False):
    """Options of verbs that resample a test set."""

    level: Level
    replicates: Replicates
    seed: Seed
    unit: UnitChoice
    block_length: Annotated[int | None, Setting(minimum=1, rare=True)]
    by_domain: Annotated[bool, Setting(rare=True)]
    lower_is_better: Annotated[bool | None, Setting(option=False)]


class IntervalOptions(ResamplingOptions, total=False):
    """Options of verbs that make intervals of scores."""

    interval: Annotated[IntervalName | None, Setting(rare=True)]
