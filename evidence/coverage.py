"""The evidence on the coverage of intervals: Koehn (2004), Fig. 6."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evidence.data import pooled, read_set
from evidence.page import Page, Section
from evidence.rows import between, percent
from truebleu.studies import study_coverage

if TYPE_CHECKING:
    from truebleu.studies import StudyResult

METRICS = ("bleu", "chrf", "ter")
INTRODUCTION = """
Koehn made 95 % intervals of 100 systematic samples of 300 sentences, and 97 of them contained the
score of all 30,000. Here the pool is WMT23's Hebrew-English and Chinese-English sets one after the
other, 3,886 segments translated by nine systems, and samples are drawn from it with replacement,
so that the pool is the population itself. Then the same for samples that are not independent
segments, for documents, and for intervals of differences.
"""
FIGURE_6 = """
Fig. 6: of 100 intervals at the level 95 %, made of 100 systematic samples of 300 sentences by 1,000
replicates each, 97 contained the BLEU of the whole, 28.9; three mistakes were made.
"""
POOLED = "-r pooled/refA.txt pooled/sys"
SPANISH = "-r wmt24-en-es/refA.txt wmt24-en-es/sys --documents wmt24-en-es/docs.tsv"


def page() -> Page:
    """Seven runs; less than a minute."""
    scores, differences = _independent(), _differences()
    blocks, documents = _blocks(), _documents()
    sections = (scores, _systematic(), blocks, documents, differences, _corrected())
    of_scores, of_blocks, of_documents = (
        _covered(section.result) for section in (scores, blocks, documents)
    )
    return Page(
        name="coverage",
        title="How often do intervals from a small test set contain the true score?",
        introduction=INTRODUCTION,
        summary=(
            f"At the level 95 %, {_between(of_scores)} of the intervals of independent segments "
            f"do, {_between(of_blocks)} of those from consecutive ones, and "
            f"{_between(of_documents)} where whole documents are drawn and resampled."
        ),
        sections=sections,
    )


def _covered(result: StudyResult) -> list[float]:
    return [row["coverage"] for row in result.rows]


def _between(shares: list[float]) -> str:
    return between(min(shares), max(shares), digits=1)


def _verdict(result: StudyResult) -> str:
    """Describe which rows have a coverage that does not differ significantly from the level."""
    level, rows = result.settings["level"], result.rows
    less = [row for row in rows if (row["coverage_high"] or 1) < level]
    more = [row for row in rows if (row["coverage_low"] or 0) > level]
    parts = [f"{len(rows) - len(less) - len(more)} of {len(rows)} rows agree with 95 %"]
    for few, how in ((less, "below"), (more, "above")):
        if few:
            listed = ", ".join(f"{row['metric']} on {row['size']:,}" for row in few)
            parts.append(f"{how} it, beyond the error, are {listed}")
    return "; ".join(parts) + "."


def _independent() -> Section:
    result = study_coverage(pooled(), METRICS, sizes=(100, 300, 1000), samples=300)
    return Section(
        heading="Pooled WMT23, independent segments",
        command=f"truebleu study coverage {POOLED} -m bleu -m chrf -m ter --sizes 100,300,1000 "
        "--samples 300",
        result=result,
        paper=FIGURE_6,
        verdict=_verdict(result)
        + " A percentile interval of n segments covers some 0.4/n less than its level even of "
        "normal scores, which is 0.4 points at 100; skewed scores cost more.",
    )


def _systematic() -> Section:
    result = study_coverage(pooled(), sizes=(100, 300), sampling="systematic")
    covered = _covered(result)
    why = (
        "as in the paper's 97 %: systematic samples take some of every text, so they vary less "
        "than the bootstrap assumes"
        if min(covered) >= 0.95
        else "where the paper has 97 %"
    )
    return Section(
        heading="Pooled WMT23, systematic samples as in the paper",
        command=f"truebleu study coverage {POOLED} --sizes 100,300 --sampling systematic",
        result=result,
        verdict=f"{_between(covered)} of the intervals contain the pool's score, {why}.",
        chart=False,
    )


def _blocks() -> Section:
    result = study_coverage(pooled(), sizes=(100, 300), sampling="block")
    covered = max(_covered(result))
    return Section(
        heading="Pooled WMT23, consecutive segments",
        command=f"truebleu study coverage {POOLED} --sizes 100,300 --sampling block",
        result=result,
        verdict=(
            "The interval of one block of text says nothing about other texts: no more than "
            f"{100 * covered:.1f} % contain the pool's score. What differs between the two "
            "languages and between documents is not in it."
            if covered < 0.9
            else "Blocks do no harm here."
        ),
    )


def _documents() -> Section:
    test_set = read_set("wmt24-en-es", documents=True)
    assert test_set.documents is not None
    lengths = list(Counter(test_set.documents).values())
    # Effective number of documents (Kish 1965).
    equal = sum(lengths) ** 2 / len(lengths) / sum(length**2 for length in lengths)
    result = study_coverage(test_set, METRICS, unit="document", sizes=(20, 50, 100), samples=200)
    blocks = study_coverage(test_set, METRICS, sizes=(120,), sampling="block")
    few = any((row["coverage_high"] or 1) < 0.95 for row in result.rows)
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
        "--samples 200 -m bleu -m chrf -m ter",
        result=result,
        verdict=f"{_verdict(result)}{why} Of blocks of 120 consecutive segments of it, about "
        f"20 documents, resampled by segments, {_between(_covered(blocks))} of the intervals hold "
        "the score.",
        chart=False,
    )


def _least(result: StudyResult) -> str:
    """Describe the lowest coverage, on the largest samples that report one."""
    rows = [row for row in result.rows if "least" in row]
    if not rows:
        return "No pair is covered less than the others."
    row = rows[-1]
    return (
        f"Least covered, on {row['size']:,} segments by {row['metric']}, is {row['least']} with "
        f"{percent(row['least_coverage'])}."
    )


def _differences() -> Section:
    result = study_coverage(pooled(), METRICS, sizes=(100, 300, 1000), of="differences")
    return Section(
        heading="Pooled WMT23, intervals of the differences of all pairs",
        command=f"truebleu study coverage {POOLED} -m bleu -m chrf -m ter --sizes 100,300,1000 "
        "--of differences",
        result=result,
        verdict=f"{_verdict(result)} {_least(result)}",
        chart=False,
    )


def _corrected() -> Section:
    result = study_coverage(pooled(), ["ter"], sizes=(300, 1000), of="differences", interval="bca")
    return Section(
        heading="Pooled WMT23, differences of TER, corrected for bias and skewness",
        command=f"truebleu study coverage {POOLED} -m ter --sizes 300,1000 --of differences "
        "--interval bca",
        result=result,
        verdict=f"{_verdict(result)} {_least(result)} No interval can know of a segment that "
        "the sample does not have: TER is counted in edits, and an output that runs away may need "
        "hundreds.",
        chart=False,
    )
