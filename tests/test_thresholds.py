"""The numbers that decide warnings: other tests say what they do, this one how large they are.

Whoever changes one changes what users are warned of: measure again (docs/evidence/defaults.md and
the comment beside the number), and change it here too.
"""

from __future__ import annotations

from importlib import import_module

import pytest

THRESHOLDS: dict[str, dict[str, float]] = {
    "_core": {"MIN_SWAP_RATIO": 0.9},
    "agreement.bootstrap": {"MOST_NOISE": 0.1, "MOST_UNDEFINED": 0.05},
    "corpus.text_warnings": {"_MOSTLY_EMPTY": 0.5, "_TOKENIZED": 100},
    "explanation.contributions": {"FEWEST_UNITS": 6},
    "explanation.degenerate": {
        "ABOUT_REQUEST": 0.3,
        "ALIKE": 3,
        "BESIDES": 0.7,
        "COPIED_SHARE": 0.9,
        "CUT_LEAST": 30,
        "CUT_SHARE": 0.25,
        "CUT_WITHIN_SENTENCE": 0.6,
        "EMPHASIS": 20,
        "EXTRA_LEAST": 4,
        "FOREIGN_LEAST": 10,
        "FOREIGN_SHARE": 0.6,
        "KEPT_SHARE": 0.5,
        "LANGUAGE_LEAST": 25,
        "LOOP_LEAST": 10,
        "MANY": 4,
        "MOSTLY": 0.9,
        "RARER": 0.7,
        "RELATED": 0.14,
        "RELATED_LEAST": 20,
        "RELATED_PAIRS": 0.1,
        "RUNAWAY_EXTRA": 30,
        "RUNAWAY_FACTOR": 3,
        "UNTRANSLATED_LEAST": 10,
        "USED_SHARE": 0.1,
    },
    "explanation.explain": {"IN_PLACE": 0.8, "NEAR": 0.1},
    "explanation.slices": {"FEWEST_UNITS": 10, "NEARLY": 0.9},
    "planning.plan": {
        "FEW_UNITS": 30,
        "LARGE_DESIGN_EFFECT": 1.2,
        "LARGE_PART": 10,
        "LARGE_SHARE": 0.2,
    },
    "planning.power": {"SMALLEST_NULL_SHARE": 0.25, "SMALLEST_VARIANCE": 0.25},
    "planning.sample": {"MOST_DROPPED": 10},
    "reports.compare": {"FEW_UNITS": 20},
    "reports.document": {
        "ENOUGH_DOCUMENTS": 100,
        "ENOUGH_DOCUMENTS_FOR_A_MARGIN": 200,
        "LARGEST_SHARE": 0.2,
    },
    "reports.explain": {"MOST_EVEN": 0.5},
    "reports.panel": {"LARGE_I_SQUARED": 0.75},
    "significance.panel": {"FEWEST_FOR_PREDICTION": 3},
    "significance.human_curves": {"LARGEST_FRACTION": 1.5, "LEVEL_SHARE": 0.99},
    "significance.groups": {"FEWEST_UNITS": 10},
    "studies.power": {"CHANCE": 0.025, "SATURATED": 0.95},
    "studies.sampling": {"ENOUGH_POINTS": 10, "NOTABLE_SHARE": 0.05},
    "tokenizers": {"KANA_SHARE": 1 / 10, "UNSPACED_SHARE": 1 / 4},
}


@pytest.mark.parametrize("module", THRESHOLDS)
def test_thresholds_of_warnings_equal_their_measured_values(module: str) -> None:
    constants = import_module(f"truebleu.{module}")
    assert {name: getattr(constants, name) for name in THRESHOLDS[module]} == THRESHOLDS[module]
