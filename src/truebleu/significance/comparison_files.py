"""Comparisons read back from the JSON that ``compare --format json`` printed."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from truebleu._core import VERSION
from truebleu.corpus._files import Files
from truebleu.corpus.test_set import TestSetOutline, TextWarning
from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.base import Signature
from truebleu.significance.compare import (
    RESULT_VERSION,
    Comparison,
    MetricResult,
    PairResult,
    SystemResult,
)
from truebleu.significance.people import PeopleAgreement
from truebleu.significance.settings import CompareSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Made = TypeVar("Made")

KIND = "what 'truebleu compare --format json' prints"
# Scores that are all this small, such as those of neural metrics, are shown with four decimals.
SMALL_SCORES = 2.0


def read_comparison(path: str | Path) -> Comparison:
    """Read a comparison; a file of another kind or version is refused.

    The JSON of `truebleu report` has everything that a comparison has, and is read as one.
    """
    name = str(path)
    try:
        values = json.loads(Files().contents(name))
        if not isinstance(values, dict) or "comparisons" not in values:
            raise MalformedFileError(name, None, "a file of another kind", KIND)
        return _comparison(name, values)
    except json.JSONDecodeError as error:
        found = f"damaged or cut-off JSON ({error.msg})"
        raise MalformedFileError(name, error.lineno, found, KIND) from None
    except MalformedFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, SettingError) as error:
        raise MalformedFileError(name, None, f"another layout ({error})", KIND) from None


def _comparison(path: str, values: Mapping[str, Any]) -> Comparison:
    if values["version"] != RESULT_VERSION:
        expected = f"{RESULT_VERSION}, the one that this truebleu knows"
        raise MalformedFileError(path, None, f"format version {values['version']!r}", expected)
    for kind in ("runs", "groups"):
        if kind in values:
            raise MalformedFileError(path, None, f"a comparison with {kind}", "one without them")
    systems = {
        system["name"]: {
            label: _made(SystemResult, score) for label, score in system["scores"].items()
        }
        for system in values["systems"]
    }
    if len(systems) < 2:
        raise MalformedFileError(path, None, f"{len(systems)} systems", "two or more")
    comparisons = tuple(_pair(pair) for pair in values["comparisons"])
    metrics = {
        metric["name"]: _metric(path, metric, [by[metric["name"]] for by in systems.values()])
        for metric in values["metrics"]
    }
    named = {(pair.metric, name) for pair in comparisons for name in (pair.a, pair.b)}
    if not named or any(label not in metrics or name not in systems for label, name in named):
        raise MalformedFileError(path, None, "pairs of other systems or metrics", KIND)
    return Comparison(
        test_set=_made(TestSetOutline, values["test_set"]),
        settings=_made(CompareSettings, values["settings"]),
        units=values["settings"]["units"],
        metrics=metrics,
        systems=systems,
        comparisons=comparisons,
        warnings=tuple(_made(TextWarning, warning) for warning in values["warnings"]),
    )


def _made(kind: type[Made], values: Mapping[str, Any]) -> Made:
    """An object of the values that it has; lists are tuples in it."""
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # dataclasses only
    return kind(**{name: _frozen(values[name]) for name in known if name in values})


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _pair(values: Mapping[str, Any]) -> PairResult:
    people = values.get("people")
    return _made(
        PairResult,
        {**values, "people": None if people is None else _made(PeopleAgreement, people)},
    )


def _metric(path: str, values: Mapping[str, Any], scores: list[SystemResult]) -> MetricResult:
    name, *parts = values["signature"].split("|")
    written = tuple(tuple(part.split(":", 1)) for part in parts)
    made_by = dict(written).get("version")
    if made_by != f"truebleu-{VERSION}":
        expected = f"truebleu-{VERSION}; compare the texts again"
        raise MalformedFileError(path, None, f"scores of {made_by}", expected)
    signature = Signature(name, written[:-1], values.get("tokenizer_chosen_for"))
    small = all(abs(score.score) <= SMALL_SCORES for score in scores)
    known = {**values, "signature": signature, "digits": 4 if small else 2}
    return _made(MetricResult, known)
