"""Evidence on the number of replicates: Zhang & Vogel (2004, Tables 5 and 6)."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from evidence.data import read_set
from evidence.page import Page, Section
from truebleu.studies import study_replicates

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SYSTEM = "GPT4-5shot"
REPLICATES = (100, 500, 1000, 2000, 10_000, 20_000, 50_000, 100_000)
# Deviations from fewer intervals are too uncertain to compare with theory.
ENOUGH_RUNS = 50
SUMMED_UP = (100, 1000, 2000, 10_000)

INTRODUCTION = """
Zhang & Vogel (2004, §4.3) made intervals of B = 1,000 to 100,000 replicates (Table 5), and for B up
to 10,000 made 5,000 intervals each to see how far their bounds differ (Table 6). Here 1,000,000
replicates are cut into runs of B that share none. Normal scores would give deviations that fall
with the square root of B.
"""

TABLE_6 = """
Table 6, system A: the standard deviation of the relative bounds, and their means over 5,000 tests:

| B | NIST | BLEU | M-BLEU |
| ---: | ---: | ---: | ---: |
| 100 | 0.24 %, -1.77 to +1.60 % | 0.60 %, -4.50 to +4.11 % | 0.34 %, -2.51 to +2.31 % |
| 500 | 0.11 %, -1.70 to +1.66 % | 0.27 %, -4.33 to +4.27 % | 0.15 %, -2.42 to +2.40 % |
| 1,000 | 0.07 %, -1.68 to +1.68 % | 0.19 %, -4.29 to +4.32 % | 0.12 %, -2.40 to +2.43 % |
| 2,000 | 0.05 %, -1.68 to +1.68 % | 0.13 %, -4.29 to +4.32 % | 0.08 %, -2.40 to +2.43 % |
| 10,000 | 0.02 %, -1.68 to +1.68 % | 0.06 %, -4.28 to +4.32 % | 0.04 %, -2.39 to +2.44 % |

Of the width, these are 7 % at B = 100, 3 % at 500 and 1.6 % at 2,000. The paper takes 2,000 for
"pretty reliable", and from Table 5 that 20,000 are "close to convergence".
"""


def page() -> Page:
    """Make the page from a run on WMT23."""
    section = _section()
    return Page(
        name="replicates",
        title="How many replicates does the bootstrap need?",
        introduction=INTRODUCTION,
        summary=_summary(section.result),
        sections=(section,),
    )


def _relative_sd(result: StudyResult, replicates: int) -> str:
    """Average the deviation relative to the width over metrics, in percent."""
    shares = [row["relative_sd"] or 0.0 for row in result.rows if row["replicates"] == replicates]
    return f"{100 * sum(shares) / len(shares):.1f} %"


def _summary(result: StudyResult) -> str:
    listed = ", ".join(
        f"{_relative_sd(result, replicates)} with {replicates:,}" for replicates in SUMMED_UP
    )
    return (
        f"Of the interval's width, a bound's standard deviation is {listed}; the paper has 7 % "
        "with 100 and 1.6 % with 2,000."
    )


def _beside_theory(row: Row) -> float:
    width = row["high"] - row["low"]
    theory = theoretical_deviation(width, row["replicates"], 0.95)
    return float(row["relative_sd"] * width / theory)


def theoretical_deviation(width: float, replicates: int, level: float) -> float:
    """Compute a bound's standard deviation around the median, for normal scores and large B.

    The difference of the sample quantiles at p and at 1/2 has the variance
    (p (1 - p) / f(p)² - p / (f(p) f(½)) + 1 / (4 f(½)²)) / B, where f is the density at a quantile
    (David & Nagaraja 2003, §10.2).
    """
    normal = NormalDist()
    tail = (1 - level) / 2
    quantile = normal.inv_cdf(1 - tail)
    density, centre = normal.pdf(quantile), normal.pdf(0.0)
    variance = (
        tail * (1 - tail) / density**2 - tail / (density * centre) + 1 / (4 * centre**2)
    ) / replicates
    return width / (2 * quantile) * sqrt(variance)


def _section() -> Section:
    whole = read_set("wmt23-he-en")
    test_set = replace(whole, systems={SYSTEM: whole.systems[SYSTEM]})
    result = study_replicates(
        test_set, ["nist", "bleu", "mbleu"], replicates=REPLICATES, repetitions=10
    )
    ratios = [_beside_theory(row) for row in result.rows if row["runs"] >= ENOUGH_RUNS]
    listed = ",".join(map(str, REPLICATES))
    return Section(
        heading=f"WMT23 Hebrew-English, {SYSTEM}",
        command=f"truebleu study replicates -r refA.txt sys/{SYSTEM}.txt "
        f"-m nist -m bleu -m mbleu --replicates {listed} --repetitions 10",
        result=result,
        paper=TABLE_6,
        verdict=f"Where there are {ENOUGH_RUNS} runs or more, measured deviations are "
        f"{min(ratios):.2f} to {max(ratios):.2f} of what theory gives. Beside the width they are "
        f"{_relative_sd(result, 100)} at B = 100, {_relative_sd(result, 500)} at 500 and "
        f"{_relative_sd(result, 2000)} at 2,000, where the paper has 7, 3 and 1.6 %.",
    )
