"""Metrics by name, and with settings as people write them: ``bleu:tokenize=zh,smooth=exp``.

Other packages announce metrics of theirs by entry points of the group truebleu.metrics.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from truebleu.corpus.test_set import TextWarning
from truebleu.errors import PluginError, SettingError, UnknownNameError
from truebleu.metrics.base import Metric
from truebleu.schema import parameters_of, verb
from truebleu.tokenizers import unspaced_script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.metadata import EntryPoint

    from truebleu.corpus.test_set import TestSet

__all__ = ["metric_labels", "parse_metric"]

# A new metric is one file and one line here.
METRICS = {
    "bleu": ("truebleu.metrics.bleu", "BLEU"),
    "chrf": ("truebleu.metrics.chrf", "CHRF"),
    "depf": ("truebleu.metrics.dependency", "DependencyF"),
    "gtm": ("truebleu.metrics.gtm", "GTM"),
    "length": ("truebleu.metrics.length", "LengthRatio"),
    "mbleu": ("truebleu.metrics.bleu", "MBLEU"),
    "nist": ("truebleu.metrics.nist", "NIST"),
    "per": ("truebleu.metrics.word_errors", "PER"),
    "scores": ("truebleu.scores.scored", "OutsideScores"),
    "sentbleu": ("truebleu.metrics.bleu", "SentenceBLEU"),
    "ter": ("truebleu.metrics.ter", "TER"),
    "wer": ("truebleu.metrics.word_errors", "WER"),
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


# Names that people use for a metric, with the settings that they imply.
ALIASES = {
    "chrfpp": ("chrf", {"word_order": 2}),
    "m-bleu": ("mbleu", {}),
    "sentence-bleu": ("sentbleu", {}),
    "sentencebleu": ("sentbleu", {}),
}
# chrF's own names: chrF, chrF2, chrF++, chrF2++, chrF3.
_CHRF = re.compile(r"chrf(?P<beta>\d*)(?P<pluses>\+*)")


def _known_as(name: str) -> tuple[str, dict[str, Any]]:
    """The metric that a name stands for, and the settings that the name implies."""
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
            "bleu:tokenize=spm:PATH with the SentencePiece model, or bleu:tokenize=flores200 where "
            "sacreBLEU has downloaded it; scores by different models do not compare"
        )
        raise SettingError("metric", name, expected)
    return name.strip(), {}


@verb
def parse_metric(text: str) -> Metric:
    """The metric that a text describes: a name, then a colon and settings if there are any.

    >>> parse_metric("chrf:word_order=2").name, parse_metric("chrF3").name
    ('chrF2++', 'chrF3')
    """
    metrics = parse_metrics(text)
    if len(metrics) != 1:
        raise SettingError("metric", text, "one metric")
    return metrics[0]


def parse_metrics(text: str) -> list[Metric]:
    """The metrics in a text, separated by commas, each with its settings after a colon.

    Commas separate settings as well: after a colon, KEY=VALUE and the name of a setting belong to
    the metric before, and anything else begins the next one.

    >>> [metric.name for metric in parse_metrics("bleu:tokenize=zh,lowercase,chrf++,ter")]
    ['BLEU', 'chrF2++', 'TER']
    """
    first, *rest = text.split(",")
    metrics = [_Written(first)]
    for piece in rest:
        if metrics[-1].takes(piece):
            metrics[-1].settings.append(piece)
        else:
            metrics.append(_Written(piece))
    return [metric.made() for metric in metrics]


class _Written:
    """A metric as it is written, piece by piece."""

    def __init__(self, piece: str) -> None:
        self.name, colon, setting = piece.partition(":")
        self.has_settings = bool(colon)
        self.settings = [setting]
        metric, self.implied = _known_as(self.name)
        self.make = metric_class(metric)
        self.parameters = _parameters(self.make)

    def takes(self, piece: str) -> bool:
        """Whether a piece after a comma is a setting of this metric."""
        word = piece.partition(":")[0]
        if not self.has_settings:
            return False
        return "=" in word or word in self.parameters or not _is_metric(word)

    def made(self) -> Metric:
        """The metric itself."""
        return self.make(**read_settings(self.name, self.settings, self.make, self.implied))


def read_settings(
    name: str,
    written: Iterable[str],
    make: Callable[..., Any],
    implied: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The arguments of what `make` makes, as people write them: KEY=VALUE each.

    Args:
        name: what messages call it.
        written: the settings; empty ones are left out.
        make: a class or function whose arguments they are.
        implied: settings that the name stands for.
    """
    parameters, declared = _parameters(make), parameters_of(make)
    values = dict(implied or {})
    for setting in filter(None, written):
        key, _, value = setting.partition("=")
        if key not in parameters:
            raise UnknownNameError(f"setting of {name}", key, list(parameters))
        if key in values:
            raise SettingError(f"{name}: {key}", value, "each setting once")
        values[key] = _parse(f"{name}: {key}", value, declared[key].kind)
    for key, parameter in parameters.items():
        if parameter.default is Parameter.empty and key not in values:
            raise SettingError(f"{name}: {key}", "nothing", f"a value, as in {name}:{key}=…")
    return values


Made = TypeVar("Made")


def made_of(kind: str, written: str, table: Mapping[str, Callable[..., Made]]) -> Made:
    """What a text names, with its settings: ``mira:epochs=10,step=0.1``.

    Args:
        kind: what messages call it.
        written: a name of the table; settings follow a colon.
        table: what makes each of its arguments.
    """
    name, _, settings = written.partition(":")
    if name not in table:
        raise UnknownNameError(kind, name, list(table))
    return table[name](**read_settings(name, settings.split(","), table[name]))


def _is_metric(name: str) -> bool:
    try:
        return _known_as(name)[0] in METRICS or name.strip().lower() in plugin_names()
    except SettingError:  # a name with advice
        return True


def _parameters(make: Callable[..., Any]) -> dict[str, Parameter]:
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


def written_settings(make: Callable[..., Any]) -> str:
    """The settings of a metric or a tuner with their defaults, as they are written after the colon.

    >>> written_settings(metric_class("wer"))
    'tokenize=none,lowercase=no'
    """
    return ",".join(
        f"{name}={_written(parameter.default)}" for name, parameter in _parameters(make).items()
    )


def _written(default: object) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    return "" if default is None or default is Parameter.empty else str(default)


def _parse(setting: str, text: str, kind: type | None) -> str | int | float | bool:
    if kind is bool:
        if text.lower() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise SettingError(setting, text, "yes or no")
        # The bare word switches on: ``bleu:lowercase``.
        return text.lower() in ("yes", "true", "1", "")
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise SettingError(setting, text, expected) from None


#: Metrics as people give them: "bleu", "bleu,chrf", BLEU(), or a list of such.
MetricsLike: TypeAlias = "str | Metric | Sequence[str | Metric]"


def as_metrics(metrics: MetricsLike) -> list[Metric]:
    """Metrics given as objects or as text."""
    if isinstance(metrics, str):
        return parse_metrics(metrics)
    if not isinstance(metrics, Iterable):
        metrics = [metrics]
    parsed: list[Metric] = []
    for metric in metrics:
        parsed += parse_metrics(metric) if isinstance(metric, str) else [metric]
    if not parsed:
        raise SettingError("metrics", metrics, "at least one, such as 'bleu'")
    for metric in parsed:
        if isinstance(metric, type):
            raise SettingError("metrics", metric, f"an object, such as {metric.__name__}()")
        if not hasattr(metric, "for_references"):
            raise SettingError("metrics", metric, "names such as 'bleu', or objects such as BLEU()")
    return parsed


def metrics_for(metrics: MetricsLike, test_set: TestSet) -> tuple[list[Metric], TestSet]:
    """Metrics as they count this test set, and the test set with warnings: where a verb begins.

    What a metric leaves to the references is fixed by all of them, so that parts of the test set
    are counted alike. The warnings are about the texts, and about metrics that do not fit them.
    """
    if test_set.is_counted:
        # A CountedTestSet, whose module needs this one.
        counted: list[Metric] = cast("Any", test_set).metrics(as_metrics(metrics))
        require_distinct(metric_labels(counted))
        return counted, test_set
    fixed = [metric.for_references(test_set.references) for metric in as_metrics(metrics)]
    labels = metric_labels(fixed)
    require_distinct(labels)
    return fixed, with_metric_warnings(test_set.examined(), dict(zip(labels, fixed, strict=True)))


def require_distinct(labels: Sequence[str]) -> None:
    """Refuse a metric that is there twice."""
    label, count = Counter(labels).most_common(1)[0]
    if count > 1:
        raise SettingError("metrics", f"{label} twice", "every metric once, with its settings")


def with_metric_warnings(test_set: TestSet, metrics: Mapping[str, Metric]) -> TestSet:
    """The test set with a warning for each metric that needs spaces where the script has none."""
    script = unspaced_script(test_set.references)
    warnings = script_warnings(test_set.warnings, metrics, script, len(test_set))
    return replace(test_set, warnings=warnings)


def script_warnings(
    warnings: Sequence[TextWarning],
    metrics: Mapping[str, Metric],
    script: str | None,
    segments: int,
) -> tuple[TextWarning, ...]:
    """The warnings, and further ones about metrics that need spaces where the script has none."""
    known = {(warning.code, warning.text) for warning in warnings}
    advised = list(warnings)
    for label, metric in metrics.items():
        advice = None if script is None else metric.advice_for_script(script)
        if advice is not None and ("unspaced", label) not in known:
            message = (
                f"{label} cuts words at spaces, and {script} references have none between words; "
                f"use {advice}"
            )
            advised.append(TextWarning("unspaced", label, segments, None, message))
    return tuple(advised)


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """A label for each metric: its name, and what tells it from others of that name.

    >>> metric_labels([parse_metric("bleu"), parse_metric("bleu:tokenize=intl")])
    ['BLEU[tok:auto]', 'BLEU[tok:intl]']
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


# Metrics of other packages.


GROUP = "truebleu.metrics"


def plugin_names() -> list[str]:
    """The names of all metrics that other installed packages offer."""
    return sorted({entry.name.lower() for entry in _entry_points()})


def load_plugin(name: str) -> Callable[..., Metric] | None:
    """What makes the metric of that name: a class or a function; None where nobody offers it."""
    entries = [entry for entry in _entry_points() if entry.name.lower() == name.lower()]
    if not entries:
        return None
    packages = {entry.dist.name if entry.dist else "an unnamed package" for entry in entries}
    refusal = partial(PluginError, name, " and ".join(sorted(packages)))
    if len({entry.value for entry in entries}) > 1:
        raise refusal("they offer different metrics of this name")
    source = entries[0].value
    try:
        loaded = entries[0].load()
    # Importing runs the package's code, which may fail in any way.
    except Exception as error:
        reason = f"{source} cannot be loaded ({type(error).__name__}: {error})"
        raise refusal(reason) from error
    if isinstance(loaded, type):
        if not issubclass(loaded, Metric):
            raise refusal(f"{source} is a class but no truebleu.metrics.Metric")
        if lacking := ", ".join(sorted(loaded.__abstractmethods__)):
            raise refusal(f"{source} does not define {lacking}")
        return cast("Callable[..., Metric]", loaded)
    if not callable(loaded):
        raise refusal(f"{source} is neither a class nor a function that returns a metric")

    @wraps(loaded)
    def make_metric(**settings: object) -> Metric:
        metric = loaded(**settings)
        if not isinstance(metric, Metric):
            kind = type(metric).__name__
            raise refusal(f"{source} returned {kind}; expected a truebleu.metrics.Metric")
        return metric

    return make_metric


def _entry_points() -> list[EntryPoint]:
    # The module takes longer to import than most commands to run.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))
