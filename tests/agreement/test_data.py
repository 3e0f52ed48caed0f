"""Claims about judged systems: which scores stand side by side, and which way round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.agreement.judged_texts import RATES, comparisons, human_scores, people, texts
from truebleu.agreement.data import Judgments, agreement_data, human_data, shares_of_wins
from truebleu.corpus import TestSet
from truebleu.counts.counting import count_texts
from truebleu.errors import MalformedFileError, SettingError, UnpairedSegmentsError
from truebleu.human import Judgment
from truebleu.scores.given import GivenScores
from truebleu.significance.scores import score


def part(test_set: TestSet, keep: list[bool]) -> TestSet:
    """Only some segments."""

    def kept(text: object) -> list[str]:
        return [one for one, here in zip(list(text), keep, strict=True) if here]  # type: ignore[call-overload]

    return replace(
        test_set,
        systems={name: kept(text) for name, text in test_set.systems.items()},
        references=tuple(kept(text) for text in test_set.references),
        source=None,
        documents=None,
        domains=None,
    )


def test_items_are_the_metrics_scores_of_single_segments() -> None:
    judged = agreement_data(count_texts(texts(), ["bleu", "chrf"]), human_scores())
    expected = score(texts(), metrics=["bleu", "chrf"], per_segment=True)
    for label in ("BLEU", "chrF2"):
        rows = [system.segments[label] for system in expected.systems if system.segments]
        np.testing.assert_array_equal(judged.metrics[label].items, np.array(rows, dtype=float))


def test_systems_are_scored_on_the_whole_text() -> None:
    judged = agreement_data(count_texts(texts(), ["bleu", "ter"]), human_scores(whole=False))
    expected = score(texts(), metrics=["bleu", "ter"])
    for label, sign in (("BLEU", 1), ("TER", -1)):
        scores = [sign * expected[name][label].score for name in RATES]
        np.testing.assert_allclose(judged.metrics[label].systems, scores, rtol=1e-12)


def test_rated_systems_are_scored_on_what_people_rated_of_them() -> None:
    human = human_scores(whole=False)
    judged = agreement_data(count_texts(texts()), human, system_scores="rated")
    for number, (name, row) in enumerate(human.scores.items()):
        own = part(texts(), [score is not None for score in row])
        expected = score(own, metrics=["bleu"])[name]["BLEU"].score
        assert judged.metrics["BLEU"].systems[number] == pytest.approx(expected, rel=1e-12)


def test_scores_of_a_lower_is_better_metric_are_negated() -> None:
    judged = agreement_data(count_texts(texts(), "ter"), human_scores())
    expected = score(texts(), metrics=["ter"], per_segment=True)
    items = judged.metrics["TER"].items
    assert items is not None
    first = expected.systems[0].segments
    assert first is not None
    np.testing.assert_array_equal(-items[0], np.array(first["TER"], dtype=float))


@pytest.mark.parametrize("level", ["document", "domain"])
def test_documents_and_domains_are_scored_as_the_texts_that_they_are(level: str) -> None:
    test_set = texts()
    labels = test_set.documents if level == "document" else test_set.domains
    assert labels is not None
    # Not in the order of the test set, and one of them judged by nobody.
    items = tuple(reversed(dict.fromkeys(labels)))[:-1]
    scores = {name: tuple(float(i) for i in range(len(items))) for name in RATES}
    judged = agreement_data(count_texts(test_set), people(scores, level, items))  # type: ignore[arg-type]
    found = judged.metrics["BLEU"].items
    assert found is not None
    for place, item in enumerate(items):
        own = score(part(test_set, [label == item for label in labels]), metrics=["bleu"])
        expected = [own[name]["BLEU"].score for name in RATES]
        np.testing.assert_allclose(found[:, place], expected, rtol=1e-12)
    whole = score(test_set, metrics=["bleu"])
    expected = [whole[name]["BLEU"].score for name in RATES]
    np.testing.assert_allclose(judged.metrics["BLEU"].systems, expected, rtol=1e-12)
    assert judged.human is not None
    assert np.isnan(judged.human[:, -1]).all()


def test_whole_systems_have_no_items() -> None:
    scores = {name: (100 - 100 * rate,) for name, rate in RATES.items()}
    judged = agreement_data(count_texts(texts()), people(scores, "system"))
    assert (judged.human, judged.judgments, judged.metrics["BLEU"].items) == (None, None, None)
    assert judged.people.means.tolist() == [row[0] for row in scores.values()]


def test_shares_of_wins_leave_ties_out() -> None:
    # By hand: 0 beats 1 twice and loses to 2 once; 2 also ties 1, and 3 only ties.
    judgments = Judgments(
        left=np.array([0, 1, 0, 2, 3]),
        right=np.array([1, 0, 2, 1, 0]),
        item=np.array([0, 0, 1, 1, 2]),
        verdict=np.array([1, -1, -1, 0, 0]),
    )
    shares = shares_of_wins(judgments, 4)
    np.testing.assert_array_equal(shares, [2 / 3, 0.0, 1.0, np.nan])


def test_only_outputs_that_were_judged_need_a_score() -> None:
    human = people({"good": (5.0, None), "bad": (1.0, None)})
    test_set = TestSet(
        systems={"good": ["a b", "c"], "bad": ["a", "c d"]},
        references=(["a b", "c d"],),
        reference_names=("ref",),
    )
    metric = GivenScores.of({"good": [0.9, None], "bad": [0.2, None]}, name="M", missing="omit")
    counts = count_texts(test_set, metric)
    judged = agreement_data(counts, human)
    assert judged.metrics["M"].systems.tolist() == pytest.approx([0.9, 0.2])
    assert judged.metrics["M"].items is not None
    assert judged.metrics["M"].items[:, 0].tolist() == [0.9, 0.2]
    other = people({"good": (5.0, 4.0), "bad": (1.0, None)})
    with pytest.raises(SettingError, match=r"M of 'good', segment 2: 'no score'"):
        agreement_data(counts, other)


def test_comparisons_need_scores_of_the_compared_outputs_only() -> None:
    human = comparisons()
    used = {(j.left, j.segment) for j in human.judgments}
    used |= {(j.right, j.segment) for j in human.judgments}
    scores = {
        name: [0.5 if (name, segment) in used else None for segment in range(len(texts()))]
        for name in RATES
    }
    metric = GivenScores.of(scores, name="M", missing="omit")
    assert agreement_data(count_texts(texts(), metric), human).metrics["M"].items is not None


def test_unjudged_systems_are_left_out() -> None:
    scores = {name: row for name, row in human_scores().scores.items() if name != "twin"}
    assert human_data(texts().outline, people(scores)).systems == ("good", "fair", "poor", "bad")
    nothing = {**scores, "twin": (None,) * len(texts())}
    assert human_data(texts().outline, people(nothing)).systems == ("good", "fair", "poor", "bad")


def test_judgments_must_be_of_the_test_set() -> None:
    whole = human_scores().scores
    with pytest.raises(MalformedFileError, match="judgments of 'other'"):
        human_data(texts().outline, people({**whole, "other": whole["good"]}))
    with pytest.raises(UnpairedSegmentsError, match="39 segments, but the test set has 40"):
        human_data(texts().outline, people({name: row[1:] for name, row in whole.items()}))
    with pytest.raises(UnpairedSegmentsError, match="bad: 39 segments, but the test set has 40"):
        human_data(texts().outline, people({**whole, "bad": whole["bad"][1:]}))
    with pytest.raises(MalformedFileError, match="at least two systems"):
        human_data(texts().outline, people({"good": whole["good"]}))
    strange = people(dict.fromkeys(RATES, (1.0,)), "document", ("nowhere",))
    with pytest.raises(MalformedFileError, match="document 'nowhere'"):
        human_data(texts().outline, strange)
    beyond = replace(comparisons(), judgments=(Judgment(40, "good", "bad", 1),))
    with pytest.raises(UnpairedSegmentsError):
        human_data(texts().outline, beyond)


def test_documents_must_be_known() -> None:
    unknown = replace(texts(), documents=None)
    human = people(dict.fromkeys(RATES, (1.0,)), "document", ("document-1",))
    with pytest.raises(SettingError, match="a test set with documents"):
        human_data(unknown.outline, human)


def test_systems_cannot_be_scored_on_rated_segments_that_are_not_known() -> None:
    with pytest.raises(SettingError, match="system_scores"):
        agreement_data(count_texts(texts()), comparisons(), system_scores="rated")
