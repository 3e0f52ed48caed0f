"""Evidence on smoothings of sentence BLEU: Chen & Cherry (2014, §3.1, Tables 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import DATA, read_evaluation_set, read_set
from evidence.page import Page, Section
from truebleu.agreement.agree import agree
from truebleu.human import read_human
from truebleu.metrics.bleu import DEFAULT_VALUES, SMOOTHINGS
from truebleu.reports.document import join_names
from truebleu.studies import study_smoothing

if TYPE_CHECKING:
    from truebleu.agreement.agree import Agreement
    from truebleu.agreement.data import Human
    from truebleu.corpus import TestSet
    from truebleu.studies import StudyResult

SETS = {
    "wmt21-en-de": "WMT21 English-German news",
    "ted-mqm-en-de": "English-German TED talks",
    "he-en": "WMT23 Hebrew-English",
    "en-de": "WMT23 English-German paragraphs",
}
# Sets in the file layout of the metrics task.
EVALUATION_SETS = ("he-en", "en-de")
# Alternatives around the paper's values, in steps of about two.
GRIDS = {
    "epsilon": "sentbleu:smoothing=1,epsilon=0.01|0.02|0.05|0.1|0.2|0.5|1",
    "k": "sentbleu:smoothing=4,k=1|2|3|4|5|7|10|20",
    "alpha": "sentbleu:smoothing=6,alpha=0.5|1|2|3|5|7|10|20",
}
SYMBOLS = {"epsilon": "ε", "k": "K", "alpha": "α"}
LABELS = tuple(map(str, range(len(SMOOTHINGS))))

INTRODUCTION = """
Chen & Cherry (2014) compared seven smoothings of sentence BLEU with none on the rankings that
people made at WMT 2012 and 2013, into English (143 systems) and out of English (149 systems). All
smoothings agreed better with human raters than none at segment level, number 7 best; between
systems, the mean of sentence BLEU weighted by length (eq. 13) agreed better than corpus BLEU, and
the smoothing hardly mattered. Here the same coefficients are computed on four sets with MQM scores:
of WMT21, of TED talks, and of two language pairs of WMT23, one of which is into English. A pair of
outputs is ordered by its scores, and pairs with the same score are removed as the paper removes
tied judgments. Intervals are about other segments translated by the same systems: with other
systems γ and ρ would vary more. Then ε, K and α are chosen by segment τ on one half of each set, as
the paper chose them on WMT 2008, and reported on the other.
"""
TABLES = """
Tables 2 and 3, averages over test sets:

| smoothing | into English: τ | γ | ρ | out of English: τ | γ | ρ |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| crp | – | 0.720 | 0.887 | – | 0.712 | 0.744 |
| 0 | 0.165 | 0.759 | 0.887 | 0.119 | 0.715 | 0.744 |
| 1 | 0.224 | 0.760 | 0.887 | 0.178 | 0.722 | 0.748 |
| 2 | 0.226 | 0.757 | 0.887 | 0.180 | 0.725 | 0.744 |
| 3 | 0.224 | 0.760 | 0.887 | 0.178 | 0.724 | 0.744 |
| 4 | 0.228 | 0.763 | 0.887 | 0.181 | 0.727 | 0.744 |
| 5 | 0.234 | 0.765 | 0.887 | 0.184 | 0.731 | 0.744 |
| 6 | 0.230 | 0.754 | 0.887 | 0.182 | 0.725 | 0.744 |
| 7 | 0.236 | 0.766 | 0.887 | 0.187 | 0.734 | 0.744 |
"""
# Into English and out of it: τ of no smoothing and of number 7.
PAPER_TAU = {True: ("Table 2", 0.165, 0.236), False: ("Table 3", 0.119, 0.187)}
SECTION_3_1 = """
§3.1: by grid search on WMT 2008, ε = 0.1 for smoothing 1, K = 5 for smoothing 4, α = 5 for
smoothing 6. What else was tried, and by how much these were better, is not said.
"""


def page() -> Page:
    """Two runs of the study, and a choice of each setting both ways; about ten seconds."""
    sets = {name: _judged_set(name) for name in SETS}
    tables = [_table(name, judged) for name, judged in sets.items()]
    choices = {
        setting: {name: agree(*judged, grid=[grid]) for name, judged in sets.items()}
        for setting, grid in GRIDS.items()
    }
    sections = (*tables, *(_choice(setting, found) for setting, found in choices.items()))
    return Page(
        name="smoothing",
        title="Which smoothing of sentence BLEU agrees best with people?",
        introduction=INTRODUCTION,
        summary=_summary([section.result for section in tables], choices),
        sections=sections,
    )


def _judged_set(name: str) -> tuple[TestSet, Human]:
    if name in EVALUATION_SETS:
        test_set, path = read_evaluation_set(name)
    else:
        test_set, path = read_set(name), DATA / name / "human-mqm.tsv"
    segments = len(test_set)
    return test_set, read_human(path, systems=test_set.systems, segments=segments, others="ignore")


def _column(result: StudyResult, name: str) -> dict[str, float]:
    """Return a coefficient's values by the label of the row."""
    values = {row["smoothing"]: row[name] for row in result.rows}
    return {label: value for label, value in values.items() if value is not None}


def _above_none(result: StudyResult) -> int:
    tau = _column(result, "tau")
    return sum(tau[label] > tau["0"] for label in LABELS)


def _significant(result: StudyResult) -> int:
    alpha = 1 - result.settings["level"]
    return sum(row["p"] is not None and row["p"] <= alpha for row in result.rows)


def _best(result: StudyResult) -> list[str]:
    tau = _column(result, "tau")
    return [label for label in LABELS if tau[label] == max(tau.values())]


def _summary(results: list[StudyResult], choices: dict[str, dict[str, Agreement]]) -> str:
    above = join_names([str(_above_none(result)) for result in results])
    best = join_names(["/".join(_best(result)) for result in results])
    sure = sum(map(_significant, results))
    every = [choice for found in choices.values() for choice in found.values()]
    better = sum(
        pair.significant is True and pair.better == choice.grid.chosen
        for choice in every
        for pair in choice.answers[0].pairs
        if choice.grid is not None
    )
    return (
        f"On {len(results)} sets {above} of 7 smoothings have a higher segment τ than none, best "
        f"number {best}; {sure} of {7 * len(results)} are significantly above none by the "
        f"permutation test, corrected, {_clear(results)} by the bootstrap's intervals of "
        "differences, which are not. Values of ε, K and α chosen on one half of a set are "
        "significantly better than the paper's on the other in "
        f"{better} of {len(every)} cases."
    )


def _clear(results: list[StudyResult]) -> int:
    """Count the smoothings above no smoothing in nearly all replicates."""
    rows = [row for result in results for row in result.rows if row["smoothing"] in LABELS[1:]]
    return sum((row["tau_excess_low"] or 0.0) > 0 for row in rows)


def _table(name: str, judged: tuple[TestSet, Human]) -> Section:
    result = study_smoothing(*judged)
    return Section(
        heading=f"{SETS[name]}, {len(result.settings['judged'])} systems",
        command=f"truebleu study smoothing {_files(name)}",
        result=result,
        paper=TABLES if name == next(iter(SETS)) else "",
        verdict=_verdict(result, into_english=name.endswith("-en")),
    )


def _files(name: str) -> str:
    if name in EVALUATION_SETS:
        return (
            f"-r references/{name}.refA.txt system-outputs/{name} "
            f"--human human-scores/{name}.mqm.seg.score --others ignore"
        )
    return f"-r {name}/refA.txt {name}/sys --human {name}/human-mqm.tsv"


def _verdict(result: StudyResult, *, into_english: bool) -> str:
    table, none, seven = PAPER_TAU[into_english]
    tau, gamma, rho = (_column(result, name) for name in ("tau", "gamma", "rho"))
    above, best = _above_none(result), _best(result)
    all_above = "as in the paper" if above == 7 else "where the paper has all of them"
    number = "as in the paper" if best == ["7"] else "in the paper number 7"
    corpus = sum(gamma[label] > gamma["crp"] for label in LABELS)
    agrees = f"as in {table}" if corpus == 8 else f"where {table} has all of them"
    moved = sum(rho[label] != rho["0"] for label in LABELS)
    return (
        f"{above} of 7 smoothings have a higher τ than none, {all_above}; "
        f"{_significant(result)} of them significantly by the permutation test, corrected for "
        f"seven, and {_clear([result])} by the bootstrap's interval of the difference, without "
        "correction. Best is number "
        f"{' and '.join(best)}, {number}. τ is {tau['0']:.3f} without smoothing and "
        f"{tau['7']:.3f} with number 7, in {table} {none} and {seven}. Between "
        f"systems, {corpus} of 8 weighted means have a higher γ than corpus BLEU, {agrees}; ρ "
        f"differs from that of no smoothing in {moved} of 7 cases, in the paper in 1 of 14."
    )


def _choice(setting: str, found: dict[str, Agreement]) -> Section:
    grid, (name, choice) = GRIDS[setting], list(found.items())[-1]
    return Section(
        heading=f"{SYMBOLS[setting]} chosen on one half of {SETS[name]}, reported on the other",
        command=f"truebleu agree {_files(name)} --grid '{grid}'",
        result=choice,
        table=choice.to_document().charts[0].table,
        paper=SECTION_3_1 if setting == next(iter(GRIDS)) else "",
        verdict=" ".join(
            _sentence(setting, name, agreement) for name, agreement in reversed(found.items())
        ),
    )


def _sentence(setting: str, name: str, agreement: Agreement) -> str:
    """Describe the setting chosen on one half of a set, and its value on the other half."""
    grid, answer = agreement.grid, agreement.answers[0]
    assert grid is not None
    values = [candidate.value for candidate in grid.candidates if candidate.value is not None]
    chosen = grid.chosen.rpartition(",")[2]
    told = (
        f"On {SETS[name]} {chosen} is best, the paper chose {DEFAULT_VALUES[setting]:g}; τ "
        f"goes from {min(values):.4f} to {max(values):.4f} over the grid."
    )
    if grid.chosen == grid.default:
        return f"{told} So the paper's value is confirmed."
    (pair,) = answer.pairs
    difference = (pair.difference or 0.0) * (1 if pair.better == grid.chosen else -1)
    if not difference:
        return f"{told} On the other half it changes nothing."
    sure = "significant" if pair.significant else "not significant"
    return (
        f"{told} On the other half it changes τ by {difference:+.4f} against the paper's value, "
        f"which is {sure} (p = {pair.p:.2g})."
    )
