"""Evidence on rerankers and metrics: Riezler & Maxwell (2005, Table 1)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from evidence.data import system_lists
from evidence.page import Page, Section
from truebleu.reports.document import Table, join_names
from truebleu.studies import study_reranking

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SETS = {"wmt23-zh-en": "WMT23 Chinese–English"}
METRICS = ("nist", "bleu", "gtm", "chrf")
# Small penalty, so that the reranker keeps many features and changes many segments.
GAMMA = 16.0
REDUNDANT = (3, 4, 5, 6, 7)
PARSER = "en_core_web_sm"

INTRODUCTION = """
Riezler & Maxwell (2005, §2) reranked 1000-best lists by a log-linear model with an l1 penalty whose
features were phrases of two and three words besides the system's eight scores, against a model with
the eight scores only, and asked three metrics. Here the lists are the outputs of all systems of one
set for a segment, the baseline's features are the number of words and agreement with the other
candidates by chrF and BLEU, and the reranker adds n-grams of up to three words; gamma is small, so
that it keeps many of them. Each fifth of the segments is reranked by a model of the others. Systems
2 to 6 are the reranker with 3 to 7 redundant features: the baseline's with some noise. F-scores of
dependencies need parses: where no parser is installed, GTM's F of words stands in.
"""
TABLE_1 = """
Table 1:

| | NIST | BLEU | F |
| --- | ---: | ---: | ---: |
| baseline | 6.43 | .301 | .385 |
| reranking | 6.58 | .298 | .383 |
| approxrand p-value | < .0001 | .158 | .424 |
| bootstrap p-value | < .0001 | .1 | - |

Table 2, equivalent systems by NIST:

| compared systems | 1:2 | 1:3 | 1:4 | 1:5 | 1:6 |
| --- | --- | --- | --- | --- | --- |
| NIST difference | .031 | .032 | .029 | .028 | .036 |
| approxrand p-value | .03 | .025 | .05 | .079 | .028 |
| bootstrap p-value | .014 | .013 | .028 | .039 | .013 |
"""


def page() -> Page:
    """Make the page from a run on WMT23."""
    sections = tuple(_section(name) for name in SETS)
    return Page(
        name="reranking",
        title="How do several metrics judge one reranker?",
        introduction=INTRODUCTION,
        summary=" ".join(
            f"{SETS[name]}: {_verdict(section.result)}."
            for name, section in zip(SETS, sections, strict=True)
        ),
        sections=sections,
    )


def _section(name: str) -> Section:
    lists, references = system_lists(name)
    metrics: tuple[str, ...] = METRICS
    if find_spec(PARSER) is not None:
        metrics += (f"depf:spacy={PARSER}",)
    result = study_reranking(lists, references, metrics, gamma=GAMMA, redundant=REDUNDANT)
    return Section(
        heading=SETS[name],
        command="truebleu study reranking lists.jsonl -r ref.txt "
        + " ".join(f"-m {metric}" for metric in metrics)
        + f" --gamma {GAMMA:g} --redundant {','.join(map(str, REDUNDANT))}",
        result=result,
        table=Table(tuple(result.columns), tuple(_as_in_the_paper(result))),
        verdict=f"{_kept(result)} {_capitalised(_verdict(result))}. In the paper NIST rose "
        "significantly; the falls in BLEU and F were not significant. " + _variants(result),
        paper=TABLE_1,
    )


def _as_in_the_paper(result: StudyResult) -> list[Row]:
    """Tabulate the reranker by all metrics and its variants by the first, as in the paper."""
    first = result.rows[0]
    return [
        row for row in result.rows if row["a"] == first["a"] or row["metric"] == first["metric"]
    ]


def _kept(result: StudyResult) -> str:
    return (
        f"The reranker keeps {result.details['selected']} features and chooses otherwise than the "
        f"baseline in {result.rows[0]['changed']:,} of {result.settings['pool']['segments']:,} "
        "segments."
    )


def _variants(result: StudyResult) -> str:
    """Describe both tests of the variants that should be equal, by the first metric."""
    rows = [row for row in result.rows if row["a"] != "baseline"]
    rows = [row for row in rows if row["metric"] == rows[0]["metric"]]
    smaller = sum(row["bootstrap"] < row["approxrand"] for row in rows)
    return (
        f"Of {len(rows)} variants with redundant features the bootstrap gives a smaller p-value "
        f"by {rows[0]['metric']} in {smaller}; in the paper in 5 of 5. They choose otherwise in "
        f"{min(row['changed'] for row in rows)} to {max(row['changed'] for row in rows)} segments."
    )


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verdict(result: StudyResult) -> str:
    parts = []
    for kind in ("better", "worse", "cannot tell"):
        first = [row for row in result.rows if row["a"] == "baseline"]
        metrics = [row["metric"] for row in first if row["verdict"] == kind]
        if metrics:
            parts.append(f"{kind} by {join_names(metrics)}")
    return ", ".join(parts)
