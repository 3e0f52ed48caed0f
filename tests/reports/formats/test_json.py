"""JSON: the result's own values, and the sentences that people read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reports.formats.examples import SENTENCES, study_document
from truebleu.reports.formats.json import render


class Values:
    def __init__(self, **values: Any) -> None:
        self.values = values

    def to_dict(self) -> dict[str, Any]:
        return dict(self.values)


def test_values_keep_every_digit_and_sentences_stand_beside_them() -> None:
    written = render(study_document(), Values(score=1 / 3, name="ältere"))  # type: ignore[arg-type]
    assert json.loads(written) == {
        "score": 1 / 3,
        "name": "ältere",
        "sentences": list(SENTENCES),
    }
    assert "ältere" in written
    assert written.endswith("}\n")


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        render(study_document(), Values(score=float("nan")))  # type: ignore[arg-type]


def test_a_document_without_sentences_adds_none() -> None:
    written = render(study_document(sentences=()), Values(score=1))  # type: ignore[arg-type]
    assert json.loads(written) == {"score": 1}
