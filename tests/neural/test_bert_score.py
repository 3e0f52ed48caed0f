"""BERTScore in this process, with a package that stands in."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import truebleu
import truebleu.neural.bert_score as bert_score
import truebleu.neural.metrics
from tests.neural.stand_ins import plain_score
from truebleu.errors import RefusedError

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet


class Scorer:
    def __init__(self, *, model_type: str, num_layers: int | None, **_: object) -> None:
        if num_layers == 99:
            raise AssertionError("Invalid num_layers: num_layers should be between 0 and 12")
        self.model = model_type

    def score(
        self, outputs: list[str], references: list[str], **_: object
    ) -> tuple[list[float], list[float], list[float]]:
        f1 = [plain_score(*pair) for pair in zip(outputs, references, strict=True)]
        return [0.0] * len(f1), [1.0] * len(f1), f1


@pytest.fixture(autouse=True)
def package(hub: object, monkeypatch: pytest.MonkeyPatch) -> None:
    del hub
    module = ModuleType("bert_score")
    module.BERTScorer = Scorer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bert_score", module)
    versions = {"bert-score": "0.3.13", "torch": "2.1"}
    monkeypatch.setattr(truebleu.neural.metrics, "installed_versions", lambda *_: versions)
    bert_score._load.cache_clear()


def test_the_score_is_f1(texts: TestSet) -> None:
    counts = truebleu.count(texts, metrics="bertscore")
    assert counts.metrics[0].rows.floats()[3, 1, 0] == plain_score("Yeah.", "Yes.")
    signature = str(counts.signature(counts.metrics[0]))
    assert signature.startswith("BERTScore|nrefs:1|model:bert-base-multilingual-cased|rev:0123")
    assert "|layer:default|bert-score:0.3.13|torch:2.1|" in signature


def test_a_layer_that_the_model_lacks_is_a_sentence(texts: TestSet) -> None:
    with pytest.raises(RefusedError, match="BERTScore: AssertionError: Invalid num_layers"):
        truebleu.score(texts, metrics="bertscore:layers=99")
