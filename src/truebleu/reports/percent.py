"""Pass/fail scores in points of percent, for people; programs get fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Set

    from truebleu.significance.results import Comparison, PairResult

Shown = TypeVar("Shown")

# Fields of results in points of the metric, and fields without any.
IN_POINTS = frozenset(
    (
        *("score", "scores", "median", "interval", "uncorrected_interval", "new_score"),
        *("old_score", "difference", "contribution", "unattributed", "effect"),
        *("sd_of_runs", "sd_of_segments", "fixed", "drawn", "tau", "prediction"),
    )
)
OTHERS = frozenset(("settings", "test_set", "signature", "warnings", "people", "look"))
#: Decimals of percentages, and of differences in points of percent.
PERCENT_DIGITS = 1


def in_percent(result: Shown, labels: Set[str]) -> Shown:
    """Multiply the scores and differences of a result by 100.

    Args:
        result: result of `compare`, `gate` or `explain`.
        labels: labels of the metrics with pass/fail scores.
    """
    return cast("Shown", _scaled(result, labels)) if labels else result


def comparison_in_percent(comparison: Comparison) -> Comparison:
    """Multiply pass/fail scores of a comparison, and their differences, by 100."""
    labels = {label for label, metric in comparison.metrics.items() if metric.percent}
    return in_percent(comparison, labels)


def _scaled(
    value: Any, labels: Set[str], *, is_rate: bool = False, are_points: bool = False
) -> Any:
    """Multiply the fractions in a value by 100.

    Args:
        value: result, or a part of one.
        labels: labels of the metrics with pass/fail scores.
        is_rate: True if the value belongs to one of these metrics.
        are_points: True to multiply all fractions in the value; whole numbers are counts.
    """
    if isinstance(value, float):
        return 100 * value if are_points else value
    scaled = partial(_scaled, labels=labels)
    if isinstance(value, tuple):
        return tuple(scaled(part, is_rate=is_rate, are_points=are_points) for part in value)
    if isinstance(value, Mapping):
        rates = {name: is_rate or name in labels for name in value}
        return {
            name: scaled(
                part,
                is_rate=rates[name],
                are_points=are_points or (rates[name] and isinstance(part, float)),
            )
            for name, part in value.items()
        }
    if not is_dataclass(value) or isinstance(value, type):
        return value
    label = getattr(getattr(value, "comparison", value), "metric", None)
    is_rate |= label in labels
    changes: dict[str, Any] = {}
    for name, part in ((field.name, getattr(value, field.name)) for field in fields(value)):
        # Elsewhere, segments are their indices or number.
        are_contributions = name == "segments" and isinstance(part, tuple)
        are_points = is_rate and (name in IN_POINTS or are_contributions)
        if name == "digits" and is_rate:
            changes[name] = PERCENT_DIGITS
        elif name not in OTHERS:
            changes[name] = scaled(part, is_rate=is_rate, are_points=are_points)
    return replace(value, **changes)


def unit(label: str, *, percent: bool) -> str:
    """Return the unit of differences by a metric.

    >>> unit("BLEU", percent=False), unit("accuracy", percent=True)
    ('BLEU', 'points of accuracy')
    """
    return f"points of {label}" if percent else label


# Conventional sizes of Cohen's g (Cohen 1988).
SIZES = ((0.05, "negligible"), (0.15, "small"), (0.25, "medium"), (1.0, "large"))


def fixed_and_broken(pair: PairResult, items: int, *, is_first_new: bool) -> str:
    """Say how many items changed from the old model to the new one, with the effect size.

    Args:
        pair: two models by pass/fail scores.
        items: number of items.
        is_first_new: True if the first model of the pair is the new one.
    """
    fixed, broken = pair.fixed or 0, pair.broken or 0
    new, old, better, worse = pair.a, pair.b, fixed, broken
    if not is_first_new:
        new, old, better, worse = old, new, worse, better
    same = items - fixed - broken
    text = f"From {old} to {new}: {better:,} fixed, {worse:,} broken, {same:,} the same"
    if pair.effect_size is None:
        return f"{text}."
    g = pair.effect_size if is_first_new else -pair.effect_size
    size = next(name for limit, name in SIZES if abs(g) < limit)
    return f"{text} (Cohen's g = {g:+.2f}, {size})."
