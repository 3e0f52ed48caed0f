"""A Python function as a metric, whose score of a text is the mean over its segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truebleu.errors import SettingError
from truebleu.metrics.base import MeanMetric, Signature, mean_statistics
from truebleu.schema import check_fields

if TYPE_CHECKING:
    from truebleu._core import Statistics
    from truebleu.corpus.test_set import TestSet

__all__ = ["FunctionMetric"]

#: Largest score; larger ones are mistakes, and their sums might be infinite.
LARGEST = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMetric(MeanMetric):
    """A Python function as a metric; see docs/how-to/add-a-metric.md.

    >>> def shared_words(output: str, references: list[str]) -> float:
    ...     return max(len({*output.split()} & {*r.split()}) for r in references)
    >>> metric = FunctionMetric(function=shared_words, name="shared")
    >>> print(metric.corpus(["a b", "c d"], ["a b", "d e"]))
    shared = 1.5000 (segments = 2)

    Attributes:
        function: function of an output and the list of its references that returns a number.
        name: name of the metric in results.
        higher_is_better: False if lower is better.
        batch: True if the function takes a list of all outputs and a list of all their lists of
            references, and returns a number for each output.
        source: True if the function takes the source, or all sources, as a third argument.
    """

    function: Callable[..., Any] = field(metadata={"text": False})
    # field() prevents the inherited property from becoming the default.
    name: str = field()
    higher_is_better: bool = True
    batch: bool = False
    source: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if not callable(self.function):
            raise SettingError("function", self.function, "a function")
        if not self.name:
            raise SettingError("name", self.name, "a name of the metric")

    def count(self, test_set: TestSet) -> Statistics:
        """Call the function for each segment; columns: its value, and 1."""
        references = [
            [text for text in row if text is not None]
            for row in zip(*test_set.references, strict=True)
        ]
        arguments: list[list[Any]] = [references]
        if self.source:
            if test_set.source is None:
                raise SettingError(f"{self.name}: source", None, "a test set with its source")
            arguments.append(list(test_set.source))
        systems = test_set.systems.items()
        return mean_statistics(
            [self._scores(name, [[*text], *arguments]) for name, text in systems]
        )

    @property
    def signature(self) -> Signature:
        """Module and name of the function."""
        function = self.function
        name = getattr(function, "__qualname__", type(function).__qualname__)
        return Signature.of(self.name, function=f"{function.__module__}.{name}")

    def _scores(self, system: str, arguments: list[list[Any]]) -> list[float]:
        where = f"{self.name}: scores of {system!r}"
        if self.batch:
            returned = self.function(*arguments)
            # tolist() of arrays and tensors returns plain numbers.
            values = returned.tolist() if hasattr(returned, "tolist") else returned
            if not isinstance(values, Sequence) or isinstance(values, str):
                raise SettingError(where, returned, "a list or array of numbers")
        else:
            values = [self.function(*segment) for segment in zip(*arguments, strict=True)]
        if len(values) != len(arguments[0]):
            raise SettingError(where, f"{len(values)} scores", f"{len(arguments[0])}")
        return [self._number(system, segment, value) for segment, value in enumerate(values, 1)]

    def _number(self, system: str, segment: int, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None or isinstance(value, str) or not abs(number) <= LARGEST:
            where = f"{self.name}: {system!r}, segment {segment}"
            expected = f"a finite number between -{LARGEST:g} and {LARGEST:g}"
            raise SettingError(where, value, expected)
        return number + 0.0
