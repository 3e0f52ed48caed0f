"""The evidence on the accuracy of conclusions: Koehn (2004), Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evidence.data import pooled, read_set
from evidence.page import Page, Section
from truebleu.studies.accuracy import study_accuracy

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit

SIZES = (100, 300, 600, 3000)
WINS = "bootstrap wins"
INTRODUCTION = """
Koehn sorted 4,140 conclusions about nine pairs of systems by how sure they were, down to 50 %, and
held them against what 30,000 sentences say. Here the conclusions are those of `study power`, about
pairs of systems up to two ranks apart on samples of the 3,886 segments of two sets of WMT23.
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
    """Two runs; some ten seconds."""
    sections = (_pooled(), _runs())
    band, close = (_band(section.exhibit, WINS, "90 to 95 %") for section in sections)
    return Page(
        name="accuracy",
        title="When a test is 90 to 95 % sure, how often is it right?",
        introduction=INTRODUCTION,
        summary=(
            f"Koehn's test is right in {100 * band['right']:.1f} % ({100 * band['low']:.1f} to "
            f"{100 * band['high']:.1f}) of {band['conclusions']:,} such conclusions; in the paper "
            "it was in 95 % of 363. Of runs of an optimizer, which hardly differ, it is right in "
            f"{100 * close['right']:.1f} %: that depends on how much systems differ."
        ),
        sections=sections,
    )


def _rows(exhibit: Exhibit, test: str) -> list[Any]:
    return [row for row in exhibit.rows if row["test"] == test]


def _band(exhibit: Exhibit, test: str, band: str) -> Any:
    (row,) = (row for row in _rows(exhibit, test) if row["band"] == band)
    return row


def _agreement(exhibit: Exhibit, test: str) -> str:
    rows = _rows(exhibit, test)
    within = [row for row in rows if row["low"] <= row["claimed"] <= row["high"]]
    safer = [row for row in rows if row["claimed"] < row["low"]]
    rash = len(rows) - len(within) - len(safer)
    return (
        f"{test.capitalize()} is right as often as it claims, within the error, in {len(within)} "
        f"of {len(rows)} bands, more often in {len(safer)} and less often in {rash}."
    )


def _pooled() -> Section:
    exhibit = study_accuracy(pooled(), sizes=SIZES)
    return Section(
        heading="Pooled WMT23, BLEU",
        command="truebleu study accuracy -r pooled/refA.txt pooled/sys --sizes 100,300,600,3000",
        exhibit=exhibit,
        paper=TABLE_4,
        verdict=_agreement(exhibit, WINS)
        + " "
        + _agreement(exhibit, "approximate randomization")
        + " Its p-value counts both directions, of which only one can be wrong.",
    )


def _runs() -> Section:
    exhibit = study_accuracy(
        read_set("iwslt-optimizer-runs", "ref"), ["bleu:tokenize=none"], sizes=(100, 300, 600)
    )
    sure = _band(exhibit, WINS, "95 to 99 %")
    kept = sure["claimed"] <= sure["high"]
    return Section(
        heading="Runs of an optimizer, which hardly differ",
        command="truebleu study accuracy -r ref.txt baseline.opt*.txt sys1.opt*.txt sys2.opt*.txt "
        "-m bleu:tokenize=none --sizes 100,300,600",
        exhibit=exhibit,
        verdict=f"Not in the paper: of {sure['conclusions']:,} conclusions that claim 95 to 99 %, "
        f"{100 * sure['right']:.1f} % are right. "
        + (
            "Even of systems this close, the claim holds."
            if kept
            else "Among systems that hardly differ a sure conclusion is often a lucky sample: the "
            "confidence is no probability of being right."
        ),
    )
