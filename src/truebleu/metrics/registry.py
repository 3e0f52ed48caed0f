"""Metrics of other packages, which announce them by entry points of the group truebleu.metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, cast

from truebleu.errors import PluginError, SettingError, UnknownNameError
from truebleu.metrics.base import Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.metadata import EntryPoint


GROUP = "truebleu.metrics"


def plugin_names() -> list[str]:
    """The names of all metrics that other installed packages offer."""
    return sorted({entry.name.lower() for entry in _entry_points()})


def load_plugin(name: str) -> Callable[..., Metric] | None:
    """What makes the metric of that name: a class or a function; None where nobody offers it."""
    entries = [entry for entry in _entry_points() if entry.name.lower() == name.lower()]
    if not entries:
        return None
    if len({entry.value for entry in entries}) > 1:
        packages = " and ".join(sorted(map(_package, entries)))
        raise PluginError(name, packages, "they offer different metrics of this name")
    return _load(name, entries[0])


def _load(name: str, entry: EntryPoint) -> Callable[..., Metric]:
    try:
        loaded = entry.load()
    # Importing runs the package's code, which may fail in any way.
    except Exception as error:
        reason = f"{entry.value} cannot be loaded ({type(error).__name__}: {error})"
        raise PluginError(name, _package(entry), reason) from error
    if isinstance(loaded, type):
        if not issubclass(loaded, Metric):
            reason = f"{entry.value} is a class but no truebleu.metrics.Metric"
            raise PluginError(name, _package(entry), reason)
        lacking = ", ".join(sorted(loaded.__abstractmethods__))
        if lacking:
            raise PluginError(name, _package(entry), f"{entry.value} does not define {lacking}")
        return cast("Callable[..., Metric]", loaded)
    if not callable(loaded):
        reason = f"{entry.value} is neither a class nor a function that returns a metric"
        raise PluginError(name, _package(entry), reason)
    return _checked(name, entry, loaded)


def _checked(name: str, entry: EntryPoint, make: Callable[..., object]) -> Callable[..., Metric]:
    from functools import wraps

    @wraps(make)
    def make_metric(**settings: object) -> Metric:
        metric = make(**settings)
        if not isinstance(metric, Metric):
            kind = type(metric).__name__
            reason = f"{entry.value} returned {kind}, expected a truebleu.metrics.Metric"
            raise PluginError(name, _package(entry), reason)
        return metric

    return make_metric


def _entry_points() -> list[EntryPoint]:
    # The module takes longer to import than most commands to run.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed package"


# Metrics by name, and with settings as people write them: ``bleu:tokenize=zh,smooth=exp``.


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


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """A label for each metric: its name, and what tells it from others of that name.

    >>> metric_labels([parse_metric("bleu"), parse_metric("bleu:tokenize=intl")])
    ['BLEU[tok:13a]', 'BLEU[tok:intl]']
    """
    names = Counter(metric.name for metric in metrics)
    return [
        metric.name if names[metric.name] == 1 else _distinct_label(metric, metrics)
        for metric in metrics
    ]


def _distinct_label(metric: Metric, metrics: Sequence[Metric]) -> str:
    namesakes = [other.signature.fields for other in metrics if other.name == metric.name]
    own = metric.signature.fields
    differing = [
        f"{key}:{value}"
        for key, value in own
        if any((key, value) not in fields for fields in namesakes)
    ]
    return f"{metric.name}[{' '.join(differing)}]" if differing else metric.name
