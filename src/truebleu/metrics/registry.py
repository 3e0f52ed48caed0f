"""Metrics by name and with settings.

Settings follow the name: ``bleu:tokenize=zh,smooth=exp``. Other packages add metrics by entry
points of the group truebleu.metrics.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, isclass, signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from truebleu.corpus._files import parse_location
from truebleu.errors import SettingError, TruebleuError, UnknownNameError
from truebleu.metrics.base import Metric, ScoreProvider
from truebleu.metrics.plugins import load_plugin, plugin_names
from truebleu.schema import read_type, require_type, type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truebleu.metrics.base import Requested, Scorer


__all__ = ["metric_labels", "parse_metric"]

# A new metric is one file and one line here.
METRICS = {
    "bleu": ("truebleu.metrics.bleu", "BLEU"),
    "bertscore": ("truebleu.neural.metrics", "BertScore"),
    "chrf": ("truebleu.metrics.chrf", "CHRF"),
    "comet": ("truebleu.neural.metrics", "Comet"),
    "cometkiwi": ("truebleu.neural.metrics", "CometKiwi"),
    "command": ("truebleu.neural.metrics", "CommandMetric"),
    "depf": ("truebleu.metrics.dependency", "DependencyF"),
    "gtm": ("truebleu.metrics.gtm", "GTM"),
    "length": ("truebleu.metrics.length", "LengthRatio"),
    "mbleu": ("truebleu.metrics.bleu", "MBLEU"),
    "metricx": ("truebleu.neural.metrics", "MetricX"),
    "nist": ("truebleu.metrics.nist", "NIST"),
    "per": ("truebleu.metrics.word_errors", "PER"),
    "scores": ("truebleu.scores.given", "GivenScores"),
    "sentbleu": ("truebleu.metrics.bleu", "SentenceBLEU"),
    "spans": ("truebleu.human.spans", "SpanMeasure"),
    "ter": ("truebleu.metrics.ter", "TER"),
    "wer": ("truebleu.metrics.word_errors", "WER"),
    "xcomet": ("truebleu.neural.metrics", "XComet"),
}


def metric_class(name: str) -> Callable[..., Requested]:
    """Import and return the class, or the function of another package, that makes a metric.

    Names that are not built in are looked up among the entry points of installed packages.
    """
    if name.lower() in METRICS:
        module, attribute = METRICS[name.lower()]
        return cast("Callable[..., Requested]", getattr(import_module(module), attribute))

    plugin = load_plugin(name)
    if plugin is None:
        raise UnknownNameError("metric", name, [*METRICS, *plugin_names()])
    return plugin


# Other names of metrics, with the settings that they imply.
ALIASES = {
    "chrfpp": ("chrf", {"word_order": 2}),
    "m-bleu": ("mbleu", {}),
    "sentence-bleu": ("sentbleu", {}),
    "sentencebleu": ("sentbleu", {}),
}
# A comma that is not between quotes, as in command:run="a, b".
_COMMAS = re.compile(r',(?=(?:[^"]|"[^"]*")*$)')
# Endings of files with scores; other names that are no metric may be scores of items.
_SCORE_FILE = re.compile(r"[^=]*(\.(jsonl?|[tc]sv|txt|parquet|scores?|eval)(\.\w+)?(#.*)?$)")
# chrF's own names: chrF, chrF2, chrF++, chrF2++, chrF3.
_CHRF = re.compile(r"chrf(?P<beta>\d*)(?P<pluses>\+*)")


def _resolve_alias(name: str) -> tuple[str, dict[str, Any]]:
    """Return the metric that a name means, and the settings that the name implies."""
    lower = name.strip().lower()
    if lower in METRICS:
        return lower, {}
    if lower in ALIASES:
        metric, settings = ALIASES[lower]
        return metric, dict(settings)
    if (chrf := _CHRF.fullmatch(lower)) is not None:
        implied = {"beta": int(chrf["beta"])} if chrf["beta"] else {}
        return "chrf", implied | ({"word_order": len(chrf["pluses"])} if chrf["pluses"] else {})
    if lower == "spbleu":
        expected = (
            "bleu:tokenize=spm:PATH with the SentencePiece model, or bleu:tokenize=flores200 if "
            "sacreBLEU has downloaded it; scores by different models are not comparable"
        )
        raise SettingError("metric", name, expected)
    return name.strip(), {}


def parse_metric(text: str) -> Metric:
    """Parse a metric: a name, and settings after a colon.

    >>> parse_metric("chrf:word_order=2").name, parse_metric("chrF3").name
    ('chrF2++', 'chrF3')
    """
    require_type("text", text, str, "a name")
    return _require_metric(parse_requested(text))


def parse_requested(text: str) -> Requested:
    """Parse a metric, or scores of another program; raises SettingError for several."""
    metrics = parse_metrics(text)
    require_known(metrics)
    if len(metrics) != 1:
        raise SettingError("metric", text, "one metric")
    return metrics[0]


def parse_metrics(text: str) -> list[Requested]:
    """Parse metrics separated by commas, each with its settings after a colon.

    Commas separate settings as well: after a colon, KEY=VALUE and names of settings belong to the
    metric before, and anything else begins the next metric.

    >>> [metric.name for metric in parse_metrics("bleu:tokenize=zh,lowercase,chrf++,ter")]
    ['BLEU', 'chrF2++', 'TER']
    """
    first, *rest = text.split(",") if '"' not in text else _COMMAS.split(text)
    metrics = [_MetricText(first)]
    for piece in rest:
        if metrics[-1].takes(piece):
            metrics[-1].settings.append(piece)
        else:
            metrics.append(_MetricText(piece))
    return [text.metric() for text in metrics]


class _MetricText:
    """The text of a metric, piece by piece."""

    def __init__(self, piece: str) -> None:
        self.name, colon, setting = piece.partition(":")
        self.has_settings = bool(colon)
        self.settings = [setting]
        metric, self.implied = _resolve_alias(self.name)
        self.make: Callable[..., Requested]
        is_name = bool(piece.strip()) and not colon
        if is_metric_name(self.name) or not (is_name or _names_file(self.name)):
            self.make = metric_class(metric)
        else:
            self.make, self.implied = metric_class("scores"), _given_scores(metric)
        if metric == "scores" and _names_file(setting):
            self.implied, self.settings = _given_scores(setting), []
        self.parameters = _parameters(self.make)

    def takes(self, piece: str) -> bool:
        """Return whether a piece after a comma is a setting of this metric."""
        word = piece.partition(":")[0]
        if not self.has_settings:
            return False
        return (
            "=" in word
            or word in self.parameters
            or not (is_metric_name(word) or _names_file(word))
        )

    def metric(self) -> Requested:
        """Make the metric."""
        return self.make(**read_settings(self.name, self.settings, self.make, self.implied))


def _names_file(text: str) -> bool:
    return bool(text) and (os.path.exists(text) or _SCORE_FILE.match(text) is not None)


def _given_scores(name: str) -> dict[str, Any]:
    """Return the settings of scores that are named by their file, or as a score of the items."""
    if not _names_file(name):
        return {"column": name, "is_name": True}
    location = parse_location(name)
    return {"path": location.path, "column": location.column or ""}


def require_known(metrics: Iterable[Requested]) -> None:
    """Check that no metric is only the name of a score of items; raises UnknownNameError."""
    for metric in metrics:
        if getattr(metric, "is_name", False):
            raise UnknownNameError("metric", str(metric), [*METRICS, *plugin_names()])


def read_settings(
    name: str,
    settings: Iterable[str],
    make: Callable[..., Any],
    implied: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Parse the arguments of `make`, each written as KEY=VALUE.

    Args:
        name: name of the metric in messages.
        settings: texts of the arguments; empty ones are ignored.
        make: class or function that takes the arguments.
        implied: settings that the name implies.
    """
    parameters = _parameters(make)
    has_fields = not isclass(make) or is_dataclass(make)
    hints = type_hints(make if has_fields else make.__init__)
    values = dict(implied or {})
    for setting in filter(None, settings):
        key, _, value = setting.partition("=")
        if key not in parameters:
            raise UnknownNameError(f"setting of {name}", key, list(parameters))
        if key in values:
            raise SettingError(f"{name}: {key}", value, "each setting once")
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        values[key] = _parse(f"{name}: {key}", value, read_type(key, hints.get(key)).kind)
    for key, parameter in parameters.items():
        if parameter.default is Parameter.empty and key not in values:
            raise SettingError(f"{name}: {key}", "nothing", f"a value, as in {name}:{key}=…")
    return values


Named = TypeVar("Named")


def by_name(kind: str, text: str, table: Mapping[str, Callable[..., Named]]) -> Named:
    """Make the object that a text names, with its settings: ``mira:epochs=10,step=0.1``.

    Args:
        kind: kind of object in messages.
        text: name in the table; settings follow a colon.
        table: classes or functions that make the objects, by name.
    """
    name, _, settings = text.partition(":")
    if name not in table:
        raise UnknownNameError(kind, name, list(table))
    return table[name](**read_settings(name, settings.split(","), table[name]))


def is_metric_name(name: str) -> bool:
    """Return whether a text names a metric, by any of its names and in any case."""
    try:
        return _resolve_alias(name)[0] in METRICS or name.strip().lower() in plugin_names()
    except SettingError:  # a name with advice
        return True


def _parameters(make: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the named arguments that text can set; arguments that hold objects are left out."""
    hidden: set[str] = set()
    if is_dataclass(make):
        hidden = {field.name for field in fields(make) if not field.metadata.get("text", True)}
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {
        name: parameter
        for name, parameter in signature(make).parameters.items()
        if parameter.kind in named and name not in hidden
    }


def default_settings(make: Callable[..., Any]) -> str:
    """Format the settings of a metric or a tuner with their defaults, as text after the colon.

    >>> default_settings(metric_class("wer"))
    'tokenize=none,lowercase=no'
    """
    return ",".join(
        f"{name}={_format_value(parameter.default)}"
        for name, parameter in _parameters(make).items()
    )


def _format_value(default: object) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    text = "" if default is None or default is Parameter.empty else str(default)
    return f'"{text}"' if "," in text else text


def _parse(setting: str, text: str, kind: type | None) -> str | int | float | bool:
    if kind is bool:
        if text.lower() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise SettingError(setting, text, "yes or no")
        # A name without a value means yes: ``bleu:lowercase``.
        return text.lower() in ("yes", "true", "1", "")
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise SettingError(setting, text, expected) from None


def format_metric(metric: Metric) -> str | None:
    """Format a metric with its settings that are not the default; None if it has no name.

    >>> format_metric(parse_metric("bleu:tokenize=zh,max_order=2"))
    'bleu:max_order=2,tokenize=zh'
    """
    home = type(metric).__module__, type(metric).__qualname__
    name = next((name for name, source in METRICS.items() if source == home), None)
    if name is None:
        return None
    settings = [
        f"{key}={_format_value(getattr(metric, key))}"
        for key, parameter in _parameters(type(metric)).items()
        if getattr(metric, key) != parameter.default
    ]
    text = ":".join((name, *([",".join(settings)] if settings else [])))
    try:
        return text if as_requested(text) == [metric] else None
    except TruebleuError:
        return None


#: Metrics in any accepted form: "bleu", "bleu,chrf", BLEU(), or a list of these.
MetricsLike: TypeAlias = "str | Requested | Sequence[str | Requested]"


def as_requested(metrics: MetricsLike | None, default: str | None = None) -> list[Requested]:
    """Parse metrics, and scores of other programs, given as objects or as text.

    None stands for `default`, which is no metrics if it is empty.
    """
    metrics = default if metrics is None else metrics
    if metrics == "" == default:
        return []
    if isinstance(metrics, str):
        return parse_metrics(metrics)
    if not isinstance(metrics, Iterable):
        metrics = [cast("Requested", metrics)]
    parsed: list[Requested] = []
    for metric in metrics:
        parsed += parse_metrics(metric) if isinstance(metric, str) else [metric]
    if not parsed:
        raise SettingError("metrics", metrics, "at least one, such as 'bleu'")
    for metric in parsed:
        if isinstance(metric, type):
            raise SettingError("metrics", metric, f"an object, such as {metric.__name__}()")
        if not isinstance(metric, Metric | ScoreProvider):
            raise SettingError("metrics", metric, "names such as 'bleu', or objects such as BLEU()")
    return parsed


def as_metrics(metrics: MetricsLike) -> list[Metric]:
    """Parse metrics that count texts; raises SettingError for scores of other programs."""
    return [_require_metric(metric) for metric in as_requested(metrics)]


def _require_metric(metric: Requested) -> Metric:
    require_known([metric])
    if not isinstance(metric, Metric):
        expected = "a metric that counts texts, such as bleu"
        raise SettingError("metric", "scores of another program", expected)
    return metric


def require_distinct(labels: Sequence[str]) -> None:
    """Check that no metric occurs twice; raises SettingError."""
    label, count = Counter(labels).most_common(1)[0]
    if count > 1:
        raise SettingError("metrics", f"{label} twice", "every metric once, with its settings")


def metric_labels(metrics: Sequence[Scorer]) -> list[str]:
    """Label each metric by its name, with settings that distinguish metrics of one name.

    >>> metric_labels([parse_metric("bleu"), parse_metric("bleu:tokenize=intl")])
    ['BLEU[tok:auto]', 'BLEU[tok:intl]']
    """
    names = Counter(metric.name for metric in metrics)
    return [
        metric.name if names[metric.name] == 1 else _distinct_label(metric, metrics)
        for metric in metrics
    ]


def _distinct_label(metric: Scorer, metrics: Sequence[Scorer]) -> str:
    namesakes = [other.signature.fields for other in metrics if other.name == metric.name]
    differing = [
        f"{key}:{value}"
        for key, value in metric.signature.fields
        if any((key, value) not in fields for fields in namesakes)
    ]
    return f"{metric.name}[{' '.join(differing)}]" if differing else metric.name
