"""The page of an agreement as text: numbers of the result, nothing foreign as markup."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.agreement.judged_texts import comparisons, texts
from tests.agreement.test_report import HUMAN, counts
from truebleu import agree, count
from truebleu.agreement.report import agreement_report
from truebleu.errors import RefusedError
from truebleu.reports.page.agreement import html_page

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '<script>alert("1")</script>\u202e&'


def page_of(human: Any = HUMAN, systems: Any = None, **options: Any) -> str:
    given = counts() if systems is None else systems
    found = agree(given, human, replicates=100, permutations=100, **options)
    made = agreement_report(found, given, human, name="mqm")
    return html_page(made, command="truebleu agree /home/me/set -o a.html")


def test_the_page_has_the_values_and_pairs_of_the_result() -> None:
    found = agree(counts(), HUMAN, replicates=100, permutations=100)
    page = page_of()
    value = found["soft-pairwise-accuracy"]["score"].value
    assert value is not None
    assert f"{value:.3f}" in page
    assert "put 1 of 3 pairs of models in opposite order" in page
    assert 'href="#pair-0-0"' in page
    assert 'id="pair-0-0"' in page
    # Scores of items are about models.
    assert "mqm · 3 models · 40 of 40 items judged" in page
    assert "/home/me" not in page


def test_nothing_can_run_or_load() -> None:
    page = page_of()
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert not re.search(r' style="| on\w+="', page)
    assert not re.search(r'(src|href)="(?!#|data:,)', page)


def test_hostile_names_stay_text() -> None:
    human = {HOSTILE if name == "A" else name: row for name, row in HUMAN.items()}
    scores = {name: [float(score or 0) for score in row] for name, row in human.items()}
    page = page_of(human, count(scores))
    assert HOSTILE not in page
    assert "alert(" in page
    assert "<script" not in page
    assert "\u202e" not in page


def test_comparisons_have_a_page_without_intervals_of_systems() -> None:
    test_set = count(texts(), metrics=["bleu", "chrf"])
    found = agree(test_set, comparisons(), permutations=50, replicates=50)
    page = html_page(agreement_report(found, test_set, comparisons()))
    assert 'class="error"' not in page
    assert 'id="pairs"' not in page
    assert "2 metrics against people" in page


def test_a_page_is_written_whole_and_not_twice(tmp_path: Path) -> None:
    found = agree(counts(), HUMAN, replicates=100, permutations=100)
    made = agreement_report(found, counts(), HUMAN)
    path = made.save(tmp_path / "a.html")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")
    with pytest.raises(RefusedError, match="exists"):
        made.save(path)
    made.save(path, overwrite=True)


def test_the_headline_names_the_best_metric_and_those_that_cannot_be_told_from_it() -> None:
    test_set = count(texts(), metrics=["bleu", "chrf", "ter"])
    found = agree(test_set, comparisons(), permutations=50, replicates=50)
    answer = next(answer for answer in found.answers if answer.level == "system")
    best, second, third = (metric.metric for metric in answer.metrics)

    def headline(*worse: str) -> str:
        pairs = tuple(
            replace(pair, significant=pair.better == best and pair.worse in worse)
            for pair in answer.pairs
        )
        changed = replace(answer, pairs=pairs)
        answers = tuple(changed if other is answer else other for other in found.answers)
        made = agreement_report(replace(found, answers=answers), test_set, comparisons())
        (line,) = re.findall("<h1>(.*?)</h1>", html_page(made))
        return re.sub("<[^>]*>", "", line)

    about = f"{best} agrees best with people about systems."
    tied = f"{second} can't be told from it; the other metric agrees less."
    assert headline(third) == f"{about} {tied}"
    assert headline(second, third) == f"{about} The 2 others agree less."
    assert "but not significantly better than any other metric" in headline()
