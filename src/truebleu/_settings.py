"""Settings that many commands share, their usual values, and the checks of what callers give.

A seed is kept with every result, and never taken from a clock or the environment. This module
imports nothing that takes long: the command line lists the names in its help.

Arguments that do not fit their annotations are refused, before any work begins. Every public
function and class whose arguments people write is decorated by `checked`. What an annotation says
is then what a caller may give: 5 for a name, "no" for a flag, a data frame for a list of numbers
are errors of ours, which say what was expected. Values that are right in type and wrong otherwise
(a level of 2, an unknown metric) are for the function itself, and for the checks by range or name.

An annotation is read when its parameter is first given, from its text: nothing is imported for it,
since that may be what makes a command slow to start. A class is known by its name. Dataclasses on
the way of `score` and `compare` are made by the `dataclass` of this module, for the same reason.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import cache, wraps
from importlib import import_module
from inspect import get_annotations
from itertools import chain
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast, get_args

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000
#: Squares and cubes of larger numbers, and sums of such, would be infinite.
LARGEST = 1e100
#: Whole numbers that are counted with have 64 bits.
MOST = 2**63 - 1

Unit = Literal["segment", "document", "block"]
IntervalName = Literal[
    "percentile",
    "basic",
    "bca",
    "bootstrap-t",
    "student",
    "jackknife-t",
    "hall",
    "delta",
    "two-way",
]
#: How the bootstrap weighs units: as draws of as many as there are, or each by a number of its own.
BootstrapName = Literal["multinomial", "poisson"]
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
BOOTSTRAPS: tuple[BootstrapName, ...] = get_args(BootstrapName)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
ABOUTS: tuple[About, ...] = get_args(About)
RUN_SWAPS: tuple[RunSwaps, ...] = get_args(RunSwaps)


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
    above = isinstance(value, int) and most is not None and value > most
    if isinstance(value, bool) or not isinstance(value, int) or value < least or above:
        end = "up" if most is None else f"to {most}"
        raise SettingError(setting, value, f"a whole number from {least} {end}")
    return value


def require_flag(setting: str, value: object) -> None:
    """Raise SettingError unless it is True or False: "no" would count as true."""
    if not isinstance(value, bool):
        raise SettingError(setting, value, "True or False")


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
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")


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


# Checks of arguments against annotations.


Checked = TypeVar("Checked", bound=Callable[..., Any])
Scope = Mapping[str, Any]


class Expected(NamedTuple):
    """What a parameter takes.

    Attributes:
        accepts: whether a value is such a thing.
        words: what it is called.
        names: the strings to choose from, where it is one of a few.
    """

    accepts: Callable[[Any], bool]
    words: str
    names: tuple[str, ...] = ()


#: Aliases that modules import for their annotations only, and where they live.
HOMES = {
    "About": "_settings",
    "AgreeAlternative": "agreement.answers",
    "Alternative": "_settings",
    "CorrectOver": "agreement.answers",
    "Format": "human.scores",
    "Human": "agreement.data",
    "HumanLike": "agreement.agree",
    "BootstrapName": "_settings",
    "IntervalName": "_settings",
    "Level": "human.scores",
    "Match": "human.scores",
    "Others": "human.scores",
    "Pair": "significance.statistics",
    "PairKind": "studies._tests",
    "Pairs": "studies._tests",
    "Permute": "agreement.tests",
    "PoolUnit": "studies._pool",
    "Raters": "human.scores",
    "Resample": "agreement.bootstrap",
    "RunSwaps": "_settings",
    "Sampling": "studies._pool",
    "SystemScores": "agreement.data",
    "TestName": "agreement.answers",
    "Unit": "_settings",
}
#: Classes that modules import for their annotations only.
CLASSES = {
    "AgreementCurve", "AgreementData", "Bootstrap", "Coefficient", "ColumnSizes", "Measure",
    "Metric", "MetricStatistics", "NBest", "PoissonBootstrap", "Question", "Result", "Runner",
    "SavedStatistics", "Scores", "Signature", "Swaps", "TestSet", "TestSetStream", "Units",
}  # fmt: skip
#: What has a constructor that checks and understands more than an annotation can say.
UNDERSTOOD_ELSEWHERE = {"Any", "ClassVar", "ReferencesLike", "SystemsLike", "TextLike", "object"}
#: Aliases of functions.
FUNCTIONS = {"Callable", "Draw", "Progress"}


def checked(decorated: Checked) -> Checked:
    """The function, or the dataclass, with arguments that are checked against its annotations."""
    if isinstance(decorated, type):
        decorated.__init__ = checked(decorated.__init__)  # type: ignore[misc]
        return decorated
    code = decorated.__code__
    places = code.co_varnames[: code.co_argcount]
    expected: dict[str, Expected | None] = {}

    @wraps(decorated)
    def call(*arguments: Any, **named: Any) -> Any:
        for name, value in chain(zip(places, arguments, strict=False), named.items()):
            try:
                fitting = expected[name]
            except KeyError:
                fitting = expected[name] = _of_parameter(decorated, arguments, name)
            if fitting is not None and not fitting.accepts(value):
                raise _error(name, value, fitting)
        return decorated(*arguments, **named)

    return cast("Checked", call)


def _error(name: str, value: object, expected: Expected) -> Exception:
    if isinstance(value, str) and expected.names:
        return UnknownNameError(name, value, expected.names)
    return ArgumentTypeError(name, value, expected.words)


def _of_parameter(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str
) -> Expected | None:
    """What a parameter takes; None for anything, and for the instance that a method is of."""
    text, scope = function.__annotations__.get(name), function.__globals__
    if function.__name__ == "__init__" and arguments:
        # A field may be inherited from a class of another module.
        for base in type(arguments[0]).__mro__:
            fields = _annotations(base)
            if name in fields:
                text, scope = fields[name], vars(sys.modules[base.__module__])
                break
    return None if text is None else _read(text, scope)


_annotations = cache(get_annotations)


def _read(annotation: object, scope: Scope) -> Expected | None:
    text = annotation if isinstance(annotation, str) else _written(annotation)
    return PLAIN[text] if text in PLAIN else _of(_parsed(text), scope)


@cache
def _parsed(text: str) -> ast.expr:
    """An annotation taken apart, once for all parameters that have it."""
    return ast.parse(text, mode="eval").body


def _written(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)


def _of(node: ast.expr, scope: Scope) -> Expected | None:
    """What a piece of an annotation takes; None for anything."""
    match node:
        case ast.BinOp(left=left, right=right):
            return _either([_of(left, scope), _of(right, scope)])
        case ast.Constant(value=None):
            return Expected(lambda value: value is None, "None")
        case ast.Constant(value=str(text)):
            return _read(text, scope)
        case ast.Subscript(value=container, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _generic(_name(container), parts, scope)
        case ast.Name() | ast.Attribute():
            return _named(_name(node), scope)
    return None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else cast("ast.Name", node).id


def _either(choices: list[Expected | None]) -> Expected | None:
    known = [choice for choice in choices if choice is not None]
    if len(known) < len(choices):
        return None
    if _FILE in known:
        # A string beside a path is the name of a file.
        known = [_FILE_NAME if choice is PLAIN["str"] else choice for choice in known]
    words = " or ".join(dict.fromkeys(choice.words for choice in known))
    names = tuple(name for choice in known for name in choice.names)
    checks = [choice.accepts for choice in known]

    def accepts(value: Any) -> bool:
        # Hot loops call checked functions: a generator would take twice as long.
        for check in checks:  # noqa: SIM110
            if check(value):
                return True
        return False

    return Expected(accepts, words, names)


def _named(name: str, scope: Scope) -> Expected | None:
    if name in UNDERSTOOD_ELSEWHERE:
        return None
    if name in FUNCTIONS:
        return Expected(callable, "a function")
    if name in PLAIN:
        return PLAIN[name]
    if name in CONTAINERS:
        return _generic(name, [], scope)
    value = scope.get(name)
    if value is None and name in HOMES:
        scope = vars(import_module(f"truebleu.{HOMES[name]}"))
        value = scope[name]
    if isinstance(value, type) and getattr(value, "_is_protocol", False):
        return _with_members(value)
    if name in CLASSES or isinstance(value, type):
        return _instance(name)
    # A name that is unknown here, since it is imported for annotations only, may be anything.
    return None if value is None else _read(value, scope)


def _instance(name: str) -> Expected:
    """An instance of the class of this name, which need not be imported to be known."""
    return Expected(lambda value: any(base.__name__ == name for base in type(value).__mro__), name)


def _with_members(protocol: type) -> Expected:
    """Whatever has the members of a protocol."""
    members = [name for name in (*vars(protocol), *get_annotations(protocol)) if name[0] != "_"]
    return Expected(
        lambda value: not isinstance(value, type) and all(hasattr(value, m) for m in members),
        f"something with {', '.join(members)}",
    )


# Numbers, strings and arrays.


def _is_whole_number(value: object) -> bool:
    # The plain type first: asking an abstract class takes much longer.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_number(value: object) -> bool:
    if type(value) is float:
        return True
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _is_array(value: object) -> bool:
    import numpy as np

    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _is_array_like(value: object) -> bool:
    """Whether NumPy makes numbers of it; None within it is a number that is missing."""
    import numpy as np

    if value is None or isinstance(value, str | bytes):
        return False
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return True
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return array.dtype.kind in "biuf"


_FILE = Expected(lambda value: isinstance(value, os.PathLike), "a file")
_FILE_NAME = Expected(lambda value: isinstance(value, str), "a file")
_ARRAY = Expected(_is_array, "an array of numbers")
PLAIN = {
    "None": Expected(lambda value: value is None, "None"),
    "bool": Expected(lambda value: isinstance(value, bool), "True or False"),
    "int": Expected(_is_whole_number, "a whole number"),
    "float": Expected(_is_number, "a number"),
    "str": Expected(lambda value: isinstance(value, str), "a string"),
    "Path": _FILE,
    "PathLike": _FILE,
    "BinaryIO": Expected(lambda value: hasattr(value, "read"), "a binary file"),
    "ArrayLike": Expected(_is_array_like, "numbers"),
    "NDArray": _ARRAY,
    "ndarray": _ARRAY,
    "Values": _ARRAY,
}


# Containers. What is in them is checked too, unless looking would use it up.


def _is_text(value: object) -> bool:
    return isinstance(value, str | bytes | bytearray)


def _is_frame(value: object) -> bool:
    """A table, which would iterate over the names of its columns."""
    return hasattr(value, "columns")


def _is_sequence(value: object) -> bool:
    if isinstance(value, Sequence):
        return not _is_text(value)
    if isinstance(value, Mapping | type) or _is_frame(value) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _is_iterable(value: object) -> bool:
    return isinstance(value, Iterable) and not (_is_text(value) or _is_frame(value))


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


CONTAINERS: dict[str, tuple[Callable[[object], bool], str]] = {
    "Sequence": (_is_sequence, "a list"),
    "tuple": (lambda value: isinstance(value, tuple | list), "a tuple"),
    "list": (lambda value: isinstance(value, list), "a list"),
    "Iterable": (_is_iterable, "a list"),
    "Mapping": (_is_mapping, "a mapping"),
    "dict": (_is_mapping, "a mapping"),
}


def _generic(name: str, parts: Sequence[ast.expr], scope: Scope) -> Expected | None:
    """What an annotation with brackets takes."""
    if name == "Literal":
        values = tuple(str(cast("ast.Constant", part).value) for part in parts)
        words = f"one of {', '.join(values)}"
        return Expected(lambda value: isinstance(value, str) and value in values, words, values)
    if name == "Union":
        return _either([_of(part, scope) for part in parts])
    if name == "Optional":
        return _either([_of(parts[0], scope), PLAIN["None"]])
    if name not in CONTAINERS:
        return _named(name, scope)
    is_container, words = CONTAINERS[name]
    inner = [_of(part, scope) for part in parts if not _is_dots(part)]
    if name in ("Mapping", "dict"):
        return _mapping(is_container, words, inner)
    if name == "tuple" and parts and not _is_dots(parts[-1]):
        return _fixed(inner)
    return _elements(is_container, words, inner[0] if inner else None)


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _elements(
    is_container: Callable[[object], bool], words: str, element: Expected | None
) -> Expected:
    if element is None:
        return Expected(is_container, words)

    def accepts(value: Any) -> bool:
        if not is_container(value):
            return False
        # An iterator can be walked only once.
        can_look = hasattr(value, "__len__") or isinstance(value, Set)
        return not can_look or all(map(element.accepts, value))

    return Expected(accepts, f"{words} of {_plural(element.words)}")


def _plural(words: str) -> str:
    """Several of what the words name.

    >>> _plural("a list of strings or Metric")
    'lists of strings or Metrics'
    """
    several = []
    for choice in words.split(" or "):
        head, of, rest = choice.removeprefix("a ").partition(" of ")
        is_noun = choice.startswith("a ") or (choice[0].isupper() and choice not in NO_NOUNS)
        several.append(f"{head}s{of}{rest}" if is_noun else choice)
    return " or ".join(several)


NO_NOUNS = {"None", "True", "False"}


def _fixed(parts: Sequence[Expected | None]) -> Expected:
    def accepts(value: Any) -> bool:
        if not isinstance(value, tuple | list) or len(value) != len(parts):
            return False
        pairs = zip(parts, value, strict=True)
        return all(part is None or part.accepts(item) for part, item in pairs)

    words = ", ".join("anything" if part is None else part.words for part in parts)
    return Expected(accepts, f"a tuple of {words}")


def _mapping(
    is_mapping: Callable[[object], bool], words: str, inner: Sequence[Expected | None]
) -> Expected:
    key, value_of = (*inner, None, None)[:2]

    def accepts(value: Any) -> bool:
        return is_mapping(value) and all(
            (key is None or key.accepts(name)) and (value_of is None or value_of.accepts(item))
            for name, item in value.items()
        )

    of = value_of.words if value_of else "anything"
    return Expected(accepts, f"{words} to {of}")


# Dataclasses.

if not TYPE_CHECKING:

    def dataclass(*, frozen=False, slots=False, kw_only=False, eq=True):
        """The same as ``dataclasses.dataclass``; with ``frozen=True, slots=True`` made quicker.

        Python compiles six methods of every such class, at every start of a command: the fifty
        classes that one needs took a tenth of its time. Here ``__init__`` is compiled, and the
        other methods go through the fields, the same ones for all classes.
        """
        if not (frozen and slots):
            return dataclasses.dataclass(frozen=frozen, slots=slots, kw_only=kw_only, eq=eq)

        def decorate(cls: type) -> type:
            # Python refuses a frozen class among the bases of one that is not, and the reverse.
            derived = any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])
            made = dataclasses.dataclass(
                init=False, repr=False, eq=False, frozen=derived, slots=True, kw_only=kw_only
            )(cls)
            made.__dataclass_params__.frozen = True
            methods = {**_METHODS, **(_EQUALITY if eq else {})}
            for name in methods.keys() - vars(cls).keys():
                setattr(made, name, methods[name])
            made.__init__ = _compiled_init(made)
            return made

        return decorate


class _Factory:
    """Stands for a default that is made anew for every object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _compiled_init(cls: Any) -> Any:
    """A function that takes the fields of a dataclass, and sets them."""
    scope: dict[str, Any] = {"set_field": object.__setattr__, "factory": _FACTORY}
    by_place: list[str] = ["self"]
    by_name: list[str] = []
    lines: list[str] = []
    for field in fields(cls):
        name = value = parameter = field.name
        if field.default is not MISSING:
            scope[f"default_{name}"] = field.default
            parameter = f"{name}=default_{name}"
        elif field.default_factory is not MISSING:
            scope[f"make_{name}"] = field.default_factory
            parameter, value = f"{name}=factory", f"make_{name}() if {name} is factory else {name}"
        (by_name if field.kw_only else by_place).append(parameter)
        lines.append(f"set_field(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join([*by_place, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), scope)  # noqa: S102
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {field.name: field.type for field in fields(cls)}
    return init


def _compared(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, field.name) for field in fields(record) if field.compare)


def _equal(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _set(_self: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_METHODS = {
    "__repr__": _repr,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
_EQUALITY = {"__eq__": _equal, "__hash__": _hash}
