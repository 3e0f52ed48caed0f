"""Claims about questions: what they default to, what they are called, and which make no sense."""

from __future__ import annotations

import pytest

from truebleu.agreement.measures import NAMES, TITLES, parse_question, parse_questions
from truebleu.errors import SettingError, UnknownNameError


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("pearson", "system|pearson"),
        ("spearman", "system|spearman"),
        ("pairwise-accuracy", "system|pairwise-accuracy"),
        ("spa", "system|soft-pairwise-accuracy"),
        ("acc-eq", "segment|acc-eq:calibrated|grouping:item|average:macro"),
        ("acc-eq:0.5", "segment|acc-eq:0.5|grouping:item|average:macro"),
        ("acc-eq:epsilon=0", "segment|acc-eq|grouping:item|average:macro"),
        ("tau_b", "segment|kendall-b|grouping:item|average:macro"),
        ("Kendall-B:level=system", "system|kendall-b"),
        ("kendall-like:25", "segment|kendall-like:25.0|grouping:item|average:pooled"),
        ("kendall-like:threshold=2,average=macro",
         "segment|kendall-like:2.0|grouping:item|average:macro"),
        ("chen-cherry", "segment|chen-cherry|grouping:item|average:pooled"),
        ("PEARSON : Level = segment , grouping=none", "segment|pearson|grouping:none"),
        ("pearson:level=segment,grouping=system,average=micro,undefined=zero",
         "segment|pearson|grouping:system|average:micro|undefined:zero"),
    ],
)  # fmt: skip
def test_a_question_says_all_that_a_value_depends_on(text: str, label: str) -> None:
    assert parse_question(text).label == label


def test_titles_are_for_people() -> None:
    assert parse_question("pearson").title() == "Pearson's r of systems"
    assert parse_question("acc-eq").title() == "acc-eq with calibrated ties, of segments, by item"
    by_document = parse_question("kendall-b").title("document")
    assert by_document == "Kendall's tau-b of documents, by item"
    compared = parse_question("chen-cherry", compared=True).title()
    assert compared == "Chen and Cherry's tau of compared segments"
    assert set(TITLES) == set(NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "unknown coefficient 'nope'"),
        ("", "unknown coefficient ''"),
        ("pearsn", "did you mean 'pearson'?"),
        ("pearson:foo=1", "unknown setting of pearson 'foo'"),
        ("pearson:level=document", "unknown level 'document'"),
        ("kendall-b:grouping=rows", "unknown grouping 'rows'"),
        ("kendall-b:average=median", "unknown average 'median'"),
        ("kendall-b:undefined=drop", "unknown undefined 'drop'"),
        ("pearson:grouping=item", "grouping of pearson: found 'item', expected nothing at system"),
        ("pearson:average=micro", "average of pearson: found 'micro', expected nothing at system"),
        ("kendall-b:grouping=none,average=micro", "expected nothing with grouping=none"),
        ("acc-eq:undefined=zero", "defined wherever there are two cells"),
        ("chen-cherry:average=macro", "pairs of all groups put together"),
        ("kendall-like", "the least difference of human scores that counts"),
        ("kendall-like:epsilon=25", "kendall-like has a threshold"),
        ("acc-eq:threshold=1", "acc-eq has epsilon instead"),
        ("pearson:0.5", "it has no threshold"),
        ("pearson:threshold=1", "threshold of pearson: found '1', expected none"),
        ("kendall-b:calibrated", "only acc-eq and tau-eq are calibrated"),
        ("acc-eq:nan", "a finite number from 0 up"),
        ("acc-eq:-1", "a finite number from 0 up"),
        ("acc-eq:epsilon=", "a number after acc-eq:"),
        ("acc-eq:1,2", "each setting once"),
        ("spa:level=segment", "without settings, of systems"),
        ("spa:epsilon=1", "without settings, of systems"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        parse_question(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("acc-eq", "ties are calibrated on scores"),
        ("pearson:level=segment", "one for pairs that people compared: kendall-a"),
        ("kendall-like:25", "one for pairs that people compared"),
        ("kendall-b:grouping=item", "nothing where people compared pairs"),
    ],
)
def test_of_comparisons_only_counts_of_pairs_can_be_asked(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        parse_question(text, compared=True)
    assert message in str(refused.value)


def test_of_comparisons_a_question_has_no_groups() -> None:
    assert parse_question("tau-13", compared=True).label == "segment|tau-13|comparisons"
    assert parse_question("pearson", compared=True).label == "system|pearson"


def test_the_same_question_is_asked_once() -> None:
    questions = parse_questions(["kendall-b", "tau-b", "kendall-b:grouping=item", "pearson"])
    assert [question.coefficient for question in questions] == ["kendall-b", "pearson"]


@pytest.mark.parametrize("texts", [[], "kendall-b"])
def test_questions_are_a_list_of_some(texts: list[str]) -> None:
    with pytest.raises(SettingError):
        parse_questions(texts)


def test_an_unknown_name_is_an_error_of_its_own() -> None:
    with pytest.raises(UnknownNameError):
        parse_question("rho")
