"""A grid: metrics with alternatives for some of their settings, each combination a candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, prod
from typing import TYPE_CHECKING

from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics, parse_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.metrics.metric import Metric

#: More than these would take hours for what an afternoon's thought can narrow down.
MOST_SETTINGS = 1000
BETWEEN = "|"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A metric with settings that may be chosen.

    Attributes:
        text: as people write it, such as "sentbleu:smoothing=4,k=2".
        metric: what it describes.
        default: the same with every setting that has alternatives at its default; where that is
            not possible, the first of the alternatives.
        varied: the setting that has alternatives, where it is one with numbers.
        value: of that setting.
    """

    text: str
    metric: Metric
    default: str
    varied: str | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting and the values that it may have; the bare word has no equals sign."""

    key: str
    values: tuple[str, ...]

    def texts(self) -> list[str]:
        return [f"{self.key}={value}" if value else self.key for value in self.values]

    @property
    def numeric(self) -> bool:
        return all(_is_number(value) for value in self.values)


def parse_grid(grid: str | Metric | Sequence[str | Metric]) -> tuple[Candidate, ...]:
    """All candidates of one grid or of several, each once, in the order they are written.

    Args:
        grid: a metric with alternatives, such as "sentbleu:smoothing=4,k=1|2|5"; several settings
            with alternatives stand for all their combinations. Or several such texts or metrics.

    Raises:
        SettingError: when a combination is not possible, or there are too few or too many.

    >>> for one in parse_grid("chrf:char_order=4|6,beta=1|2"):
    ...     print(one.text)
    chrf:char_order=4,beta=1
    chrf:char_order=4,beta=2
    chrf:char_order=6,beta=1
    chrf:char_order=6,beta=2
    >>> {one.default for one in parse_grid("sentbleu:smoothing=4,k=1|2")}
    {'sentbleu:smoothing=4'}
    """
    parts = [grid] if isinstance(grid, str) or not isinstance(grid, Iterable) else list(grid)
    settings = [_settings(part) if isinstance(part, str) else None for part in parts]
    count = sum(
        1 if some is None else prod(len(setting.values) for setting in some) for some in settings
    )
    if count > MOST_SETTINGS:
        expected = (
            f"at most {MOST_SETTINGS:,}: write fewer alternatives, or choose one setting after "
            "the other"
        )
        raise SettingError("grid", f"{count:,} settings", expected)
    candidates: list[Candidate] = []
    for part, some in zip(parts, settings, strict=True):
        made = [_given(part)] if some is None or not isinstance(part, str) else _made(part, some)
        for one in made:
            # Two ways to write the same settings are one candidate.
            if all(one.metric != other.metric for other in candidates):
                candidates.append(one)
    if len(candidates) < 2:
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        found = ", ".join(one.text for one in candidates) or "nothing"
        raise SettingError("grid", found, expected)
    return tuple(candidates)


def _settings(text: str) -> list[_Setting]:
    name, _, rest = text.partition(":")
    found = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        values = tuple(dict.fromkeys(value.split(BETWEEN)))
        if equals and "" in values:
            expected = f"values with {BETWEEN} between them, such as 1{BETWEEN}2{BETWEEN}5"
            raise SettingError(f"{name}: {key}", value, expected)
        found.append(_Setting(key, values))
    return found


def _made(text: str, settings: Sequence[_Setting]) -> list[Candidate]:
    name = text.partition(":")[0]
    varied = [setting for setting in settings if len(setting.values) > 1]
    default = _default(name, settings)
    number = varied[0] if len(varied) == 1 and varied[0].numeric else None
    candidates = []
    for values in product(*(setting.texts() for setting in settings)):
        written = ":".join(filter(None, (name, ",".join(values))))
        one = Candidate(written, _parsed(written), default)
        if number is not None:
            value = values[settings.index(number)].partition("=")[2]
            one = replace(one, varied=number.key, value=float(value))
        candidates.append(one)
    return candidates


def _parsed(text: str) -> Metric:
    try:
        return parse_metric(text)
    except SettingError as error:
        # Of many combinations, say which one it is.
        raise SettingError("grid", text, f"settings that go together ({error})") from error


def _default(name: str, settings: Sequence[_Setting]) -> str:
    """The text without the settings that have alternatives, or with the first of them."""
    fixed = [one for setting in settings if len(setting.values) == 1 for one in setting.texts()]
    text = ":".join(filter(None, (name, ",".join(fixed))))
    try:
        parse_metric(text)
    except SettingError:
        return f"{name}:{','.join(setting.texts()[0] for setting in settings)}"
    return text


def _given(metric: str | Metric) -> Candidate:
    (parsed,) = as_metrics([metric])
    return Candidate(str(parsed.signature), parsed, str(parsed.signature))


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
