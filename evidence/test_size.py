"""Evidence on test-set size: Zhang & Vogel (2004, Figs. 4-7, Table 2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from evidence.data import DATA, read_set
from evidence.page import Page, Section
from evidence.rows import between
from truebleu.scores import GivenScores
from truebleu.studies import study_test_size
from truebleu.studies._study import fit_law

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.studies import StudyResult

# Shares of the paper's Table 2.
SHARES = (0.1, 0.2, 0.5, 0.8, 1.0)
LISTED = ",".join(f"{share:g}" for share in SHARES)
SYSTEM = "GPT4-5shot"
HUMAN_SYSTEM = "Facebook-AI"
# Range of the paper's rule of thumb.
ABOUT_30 = (0.27, 0.33)

INTRODUCTION = """
Zhang & Vogel (2004, §4.1) added random documents to a test set until it was complete, did so 100
times, and averaged: scores stay where they are, apart from NIST's, and with twice the data
intervals are some 30 % narrower. Independent units would give 1 - 1/√2 = 29.3 %.
"""

TABLE_2 = """
Table 2, system A, 878 sentences in 100 documents, four references:

| testing data | NIST | BLEU | M-BLEU | human |
| ---: | ---: | ---: | ---: | ---: |
| 10 % | -4.96 to +4.93 % | -13.40 to +13.66 % | -7.36 to +7.72 % | -4.65 to +4.77 % |
| 20 % | -3.61 to +3.57 % | -9.58 to +9.69 % | -5.32 to +5.45 % | -3.37 to +3.42 % |
| 50 % | -2.35 to +2.35 % | -6.06 to +6.14 % | -3.39 to +3.46 % | -2.18 to +2.21 % |
| 80 % | -1.88 to +1.88 % | -4.81 to +4.83 % | -2.69 to +2.73 % | -1.74 to +1.74 % |
| 100 % | -1.69 to +1.69 % | -4.35 to +4.41 % | -2.48 to +2.48 % | -1.61 to +1.51 % |

"""
# Widths of the paper's Table 2, in percent.
WIDTHS = {
    "NIST": (9.89, 7.18, 4.70, 3.76, 3.38),
    "BLEU": (27.06, 19.27, 12.20, 9.64, 8.76),
    "M-BLEU": (15.08, 10.77, 6.85, 5.42, 4.96),
    "human": (9.42, 6.79, 4.39, 3.48, 3.12),
}


def page() -> Page:
    """Make the page from runs on WMT23, WMT24 and WMT21."""
    sections = (_segments(), _recounted(), _documents(), _human())
    segments, _, documents, human = (
        list(_narrowings(section.result).values()) for section in sections
    )
    by_segment = [*segments, *human]
    return Page(
        name="test-size",
        title="How much do intervals narrow when the test set grows?",
        introduction=INTRODUCTION,
        summary="Where segments are added and resampled, doubling the data narrows relative "
        f"intervals by {between(min(by_segment), max(by_segment))}, where documents are by "
        f"{between(min(documents), max(documents))}; the paper says about 30 %.",
        sections=sections,
    )


def _with_systems(test_set: TestSet, *systems: str) -> TestSet:
    return replace(test_set, systems={name: test_set.systems[name] for name in systems})


def _narrowings(result: StudyResult) -> dict[str, float]:
    """Return the narrowing by doubling for the only system, by metric."""
    narrowings = {}
    for laws in result.details["laws"]:
        (law,) = laws["systems"].values()
        narrowings[laws["metric"]] = law.narrowing
    return narrowings


def _width(result: StudyResult, metric: str) -> float:
    """Return the width on all data."""
    (row,) = (row for row in result.rows if (row["metric"], row["share"]) == (metric, 1.0))
    return float(row["width"])


def _of_the_paper(metric: str) -> str:
    law = fit_law([round(100 * share) for share in SHARES], WIDTHS[metric])
    assert law is not None
    return f"{100 * law.narrowing:.1f} %"


def _verdict(result: StudyResult) -> str:
    shares = _narrowings(result).values()
    inside = ABOUT_30[0] <= min(shares) and max(shares) <= ABOUT_30[1]
    ending = "about 30 % as the paper says" if inside else "not the paper's 30 %"
    return f"Doubling narrows the intervals by {between(min(shares), max(shares), 1)}: {ending}."


def _segments() -> Section:
    test_set = _with_systems(read_set("wmt23-he-en"), SYSTEM)
    metrics = ["nist", "bleu", "mbleu", "chrf", "ter"]
    result = study_test_size(test_set, metrics, shares=SHARES, replicates=2000)
    return Section(
        heading=f"WMT23 Hebrew-English, {SYSTEM}",
        command="truebleu study test-size -r refA.txt "
        f"sys/{SYSTEM}.txt {' '.join('-m ' + metric for metric in metrics)} "
        f"--shares {LISTED} --replicates 2000",
        result=result,
        paper=f"{TABLE_2}\nThe law fitted to these widths narrows them when the data double by "
        + ", ".join(f"{_of_the_paper(metric)} ({metric})" for metric in WIDTHS)
        + ".",
        verdict=_verdict(result),
    )


def _recounted() -> Section:
    test_set = _with_systems(read_set("wmt23-he-en"), SYSTEM)
    result = study_test_size(
        test_set, ["nist"], shares=SHARES, replicates=2000, samples=50, recount=True
    )
    small, whole = (result.rows[place]["score"] for place in (0, -1))
    growth = "grows with the test set as in the paper" if small < whole else "does not grow"
    (narrowing,) = _narrowings(result).values()
    return Section(
        heading="NIST, every part counted anew",
        command=f"truebleu study test-size -r refA.txt sys/{SYSTEM}.txt -m nist --recount "
        f"--shares {LISTED} --replicates 2000 --samples 50",
        result=result,
        paper="Fig. 4 shows NIST's scores rising steadily with the size of the test set, since the "
        "information of n-grams is that of the part; the law fitted to Table 2 narrows its "
        f"intervals by {_of_the_paper('NIST')}, less than those of the other metrics.",
        verdict=f"NIST {growth}: {small:.2f} with 10 % of the data, {whole:.2f} with all. Doubling "
        f"narrows its interval by {100 * narrowing:.1f} %.",
    )


def _documents() -> Section:
    test_set = _with_systems(read_set("wmt24-en-es", documents=True), "GPT-4")
    metrics = ["bleu", "chrf"]
    result = study_test_size(
        test_set, metrics, shares=SHARES, replicates=2000, unit="document", samples=100
    )
    by_segment = study_test_size(
        test_set, metrics, shares=(0.5, 0.8, 1.0), replicates=2000, samples=2
    )
    wide, narrow = (_width(run, "BLEU") for run in (result, by_segment))
    together = ": segments of a document go together" if wide > narrow else ""
    lengths = Counter(test_set.documents or ()).values()
    too_narrow = (
        f" The smallest parts have {result.rows[0]['size']} documents, of "
        f"{min(lengths)} to {max(lengths)} segments each. The bootstrap of so few and so unequal "
        "units makes intervals that are too narrow, so that they seem to narrow less later on."
        if min(_narrowings(result).values()) < ABOUT_30[0]
        else ""
    )
    return Section(
        heading="WMT24 English-Spanish by documents, GPT-4",
        command="truebleu study test-size -r refA.txt sys/GPT-4.txt -m bleu -m chrf "
        f"--documents docs.tsv --unit document --shares {LISTED} --replicates 2000",
        result=result,
        verdict=f"{_verdict(result)}{too_narrow} On all data BLEU's interval is "
        f"{wide / narrow:.2f} times as wide as by segments{together}.",
    )


def _human() -> Section:
    folder = DATA / "wmt21-en-de"
    test_set = _with_systems(read_set("wmt21-en-de"), HUMAN_SYSTEM)
    human = GivenScores(path=str(folder / "human-mqm.tsv"), missing="omit", name="MQM")
    result = study_test_size(test_set, [human, "bleu"], shares=SHARES, replicates=2000)
    human_width, bleu_width = (_width(result, metric) for metric in ("MQM", "BLEU"))
    compared = (
        "wider than BLEU's, unlike the paper's: MQM counts errors, and a good system's mean is "
        "near 0, so that the same spread is a larger share of it"
        if human_width > bleu_width
        else "narrower than BLEU's, as in the paper"
    )
    return Section(
        heading=f"WMT21 English-German with human judgments, {HUMAN_SYSTEM}",
        command=f"truebleu study test-size -r refA.txt sys/{HUMAN_SYSTEM}.txt -m bleu "
        f"-m scores:path=human-mqm.tsv,missing=omit,name=MQM --shares {LISTED} --replicates 2000",
        result=result,
        paper="The paper's human scores, sums of fluency and adequacy from 2 to 10, have narrower "
        "relative intervals than any metric (-1.61 to +1.51 % on all data).",
        verdict=f"{_verdict(result)} MQM's relative intervals are {compared}.",
    )
