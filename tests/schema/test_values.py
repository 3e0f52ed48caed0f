"""Settings and results as JSON, and compared by value."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

import truebleu


def test_numbers_of_any_kind_are_numbers_down_to_the_json() -> None:
    texts = {"a": ["the cat sat"] * 30, "b": ["a cat sat"] * 30}
    references = ["the cat sat on"] * 30
    ours = truebleu.compare(texts, references, replicates=100, seed=5, level=0.9)
    level: Any = Fraction(9, 10)
    theirs = truebleu.compare(
        texts, references, replicates=np.int64(100), seed=np.uint64(5), level=level
    )
    assert json.dumps(theirs.to_dict()) == json.dumps(ours.to_dict())
