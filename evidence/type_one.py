"""The evidence on Type I errors and multiplicity: Riezler & Maxwell (2005), §4.3 and §4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import DATA, read_set
from evidence.page import Page, Section
from evidence.rows import percent
from truebleu.corpus import read_test_set
from truebleu.reports.document import Column, Table
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.tests import smallest_p
from truebleu.studies import study_equivalents, study_multiplicity, study_type_one
from truebleu.studies._study import STUDY_TESTS

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import PoolUnit, Row

# Enough for the interval of a rate of 1 % to lie between 0.5 and 1.5 %.
REPETITIONS = 5_000
RANDOMIZATION, ABSOLUTE = "ar", "bootstrap-absolute"
INTRODUCTION = """
Riezler and Maxwell compared a system with five variants that they assumed to be equally good. The
bootstrap gave a smaller p-value than approximate randomization every time, so it is more likely to
mistake chance for a difference. Whether the variants really were equal could not be known. Here it
is known: the outputs of two randomly drawn systems of WMT23 or WMT24 are swapped by the toss of a
coin. Every rejection is then an error. "Too often"
means that the exact interval of the rate lies above the level, all of a table together at 99.9 %,
so that one table in a thousand blames a test that holds its level; "undecided" means that the
interval at 95 % reaches beyond one and a half times the level or below half of it. Repetitions
share neither swaps nor null data: over 20 seeds of 2,000 repetitions on each of four WMT sets, the
rates at 5 % vary between seeds as binomial ones do (chi-square 58.9 with 80 degrees of freedom).
The runs of one optimizer then stand in for the paper's variants, and the last section counts false
alarms among many comparisons.
"""
SECTION_4_3 = """
§4.3: of the two, approximate randomization is found the more conservative, so that errors of type I
are to be expected of the bootstrap (figures below, Table 2).
"""
TABLE_2 = """
Table 2, equivalent systems by NIST on 2,000 sentences:

| compared systems | 1:2 | 1:3 | 1:4 | 1:5 | 1:6 |
| --- | --- | --- | --- | --- | --- |
| NIST difference | .031 | .032 | .029 | .028 | .036 |
| p, approximate randomization | .03 | .025 | .05 | .079 | .028 |
| p, bootstrap | .014 | .013 | .028 | .039 | .013 |
"""
SECTION_4_4 = """
§4.4: with a chance of .05 of an error in each of k comparisons, that of any error is about
1 − (1 − .05)^k: for 15 systems and k = 105 it is .9954. At .015 for each of 5 comparisons it is
.07.
"""


def page() -> Page:
    """Six runs; about four minutes."""
    by_segment = _by_segment()
    by_document = _documents("segment")
    documents_tested = _documents("document")
    sections = (
        by_segment,
        by_document,
        documents_tested,
        _runs("baseline", with_paper=True),
        _runs("sys1", with_paper=False),
        _multiplicity(),
    )
    randomization = _row(by_segment.result, RANDOMIZATION)
    absolute = _row(by_segment.result, ABSOLUTE)
    danger = _row(by_document.result, RANDOMIZATION)
    mended = _row(documents_tested.result, RANDOMIZATION)
    return Page(
        name="type-one",
        title="How often do tests reject for equal systems?",
        introduction=INTRODUCTION,
        summary=(
            f"At the level 5 % approximate randomization errs in {_percent(randomization)}, the "
            f"paper's bootstrap, which is sacreBLEU's, in {_percent(absolute)}. Where whole "
            f"documents go together a test of segments errs in {_percent(danger)}, one of "
            f"documents in {_percent(mended)}."
        ),
        sections=sections,
    )


def _row(result: StudyResult, test: str, alpha: float = 0.05) -> Row:
    (row,) = (row for row in result.rows if (row["test"], row["alpha"]) == (test, alpha))
    return row


def _percent(row: Row) -> str:
    return percent(row["rejected"])


def _by_level(result: StudyResult) -> Table:
    """Make a row per test: its rate of rejections at each level, and the verdict."""
    alphas = sorted({row["alpha"] for row in result.rows})
    columns = (
        Column("test", "Test"),
        Column("origin", "As in"),
        *(Column(f"{alpha:g}", f"Rejected at {100 * alpha:g} %", numeric=True) for alpha in alphas),
    )
    rows = []
    for test in dict.fromkeys(row["test"] for row in result.rows):
        rates = {f"{alpha:g}": _row(result, test, alpha) for alpha in alphas}
        cells = {
            alpha: _percent(row)
            if row["verdict"] == "holds"
            else f"{_percent(row)}, {row['verdict']}"
            for alpha, row in rates.items()
        }
        rows.append({"test": STUDY_TESTS[test].title, "origin": STUDY_TESTS[test].origin, **cells})
    return Table(columns, tuple(rows))


def _levels(result: StudyResult) -> str:
    """Describe at which levels approximate randomization holds its level."""
    rows = [row for row in result.rows if row["test"] == RANDOMIZATION]
    if all(row["verdict"] == "holds" for row in rows):
        levels = ", ".join(f"{100 * row['alpha']:g} %" for row in rows)
        return f"Approximate randomization holds its level at all of {levels}"
    verdicts = {
        "holds": "holds its level",
        "undecided": "needs more repetitions to decide",
        "too often": "rejects too often",
        "too seldom": "rejects too seldom",
    }
    parts = [f"{verdicts[row['verdict']]} at {100 * row['alpha']:g} %" for row in rows]
    return f"Approximate randomization {', '.join(parts)}"


def _against_the_paper(result: StudyResult) -> str:
    randomization, absolute = _row(result, RANDOMIZATION), _row(result, ABSOLUTE)
    more = absolute["rejected_low"] > randomization["rejected_high"]
    agrees = "agrees with" if more else "does not show what is in"
    return (
        f"{_levels(result)}. The paper's bootstrap rejects {_percent(absolute)} at "
        f"5 % where randomization rejects {_percent(randomization)}: this {agrees} the paper, "
        "which calls the bootstrap less conservative."
    )


def _by_segment() -> Section:
    result = study_type_one(read_set("wmt23-he-en"), ["bleu"], repetitions=REPETITIONS)
    return Section(
        heading="WMT23 Hebrew-English, outputs swapped by segment",
        command="truebleu study type-one -r wmt23-he-en/refA.txt wmt23-he-en/sys "
        f"--repetitions {REPETITIONS}",
        result=result,
        table=_by_level(result),
        paper=SECTION_4_3,
        verdict=_against_the_paper(result),
    )


def _documents(unit: PoolUnit) -> Section:
    test_set = read_set("wmt24-en-es", documents=True)
    result = study_type_one(test_set, ["bleu"], null="document", unit=unit, repetitions=REPETITIONS)
    option = " --unit document" if unit == "document" else ""
    row = _row(result, RANDOMIZATION)
    if unit == "document":
        verdict = f"{_levels(result)}: whole documents are what must be swapped."
    elif row["verdict"] == "too often":
        verdict = (
            f"Not in the paper: where whole documents go together, tests of segments must not be "
            f"trusted. Approximate randomization rejects {_percent(row)} at 5 %."
        )
    else:
        verdict = (
            f"Documents do no harm here: approximate randomization rejects {_percent(row)} at 5 %."
        )
    return Section(
        heading=f"WMT24 English-Spanish, outputs swapped by document, tested by {unit}",
        command="truebleu study type-one -r wmt24-en-es/refA.txt wmt24-en-es/sys "
        f"--documents wmt24-en-es/docs.tsv --null document{option} --repetitions {REPETITIONS}",
        result=result,
        table=_by_level(result),
        verdict=verdict,
    )


def _runs(system: str, *, with_paper: bool) -> Section:
    folder = DATA / "iwslt-optimizer-runs"
    runs = [folder / f"{system}.opt{run}.txt" for run in range(3)]
    test_set = read_test_set(list(map(str, runs)), [str(folder / "ref.txt")])
    result = study_equivalents(test_set, ["nist", "bleu:tokenize=none"])
    pairs = list(
        zip(
            *(
                [row["p"] for row in result.rows if row["test"] == test]
                for test in result.settings["tests"]
            ),
            strict=True,
        )
    )
    smaller = sum(absolute < randomization for randomization, absolute in pairs)
    larger = sum(absolute > randomization for randomization, absolute in pairs)
    rejected = sum(randomization <= 0.05 for randomization, _ in pairs)
    agrees = "as in the paper" if smaller == len(pairs) else "in the paper it is smaller in all"
    judged = (
        f"Of {len(pairs)} p-values the bootstrap's is smaller in {smaller} and larger in {larger}; "
        f"{agrees}."
    )
    least = smallest_p(result.settings["replicates"])
    ties = sum(randomization == absolute == least for randomization, absolute in pairs)
    if ties:
        judged += f" In {ties} both are the smallest that so many replicates can give."
    if rejected:
        judged += (
            f" Randomization, too, rejects {rejected} at 5 %: runs of one optimizer need not be "
            "equal systems, so this table alone convicts no test."
        )
    return Section(
        heading=f"Runs of one optimizer taken for equal systems: {system}",
        command="truebleu study equivalents -r ref.txt "
        + " ".join(path.name for path in runs)
        + " -m nist -m bleu:tokenize=none",
        result=result,
        paper=TABLE_2 if with_paper else "",
        verdict=judged,
    )


def _multiplicity() -> Section:
    result = study_multiplicity(read_set("wmt23-he-en"), ["bleu"], repetitions=500)
    largest = result.settings["together"][-1]
    last = {row["correction"]: row for row in result.rows if row["systems"] == largest}
    none = last.pop("none")
    lost = [CORRECTIONS[name].title for name, row in last.items() if row["alarms_low"] > 0.05]
    kept = "All corrections keep 5 %" if not lost else f"5 % is not kept by {', '.join(lost)}"
    return Section(
        heading="WMT23 Hebrew-English, many comparisons at once",
        command="truebleu study multiplicity -r wmt23-he-en/refA.txt wmt23-he-en/sys "
        "--together 2,3,4,5,6 --repetitions 500",
        result=result,
        paper=SECTION_4_4,
        verdict=(
            f"Without correction, {none['comparisons']} comparisons of {largest} equal systems "
            f"give a false alarm in {percent(none['alarms'])}; the paper's formula, for "
            f"independent comparisons, says {percent(none['expected'])}. Pairs of the same "
            f"systems go together. {kept}."
        ),
    )
