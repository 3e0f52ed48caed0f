"""Names, defaults and settings that several verbs share."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from truebleu.schema.declare import Setting

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000
DEFAULT_LEVEL = 0.95

Unit = Literal["segment", "document", "block"]
IntervalName = Literal[
    "percentile", "bca", "student", "jackknife", "hall", "wilson", "korn-graubard", "two-way"
]
Alternative = Literal["two-sided", "greater", "less"]
#: What a verdict on systems with several runs is about.
About = Literal["further-runs", "these-runs"]
#: What swaps exchange where systems have several runs: all runs of a unit, or each by itself.
RunSwaps = Literal["together", "separately"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: The intervals to choose from; two-way ones come with the test of that name.
INTERVALS: tuple[IntervalName, ...] = tuple(
    name for name in get_args(IntervalName) if name != "two-way"
)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)

Level = Annotated[
    float,
    Setting(
        help="confidence of intervals; tests decide at 1 − level.",
        least=0.5,
        below=1,
        hint="did you mean 0.95?",
        default=DEFAULT_LEVEL,
    ),
]
Seed = Annotated[
    int,
    Setting(
        help="the same seed gives the same digits.",
        least=0,
        most=2**64 - 1,
        rare=True,
        default=DEFAULT_SEED,
    ),
]
Replicates = Annotated[
    int | None,
    Setting(
        help="resampled test sets; 10,000, and more where many comparisons need them.",
        least=1,
        rare=True,
    ),
]
UnitChoice = Annotated[
    Unit | None,
    Setting(
        help="what is resampled or swapped as a whole; documents where they are known, else "
        "segments.",
        rare=True,
    ),
]
BlockLength = Annotated[
    int | None,
    Setting(help='consecutive segments in a block, with unit "block".', least=1, rare=True),
]
ByDomain = Annotated[bool, Setting(help="resample within each domain.", rare=True)]
Tested = Annotated[
    Alternative,
    Setting(
        help='"two-sided"; "greater" asks only whether the first system is better, "less" whether '
        "it is worse.",
        rare=True,
    ),
]
Baseline = Annotated[
    str | None, Setting(help="compare all other systems with this one.", metavar="NAME")
]
#: What callers name the curves of Kocmi et al. (2024) by.
PUBLISHED_CURVES = "kocmi"
People = Annotated[
    str | None,
    Setting(
        help='how often human raters prefer the same system: "kocmi" for the curves of Kocmi et '
        'al. (2024), or "none".',
        choices=(PUBLISHED_CURVES, "none"),
        rare=True,
    ),
]
Margin = Annotated[float | None, Setting(above=0, metavar="D")]
