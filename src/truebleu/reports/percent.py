"""Pass/fail scores in points of percent, for people; programs get fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
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
    return cast("Shown", _scaled(result, labels, is_rate=False)) if labels else result


def comparison_in_percent(comparison: Comparison) -> Comparison:
    """Multiply pass/fail scores of a comparison, and their differences, by 100."""
    labels = {label for label, metric in comparison.metrics.items() if metric.percent}
    return in_percent(comparison, labels)


def _scaled(value: Any, labels: Set[str], *, is_rate: bool) -> Any:
    if isinstance(value, Mapping):
        parts = {name: (part, is_rate or name in labels) for name, part in value.items()}
        return {
            name: 100 * part
            if rate and isinstance(part, float)
            else _scaled(part, labels, is_rate=rate)
            for name, (part, rate) in parts.items()
        }
    if isinstance(value, tuple):
        return tuple(_scaled(part, labels, is_rate=is_rate) for part in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    label = getattr(getattr(value, "comparison", value), "metric", None)
    is_rate = is_rate or label in labels
    changes: dict[str, Any] = {}
    for field in fields(value):
        part = getattr(value, field.name)
        are_points = field.name in IN_POINTS or _are_contributions(field.name, part)
        # The numbers of fixed items are whole.
        if is_rate and are_points and not isinstance(part, int):
            changes[field.name] = _in_points(part)
        elif is_rate and field.name == "digits":
            changes["digits"] = PERCENT_DIGITS
        elif field.name not in OTHERS and isinstance(part, tuple | Mapping) | is_dataclass(part):
            changes[field.name] = _scaled(part, labels, is_rate=is_rate)
    return replace(value, **changes) if changes else value


def _are_contributions(name: str, value: Any) -> bool:
    # Elsewhere, segments are their indices or number.
    return name == "segments" and isinstance(value, tuple) and isinstance(value[0], float)


def _in_points(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_in_points, value))
    if isinstance(value, Mapping):
        return {name: _in_points(part) for name, part in value.items()}
    return None if value is None else 100 * value


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
