"""The evidence on power: Koehn (2004), Table 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import pooled
from evidence.page import Page, Section
from evidence.rows import percent
from truebleu.studies import study_power
from truebleu.studies.power import MEAN

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SIZES = (100, 300, 600, 3000)
POOLED = "-r pooled/refA.txt pooled/sys --sizes 100,300,600,3000"
INTRODUCTION = """
Koehn compared nine pairs of systems on samples of 100 to 3,000 sentences by paired bootstrap
resampling, and held what it concluded at the level 95 % against 30,000 sentences. Here the pool is
WMT23's Hebrew-English and Chinese-English sets one after the other, 3,886 segments translated by
nine systems; 100 samples of each size are drawn from it with replacement, and every pair of systems
up to two ranks apart is tested on each by 1,000 replicates. "12 %/1 %" are 12 % right and 1 % wrong
conclusions.
"""
TABLE_3 = """
Table 3: conclusions at the level 95 % on 300, 100, 50 and 10 systematic samples.

| comparison | BLEU difference | 100 | 300 | 600 | 3000 |
| --- | --- | --- | --- | --- | --- |
| Spanish better than Portuguese | 1.5 | 33/1 % | 60 % | 84 % | 100 % |
| Spanish better than Danish | 2.0 | 31 % | 65 % | 96 % | 100 % |
| Portuguese better than Danish | 0.5 | 7/2 % | 12/1 % | 10 % | 30 % |
| Portuguese better than Greek | 2.1 | 38 % | 68 % | 92 % | 100 % |
| Danish better than Greek | 1.6 | 24 % | 48 % | 74 % | 100 % |
| Danish better than German | 4.3 | 85 % | 100 % | 100 % | 100 % |
| Greek better than German | 2.7 | 65 % | 97 % | 100 % | 100 % |
| Greek better than Finnish | 5.1 | 97 % | 100 % | 100 % | 100 % |
| German better than Finnish | 2.4 | 53 % | 91 % | 100 % | 100 % |

Koehn concludes that 300 sentences are enough for true differences of 2 to 3 BLEU and more (§7.1).
"""


def page() -> Page:
    """Three runs; some ten seconds."""
    result = study_power(pooled(), tests=("wins",), sizes=SIZES)
    means = [_mean(result, size) for size in (100, 300, 3000)]
    right, wrong = (
        [percent(mean["right"]) for mean in means],
        [percent(mean["wrong"]) for mean in means],
    )
    return Page(
        name="power",
        title="How often does a test on a small test set find the better system?",
        introduction=INTRODUCTION,
        summary=(
            f"On average over the pairs Koehn's test concludes rightly on {right[0]} of the "
            f"samples of 100 segments, {right[1]} of 300 and {right[2]} of 3,000, and wrongly on "
            f"{wrong[0]}, {wrong[1]} and {wrong[2]}."
        ),
        sections=(_wins(result), _randomization(), _metrics()),
    )


def _mean(result: StudyResult, size: int, metric: str = "BLEU", test: str = "") -> Row:
    (mean,) = (
        mean
        for mean in result.rows
        if (mean["better"], mean["metric"], mean["size"]) == (MEAN, metric, size)
        and test in ("", mean["test"])
    )
    return mean


def _pairs(result: StudyResult) -> list[Row]:
    return [row for row in result.rows if row["better"] != MEAN]


def _grows(result: StudyResult) -> list[str]:
    """Return what power grows with: the size of samples, the difference, or both."""
    rates = [_mean(result, size)["right"] for size in SIZES]
    grows = ["the size of samples"] if rates == sorted(rates) and rates[0] < rates[-1] else []
    rows = sorted(
        (row for row in _pairs(result) if row["size"] == SIZES[1]),
        key=lambda row: float(row["difference"]),
    )
    powers = [row["right"] for row in rows if row["right"] is not None]
    half = len(powers) // 2
    return [*grows, "the difference"] if sum(powers[:half]) < sum(powers[-half:]) else grows


def _two_to_three(result: StudyResult) -> str:
    """Describe the power for differences of 2 to 3 BLEU on samples of 300."""
    powers = [
        row["right"]
        for row in _pairs(result)
        if row["size"] == 300 and 2 <= row["difference"] <= 3 and row["right"] is not None
    ]
    if not powers:
        return "No pair differs by 2 to 3 BLEU."
    return (
        f"Differences of 2 to 3 BLEU are found in {percent(min(powers))} to {percent(max(powers))} "
        "of the samples of 300; in the paper in 65 to 97 %."
    )


def _wins(result: StudyResult) -> Section:
    grows = _grows(result)
    agrees = (
        "as in the paper" if len(grows) == 2 else "where the paper has both size and difference"
    )
    return Section(
        heading="Pooled WMT23, BLEU, the paper's test",
        command=f"truebleu study power {POOLED} --tests wins",
        result=result,
        paper=TABLE_3,
        verdict=f"Power grows with {' and with '.join(grows) or 'neither'}, {agrees}. "
        + _two_to_three(result),
    )


def _randomization() -> Section:
    result = study_power(pooled(), tests=("ar", "bootstrap"), sizes=SIZES, pairs="neighbours")
    titles = {"ar": "Approximate randomization", "bootstrap": "The shifted bootstrap"}
    means = {title: _mean(result, 300, test=test) for test, title in titles.items()}
    sentences = [
        f"{title} is right on {percent(mean['right'])} and wrong on {percent(mean['wrong'])} of "
        "the samples of 300."
        for title, mean in means.items()
    ]
    return Section(
        heading="Pooled WMT23, BLEU, two-sided tests of neighbours in rank",
        command=f"truebleu study power {POOLED} --tests ar,bootstrap --pairs neighbours",
        result=result,
        verdict=" ".join(sentences)
        + " Koehn's test is one-sided (95 % of wins are 90 % two-sided), so it concludes more "
        "often.",
        chart=False,
    )


def _metrics() -> Section:
    result = study_power(
        pooled(), ["bleu", "chrf", "ter"], tests=("ar",), sizes=SIZES, pairs="neighbours"
    )
    means = {metric: _mean(result, 300, metric)["right"] for metric in ("BLEU", "chrF2", "TER")}
    best = max(means, key=means.__getitem__)
    listed = ", ".join(f"{percent(rate)} by {metric}" for metric, rate in means.items())
    return Section(
        heading="Pooled WMT23, three metrics",
        command=f"truebleu study power {POOLED} --tests ar -m bleu -m chrf -m ter "
        "--pairs neighbours",
        result=result,
        verdict=f"Not in the paper: on 300 segments the better of two neighbours in BLEU is found "
        f"on {listed} of the samples; {best} is the most powerful here. Each metric is judged by "
        "its own score of the pool.",
        chart=False,
    )
