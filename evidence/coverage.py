"""The evidence on the coverage of intervals: Koehn (2004), Fig. 6."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evidence.data import pooled, read_set
from evidence.page import Page, Section
from evidence.rows import between
from truebleu.studies.coverage import study_coverage

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit

METRICS = ("bleu", "chrf", "ter")
INTRODUCTION = """
Koehn made 95 % intervals of 100 broad samples of 300 sentences, and 97 of them held the score of
all 30,000. Here the pool is WMT23's Hebrew-English and Chinese-English sets one after the other,
3,886 segments translated by nine systems, and samples are drawn from it with replacement, so that
the pool is the population itself. Then the same for samples that are not independent segments, for
documents, and for intervals of differences.
"""
FIGURE_6 = """
Fig. 6: of 100 intervals at the level 95 %, made of 100 broad samples of 300 sentences by 1,000
replicates each, 97 held the BLEU of the whole, 28.9; three mistakes were made.
"""
POOLED = "-r pooled/refA.txt pooled/sys"
SPANISH = "-r wmt24-en-es/refA.txt wmt24-en-es/sys --documents wmt24-en-es/docs.tsv"


def page() -> Page:
    """Seven runs; less than a minute."""
    scores, differences = _independent(), _differences()
    blocks, documents = _blocks(), _documents()
    sections = (scores, _broad(), blocks, documents, differences, _corrected())
    of_scores, of_blocks, of_documents = (
        _covered(section.result) for section in (scores, blocks, documents)
    )
    return Page(
        name="coverage",
        title="How often do intervals from a small test set hold the true score?",
        introduction=INTRODUCTION,
        summary=(
            f"At the level 95 %, {_between(of_scores)} of the intervals of independent segments "
            f"do, {_between(of_blocks)} of those from consecutive ones, and "
            f"{_between(of_documents)} where whole documents are drawn and resampled."
        ),
        sections=sections,
    )


def _covered(exhibit: Exhibit) -> list[float]:
    return [float(row["covered"] or 0) for row in exhibit.rows]


def _between(shares: list[float]) -> str:
    return between(min(shares), max(shares), digits=1)


def _verdict(exhibit: Exhibit) -> str:
    """Which rows hold the level within the error."""
    level = float(exhibit.settings["level"])
    rows: list[Any] = list(exhibit.rows)
    less = [row for row in rows if row["high"] < level]
    more = [row for row in rows if row["low"] > level]
    parts = [f"{len(rows) - len(less) - len(more)} of {len(rows)} rows agree with 95 %"]
    for few, how in ((less, "below"), (more, "above")):
        if few:
            listed = ", ".join(f"{row['metric']} on {row['size']:,}" for row in few)
            parts.append(f"{how} it, beyond the error, are {listed}")
    return "; ".join(parts) + "."


def _independent() -> Section:
    exhibit = study_coverage(pooled(), METRICS, sizes=(100, 300, 1000), repetitions=300)
    return Section(
        heading="Pooled WMT23, independent segments",
        command=f"truebleu study coverage {POOLED} -m bleu -m chrf -m ter --sizes 100,300,1000 "
        "--repetitions 300",
        result=exhibit,
        paper=FIGURE_6,
        verdict=_verdict(exhibit)
        + " A percentile interval of n segments covers some 0.4/n less than its level even of "
        "normal scores, which is 0.4 points at 100; skewed scores cost more.",
    )


def _broad() -> Section:
    exhibit = study_coverage(pooled(), sizes=(100, 300), draw="systematic")
    covered = [float(row["covered"] or 0) for row in exhibit.rows]
    why = (
        "as in the paper's 97 %: broad samples take some of every text, so that they vary less "
        "than the bootstrap believes"
        if min(covered) >= 0.95
        else "where the paper has 97 %"
    )
    return Section(
        heading="Pooled WMT23, broad samples as in the paper",
        command=f"truebleu study coverage {POOLED} --sizes 100,300 --sampling systematic",
        result=exhibit,
        verdict=f"{_between(covered)} of the intervals hold the pool's score, {why}.",
        chart=False,
    )


def _blocks() -> Section:
    exhibit = study_coverage(pooled(), sizes=(100, 300), draw="block")
    covered = max(_covered(exhibit))
    return Section(
        heading="Pooled WMT23, consecutive segments",
        command=f"truebleu study coverage {POOLED} --sizes 100,300 --sampling block",
        result=exhibit,
        verdict=(
            "The interval of one block of text says nothing about other texts: no more than "
            f"{100 * covered:.1f} % hold the pool's score. What differs between the two languages "
            "and between documents is not in it."
            if covered < 0.9
            else "Blocks do no harm here."
        ),
    )


def _documents() -> Section:
    test_set = read_set("wmt24-en-es", documents=True)
    assert test_set.documents is not None
    lengths = list(Counter(test_set.documents).values())
    # Kish (1965): so many documents of equal length would vary as much.
    equal = sum(lengths) ** 2 / len(lengths) / sum(length**2 for length in lengths)
    exhibit = study_coverage(
        test_set, METRICS, unit="document", sizes=(20, 50, 100), repetitions=200
    )
    blocks = study_coverage(test_set, METRICS, sizes=(120,), draw="block")
    few = any(float(row["high"] or 0) < 0.95 for row in exhibit.rows)
    why = (
        f" Documents have {min(lengths)} to {max(lengths)} segments: 20 of them count like some "
        f"{20 * equal:.0f} of equal length, and 100 like {100 * equal:.0f}, and an interval from "
        "so few is too narrow."
        if few
        else ""
    )
    return Section(
        heading="WMT24 English-Spanish, whole documents",
        command=f"truebleu study coverage {SPANISH} --unit document --sizes 20,50,100 "
        "--repetitions 200 -m bleu -m chrf -m ter",
        result=exhibit,
        verdict=f"{_verdict(exhibit)}{why} Of blocks of 120 consecutive segments of it, about "
        f"20 documents, resampled by segments, {_between(_covered(blocks))} of the intervals hold "
        "the score.",
        chart=False,
    )


def _least(exhibit: Exhibit) -> str:
    """The last finding that names what is covered least."""
    found = [one for one in exhibit.findings if "Least covered" in one]
    return found[-1].split(". ", 1)[1] if found else "No pair is covered less than the others."


def _differences() -> Section:
    exhibit = study_coverage(pooled(), METRICS, sizes=(100, 300, 1000), of="differences")
    return Section(
        heading="Pooled WMT23, intervals of the differences of all pairs",
        command=f"truebleu study coverage {POOLED} -m bleu -m chrf -m ter --sizes 100,300,1000 "
        "--of differences",
        result=exhibit,
        verdict=f"{_verdict(exhibit)} {_least(exhibit)}",
        chart=False,
    )


def _corrected() -> Section:
    exhibit = study_coverage(pooled(), ["ter"], sizes=(300, 1000), of="differences", interval="bca")
    return Section(
        heading="Pooled WMT23, differences of TER, corrected for bias and skewness",
        command=f"truebleu study coverage {POOLED} -m ter --sizes 300,1000 --of differences "
        "--interval bca",
        result=exhibit,
        verdict=f"{_verdict(exhibit)} {_least(exhibit)} No interval can know of a segment that "
        "the sample does not have: TER is counted in edits, and an output that runs away may need "
        "hundreds.",
        chart=False,
    )
