"""Metrics by name, and with settings as people write them: ``bleu:tokenize=zh,smooth=exp``."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.metrics.metric import Metric

# A new metric is one file and one line here.
METRICS = {
    "bleu": ("truebleu.metrics.bleu", "BLEU"),
    "chrf": ("truebleu.metrics.chrf", "CHRF"),
    "ter": ("truebleu.metrics.ter", "TER"),
}


def metric_class(name: str) -> type[Metric]:
    """The class of a metric, imported when it is asked for."""
    if name.lower() not in METRICS:
        raise UnknownNameError("metric", name, list(METRICS))
    module, attribute = METRICS[name.lower()]
    return cast("type[Metric]", getattr(import_module(module), attribute))


def parse_metric(text: str) -> Metric:
    """The metric that a text describes: a name, then a colon and settings if there are any.

    >>> parse_metric("chrf:word_order=2").name
    'chrF2++'
    """
    name, _, settings = text.partition(":")
    make = cast("Callable[..., Metric]", metric_class(name))
    known = setting_types(name)
    values: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in known:
            raise UnknownNameError(f"setting of {name}", key, list(known))
        if key in values:
            raise SettingError(f"{name}: {key}", value, "each setting once")
        values[key] = _parse(f"{name}: {key}", value, known[key])
    return make(**values)


def setting_types(name: str) -> dict[str, str]:
    """A metric's settings and their types, as its dataclass declares them."""
    # With postponed annotations a field's type is the text that the source has.
    return {field.name: str(field.type) for field in fields(cast("Any", metric_class(name)))}


def _parse(setting: str, text: str, kind: str) -> str | int | float | bool:
    if kind == "bool":
        if text.lower() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise SettingError(setting, text, "yes or no")
        # The bare word switches on: ``bleu:lowercase``.
        return text.lower() in ("yes", "true", "1", "")
    try:
        if kind == "int":
            return int(text)
        if kind.startswith("float"):
            return float(text)
    except ValueError:
        expected = "a whole number" if kind == "int" else "a number"
        raise SettingError(setting, text, expected) from None
    return text


def as_metrics(metrics: Sequence[str | Metric]) -> list[Metric]:
    """Metrics given as objects or as text."""
    return [parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
