"""Metrics of other packages, found by entry points of the group truebleu.metrics."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, cast

from truebleu.errors import PluginError
from truebleu.metrics.base import Metric

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint


GROUP = "truebleu.metrics"


def plugin_names() -> list[str]:
    """Return the names of all metrics of other installed packages."""
    return sorted({entry.name.lower() for entry in _entry_points()})


def load_plugin(name: str) -> Callable[..., Metric] | None:
    """Return the class or function that makes a metric, or None; raises PluginError."""
    entries = [entry for entry in _entry_points() if entry.name.lower() == name.lower()]
    if not entries:
        return None
    packages = {entry.dist.name if entry.dist else "an unnamed package" for entry in entries}
    refusal = partial(PluginError, name, " and ".join(sorted(packages)))
    if len({entry.value for entry in entries}) > 1:
        raise refusal("they define different metrics with this name")
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
        if missing := ", ".join(sorted(loaded.__abstractmethods__)):
            raise refusal(f"{source} does not define {missing}")
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
    # Importing importlib.metadata takes longer than most commands.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))
