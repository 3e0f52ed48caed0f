"""Declarations: a setting and a field of a result are each described once.

A **setting** is a parameter of a verb. Its annotation says what it may be, its line under ``Args:``
what it is for::

    Test = Annotated[str | None, Setting(choices=TESTS)]

    @verb
    def compare(systems, *, level: Level = 0.95, test: Test = None):
        '''Which differences are real?

Args:
            test: the test of significance.
        '''

From that come the check of what callers give, the option of the command (`truebleu.cli._options`),
its place in ``--help`` and the reference. What several verbs share (`Level`, `Seed`) is declared
here, with its help; `verb` adds that to the docstring.

A **field of a result** carries a `Column`: its heading, digits, sign and unit. Tables, TSV and data
frames come from it, see `columns_of`.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Number, Real
from os import PathLike
from pkgutil import iter_modules
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError

# Usual values, and names to choose from.

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000
#: Squares and cubes of larger numbers, and sums of such, would be infinite.
LARGEST = 1e100
#: Whole numbers that are counted with have 64 bits.
MOST = 2**63 - 1

Unit = Literal["segment", "document", "block"]
IntervalName = Literal[
    "percentile", "bca", "student", "jackknife", "hall", "wilson", "korn-graubard", "two-way"
]
Alternative = Literal["two-sided", "greater", "less"]
#: What a verdict on systems with several runs is about.
About = Literal["further-runs", "these-runs"]
#: What swaps exchange where systems have several runs: all runs of a unit, or each by itself.
RunSwaps = Literal["together", "separately"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: The intervals to choose from; two-way ones come with the test of that name.
INTERVALS: tuple[IntervalName, ...] = tuple(
    name for name in get_args(IntervalName) if name != "two-way"
)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
Group = Literal["Texts", "Metrics", "Statistics", "Output"]
#: The groups of options, in the order of ``--help``.
GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an annotation says beyond the type.

    Attributes:
        help: one sentence; else the parameter's line under ``Args:``.
        choices: the names to choose from, such as a registry.
        least: the smallest value.
        most: the largest value.
        above: values are larger than this.
        below: values are smaller than this.
        hint: what to try where a value is refused.
        group: the heading of the option in ``--help``.
        rare: whether only ``--help-all`` shows the option.
        flags: the option's names, such as ``("-o", "--output")``; else made of the parameter's.
        metavar: what stands for the value in ``--help``.
        option: whether there is an option at all, and not an argument of Python only.
    """

    help: str = ""
    choices: Collection[str] = ()
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    hint: str = ""
    group: Group = "Statistics"
    rare: bool = False
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    option: bool = True

    def limits(self) -> str:
        """The range in words, or nothing.

        >>> Setting(above=0, below=1).limits()
        ' above 0 and below 1'
        """
        if self.least is not None:
            end = "up" if self.below is None else f"to below {self.below:,}"
            return f" from {self.least:,} " + (end if self.most is None else f"to {self.most:,}")
        bounds = {"above": self.above, "up to": self.most, "below": self.below}
        words = [f"{word} {bound:,}" for word, bound in bounds.items() if bound is not None]
        return " " + " and ".join(words) if words else ""


# The settings that verbs share.

Level = Annotated[
    float,
    Setting(
        help="confidence of intervals; tests decide at 1 − level.",
        least=0.5,
        below=1,
        hint="did you mean 0.95?",
    ),
]
Seed = Annotated[
    int, Setting(help="the same seed gives the same digits.", least=0, most=2**64 - 1, rare=True)
]
Replicates = Annotated[
    "int | None",
    Setting(
        help="resampled test sets; 10,000, and more where many comparisons need them.",
        least=1,
        rare=True,
    ),
]
UnitChoice = Annotated[
    "Unit | None",
    Setting(
        help="what is resampled or swapped as a whole; documents where they are known, else "
        "segments.",
        rare=True,
    ),
]
BlockLength = Annotated[
    "int | None",
    Setting(help='consecutive segments in a block, with unit "block".', least=1, rare=True),
]
ByDomain = Annotated[bool, Setting(help="resample within each domain.", rare=True)]
Tested = Annotated[
    Alternative,
    Setting(
        help='"two-sided"; "greater" asks only whether the first system is better, "less" whether '
        "it is worse.",
        rare=True,
    ),
]
Baseline = Annotated[
    "str | None", Setting(help="compare all other systems with this one.", metavar="NAME")
]
#: What callers name the curves of Kocmi et al. (2024) by.
PUBLISHED_CURVES = "kocmi"
People = Annotated[
    "str | None",
    Setting(
        help='how often human raters prefer the same system: "kocmi" for the curves of Kocmi et '
        'al. (2024), or "none".',
        choices=(PUBLISHED_CURVES, "none"),
        rare=True,
    ),
]
Margin = Annotated["float | None", Setting(above=0, metavar="D")]

#: What annotations may name without importing it when the program runs.
_NAMES = {"Unit": Unit, "Sequence": Sequence, "PathLike": PathLike}


# Parameters of verbs and fields of settings.


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
    """

    name: str
    kind: type | None
    optional: bool
    many: bool
    default: Any
    setting: Setting
    shapes: tuple[type, ...] = (object,)

    def check(self, value: object) -> None:
        """Refuse what the setting cannot be."""
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
                names = ", ".join(setting.choices)
                raise ArgumentTypeError(self.name, value, f"one of {names}")
            if value not in setting.choices:
                raise UnknownNameError(self.name, value, tuple(setting.choices))
        elif not is_of(kind, value):
            raise ArgumentTypeError(self.name, value, _WORDS[kind][0] + setting.limits())
        elif kind in (int, float):
            self._check_range(float(cast("float", value)) if kind is float else cast("int", value))

    def _check_range(self, value: float) -> None:
        setting = self.setting
        outside = (
            (setting.least is not None and value < setting.least)
            or (setting.most is not None and value > setting.most)
            or (setting.above is not None and value <= setting.above)
            or (setting.below is not None and value >= setting.below)
            or (self.kind is float and abs(value) > LARGEST)
            or (self.kind is int and abs(value) > max(MOST, setting.most or 0))
        )
        if outside:
            hint = f"; {setting.hint}" if setting.hint else ""
            words = _WORDS[cast("type", self.kind)][0]
            raise SettingError(self.name, value, f"{words}{setting.limits()}{hint}")


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
        return is_number and _is_finite(cast("float", value))
    return isinstance(value, str | kind if kind is PathLike else kind)


Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def verb(function: Decorated) -> Decorated:
    """A public function whose arguments are checked against its declaration."""
    names = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        declared = parameters_of(function)
        for name, value in (*zip(names, arguments, strict=False), *named.items()):
            if name not in declared:
                raise UnknownNameError("argument", name, names)
            declared[name].check(value)
        return function(*map(_own_number, arguments), **{k: _own_number(named[k]) for k in named})

    call.__doc__ = _completed(function)
    return cast("Decorated", call)


def _own_number(value: Any) -> Any:
    """A number of any kind as Python's own, which JSON can hold; anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def checked_fields(settings: Any) -> None:
    """Refuse what a dataclass of settings cannot hold; for its ``__post_init__``."""
    for name, parameter in _fields_of(type(settings)).items():  # type: ignore[arg-type]
        parameter.check(getattr(settings, name))


Settings = TypeVar("Settings")


def picked(kind: type[Settings], arguments: Mapping[str, Any], **chosen: Any) -> Settings:
    """Settings of what a verb was called with.

    Args:
        kind: a dataclass of settings, whose fields have the names of the verb's parameters.
        arguments: what the verb was called with, by name: its ``locals()``.
        chosen: what takes the place of the argument of that name.
    """
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # dataclasses only
    return kind(**{name: arguments[name] for name in names if name in arguments} | chosen)


@cache
def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The settings that a verb or a class of settings declares, by name."""
    function = inspect.unwrap(function)
    helps = argument_lines(function.__doc__ or "")
    scope = vars(inspect.getmodule(function))
    declared = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = MISSING if parameter.default is inspect.Parameter.empty else parameter.default
        read = _parameter(name, parameter.annotation, default, scope)
        if not read.setting.help and name in helps:
            read = replace(read, setting=replace(read.setting, help=helps[name]))
        declared[name] = read
    return declared


@cache
def _fields_of(settings: type) -> dict[str, Parameter]:
    declared = {}
    for base in reversed(settings.__mro__):
        scope = vars(inspect.getmodule(base))
        for name, annotation in vars(base).get("__annotations__", {}).items():
            declared[name] = _parameter(name, annotation, MISSING, scope)
    return {field.name: declared[field.name] for field in fields(settings) if field.init}


def _parameter(name: str, annotation: object, default: Any, scope: dict[str, Any]) -> Parameter:
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
        "NBest TestSet": _Object,
    }.items()
    for word in words.split()
}


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
        own = next((item for item in arguments[1:] if isinstance(item, Setting)), inner)
        own = replace(own, choices=own.choices or inner.choices)
        return kind, optional, many, replace(own, metavar=own.metavar or inner.metavar)
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


# Docstrings.


def argument_lines(docstring: str) -> dict[str, str]:
    """What stands under ``Args:`` or ``Attributes:``, by name, each on one line."""
    _, *sections = re.split(r"^(?:Args|Attributes):\n", inspect.cleandoc(docstring), flags=re.M)
    section = sections[0] if sections else ""
    lines: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        entry = re.fullmatch(r"    (\w+): (.*)", line)
        if entry is not None:
            name = entry[1]
            lines[name] = entry[2]
        elif line.strip() and name:
            lines[name] += f" {line.strip()}"
    return lines


def _completed(function: Callable[..., Any]) -> str | None:
    """The docstring, with the help of shared settings under ``Args:``, in the signature's order."""
    if not function.__doc__:
        return None
    document = inspect.cleandoc(function.__doc__)
    own = argument_lines(document)
    helps = {name: declared.setting.help for name, declared in parameters_of(function).items()}
    entries = [
        f"    {name}: {own.get(name) or text}"
        for name, text in helps.items()
        if text or name in own
    ]
    head, _, rest = document.partition("\nArgs:\n")
    after = re.search(r"^\S", rest, re.MULTILINE)
    tail = f"\n{rest[after.start() :]}" if after else ""
    return f"{head.rstrip()}\n\nArgs:\n" + "\n".join(entries) + f"\n{tail}" if entries else document


# Fields of results.

#: What a cell may hold; None where there is no value.
Value: TypeAlias = str | int | float | bool | None
#: The names of columns of p-values, which are never shown as 0.
P_VALUES = ("p", "p_adjusted")
#: What people see where there is no value.
NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """How a field is shown: its heading, and how its values are written.

    Attributes:
        name: the key in every row, and the heading for programs; that of the field.
        heading: the heading for people, with the unit; the name where there is none.
        digits: decimals of its numbers; None for text and whole numbers.
        percent: the number is a share, written as a percentage.
        sign: the number is a difference, written with its sign.
        parts: the names of the numbers that a text for people is made of; programs get those.
        numeric: whether cells are aligned on the right; if None, where all of them are numbers.
        bold: the name in a row that says whether the cell is in bold print; for papers.
        mark: the name in a row that has a mark of significance beside the cell; for papers.
    """

    name: str = ""
    heading: str = ""
    digits: int | None = None
    percent: bool = False
    sign: bool = False
    parts: tuple[str, ...] = ()
    numeric: bool | None = None
    bold: str | None = None
    mark: str | None = None

    def cell(self, value: Value) -> str:
        """A value as people read it.

        >>> Column("p", "p", digits=2, percent=True).cell(0.123456)
        '12.35 %'
        """
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if value is None or not _is_finite(value):
            return NO_VALUE
        number, unit = (100 * value, " %") if self.percent else (value, "")
        sign = "+" if self.sign else ""
        if self.digits is not None and self.name in P_VALUES and 0 <= number < 10**-self.digits:
            return f"< {10**-self.digits:.{self.digits}f}"
        if self.digits is not None:
            # Adding 0 takes the sign from what is rounded to 0.
            return f"{round(number, self.digits) + 0.0:{sign}.{self.digits}f}{unit}"
        if isinstance(number, int) and not unit:
            return f"{number:{sign}d}"
        return f"{number:{sign}.6g}{unit}"


def _is_finite(value: float) -> bool:
    """Whether it can be written in digits: whole numbers may be larger than any float."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@cache
def columns_of(kind: type) -> dict[str, Column]:
    """The columns of a class of results, by field: from `Column` in its annotation, or plain.

    A field that ends in ``interval`` gives two numbers to programs: ``low`` and ``high``, behind
    what its name begins with.
    """
    columns = {}
    for field in fields(kind):
        written = str(field.type)
        declared = Column()
        if "Column(" in written:
            annotation = eval(written, vars(inspect.getmodule(kind)))  # noqa: S307
            declared = next(item for item in annotation.__metadata__ if isinstance(item, Column))
        parts = declared.parts
        if not parts and field.name.endswith("interval"):
            stem = field.name.removesuffix("interval")
            parts = (f"{stem}low", f"{stem}high")
        heading = declared.heading or field.name.replace("_", " ")
        columns[field.name] = replace(declared, name=field.name, heading=heading, parts=parts)
    return columns


def row_of(item: Any) -> dict[str, Any]:
    """A result as a flat row: each number under the name that programs know it by."""
    row: dict[str, Any] = {}
    for name, column in columns_of(type(item)).items():  # type: ignore[arg-type]
        value = getattr(item, name)
        if column.parts:
            row |= zip(column.parts, value or [None] * len(column.parts), strict=True)
        elif is_dataclass(value):
            row |= {f"{name}_{part}": inner for part, inner in row_of(value).items()}
        elif value is None or isinstance(value, str | int | float):
            row[name] = value
    return row


def plain(value: Any) -> Any:
    """A value as JSON has it: dataclasses as dicts, tuples and arrays as lists, at any depth.

    A signature stands for all that it says, and decimals for people are no data.
    """
    if isinstance(value, str | int | float | None):
        return value
    if hasattr(value, "with_references"):
        return str(value)
    if is_dataclass(value):
        values: dict[str, Any] = {}
        for field in fields(value):
            item = getattr(value, field.name)
            if field.name == "signature" and hasattr(item, "to_dict"):
                values |= item.to_dict()
            elif field.name != "digits":
                values[field.name] = item.to_dict() if hasattr(item, "to_dict") else plain(item)
        return values
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [item.to_dict() if hasattr(item, "to_dict") else plain(item) for item in value]


class ComparedByValue:
    """Equality of dataclasses with arrays, which say ``==`` of each of their elements."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_are_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        # What is equal has arrays of the same size.
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        return hash((type(self), *(getattr(value, "shape", None) for value in values)))


def _are_equal(value: Any, other: Any) -> bool:
    if hasattr(value, "shape") and hasattr(other, "shape"):
        import numpy as np

        return np.array_equal(value, other, equal_nan=value.dtype.kind == "f")
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(
            _are_equal(item, other[name]) for name, item in value.items()
        )
    return bool(value == other)


# Checks of what callers give, where no annotation says it.


def require_number(setting: str, value: object, expected: str = "a finite number") -> float:
    """The value as a float, refused unless it is a finite number that can be squared."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise SettingError(setting, value, expected)
    number = float(value)
    if abs(number) > LARGEST:
        raise SettingError(setting, value, f"{expected}, up to {LARGEST:g}")
    return number


def require_whole_number(setting: str, value: object, least: int, most: int | None = None) -> int:
    """The value, refused unless it is a whole number between these, both included."""
    if not is_of(int, value) or not least <= cast("int", value) <= (
        math.inf if most is None else most
    ):
        end = "up" if most is None else f"to {most}"
        raise SettingError(setting, value, f"a whole number from {least} {end}")
    return int(cast("int", value))


def require_name(setting: str, name: object, known: Iterable[str]) -> None:
    """Raise UnknownNameError unless it is one of the known names."""
    names = tuple(known)
    if not isinstance(name, str):
        raise SettingError(setting, name, f"one of {', '.join(names)}")
    if name not in names:
        raise UnknownNameError(setting, name, names)


def require_level(level: object) -> float:
    """The level as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("level", level, "a number between 0 and 1, such as 0.95")


def require_alpha(alpha: object) -> float:
    """The alpha as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("alpha", alpha, "a number between 0 and 1, such as 0.05")


def _between_0_and_1(setting: str, value: object, expected: str) -> float:
    number = require_number(setting, value, expected)
    if not 0 < number < 1:
        raise SettingError(setting, value, expected)
    return number


def require_replicates(setting: str, replicates: object) -> None:
    """Raise SettingError unless it is a whole number from 1 up."""
    require_memory_for(setting, require_whole_number(setting, replicates, 1), BYTES_PER_REPLICATE)


# Scores of two systems and their difference, and the copies that are made of them.
BYTES_PER_REPLICATE = 64


def require_memory_for(setting: str, count: int, bytes_each: int) -> None:
    """Raise SettingError where so many cannot fit into memory, however few systems there are."""
    most = memory() // bytes_each
    if count > most:
        expected = f"at most {most:,}: more do not fit into the memory of this machine"
        raise SettingError(setting, count, expected)


def memory() -> int:
    """Bytes of memory that this process may use; 64 GiB where the system does not say."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        size = 1 << 36
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        return size
    limit = getrlimit(RLIMIT_AS)[0]
    return size if limit == RLIM_INFINITY else min(size, limit)


def require_seed(seed: object) -> None:
    """Raise SettingError unless it is a whole number of 64 bits; 0 is a seed like any other."""
    if not is_of(int, seed) or not 0 <= cast("int", seed) < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")


# Random numbers.

Draw: TypeAlias = Callable[[], float]


class Streams:
    """Random numbers that are the same on every machine: a stream for each seed, purpose and index.

    Only ``random()`` of a generator seeded by a whole number is drawn from: Python promises that
    sequence for all its versions, and promises nothing of the kind for ``choice`` or ``shuffle``.

    >>> Streams(1, "example").at(0)() == Streams(1, "example").at(0)()
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        from hashlib import blake2b
        from random import Random

        digest = blake2b(purpose.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        # Seed, index and purpose take 64 bits each, so that no two streams share a key.
        self._key = int.from_bytes(digest, "big") << 128 | seed
        self._random = Random()  # noqa: S311  # noise, not secrets

    def at(self, index: int) -> Draw:
        """The numbers in [0, 1) of this index; asking for the next index ends them."""
        self._random.seed(self._key | index << 64)
        return self._random.random


# Packages whose public names are imported when they are first used, so that importing is quick.


def lazy_package(
    package: str, *others: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package: what its modules have in their ``__all__``.

    Args:
        package: its name.
        others: modules of other packages whose public names it has, too.
    """

    @cache
    def homes() -> dict[str, types.ModuleType]:
        modules = [import_module(other) for other in others]
        for module in iter_modules(sys.modules[package].__path__):
            with suppress(ImportError):  # of a library that is not installed
                modules.append(import_module(f"{package}.{module.name}"))
        return {name: module for module in modules for name in getattr(module, "__all__", ())}

    def public(name: str) -> object:
        if name == "__all__":
            return sorted(homes())
        # Modules may import each other meanwhile: what is half imported has no public names yet.
        if name.startswith("_") or find_spec(f"{package}.{name}") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(homes()[name], name)
        setattr(sys.modules[package], name, value)
        return value

    return public, lambda: sorted(homes())
