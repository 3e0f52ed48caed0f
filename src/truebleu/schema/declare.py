"""Declarations of settings: type, limits and help, and the check of values."""

from __future__ import annotations

import math
import types
from collections.abc import Collection, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import reduce
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError

#: Largest float of a setting, so that cubes and their sums are finite.
LARGEST = 1e100
#: Largest whole number of a setting, in 64 bits.
MOST = 2**63 - 1

Group = Literal["Texts", "Metrics", "Statistics", "Output"]
#: Groups of options, in the order of ``--help``.
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Limits, help and option of a setting, as an annotation of its type.

    Attributes:
        help: help in one sentence; by default the parameter's line under ``Args:``.
        choices: names to choose from, such as a registry.
        minimum: smallest value.
        maximum: largest value.
        above: lower bound that a value must exceed.
        below: upper bound that a value must not reach.
        hint: suggestion in the message about an invalid value.
        group: heading of the option in ``--help``.
        rare: True if only ``--help-all`` shows the option.
        flags: names of the option, such as ``("-o", "--output")``; by default the parameter's name.
        metavar: placeholder of the value in ``--help``.
        option: False for an argument of Python without an option.
        default: default value. MISSING means None if that is a possible value, else the default of
            the field of this name in the settings.
    """

    help: str = ""
    choices: Collection[str] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    hint: str = ""
    group: Group = "Statistics"
    rare: bool = False
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    option: bool = True
    # A factory, because `default=MISSING` would mean a field without default.
    default: Any = field(default_factory=lambda: MISSING)

    def limits(self) -> str:
        """Describe the range in words; empty without limits.

        >>> Setting(above=0, below=1).limits()
        ' above 0 and below 1'
        """
        if self.minimum is not None:
            end = "up" if self.below is None else f"to below {self.below:,}"
            return f" from {self.minimum:,} " + (
                end if self.maximum is None else f"to {self.maximum:,}"
            )
        bounds = {"above": self.above, "up to": self.maximum, "below": self.below}
        words = [f"{word} {bound:,}" for word, bound in bounds.items() if bound is not None]
        return " " + " and ".join(words) if words else ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared setting.

    Attributes:
        name: name of the option, parameter or field.
        kind: type of a value; None if any value is possible, or the verb checks it.
        optional: True if None is a value.
        many: True if it takes several values.
        default: default value; MISSING if there is none.
        setting: limits, help and place in ``--help``.
        annotation: type without the setting, for signatures.
    """

    name: str
    kind: type | None = None
    optional: bool = False
    many: bool = False
    default: Any = field(default_factory=lambda: MISSING)
    setting: Setting = Setting()  # frozen
    annotation: Any = None

    @property
    def expected(self) -> str:
        """Description of the possible values."""
        if self.setting.choices:
            return f"one of {', '.join(self.setting.choices)}"
        return _WORDS[cast("type", self.kind)] + self.setting.limits()

    def checked(self, value: Any) -> Any:
        """Check a value and return it, a number as a Python number, which JSON can hold."""
        self.check(value)
        is_number = isinstance(value, Real) and self.kind in (int, float)
        return cast("type", self.kind)(value) if is_number else value

    def check(self, value: object) -> None:
        """Raise SettingError for a value that the setting cannot have."""
        if self.kind is None or (value is None and self.optional):
            return
        if self.many and isinstance(value, Iterable) and not isinstance(value, str):
            for item in value:
                self._check_single(item)
        else:
            self._check_single(value)

    def _check_single(self, value: object) -> None:
        setting, kind = self.setting, cast("type", self.kind)
        if kind is str and setting.choices:
            if not isinstance(value, str):
                raise ArgumentTypeError(self.name, value, self.expected)
            if value not in setting.choices:
                raise UnknownNameError(self.name, value, tuple(setting.choices))
        elif not is_of(kind, value):
            raise ArgumentTypeError(self.name, value, self.expected)
        elif kind in (int, float):
            self._check_range(float(cast("float", value)) if kind is float else cast("int", value))

    def _check_range(self, value: float) -> None:
        setting = self.setting
        outside = (
            (setting.minimum is not None and value < setting.minimum)
            or (setting.maximum is not None and value > setting.maximum)
            or (setting.above is not None and value <= setting.above)
            or (setting.below is not None and value >= setting.below)
            or (self.kind is float and abs(value) > LARGEST)
            or (self.kind is int and abs(value) > max(MOST, setting.maximum or 0))
        )
        if outside:
            hint = f"; {setting.hint}" if setting.hint else ""
            raise SettingError(self.name, value, f"{self.expected}{hint}")


_WORDS: dict[type, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a name",
    PathLike: "a file",
}


def is_of(kind: type, value: object) -> bool:
    """Return whether a value is of a type; NumPy's numbers are numbers."""
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if kind is float:
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        return is_number and is_finite(cast("float", value))
    return isinstance(value, str | kind if kind is PathLike else kind)


def is_finite(value: float) -> bool:
    """Return whether a number is finite; whole numbers may be larger than any float."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def read_type(name: str, annotation: Any) -> Parameter:
    """Read the declaration of a setting from its type."""
    if hasattr(annotation, "__metadata__"):
        inner = read_type(name, annotation.__origin__)
        outer = [item for item in annotation.__metadata__ if isinstance(item, Setting)]
        setting = reduce(_refine, outer, inner.setting)
        return replace(inner, setting=setting, default=setting.default)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        kinds = [argument for argument in arguments if argument is not types.NoneType]
        optional = len(kinds) < len(arguments)
        if any((get_origin(kind) or kind) is PathLike for kind in kinds):
            return Parameter(name, PathLike, optional, setting=Setting(metavar="FILE"))
        # A value, or a list of values.
        if (
            len(kinds) == 2
            and get_origin(kinds[1]) is Sequence
            and get_args(kinds[1]) == (kinds[0],)
        ):
            kinds = kinds[1:]
        if len(kinds) > 1:
            return Parameter(name, optional=True)
        return replace(read_type(name, kinds[0]), optional=optional)
    if origin is Literal:
        return Parameter(name, str, setting=Setting(choices=arguments))
    if origin in (Sequence, tuple):
        return replace(read_type(name, arguments[0]), optional=False, many=True)
    if isinstance(annotation, type) and annotation in _WORDS:
        return Parameter(name, annotation)
    return Parameter(name, optional=True)


def _refine(setting: Setting, outer: Setting) -> Setting:
    """Override a setting by the values of an outer declaration."""
    values = {item.name: getattr(outer, item.name) for item in fields(Setting)}
    defaults = Setting()
    changed = {name: value for name, value in values.items() if value != getattr(defaults, name)}
    return replace(setting, **changed)


class _Unknown:
    """Placeholder of a type that is imported for type checkers only."""

    def __class_getitem__(cls, _arguments: object) -> type[_Unknown]:
        return cls


def type_hints(owner: Any) -> dict[str, Any]:
    """Return the annotations of a class or a function, with their settings and columns."""
    unknown: dict[str, Any] = {}
    while True:
        try:
            return get_type_hints(owner, localns=unknown, include_extras=True)
        except NameError as error:
            unknown[str(error.name)] = _Unknown
