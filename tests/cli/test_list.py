"""``truebleu list`` names everything that its options take."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from truebleu.cli.demo import KINDS, list_command as command
from truebleu.corpus._files import FORMATS
from truebleu.metrics.registry import METRICS, parse_metric
from truebleu.nbest.tuning import as_tuner
from truebleu.scores.formats import FORMATS as TOOL_FORMATS
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.tests import TESTS
from truebleu.tokenizers import tokenizer_names


def listed(kind: str) -> list[dict[str, str]]:
    result = CliRunner().invoke(command, [kind, "--format", "json"])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, str]] = json.loads(result.output)[kind]
    return rows


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_table_of_different_names(kind: str) -> None:
    names = [next(iter(row.values())) for row in listed(kind)]
    assert len(set(names)) == len(names) > 1
    result = CliRunner().invoke(command, [kind])
    assert all(name in result.output for name in names)


def test_nothing_is_left_out() -> None:
    assert {row["metric"] for row in listed("metrics")} >= set(METRICS)
    assert {row["tokenizer"] for row in listed("tokenizers")} == {*tokenizer_names(), "spm:PATH"}
    assert {row["format"] for row in listed("formats")} >= set(FORMATS)
    tools = [row["format"] for row in listed("formats") if row["for"] == "scores"]
    assert tools == list(TOOL_FORMATS)
    assert {"COMET", "MetricX", "lm-evaluation-harness"} <= set(tools)
    assert [row["test"] for row in listed("tests")] == list(TESTS)
    assert [row["correction"] for row in listed("corrections")] == list(CORRECTIONS)


def test_settings_can_be_written_as_they_are_listed() -> None:
    rows = {row["metric"]: row["settings and defaults"] for row in listed("metrics")}
    for name in ("wer", "ter", "chrf", "gtm", "nist", "mbleu"):
        assert parse_metric(f"{name}:{rows[name]}") == parse_metric(name)
    for row in listed("tuners"):
        name, settings = row["tuner"], row["settings and defaults"]
        assert as_tuner(f"{name}:{settings}") == as_tuner(name)
