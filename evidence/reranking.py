"""Evidence on rerankers and metrics, beside Riezler & Maxwell (2005, Table 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import system_lists
from evidence.page import Page, Section
from truebleu.reports.sentences import listed
from truebleu.studies import study_reranking

if TYPE_CHECKING:
    from truebleu.studies import StudyResult

SETS = {"wmt23-zh-en": "WMT23 Chinese–English"}
METRICS = ("nist", "bleu", "gtm", "chrf")

INTRODUCTION = """
Riezler & Maxwell (2005, §2) reranked 1000-best lists by a log-linear model with an l1 penalty whose
features were phrases of two and three words besides the system's eight scores, against a model with
the eight scores only, and asked three metrics. Here the lists are the outputs of all systems of one
set for a segment, the baseline's features are the number of words and agreement with the other
candidates by chrF and BLEU, and the reranker adds n-grams of up to three words. Each fifth of the
segments is reranked by a model of the others. F-scores of dependencies need parses: GTM's F of
words stands in.
"""
TABLE_1 = """
Table 1:

| | NIST | BLEU | F |
| --- | ---: | ---: | ---: |
| baseline | 6.43 | .301 | .385 |
| reranking | 6.58 | .298 | .383 |
| p, approximate randomization | < .0001 | .158 | .424 |
| p, bootstrap | < .0001 | .1 | - |
"""


def page() -> Page:
    """The page, from a run on WMT23."""
    sections = tuple(_section(name) for name in SETS)
    return Page(
        name="reranking",
        title="What do several metrics say of one reranker?",
        introduction=INTRODUCTION,
        summary=" ".join(
            f"{SETS[name]}: {_verdict(section.result)}."
            for name, section in zip(SETS, sections, strict=True)
        ),
        sections=sections,
    )


def _section(name: str) -> Section:
    lists, references = system_lists(name)
    result = study_reranking(lists, references, metrics=METRICS)
    return Section(
        heading=SETS[name],
        command="truebleu study reranking lists.jsonl -r ref.txt "
        + " ".join(f"-m {metric}" for metric in METRICS),
        result=result,
        verdict=f"{_capitalised(_verdict(result))}. In the paper NIST rose significantly, while "
        "BLEU and F fell by what chance explains.",
        paper=TABLE_1,
    )


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verdict(result: StudyResult) -> str:
    parts = []
    for kind in ("better", "worse", "undecided"):
        metrics = [row["metric"] for row in result.rows if row["verdict"] == kind]
        if metrics:
            parts.append(f"{kind} by {listed(metrics)}")
    return ", ".join(parts)
