"""The evidence on output length: Koehn (2004), Fig. 1."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evidence.data import read_set
from evidence.page import Page, Section
from truebleu.studies import study_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.studies import StudyResult

METRICS = ("bleu", "gtm", "chrf", "nist")
ERRORS = ("ter", "wer", "per")
JAPANESE = ("bleu:tokenize=char", "gtm:tokenize=char", "chrf")
INTRODUCTION = """
Koehn forced two systems to shorter output by a word penalty: BLEU dropped dramatically, because of
its brevity penalty, and GTM did not. Here the outputs of all systems of WMT23 are cut at their
ends, or lengthened by saying their last words twice.
"""
FIGURE_1 = """
Fig. 1: BLEU and GTM of the Spanish and the Portuguese system against the length of the output.
With shorter output BLEU falls steeply, which Koehn puts down to its brevity penalty; GTM, which has
none, does not.
"""


def page() -> Page:
    """Three runs; a few seconds."""
    cut = _cut()
    sections = (cut, _errors(), _japanese())
    shortest = _shortest(cut.result)
    kept = f"{100 * min(cut.result.settings['steps']):g} %"
    return Page(
        name="length",
        title="How does each metric depend on the length of the output?",
        introduction=INTRODUCTION,
        summary=(
            f"Cut to {kept} of its length, output keeps {_percent(shortest['BLEU'])} of its BLEU "
            f"and {_percent(shortest['GTM'])} of its GTM."
        ),
        sections=sections,
    )


def _shortest(result: StudyResult) -> dict[str, float]:
    """Describe the share of its score that each metric keeps at the shortest length."""
    shortest = {row["metric"]: row["relative"] for row in reversed(result.rows)}
    return {metric: share for metric, share in shortest.items() if share is not None}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _verdict(result: StudyResult) -> str:
    shortest = _shortest(result)
    bleu, gtm = shortest["BLEU"], shortest["GTM"]
    agrees = "agrees with" if bleu < gtm else "does not show what is in"
    return (
        f"The shortest outputs have {_percent(bleu)} of BLEU and {_percent(gtm)} of GTM: this "
        f"{agrees} the figure"
        + (", although GTM, which counts recall, falls too." if bleu < gtm < 0.95 else ".")
    )


def _cut() -> Section:
    heading = "WMT23 Hebrew-English, words cut off or repeated"
    return replace(_section("wmt23-he-en", METRICS, heading), paper=FIGURE_1)


def _section(name: str, metrics: Sequence[str], heading: str) -> Section:
    result = study_length(read_set(name), metrics)
    return Section(
        heading=heading,
        command=f"truebleu study length -r {name}/refA.txt {name}/sys "
        + " ".join(f"-m {metric}" for metric in metrics),
        result=result,
        verdict=_verdict(result),
    )


def _errors() -> Section:
    result = study_length(read_set("wmt23-he-en"), ERRORS)
    shortest, *_, longest = result.settings["steps"]
    ends = {
        kept: ", ".join(
            f"{row['metric']} to {_percent(row['relative'])}"
            for row in result.rows
            if row["kept"] == kept and row["relative"] is not None
        )
        for kept in (shortest, longest)
    }
    return Section(
        heading="WMT23 Hebrew-English, error rates (lower is better)",
        command="truebleu study length -r wmt23-he-en/refA.txt wmt23-he-en/sys "
        + " ".join(f"-m {metric}" for metric in ERRORS),
        result=result,
        verdict=(
            f"Not in the paper. At {_percent(shortest)} of the length the rates go: "
            f"{ends[shortest]}; at {_percent(longest)}: {ends[longest]}."
        ),
    )


def _japanese() -> Section:
    heading = "WMT23 English-Japanese, characters cut off or repeated"
    return _section("wmt23-en-ja", JAPANESE, heading)
