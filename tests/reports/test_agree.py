"""Claims about how an agreement is written."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.agreement.judged_texts import RATES, SEGMENTS, comparisons, human_scores, texts
from truebleu.agreement.agree import agree
from truebleu.reports.charts import specification
from truebleu.reports.document import render
from truebleu.scores import GivenScores

if TYPE_CHECKING:
    from truebleu.agreement.agree import Agreement


@cache
def found() -> Agreement:
    flat = GivenScores.of({name: [7.0] * SEGMENTS for name in RATES}, name="flat")
    good = GivenScores.of(dict(human_scores().scores), name="a|b")
    questions = ["kendall-b", "acc-eq", "pearson"]
    return agree(
        texts(),
        human_scores(),
        ["ter", flat, good],
        coefficients=questions,
        replicates=100,
        permutations=99,
    )


def test_the_answer_stands_above_one_table_and_the_method_below() -> None:
    text = render(found())
    lines = text.splitlines()
    assert lines[0] == "By kendall-b, a|b agrees better with human raters than TER."
    assert lines[1] == "By acc-eq, a|b agrees better with human raters than TER and flat."
    table = [line.split() for line in lines[lines.index("") + 1 :]]
    assert table[0] == ["Agreement", "Rank", "Metric", "Value", "95", "%", "interval"]
    assert table[2][:6] == ["kendall-b", "of", "segments", "1", "a|b", "1.0000"]
    assert table[3][:2] == ["2", "TER"]
    assert table[4] == ["flat", "[1]", "undefined"]
    assert "[1] all cells of an item have the same score by the metric" in lines
    assert sum("Rank" in line for line in lines) == 1
    assert "intervals over segments, 100 replicates; two-sided permutation test of scores" in text
    assert "TER: lower is better, so its scores are negated." in lines
    assert (
        f"Human scores: people, 5 systems, {5 * SEGMENTS} of {5 * SEGMENTS} segment scores."
        in lines
    )
    assert "human|format:scores" in lines
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_details_show_tie_thresholds() -> None:
    assert "Tie threshold" in render(found(), details=True)
    assert "Tie threshold" not in render(found())


def test_few_systems_are_said_to_be_too_few() -> None:
    names = ("good", "fair", "bad")
    few = replace(texts(), systems={name: texts().systems[name] for name in names})
    human = replace(human_scores(), scores={name: human_scores().scores[name] for name in names})
    text = render(agree(few, human, ["bleu", "ter"], coefficients=["pearson"]))
    assert "all 8 permutations" in text
    assert "By pearson no difference can be significant with this number of judged systems" in text
    assert "(smallest possible p = 0.2500)." in " ".join(text.split())


def test_json_is_the_whole_result_without_nan() -> None:
    answer = json.loads(render(found(), "json"), parse_constant=lambda name: pytest.fail(name))
    assert answer["version"] == 1
    assert [metric["name"] for metric in answer["metrics"]] == ["TER", "flat", "a|b"]
    assert answer["metrics"][0]["higher_is_better"] is False
    assert answer["metrics"][0]["scores"].keys() == RATES.keys()
    assert answer["settings"]["seed"] == 12345
    assert answer["human"]["judged"] == answer["human"]["cells"] == 5 * SEGMENTS
    kendall, acc, _ = answer["answers"]
    assert kendall["question"] == "segment|kendall-b|grouping:item|average:macro"
    flat = kendall["metrics"][2]
    assert flat["metric"] == "flat"
    assert flat["value"] is flat["low"] is flat["high"] is flat["rank"] is None
    assert flat["notes"]
    assert len(acc["pairs"]) == 3
    assert acc["pairs"][0].keys() >= {"better", "worse", "p", "p_adjusted", "significant", "exact"}
    assert answer["sentences"] == list(found().to_document().sentences)
    assert answer == found().to_dict()


def test_tsv_has_all_digits() -> None:
    lines = render(found(), "tsv").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    signatures = [metric.signature for metric in found().metrics.values()]
    assert comments[-4:] == [f"# {line}" for line in ("human|format:scores", *signatures)]
    header, *rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert header[:5] == ["question", "metric", "value", "low", "high"]
    assert len(rows) == 9
    by_name = {(row[0], row[1]): dict(zip(header, row, strict=True)) for row in rows}
    one = by_name["segment|kendall-b|grouping:item|average:macro", "TER"]
    assert float(one["value"]) == found()["kendall-b"]["TER"].value
    assert by_name["system|pearson", "flat"]["value"] == ""
    assert by_name["segment|kendall-b|grouping:item|average:macro", "a|b"]["better_than"] == "TER"


def test_latex_escapes_and_keeps_the_rest_as_comments() -> None:
    text = render(found(), "latex")
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 1
    assert "a\\textbar{}b" in text
    outside = [
        line
        for line in text.splitlines()
        if line and not line.startswith(("%", "\\")) and not line.endswith("\\\\")
    ]
    assert outside == []
    assert "% By kendall-b, a|b agrees better with human raters than TER." in text
    assert "% human|format:scores" in text


def test_markdown_has_sentences_and_a_table() -> None:
    text = render(found(), "markdown")
    assert text.startswith("- By kendall-b, a\\|b agrees better with human raters than TER.")
    assert "| Agreement | Rank | Metric |" in text


def test_comparisons_are_counted_below() -> None:
    agreement = agree(texts(), comparisons(), ["bleu"], replicates=100, permutations=9)
    text = render(agreement)
    assert "chen-cherry of segments" in text
    ties = sum(judgment.verdict == 0 for judgment in comparisons().judgments)
    assert f"5 systems, 120 comparisons, {ties} of them ties." in text


def test_right_and_up_are_better_in_the_chart_of_each_metric() -> None:
    agreement = found()
    (chart,) = agreement.to_document().charts
    panels = list(dict.fromkeys(str(row["of"]) for row in chart.table.rows))
    names = [panel.partition(" (")[0] for panel in panels]
    assert names == ["TER, negated", "flat", "a|b"]
    ter = {row["name"]: row for row in chart.table.rows if str(row["of"]).startswith("TER")}
    for name, score in agreement.metrics["TER"].scores.items():
        assert score is not None
        assert (ter[name]["score"], ter[name]["human"]) == (-score, agreement.human.scores[name])
    json.dumps(specification(chart))


def test_the_chart_names_systems_and_coefficients() -> None:
    agreement = found()
    (chart,) = agreement.to_document().charts
    ter = [row for row in chart.table.rows if str(row["of"]).startswith("TER, negated")]
    assert {row["name"] for row in ter} == set(agreement.human.systems)
    (answer,) = [one for one in agreement.answers if one.coefficient == "pearson"]
    value = next(metric.value for metric in answer.metrics if metric.metric == "TER")
    assert f"pearson {value:.3f}" in str(ter[0]["of"])
