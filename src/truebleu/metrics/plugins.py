"""Metrics of other packages, which announce them by entry points of the group truebleu.metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from truebleu.errors import PluginError
from truebleu.metrics.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

GROUP = "truebleu.metrics"


def plugin_names() -> list[str]:
    """The names of all metrics that other installed packages offer."""
    return sorted({entry.name.lower() for entry in _entry_points()})


def load_plugin(name: str) -> Callable[..., Metric] | None:
    """What makes the metric of that name: a class or a function; None where nobody offers it."""
    found = [entry for entry in _entry_points() if entry.name.lower() == name.lower()]
    if not found:
        return None
    if len({entry.value for entry in found}) > 1:
        packages = " and ".join(sorted(map(_package, found)))
        raise PluginError(name, packages, "they offer different metrics of this name")
    return _load(name, found[0])


def _load(name: str, entry: EntryPoint) -> Callable[..., Metric]:
    try:
        loaded = entry.load()
    # Importing runs the package's code, which may fail in any way.
    except Exception as error:
        reason = f"{entry.value} cannot be loaded ({type(error).__name__}: {error})"
        raise PluginError(name, _package(entry), reason) from error
    if isinstance(loaded, type):
        if not issubclass(loaded, Metric):
            reason = f"{entry.value} is a class but no truebleu.Metric"
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
            reason = f"{entry.value} returned {type(metric).__name__}, expected a truebleu.Metric"
            raise PluginError(name, _package(entry), reason)
        return metric

    return make_metric


def _entry_points() -> list[EntryPoint]:
    # The module takes longer to import than most commands to run.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed package"
