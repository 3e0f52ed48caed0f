"""What a comparison gives to programs."""

from __future__ import annotations

import json

from truebleu import compare
from truebleu.simulation import simulate_causes


def test_plain_values_have_the_names_that_programs_use() -> None:
    texts = simulate_causes(segments=40)
    compared = compare(texts, metrics=["bleu", "ter"], replicates=200, margin=2.0)
    values = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert values["systems"][0]["scores"]["BLEU"]["interval"] == list(
        compared.systems["baseline"]["BLEU"].interval
    )
    assert [pair["p"] for pair in values["comparisons"]] == [p.p for p in compared.comparisons]
    assert values["metrics"][0]["signature"] == str(compared.metrics["BLEU"].signature)
    assert values["settings"]["units"] == compared.units


def test_results_are_equal_by_what_they_hold() -> None:
    texts = simulate_causes(segments=40)
    first, again, other = (compare(texts, replicates=200, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
