"""A setting as declared: its type, its limits and what it is for; and the check of a value."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from numbers import Integral, Number, Real
from os import PathLike
from typing import Any, Literal, Union, cast, get_args, get_origin

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError

#: Squares and cubes of larger numbers, and sums of such, would be infinite.
LARGEST = 1e100
#: Whole numbers that are counted with have 64 bits.
MOST = 2**63 - 1

Group = Literal["Texts", "Metrics", "Statistics", "Output"]
#: The groups of options, in the order of ``--help``.
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an annotation says beyond the type.

    Attributes:
        help: one sentence; else the parameter's line under ``Args:``.
        choices: the names to choose from, such as a registry.
        minimum: the smallest value.
        maximum: the largest value.
        above: values are larger than this.
        below: values are smaller than this.
        hint: what to try where a value is refused.
        group: the heading of the option in ``--help``.
        rare: whether only ``--help-all`` shows the option.
        flags: the option's names, such as ``("-o", "--output")``; else made of the parameter's.
        metavar: what stands for the value in ``--help``.
        option: whether there is an option at all, and not an argument of Python only.
        default: the value of an option that is not given; MISSING if the type or the settings that
            keep it say it: None where it is a value, else the default of the field of that name.
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
    # Given directly, MISSING would mean that the field has no default.
    default: Any = field(default_factory=lambda: MISSING)

    def limits(self) -> str:
        """The range in words, or nothing.

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


#: What annotations may name without importing it when the program runs.
_NAMES = {"Sequence": Sequence, "PathLike": PathLike}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting as declared.

    Attributes:
        name: of the parameter or field.
        kind: the type of a value; None where the annotation is none that can be checked, such as
            texts, metrics and judgments, which check themselves.
        optional: whether None is a value.
        many: whether it takes several values.
        default: its usual value; MISSING where it has none.
        setting: what its annotation says beyond the type.
        shapes: where there is no kind, what a value may be, as far as the annotation says so.
        annotation: the type without the setting, for signatures.
    """

    name: str
    kind: type | None
    optional: bool
    many: bool
    default: Any
    setting: Setting
    shapes: tuple[type, ...] = (object,)
    annotation: Any = None

    @property
    def expected(self) -> str:
        """The values that are possible, in words."""
        if self.setting.choices:
            return f"one of {', '.join(self.setting.choices)}"
        return _WORDS[cast("type", self.kind)][0] + self.setting.limits()

    def described(self, text: str | None) -> Parameter:
        """Return the parameter with a text as its help, if there is one."""
        return replace(self, setting=replace(self.setting, help=text)) if text else self

    def checked(self, value: Any) -> Any:
        """Check a value and return it, a number as Python's own, which JSON can hold."""
        self.check(value)
        is_number = isinstance(value, Real) and self.kind in (int, float)
        return cast("type", self.kind)(value) if is_number else value

    def check(self, value: object) -> None:
        """Raise SettingError for a value that the setting cannot have."""
        if value is None and self.optional:
            return
        if self.kind is None:
            self._check_shape(value)
        elif self.many and isinstance(value, Iterable) and not isinstance(value, str):
            for item in value:
                self._check_single(item)
        else:
            self._check_single(value)

    def _check_shape(self, value: object) -> None:
        """Refuse a value of quite another kind; what is in it is checked where it is used."""
        is_builtin = type(value).__module__ == "builtins"
        fits = isinstance(value, self.shapes) or (_Object in self.shapes and not is_builtin)
        if isinstance(value, str | bytes) and {str, object}.isdisjoint(self.shapes):
            fits = False
        if _Named in self.shapes:
            fits = value is None or not isinstance(value, Number | bytes)
        if not fits:
            expected = re.split("[.;:]", self.setting.help)[0] or "something else"
            raise ArgumentTypeError(self.name, value, expected)

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


_WORDS: dict[type, tuple[str, str]] = {
    bool: ("True or False", "flags"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a name", "names"),
    PathLike: ("a file", "files"),
}


def is_of(kind: type, value: object) -> bool:
    """Whether a value is of the type that an annotation names; NumPy's numbers are numbers."""
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


def own_number(value: Any) -> Any:
    """Return a number of any library as Python's own, which JSON can hold; or the value."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def read_type(name: str, annotation: Any) -> Parameter:
    """Return the declaration of a parameter, read from its type."""
    kind, optional, many, setting = _read(annotation, {})
    bare = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation
    return Parameter(name, kind, optional, many, setting.default, setting, annotation=bare)


def read_parameter(name: str, annotation: object, default: Any, scope: dict[str, Any]) -> Parameter:
    """Return a parameter's declaration, read from its annotation in the scope of its module."""
    kind, optional, many, setting = _read(annotation, scope)
    shapes: tuple[type, ...] = (object,)
    if kind is None and isinstance(annotation, str):
        written = _SQUARE.sub("", _SQUARE.sub("", _SQUARE.sub("", annotation)))
        parts = {part.strip() for part in written.split("|")}
        optional = "None" in parts
        shapes = tuple(_SHAPES.get(part, _Named) for part in parts - {"None"})
    return Parameter(name, kind, optional or default is None, many, default, setting, shapes)


class _Object:
    """Stands for an object of a class of ours that is imported for type checkers only."""


class _Named:
    """Stands for types that have a name, such as TextLike; a number is never one of them."""


_SQUARE = re.compile(r"\[[^\[\]]*\]")
#: How annotations begin that say what a value looks like.
_SHAPES: dict[str, type] = {
    word: shape
    for words, shape in {
        "Mapping dict": Mapping,
        "Sequence Iterable list tuple": Iterable,
        "str": str,
        "PathLike": PathLike,
        "int": Integral,
        "float": Real,
        "bool": bool,
        "Any object Annotated Callable": object,
        "CountsLike NBest TestSet": _Object,
    }.items()
    for word in words.split()
}


def _refined(setting: Setting, outer: Setting) -> Setting:
    """Return a setting with what an outer declaration says of it."""
    usual = Setting()
    said = {item.name: getattr(outer, item.name) for item in fields(Setting)}
    return replace(setting, **{k: v for k, v in said.items() if v != getattr(usual, k)})


def _read(annotation: object, scope: dict[str, Any]) -> tuple[type | None, bool, bool, Setting]:
    """Type, whether None is allowed, whether there are several, and the rest."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, scope, _NAMES)  # noqa: S307  # our own source
        except NameError:
            # Imported for type checkers only: texts, metrics and the like, which check themselves.
            return None, True, False, Setting()
    if isinstance(annotation, types.GenericAlias) and annotation.__origin__ is tuple:
        kind, _, _, setting = _read(get_args(annotation)[0], scope)
        return kind, False, True, setting
    origin, arguments = get_origin(annotation), get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        kind, optional, many, inner = _read(arguments[0], scope)
        for setting in arguments[1:]:
            inner = _refined(inner, setting) if isinstance(setting, Setting) else inner
        return kind, optional, many, inner
    if origin in (Union, types.UnionType):
        rest = [argument for argument in arguments if argument is not type(None)]
        if any((get_origin(argument) or argument) is PathLike for argument in rest):
            return PathLike, len(rest) < len(arguments), False, Setting(metavar="FILE")
        if len(rest) == 2 and get_origin(rest[1]) is Sequence and get_args(rest[1]) == (rest[0],):
            # A value, or a list of such.
            rest = [rest[1]]
        if len(rest) > 1:
            return None, True, False, Setting()
        kind, optional, many, setting = _read(rest[0], scope)
        return kind, optional or len(rest) < len(arguments), many, setting
    if origin is Literal:
        return str, False, False, Setting(choices=arguments)
    if origin is Sequence or origin is tuple:
        kind, _, _, setting = _read(arguments[0], scope)
        return kind, False, True, setting
    if hasattr(annotation, "__forward_arg__"):
        return _read(annotation.__forward_arg__, scope)
    known = isinstance(annotation, type) and annotation in _WORDS
    return (cast("type", annotation) if known else None), not known, False, Setting()
