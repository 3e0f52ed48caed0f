"""Reports speak of segments and systems, or of items and models, as their rows are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu.counts.inputs import counts_of
from truebleu.explanation.report import report
from truebleu.reports.document import render
from truebleu.reports.page import html_page
from truebleu.reports.words import words_of
from truebleu.scores import ItemScores
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu._results import Result
    from truebleu.corpus.outline import RowKind
    from truebleu.counts.counts import Counts

NAMES = ("a", "b", "c")
# Names in JSON, signatures and options are no sentences.
WORDS = {
    "segments": re.compile(r"(?<![\w.:|/<{\"-])(items?|models?)(?![\w:|/\"-])", re.IGNORECASE),
    "items": re.compile(r"(?<![\w.:|/<{\"-])(segments?|systems?)(?![\w:|/\"-])", re.IGNORECASE),
}


def item_counts() -> Counts:
    scores = {name: [(n * k) % 7 / 7 for n in range(40)] for k, name in enumerate(NAMES, 1)}
    domains = ["law" if n % 2 else "math" for n in range(40)]
    metric = "scores:higher_is_better=yes"
    return counts_of(ItemScores.of(scores), metrics=metric, domains=domains)


def text_counts() -> Counts:
    systems = {name: Channel.at_rate(k / 10) for k, name in enumerate(NAMES, 1)}
    return counts_of(simulate(segments=40, systems=systems))


def panel(counts: Counts) -> Result:
    return truebleu.panel({"first": counts, "second": counts}, replicates=200)


VERBS: dict[str, Callable[[Counts], Result]] = {
    "score": lambda counts: truebleu.score(counts, confidence=True, by="domain", replicates=200),
    "compare": lambda counts: truebleu.compare(counts, by="domain", replicates=200),
    "compare with a baseline": lambda counts: truebleu.compare(
        counts, baseline="a", margin=0.5, replicates=200
    ),
    "gate": lambda counts: truebleu.gate(
        counts.select(["a", "b"]), baseline="b", margin=0.5, replicates=200
    ),
    "plan": lambda counts: truebleu.plan(counts, baseline="a", difference=0.5, margin=0.5),
    "panel": panel,
    "explain": lambda counts: truebleu.explain(counts, baseline="a", replicates=200),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("rows", ["segments", "items"])
def test_a_result_is_written_in_the_words_of_its_rows(verb: str, rows: RowKind) -> None:
    result = VERBS[verb](item_counts() if rows == "items" else text_counts())
    details: dict[str, Any] = {} if verb in ("gate", "plan") else {"details": True}
    document = result.to_document(**details)
    prose = [render(result, "text", **details), *map(str, document.sentences)]
    for chart in document.charts:
        headings = [column.heading for column in chart.table.columns]
        prose += [chart.title, *chart.sentences, *headings]
    assert not WORDS[rows].findall("\n".join(prose))
    assert words_of(rows).row in prose[0].lower() or words_of(rows).system in prose[0].lower()


@pytest.mark.parametrize("rows", ["segments", "items"])
def test_the_page_is_written_in_the_words_of_its_rows(rows: RowKind) -> None:
    page = html_page(report(item_counts() if rows == "items" else text_counts(), replicates=200))
    visible = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", page)
    assert not WORDS[rows].findall(visible)
    assert f"40 {rows}" in visible


def test_a_model_called_system_changes_no_words() -> None:
    scores = {"system": [0.1 * (n % 7) for n in range(20)], "other": [0.5] * 20}
    assert "20 items" in render(truebleu.compare(scores, replicates=200))
