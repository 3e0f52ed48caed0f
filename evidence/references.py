"""Evidence on the number of references: Zhang & Vogel (2004, Fig. 8, Tables 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import read_set
from evidence.page import Page, Section
from evidence.rows import between
from truebleu.studies import study_references

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

INTRODUCTION = """
Zhang & Vogel (2004, §4.2) scored one system with 1, 2, 3 and 4 references on 50 % to 100 % of the
test set. Relative intervals narrow with every reference, but a further one makes up for no more
than 10 to 15 % of the test data, so that more test sentences with fewer references seem to cost
less. The paper takes its references in one order; here every set of references of each size is
taken, and the mean over sets and systems is shown.
"""

TABLES = """
Table 3, system A, all 878 sentences:

| references | NIST | BLEU | M-BLEU |
| ---: | ---: | ---: | ---: |
| 1 | 5.091, -2.09 to +2.16 % | 0.120, -5.18 to +5.60 % | 0.089, -2.70 to +3.04 % |
| 2 | 6.160, -1.89 to +2.01 % | 0.152, -4.73 to +4.99 % | 0.108, -2.59 to +2.69 % |
| 3 | 6.821, -1.78 to +1.70 % | 0.173, -4.40 to +4.28 % | 0.119, -2.52 to +2.44 % |
| 4 | 7.191, -1.69 to +1.69 % | 0.184, -4.35 to +4.41 % | 0.125, -2.48 to +2.48 % |

Table 4, relative intervals of NIST by references and size:

| data | 1 reference | 2 references | 3 references | 4 references |
| ---: | --- | --- | --- | --- |
| 50 % | -2.91, +3.01 % | -2.65, +2.55 % | -2.47, +2.63 % | -2.36, +2.36 % |
| 80 % | -2.44, +2.33 % | -2.13, +2.08 % | -1.96, +2.08 % | -1.86, +1.92 % |
| 100 % | -2.09, +2.16 % | -1.89, +2.01 % | -1.78, +1.70 % | -1.69, +1.69 % |

From it the paper reads that all data with one reference are as good as 80 to 90 % of them with two,
70 to 80 % with three and 60 to 70 % with four, by NIST.
"""

# Widths of Table 3 in percent, with one reference and with four.
BOTH = {"BLEU": (10.78, 8.76), "NIST": (4.25, 3.38)}
# Factors by which data grow if all data with one reference equal 90 to 80 % of them with two.
OF_TWO = (1 / 0.9, 1 / 0.8)


def page() -> Page:
    """Make the page from runs on a set with four references, WMT21 and WMT23."""
    sections = (_four(), _three(), _two(), _error_rate())
    changes = [-_change(section.result, metric) for section in sections[:3] for metric in BOTH]
    worths = [_worth(section.result, metric) for section in sections[:3] for metric in BOTH]
    ter = _change(sections[3].result, "TER")
    narrower = ", ".join(f"{metric} {100 * _of_the_paper(metric):.0f} %" for metric in BOTH)
    return Page(
        name="references",
        title="What is a further reference worth in test data?",
        introduction=INTRODUCTION,
        summary="From one reference to all, the relative intervals of BLEU and NIST become "
        f"{between(min(changes), max(changes))} narrower (in the paper, {narrower}); those of TER "
        f"become {100 * abs(ter):.0f} % {'wider' if ter > 0 else 'narrower'}. With two references "
        f"the data are worth {between(min(worths), max(worths))} of them with one; in the paper, "
        f"by NIST, {between(*OF_TWO)}.",
        sections=sections,
    )


def _of_the_paper(metric: str) -> float:
    one, four = BOTH[metric]
    return 1 - four / one


def _on_all(result: StudyResult, metric: str, references: int) -> Row:
    """Return the row of all data."""
    (row,) = (
        row
        for row in result.rows
        if (row["metric"], row["references"], row["share"]) == (metric, references, 1.0)
    )
    return row


def _width(result: StudyResult, metric: str, references: int) -> float:
    return float(_on_all(result, metric, references)["width"])


def _most(result: StudyResult) -> int:
    return max(int(row["references"]) for row in result.rows)


def _change(result: StudyResult, metric: str) -> float:
    """Compute how much wider the interval is with all references; negative if narrower."""
    return _width(result, metric, _most(result)) / _width(result, metric, 1) - 1


def _worth(result: StudyResult, metric: str) -> float:
    """Compute how much more data with one reference equal the data with two."""
    further = {(row["metric"], row["references"]): row for row in result.details["further"]}
    return float(1 / further[metric, 2]["share"].value)


def _beside_the_paper(result: StudyResult) -> str:
    """Compare the worth of the second reference by NIST with the paper's Table 4."""
    least, most = OF_TWO
    worth = _worth(result, "NIST")
    agrees = "as in" if least <= worth <= most else "more than" if worth > most else "less than"
    return (
        f"By NIST the data with two references are worth {100 * worth:.0f} % of them with one, "
        f"{agrees} the paper, whose 80 to 90 % are {between(least, most)} the other way round."
    )


def _verdict(result: StudyResult) -> str:
    metrics = [metric["label"] for metric in result.settings["pool"]["metrics"]]
    words = ", ".join(f"{metric} {100 * _change(result, metric):+.0f} %" for metric in metrics)
    steps = [
        _width(result, metric, count + 1) < _width(result, metric, count)
        for metric in metrics
        for count in range(1, _most(result))
    ]
    agreement = (
        "every reference narrows every interval, as in the paper"
        if all(steps)
        else f"{sum(steps)} of {len(steps)} further references narrow the interval"
    )
    return f"With all references beside one the width changes by: {words}; {agreement}."


def _four() -> Section:
    result = study_references(
        read_set("four-references", "ref0", "ref1", "ref2", "ref3"),
        ["nist", "bleu", "mbleu"],
        samples=10,
    )
    own = -_change(result, "NIST")
    return Section(
        heading="Four references, four systems",
        command="truebleu study references -r ref0.txt -r ref1.txt -r ref2.txt -r ref3.txt "
        "out.?.txt -m nist -m bleu -m mbleu --samples 10",
        result=result,
        paper=TABLES,
        verdict=f"{_verdict(result)} From one to four references NIST's interval narrows by "
        f"{100 * own:.0f} %, the paper's by {100 * _of_the_paper('NIST'):.0f} %. "
        + _beside_the_paper(result),
    )


def _fewer(name: str, heading: str, *references: str) -> Section:
    """Study the references of a set, restricted to `references`."""
    result = study_references(
        read_set(name, *references), ["bleu", "nist"], shares=(0.5, 0.75, 1.0), samples=10
    )
    given = " ".join(f"-r {reference}.txt" for reference in references)
    return Section(
        heading=heading,
        command=f"truebleu study references {given} sys/ "
        "-m bleu -m nist --shares 0.5,0.75,1 --samples 10",
        result=result,
        verdict=_verdict(result),
        chart=False,
    )


def _three() -> Section:
    heading = "WMT21 English-German, three references, 20 systems"
    return _fewer("wmt21-en-de", heading, "refA", "refC", "refD")


def _two() -> Section:
    heading = "WMT23 Hebrew-English, two references, 12 systems"
    return _fewer("wmt23-he-en", heading, "refA", "refB")


def _error_rate() -> Section:
    result = study_references(
        read_set("four-references", "ref0", "ref1", "ref2", "ref3"),
        ["ter", "chrf"],
        shares=(0.5, 0.75, 1.0),
        samples=10,
    )
    ter = _change(result, "TER")
    reason = (
        " TER counts errors, and with more references there are fewer: the width is divided by a "
        "smaller score."
        if ter > 0
        else ""
    )
    return Section(
        heading="Metrics that the paper did not have",
        command="truebleu study references -r ref0.txt -r ref1.txt -r ref2.txt -r ref3.txt "
        "out.?.txt -m ter -m chrf --shares 0.5,0.75,1 --samples 10",
        result=result,
        verdict=f"{_verdict(result)}{reason}",
    )
