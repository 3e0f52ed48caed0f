"""Metrics by name, and with settings as people write them: ``bleu:tokenize=zh,smooth=exp``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, cast

from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.metrics.metric import Metric

# A new metric is one file and one line here.
METRICS = {
    "bleu": ("truebleu.metrics.bleu", "BLEU"),
    "chrf": ("truebleu.metrics.chrf", "CHRF"),
    "depf": ("truebleu.metrics.dependency", "DependencyF"),
    "gtm": ("truebleu.metrics.gtm", "GTM"),
    "length": ("truebleu.metrics.length", "LengthRatio"),
    "mbleu": ("truebleu.metrics.mbleu", "MBLEU"),
    "nist": ("truebleu.metrics.nist", "NIST"),
    "per": ("truebleu.metrics.per", "PER"),
    "scores": ("truebleu.metrics.given", "GivenScores"),
    "sentbleu": ("truebleu.metrics.sentence_bleu", "SentenceBLEU"),
    "ter": ("truebleu.metrics.ter", "TER"),
    "wer": ("truebleu.metrics.wer", "WER"),
}


def metric_class(name: str) -> Callable[..., Metric]:
    """What makes a metric of its settings, imported when it is asked for.

    It is a class, or else a function of another package. Names that are not built in are looked up
    among the entry points of installed packages.
    """
    if name.lower() in METRICS:
        module, attribute = METRICS[name.lower()]
        return cast("Callable[..., Metric]", getattr(import_module(module), attribute))
    from truebleu.metrics.plugins import load_plugin, plugin_names

    plugin = load_plugin(name)
    if plugin is None:
        raise UnknownNameError("metric", name, [*METRICS, *plugin_names()])
    return plugin


def parse_metric(text: str) -> Metric:
    """The metric that a text describes: a name, then a colon and settings if there are any.

    >>> parse_metric("chrf:word_order=2").name
    'chrF2++'
    """
    name, _, settings = text.partition(":")
    make = metric_class(name)
    parameters = _parameters(make)
    known = {key: _type_text(parameter.annotation) for key, parameter in parameters.items()}
    values: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in known:
            raise UnknownNameError(f"setting of {name}", key, list(known))
        if key in values:
            raise SettingError(f"{name}: {key}", value, "each setting once")
        values[key] = _parse(f"{name}: {key}", value, known[key])
    for key, parameter in parameters.items():
        if parameter.default is Parameter.empty and key not in values:
            raise SettingError(f"{name}: {key}", "nothing", f"a value, as in {name}:{key}=…")
    return make(**values)


def _parameters(make: Callable[..., Metric]) -> dict[str, Parameter]:
    """What can be set in text: the arguments with a name, but for those that hold objects."""
    hidden: set[str] = set()
    if is_dataclass(make):
        hidden = {field.name for field in fields(make) if not field.metadata.get("text", True)}
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {
        name: parameter
        for name, parameter in signature(make).parameters.items()
        if parameter.kind in named and name not in hidden
    }


def _type_text(annotation: Any) -> str:
    """The first type that an annotation names: with postponed annotations, it is text itself."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return text.replace("typing.", "").removeprefix("Optional[").split("|")[0].strip(" ]")


def _parse(setting: str, text: str, kind: str) -> str | int | float | bool:
    if kind == "bool":
        if text.lower() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise SettingError(setting, text, "yes or no")
        # The bare word switches on: ``bleu:lowercase``.
        return text.lower() in ("yes", "true", "1", "")
    try:
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
    except ValueError:
        expected = "a whole number" if kind == "int" else "a number"
        raise SettingError(setting, text, expected) from None
    return text


def as_metrics(metrics: Sequence[str | Metric]) -> list[Metric]:
    """Metrics given as objects or as text; a lone text is one metric."""
    if isinstance(metrics, str):
        return [parse_metric(metrics)]
    if not isinstance(metrics, Iterable):
        raise SettingError("metrics", metrics, "a list, such as ['bleu', 'chrf']")
    parsed = [parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
    if not parsed:
        raise SettingError("metrics", metrics, "at least one, such as 'bleu'")
    for metric in parsed:
        if isinstance(metric, type):
            raise SettingError("metrics", metric, f"an object, such as {metric.__name__}()")
    return parsed
