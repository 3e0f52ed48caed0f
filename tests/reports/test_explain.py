"""What an explanation says, and in which order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.simulated_causes import simulate_causes
from truebleu import explain
from truebleu.reports.document import Table, render
from truebleu.reports.explain import verdict
from truebleu.scores import GivenScores
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.explanation import Explanation


@pytest.fixture(scope="module")
def explained() -> Explanation:
    return explain(simulate_causes(segments=300), baseline="baseline", replicates=300)


def test_sentences_answer_four_questions_in_this_order(explained: Explanation) -> None:
    sentences = verdict(explained, explained.pairs[0])
    order = ["baseline by", "The difference varies by", "Parts of the score", "Removing the"]
    places = [next(i for i, line in enumerate(sentences) if text in line) for text in order]
    assert places == sorted(places)


def test_nothing_is_said_about_human_raters_of_undecided_pairs() -> None:
    test_set = simulate(segments=400, systems=[0.15, 0.15], seed=5)
    explanation = explain(test_set, replicates=300)
    (pair,) = explanation.pairs
    sentences = verdict(explanation, pair)
    assert "can't be told apart" in sentences[0]
    assert not any("human raters" in line for line in sentences)
    assert any(
        "No slice differs significantly from its share of the text" in line for line in sentences
    )


def test_tables_add_up_as_they_are_shown(explained: Explanation) -> None:
    tables = [
        block for block in explained.to_document(details=True).blocks if isinstance(block, Table)
    ]
    parts = tables[0]
    values = [float(str(row["contribution"])) for row in parts.rows]
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=1e-9)


def largest(explained: Explanation) -> float:
    """The difference that comes first: the largest significant one."""
    pairs = [pair.comparison for pair in explained.pairs if pair.comparison.significant]
    return max(pairs, key=lambda pair: abs(pair.difference)).difference


def test_the_tidy_table_has_every_segment(explained: Explanation) -> None:
    data = explained.to_document().data
    segments = [row for row in data.rows if row["kind"] == "segment" and row["a"] == "runaway"]
    assert len(segments) == 300
    total = sum(float(str(row["contribution"])) for row in segments)
    assert total == pytest.approx(explained.pairs[1].comparison.difference, abs=1e-9)


def test_lower_is_better_metrics_are_told_the_right_way_round() -> None:
    scores = {"system-1": [float(i % 3) for i in range(60)], "system-2": [5.0] * 60}
    metric = GivenScores.of(scores, name="errors", higher_is_better=False)
    test_set = simulate(segments=60, systems=[0.1, 0.2])
    explanation = explain(test_set, metrics=[metric], replicates=200)
    assert "system-1 is better than system-2 by 4.0000 errors" in "\n".join(
        verdict(explanation, explanation.pairs[0])
    )


def test_json_has_no_nan(explained: Explanation) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    result = json.loads(render(explained, "json"), parse_constant=refuse)
    assert len(result["explanations"]) == 3
    assert result["sentences"]


HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("format_", ["html", "markdown", "latex"])
def test_words_of_the_texts_stay_words(format_: str) -> None:
    references = [f"a {HOSTILE} b c d"] * 20
    texts = {f"{HOSTILE} & $x$": references, "plain": ["a x b c d"] * 20}
    explanation = explain(
        texts, references, metrics=["bleu:tokenize=none"], by={"kind": [HOSTILE, "z"] * 10}
    )
    assert any(HOSTILE in ngram.ngram for ngram in explanation.pairs[0].ngrams)
    written = render(explanation, format_)
    # Sentences are comments in LaTeX, where nothing has a meaning.
    lines = [line for line in written.split("\n") if format_ != "latex" or line[:1] != "%"]
    assert not any(("$x$" if format_ == "latex" else "<script>") in line for line in lines)
