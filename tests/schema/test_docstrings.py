"""Docstrings describe parameters, each in a line or more."""

from __future__ import annotations

from truebleu.schema.docstrings import argument_lines, with_arguments

DOCUMENT = """Do something.

    Args:
        first: what comes
            first.
        second: another.

    Returns:
        Nothing.
    """


def test_lines_of_a_parameter_are_joined() -> None:
    assert argument_lines(DOCUMENT) == {"first": "what comes first.", "second": "another."}
    assert argument_lines("Do something.") == {}


def test_all_parameters_are_described_in_the_order_of_the_signature() -> None:
    document = with_arguments(DOCUMENT, {"first": "", "third": "a third.", "second": "ignored."})
    assert document == (
        "Do something.\n\nArgs:\n    first: what comes first.\n    third: a third.\n"
        "    second: another.\n\nReturns:\n    Nothing."
    )


def test_a_function_without_a_docstring_has_none() -> None:
    assert with_arguments(None, {"first": "help"}) is None
