"""What is flagged, and what is not."""

from __future__ import annotations

import pytest

from truebleu.corpus import as_test_set
from truebleu.explanation import degenerate_outputs

REFERENCE = "The committee will meet again on Thursday morning."
SOURCE = "Der Ausschuss tagt erneut am Donnerstagmorgen."


def flags(output: str, reference: str = REFERENCE, source: str | None = SOURCE) -> set[str]:
    test_set = as_test_set(
        {"a": [output]}, [reference], source=None if source is None else [source]
    )
    return {flag for flag, places in degenerate_outputs(test_set)["a"].items() if places}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (REFERENCE, set()),
        ("On Thursday the committee meets.", set()),
        ("", {"empty"}),
        (" \u200b\t", {"empty"}),
        ("Meet.", {"cut short"}),
        (SOURCE, {"untranslated"}),
        ("I am sorry, but I would rather explain this. " + "x" * 200, {"runaway"}),
        ("the cat is on " * 4, {"loop"}),
        ("Комитет снова соберётся в четверг утром.", {"wrong script"}),
        ("The Комитет will meet again on Thursday.", set()),
    ],
)  # fmt: skip
def test_each_fault_has_its_flag(output: str, expected: set[str]) -> None:
    assert flags(output) == expected


def test_a_repeated_reference_may_be_repeated() -> None:
    chorus = "la la la la " * 5
    assert flags(chorus, reference=chorus, source=chorus) == set()


def test_a_copied_name_is_no_untranslated_output() -> None:
    assert flags("Buenos Aires, Argentina", "Buenos Aires, Argentina", "Buenos Aires, Argentina") == set()  # fmt: skip  # noqa: E501
    assert flags("Weimar", "Weimar an der Ilm", "Weimar") == set()


def test_without_a_source_nothing_is_untranslated() -> None:
    assert flags(SOURCE, source=None) == set()


def test_japanese_scripts_go_together() -> None:
    assert flags("カタカナだけ", reference="漢字とひらがな", source=None) == set()


def test_lengths_are_held_against_the_reference_that_excuses_most() -> None:
    test_set = as_test_set({"a": ["word " * 30]}, [["short"], ["word " * 12]])
    assert degenerate_outputs(test_set)["a"]["runaway"] == ()
