"""The evidence on the accuracy of conclusions: Koehn (2004), Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import pooled, read_set
from evidence.page import Page, Section
from evidence.rows import percent
from truebleu.studies import study_accuracy
from truebleu.studies._study import Estimate

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SIZES, SMALLER = (100, 300, 600, 3000), (100, 300, 600)
OTHERS = {"wmt23-en-cs": "WMT23 English-Czech", "wmt24-en-es": "WMT24 English-Spanish"}
INTRODUCTION = """
Koehn sorted 4,140 conclusions about nine pairs of systems by how sure they were, down to 50 %, and
held them against what 30,000 sentences say. Here the conclusions are those of `study power`, about
pairs of systems up to two ranks apart, on samples of three pools: the 3,886 segments of two sets of
WMT23, another set of WMT23 and one of WMT24. Then of runs of an optimizer, which hardly differ.
"""
TABLE_4 = """
Table 4, from the surest band to the least sure:

| conclusions | 1,042 | 738 | 245 | 394 | 363 | 520 | 324 | 253 | 261 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| correct | 100 % | 100 % | 99 % | 98 % | 95 % | 88 % | 77 % | 72 % | 52 % |

The third is 99 to 99.9 %; the first four are those of 95 % and more, since they hold as many as
Table 3; the fifth is 90 to 94.9 %. Koehn takes from it that the method is about right, and
cautious where it is not (§7.2).
"""


def page() -> Page:
    """Four runs; about a minute."""
    far = study_accuracy(pooled(), sizes=SIZES)
    others = {
        name: study_accuracy(read_set(name), sizes=SMALLER, tests=["wins"]) for name in OTHERS
    }
    close = study_accuracy(
        read_set("iwslt-optimizer-runs", "ref"), ["bleu:tokenize=none"], sizes=(100, 300, 600)
    )
    band = _band(far, 0.9)
    return Page(
        name="accuracy",
        title="When a test is 90 to 95 % sure, how often is it right?",
        introduction=INTRODUCTION,
        summary=(
            f"Koehn's test is right in {Estimate.from_cells(band, 'right')} of "
            f"{band['conclusions']:,} such conclusions; in the paper it was in 95 % of "
            f"363. On two other pools it is right in {_elsewhere(others)}. Of runs of an "
            "optimizer, which hardly differ, it is right in "
            f"{percent(_band(close, 0.9)['right'])}: that depends on how much systems differ."
        ),
        sections=(
            _pooled(far),
            *(_other(name, result) for name, result in others.items()),
            _runs(close),
        ),
    )


def _bands(result: StudyResult, test: str) -> list[Row]:
    return [row for row in result.rows if row["test"] == test]


def _band(result: StudyResult, least: float) -> Row:
    (band,) = (band for band in _bands(result, "wins") if band["least"] == least)
    return band


def _agreement(result: StudyResult, test: str, title: str) -> str:
    bands = _bands(result, test)
    within = sum(band["right_low"] <= band["claimed"] <= band["right_high"] for band in bands)
    safer = sum(band["claimed"] < band["right_low"] for band in bands)
    return (
        f"{title} is right as often as it claims, within the error, in {within} of {len(bands)} "
        f"bands, more often in {safer} and less often in {len(bands) - within - safer}."
    )


def _pooled(result: StudyResult) -> Section:
    return Section(
        heading="Pooled WMT23, BLEU",
        command="truebleu study accuracy -r pooled/refA.txt pooled/sys --sizes 100,300,600,3000",
        result=result,
        paper=TABLE_4,
        verdict=_agreement(result, "wins", "Koehn's test")
        + " "
        + _agreement(result, "ar", "Approximate randomization")
        + " Its p-value counts both directions, of which only one can be wrong.",
    )


def _elsewhere(results: dict[str, StudyResult]) -> str:
    bands = [_band(result, 0.9) for result in results.values()]
    return " and ".join(f"{percent(band['right'])} of {band['conclusions']:,}" for band in bands)


def _other(name: str, result: StudyResult) -> Section:
    return Section(
        heading=f"{OTHERS[name]}, BLEU, the paper's test",
        command=f"truebleu study accuracy -r {name}/refA.txt {name}/sys --tests wins "
        f"--sizes {','.join(map(str, SMALLER))}",
        result=result,
        verdict=_agreement(result, "wins", "Koehn's test"),
    )


def _runs(result: StudyResult) -> Section:
    sure = _band(result, 0.95)
    return Section(
        heading="Runs of an optimizer, which hardly differ",
        command="truebleu study accuracy -r ref.txt baseline.opt*.txt sys1.opt*.txt "
        "-m bleu:tokenize=none --sizes 100,300,600",
        result=result,
        verdict=f"Not in the paper: of {sure['conclusions']:,} conclusions that claim 95 to 99 %, "
        f"{percent(sure['right'])} are right. "
        + (
            "Even of systems this close, the claim holds."
            if sure["claimed"] <= sure["right_high"]
            else "Among systems that hardly differ a sure conclusion is often a lucky sample: the "
            "confidence is no probability of being right."
        ),
    )
