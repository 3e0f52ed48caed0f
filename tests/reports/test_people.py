"""What a difference means for people, in words, with the limits of what is known."""

from __future__ import annotations

from dataclasses import replace

from truebleu.reports.people import people_limits, people_sentence, people_sentences
from truebleu.significance.people import KOCMI, PeopleAgreement

SURE = PeopleAgreement(
    curve="BLEU",
    accuracy=88.4,
    with_sampling=85.6,
    coin=0.4,
    better_than_coin=True,
    source=KOCMI,
    pairs=3344,
    beyond=False,
)
COIN = replace(SURE, accuracy=50.0, with_sampling=50.0, better_than_coin=False)


def test_a_difference_has_its_share_with_and_without_sampling() -> None:
    assert people_sentence(-2.5, SURE, "BLEU", 2) == (
        "People agree in 88 % of pairs of systems that differ by 2.50 BLEU, or in 86 % with the "
        "uncertainty of this difference."
    )


def test_a_difference_that_is_too_small_is_no_better_than_a_coin() -> None:
    sentence = people_sentence(0.1, COIN, "BLEU", 2)
    assert sentence.startswith("For people, 0.10 BLEU is no better than a coin")
    assert "more than 0.40" in sentence


def test_many_differences_are_summed_up_and_unknown_ones_left_out() -> None:
    summary, limits = people_sentences([(2.5, SURE), (0.1, COIN), (1.0, None)], "BLEU", 2)
    assert summary.startswith("For people, 1 of 2 differences are no better than a coin")
    assert "in 1 of them they agree in at least 80 %" in summary
    assert limits == people_limits([SURE])
    assert list(people_sentences([(1.0, None)], "BLEU", 2)) == []


def test_the_limits_name_the_curve_and_where_it_ends() -> None:
    assert "Kocmi et al. (2024) over 3,344 pairs" in people_limits([SURE])
    own = replace(SURE, source="ours.tsv", pairs=40)
    assert "the curve of ours.tsv, fitted to 40 pairs of systems; a share" in people_limits([own])
    assert "all of which differ by less" in people_limits([own, replace(own, beyond=True)])
