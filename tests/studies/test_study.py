"""What every study has: settings that repeat it, and plain values."""

from __future__ import annotations

import json

from truebleu import BLEU
from truebleu.simulation import simulate
from truebleu.studies import study_power
from truebleu.studies._study import StudiedMetric, plain

TEXTS = simulate(segments=40, systems=[0.1, 0.3], seed=2)


def test_a_metric_of_a_study_knows_its_references() -> None:
    metric = StudiedMetric.of(BLEU(), "BLEU", 2)
    assert "|nrefs:2|" in metric.signature
    assert (metric.higher_is_better, metric.digits) == (True, 2)


def test_plain_values_are_what_json_gives_back() -> None:
    metric = StudiedMetric.of(BLEU(), "BLEU", 1)
    (values, pair) = plain((metric, ("a", "b")))
    assert json.loads(json.dumps(values)) == values
    assert values["label"] == "BLEU"
    assert pair == ["a", "b"]


def test_other_texts_have_another_fingerprint() -> None:
    settings = {"sizes": [10], "samples": 5, "replicates": 50}
    first, same, other = (
        study_power(texts, ["bleu"], **settings).to_dict()["settings"]["pool"]  # type: ignore[arg-type]
        for texts in (TEXTS, TEXTS, simulate(segments=40, systems=[0.1, 0.3], seed=3))
    )
    assert first == same
    assert first["outputs_fingerprint"] != other["outputs_fingerprint"]
    assert first["segments"] == 40
