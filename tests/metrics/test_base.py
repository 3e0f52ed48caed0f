"""Scoring from Python, on lists of str."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu import BLEU, CHRF, TER, errors

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTPUTS = ["the cat sat on the mat", "a dog barked", "it rains"]
REFERENCES = ["the cat sat on a mat", "the dog barked", "it is raining"]


def test_one_list_of_references_will_do() -> None:
    assert BLEU().corpus(OUTPUTS, REFERENCES) == BLEU().corpus(OUTPUTS, [REFERENCES])
    assert BLEU().sentence("a b", "a b") == BLEU().sentence("a b", ["a b"])


@pytest.mark.parametrize("references", [{"a": 1}, {"a"}, 1, b"a", [], [["a"]]], ids=str)
def test_references_must_be_lists(references: Any) -> None:
    with pytest.raises(errors.TruebleuError, match="references"):
        BLEU().sentence("a", references)


def test_a_score_knows_its_parts_and_its_signature() -> None:
    score = BLEU(max_order=2).corpus(["a b c"], ["a b d"])
    assert float(score) == score.score
    assert score.to_dict() == {
        "score": pytest.approx(100 * (2 / 3 * 1 / 2) ** 0.5),
        "precisions": pytest.approx([200 / 3, 50]),
        "brevity_penalty": 1.0,
        "output_length": 3,
        "reference_length": 3,
        "matches": [2.0, 1.0],
        "totals": [3.0, 2.0],
    }
    assert "nrefs:1" in str(score.signature)
    assert str(TER().corpus(["a b c"], ["a b d"])) == "TER = 33.33"


def test_a_reference_may_be_absent_but_not_all_of_them() -> None:
    some: list[Sequence[str | None]] = [REFERENCES, [None, "the dog barked", None]]
    score = BLEU().corpus(OUTPUTS, some)
    assert "nrefs:var" in str(score.signature)
    with_copy = BLEU().corpus(OUTPUTS, [REFERENCES, REFERENCES])
    assert score.score == with_copy.score
    with pytest.raises(errors.AbsentSegmentError, match="segment 2"):
        BLEU().corpus(OUTPUTS, [["a", None, "b"]])


def test_an_absent_reference_is_not_an_empty_one() -> None:
    some: list[list[str | None]] = [["a b"], [None]]
    absent = TER().corpus(["a"], some)
    empty = TER().corpus(["a"], [["a b"], [""]])
    assert (absent.score, empty.score) == (50.0, 100.0)


@pytest.mark.parametrize(
    ("outputs", "references", "error"),
    [
        (OUTPUTS, [[reference] for reference in REFERENCES], errors.TransposedReferencesError),
        (OUTPUTS, [REFERENCES[:2]], errors.UnpairedSegmentsError),
        (OUTPUTS, REFERENCES[:2], errors.UnpairedSegmentsError),
        (OUTPUTS, [REFERENCES, REFERENCES[:2]], errors.UnpairedSegmentsError),
        (OUTPUTS, [], errors.CorpusError),
        ([], [], errors.EmptyTextError),
        ("a text", ["a text"], errors.SettingError),
        (OUTPUTS, "a text", errors.SettingError),
        (["a", None], ["a", "b"], errors.AbsentSegmentError),
        (["a", 1], ["a", "b"], errors.CorpusError),
        (["a", "b"], ["a", 1], errors.CorpusError),
        (["a", "b"], [["a", b"b"]], errors.CorpusError),
        (["a \ud800"], ["a"], errors.CorpusError),
    ],
)
def test_texts_that_do_not_fit_are_refused(
    outputs: Any, references: Any, error: type[Exception]
) -> None:
    for metric in (BLEU(), CHRF(), TER()):
        with pytest.raises(error):
            metric.corpus(outputs, references)
        with pytest.raises(error):
            metric.statistics(outputs, references)
    with pytest.raises(error):
        truebleu.score({"system": outputs}, references)


def test_systems_of_different_length_are_refused_by_name() -> None:
    with pytest.raises(errors.UnpairedSegmentsError, match="short"):
        truebleu.score({"long": OUTPUTS, "short": OUTPUTS[:2]}, REFERENCES)


def test_no_system_is_refused() -> None:
    with pytest.raises(errors.CorpusError):
        truebleu.score({}, REFERENCES)


def test_sums_of_the_wrong_width_are_refused() -> None:
    with pytest.raises(errors.SettingError, match="last axis is 10 long"):
        BLEU().score([1.0, 2.0])


def test_every_system_gets_every_metric() -> None:
    systems = {"same": REFERENCES, "other": OUTPUTS}
    scores = truebleu.score(systems, [REFERENCES], ["bleu", CHRF(word_order=2), "ter"])
    assert list(scores.signatures) == ["BLEU", "chrF2++", "TER"]
    assert scores["same"]["BLEU"].score == pytest.approx(100)
    assert scores["other"]["TER"] == TER().corpus(OUTPUTS, REFERENCES)
    with pytest.raises(KeyError):
        scores["third"]


def test_segment_scores_use_the_settings_for_segments() -> None:
    scores = truebleu.score(OUTPUTS, REFERENCES, ["bleu", "chrf"], per_segment=True)
    segments = scores.systems[0].segments
    assert segments is not None
    pairs = list(zip(OUTPUTS, REFERENCES, strict=True))
    assert list(segments["BLEU"]) == pytest.approx([BLEU().sentence(*p).score for p in pairs])
    assert list(segments["chrF2"]) == pytest.approx([CHRF().sentence(*p).score for p in pairs])


def test_a_result_is_plain_json() -> None:
    result = truebleu.score(OUTPUTS, REFERENCES, ["bleu", "ter"], per_segment=True).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["version"] == 1
    assert [metric["higher_is_better"] for metric in result["metrics"]] == [True, False]
    assert len(result["systems"][0]["scores"]["TER"]["segments"]) == 3


def test_equal_scores_are_equal_results() -> None:
    assert truebleu.score(OUTPUTS, REFERENCES) == truebleu.score(OUTPUTS, REFERENCES)


def test_ter_is_lower_is_better() -> None:
    assert (BLEU().higher_is_better, TER().higher_is_better) == (True, False)
