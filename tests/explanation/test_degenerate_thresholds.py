"""Each threshold of what is flagged, on both sides of it."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import as_test_set
from truebleu.explanation import degenerate_outputs
from truebleu.explanation.degenerate import RULES, Habits, Language, Output, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

LETTERS = "bcdfghjklmnpqrstvwxz"


def letters(count: int, seed: int = 1, alphabet: str = LETTERS) -> str:
    """A text in which no trigram comes twice."""
    random, text = Random(seed), ""  # noqa: S311
    while len(text) < count:
        letter = random.choice(alphabet)
        if (text + letter)[-3:] not in text:
            text += letter
    return text


def flags(
    output: str, reference: str, source: str | None = None, others: Sequence[str] = ()
) -> set[str]:
    """What is flagged in the first segment; `others` are further systems' outputs of it."""
    systems = {f"s{number}": [text] for number, text in enumerate((output, *others))}
    test_set = as_test_set(systems, [reference], source=None if source is None else [source])
    return {flag for flag, places in degenerate_outputs(test_set)["s0"].items() if 0 in places}


def output_of(
    text: str, reference: str, language: Language | None = None, others: Sequence[str] = ()
) -> Output:
    """An output as the rules see it; `others` are further systems' outputs of the segment."""
    output, references = Text(text), [Text(reference)]
    language = language or Language([references])
    outputs = [output, *map(Text, others)]
    return Output(
        text=output,
        source=Text(""),
        references=references,
        outputs=outputs,
        usual_length=median(map(len, outputs)),
        language=language,
        foreign=language,
        habits=Habits([output], [Text("")], [references]),
    )


@pytest.mark.parametrize("reference", [40, 100])
def test_an_output_runs_away_beyond_three_references_and_30_characters(reference: int) -> None:
    most = 3 * reference + 30
    text = letters(reference)
    assert "runaway" not in flags(letters(most, 2), text)
    assert "runaway" in flags(letters(most + 1, 2), text)


def test_an_output_below_a_quarter_of_its_reference_is_cut_short() -> None:
    reference = letters(100)
    assert "cut short" in flags(letters(24, 2), reference)
    assert "cut short" not in flags(letters(25, 2), reference)


def test_only_references_of_more_than_30_characters_show_a_cut() -> None:
    assert "cut short" not in flags("b", letters(30))
    assert "cut short" in flags("b", letters(31))


def test_an_unfinished_sentence_below_three_fifths_of_its_reference_is_cut_short() -> None:
    references = [f"{letters(99, seed)}." for seed in range(20)]
    for length, expected in ((59, (0,)), (60, ())):
        outputs = [references[0][:length], *references[1:]]
        flagged = degenerate_outputs(as_test_set({"a": outputs}, references))["a"]
        assert flagged["cut short"] == expected


@pytest.mark.parametrize(("unfinished", "expected"), [(2, (0, 1)), (3, ())])
def test_a_system_that_ends_nine_in_ten_sentences_has_the_habit(
    unfinished: int, expected: tuple[int, ...]
) -> None:
    references = [f"{letters(99, seed)}." for seed in range(20)]
    outputs = [text[:50] for text in references[:unfinished]] + references[unfinished:]
    flagged = degenerate_outputs(as_test_set({"a": outputs}, references))["a"]
    assert flagged["cut short"] == expected


def test_four_systems_tell_what_length_is_usual() -> None:
    brief, reference = letters(20, 2), letters(100)
    assert "cut short" in flags(brief, reference, others=[brief] * 2)
    assert "cut short" not in flags(brief, reference, others=[brief] * 3)


def test_a_loop_has_more_than_ten_letters() -> None:
    assert "loop" not in flags("ab" * 5 + letters(11), letters(30, 2))
    assert "loop" in flags("ab" * 6 + letters(11), letters(30, 2))


def test_three_rounds_of_more_than_20_letters_are_a_loop() -> None:
    assert "loop" not in flags("abcdef" * 3 + letters(12), letters(30, 2))
    assert "loop" in flags("abcdefg" * 3 + letters(12), letters(30, 2))


def test_a_source_of_more_than_ten_characters_should_be_translated() -> None:
    for length, expected in ((10, False), (11, True)):
        source = letters(length)
        assert ("untranslated" in flags(source, letters(20, 2, "aeiouy"), source)) == expected


def test_a_copy_has_nine_tenths_of_the_source() -> None:
    source, reference = letters(102), letters(60, 2, "aeiouy")
    # 100 trigrams, of which 90 or 89 are copied, in texts of the same length.
    for copied, expected in ((92, True), (91, False)):
        copy = source[:copied] + "a" * (len(source) - copied)
        assert ("untranslated" in flags(copy, reference, source)) == expected
    for longer, expected in ((113, True), (114, False)):
        copy = source + letters(longer - len(source), 3, "aeiouy")
        assert ("untranslated" in flags(copy, reference, source)) == expected


def test_copying_is_allowed_if_references_keep_more_than_half() -> None:
    source = letters(102)
    for kept, expected in ((52, True), (53, False)):
        reference = source[:kept] + letters(50, 2, "aeiouy")
        assert ("untranslated" in flags(source, reference, source)) == expected


def test_ten_letters_of_another_script_are_foreign() -> None:
    assert "wrong language" not in flags("комитетчн", letters(20))
    assert "wrong language" in flags("комитетчно", letters(20))


def test_foreign_letters_are_more_than_three_fifths() -> None:
    assert "wrong language" not in flags("комитетчноом" + letters(8), letters(20, 2))
    assert "wrong language" in flags("комитетчноом" + letters(7), letters(20, 2))


def test_a_script_of_a_tenth_of_the_references_is_used() -> None:
    for foreign, expected in ((10, ()), (9, (0,))):
        references = [letters(100 - foreign), "комитетчно"[:foreign]]
        test_set = as_test_set({"a": ["собралсяопять", references[1]]}, references)
        assert degenerate_outputs(test_set)["a"]["wrong language"] == expected


def test_an_answer_has_less_than_three_tenths_of_reference_or_source() -> None:
    reference = letters(102)
    # 100 trigrams; those that join the halves are in neither.
    for shared, expected in ((29, True), (30, False)):
        output = reference[: shared + 2] + letters(100 - shared, 2, "aeiouy")
        assert output_of(output, reference).is_unlike == expected


class Familiar(Language):
    """A language in which a text is as familiar as a table says, and related as another says."""

    def __init__(self, texts: dict[str, float], relations: dict[str, float] | None = None) -> None:
        self.table, self.relations = texts, relations or {}
        self.scripts, self.median_familiarity = {"LATIN"}, 0.0
        self.habits: set[str] = set()

    def familiarity(self, text: Text, *, own_count: int = 0) -> float:  # noqa: ARG002
        return self.table[text.text]

    def relation(self, text: Text, other: Text) -> float:
        return self.relations.get(f"{text.text}|{other.text}", 0.0)


def test_a_language_is_another_if_its_trigrams_are_rarer_by_seven_tenths() -> None:
    output, reference = letters(40), letters(40, 2, "aeiouy")
    for familiarity, expected in ((-0.69, False), (-0.71, True)):
        language = Familiar({output: familiarity, reference: 0.0})
        assert RULES["wrong language"](output_of(output, reference, language=language)) == expected


def test_a_language_shows_in_25_trigrams() -> None:
    reference = letters(40, 2, "aeiouy")
    for trigrams, expected in ((24, False), (25, True)):
        output = letters(trigrams + 2)
        language = Familiar({output: -9.0, reference: 0.0})
        assert RULES["wrong language"](output_of(output, reference, language=language)) == expected


def related(output: str, reference: str, relation: float) -> Output:
    """An output of so much relation to its reference, beside one of another system."""
    relations = {f"{output}|{reference}": relation, f"other|{reference}": 0.5}
    return output_of(output, reference, Familiar({}, relations), ["other"])


@pytest.mark.parametrize(
    ("alphabet", "least"), [(LETTERS, 0.14), ("委员会将于星期四上午再次开会讨论新", 0.1)]
)
def test_an_unrelated_text_has_less_than_a_seventh_of_the_reference(
    alphabet: str, least: float
) -> None:
    text, reference = letters(16, 1, alphabet), letters(40, 2, "aeiouy")
    for relation, expected in ((least - 0.005, True), (least, False)):
        output = related(text, reference, relation)
        assert output.is_unrelated(output.text) == expected


def test_another_output_must_be_related_to_the_reference() -> None:
    text, reference = letters(40), letters(40, 2, "aeiouy")
    for relation, expected in ((0.135, False), (0.14, True)):
        language = Familiar({}, {f"other|{reference}": relation})
        output = output_of(text, reference, language, ["other"])
        assert output.is_unrelated(output.text) == expected


def test_only_references_of_20_trigrams_show_that_a_text_is_unrelated() -> None:
    for trigrams, expected in ((19, False), (20, True)):
        reference = letters(trigrams + 2, 2, "aeiouy")
        output = related(letters(22), reference, 0.0)
        assert RULES["unrelated"](output) == expected


def with_extra(extra: int, rest: int, reference: int) -> Output:
    """An output of a sentence of `extra` trigrams more than its reference, and the rest."""
    text = f"{letters(extra + 2, 3)}. {letters(rest - 1, 4)}"
    return related(text, letters(reference, 2, "aeiouy"), 0.0)


@pytest.mark.parametrize(("trigrams", "expected"), [(3, False), (4, True)])
def test_an_extra_sentence_has_four_trigrams(trigrams: int, expected: bool) -> None:
    assert RULES["note"](with_extra(trigrams, 40, 40)) == expected


@pytest.mark.parametrize(("rest", "expected"), [(69, False), (70, True)])
def test_a_note_leaves_seven_tenths_of_the_reference(rest: int, expected: bool) -> None:
    assert RULES["note"](with_extra(20, rest, 100)) == expected


@pytest.mark.parametrize(("count", "expected"), [(2, ()), (3, (0, 1, 2))])
def test_three_outputs_that_begin_alike_are_a_habit(count: int, expected: tuple[int, ...]) -> None:
    references = [letters(60, seed, "aeiouy") for seed in range(20)]
    source = [letters(60, 100 + seed, "123456789") for seed in range(20)]
    answers = [letters(25) + letters(20, 50 + number) for number in range(count)]
    outputs = [*answers, *references[count:]]
    flagged = degenerate_outputs(as_test_set({"a": outputs}, references, source=source))["a"]
    assert flagged["refusal"] == expected


@pytest.mark.parametrize(("kana", "expected"), [(2, set()), (3, {"wrong language"})])
def test_chinese_with_more_than_a_tenth_of_kana_is_japanese(kana: int, expected: set[str]) -> None:
    reference = "委员会将于星期四上午再次开会讨论新的预算"
    output = reference[: 20 - kana] + "かなも"[:kana]
    assert flags(output, reference) == expected
