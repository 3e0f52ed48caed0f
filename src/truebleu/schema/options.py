"""Options of verbs: declared once, checked before a verb runs, and kept with its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, cast, get_type_hints

import truebleu.schema.shared as shared
from truebleu.errors import ArgumentTypeError, UnknownNameError
from truebleu.schema.declare import Parameter, read_type, type_hints
from truebleu.schema.docstrings import argument_lines, with_arguments

if TYPE_CHECKING:
    from typing_extensions import Self

Verb = TypeVar("Verb", bound=Callable[..., Any])

#: Raises SettingError for options that contradict each other.
RefuseConflicts: TypeAlias = Callable[[Mapping[str, Any]], None]
#: Declaration of each verb, and its check for conflicts.
_VERBS: dict[Callable[..., Any], tuple[type, RefuseConflicts | None]] = {}


class Settings:
    """Options of a verb with all defaults filled in, as a result keeps them.

    A subclass is a frozen dataclass. A field with the name of an option has no limits of its own:
    it is checked by the declaration of the option, and it may be None only if its own type allows
    it. Its default is also the default of the option, unless the option declares one or may be
    None.
    """

    __slots__ = ()

    #: TypedDict that declares the options.
    OPTIONS: ClassVar[type]

    def __post_init__(self) -> None:
        check_fields(self)
        self.refuse_conflicts({field.name: getattr(self, field.name) for field in fields(self)})  # type: ignore[arg-type]

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for values that contradict each other.

        Args:
            options: requested options, in which None leaves a choice open, or the fields of the
                settings.
        """

    @classmethod
    def from_options(cls, options: Mapping[str, Any], **chosen: Any) -> Self:
        """Make settings of a verb's options.

        Args:
            options: all options, by name. Options without a field are ignored; None becomes the
                default of a field that cannot be None.
            chosen: values that override options and defaults.
        """
        values = {
            name: options[name]
            for name, field in fields_of(cls).items()  # type: ignore[arg-type]
            if name in options and (field.optional or options[name] is not None)
        }
        return cls(**values | chosen)


def takes(
    declaration: type, refuse_conflicts: RefuseConflicts | None = None
) -> Callable[[Verb], Verb]:
    """Make a function a verb that takes declared options.

    The function gets all options as its ``**options``: the requested values, checked, and defaults.
    Its signature and its docstring also show them.

    Args:
        declaration: a TypedDict, or a class of `Settings` with a TypedDict as OPTIONS.
        refuse_conflicts: check for conflicts; by default the check of the settings.
    """

    def decorate(function: Verb) -> Verb:
        declared = declared_by(declaration)
        signature = _signature_with(function, declared)
        names = tuple(signature.parameters)

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name not in names:
                    raise UnknownNameError("argument", name, names)
            requested = {name: named.pop(name) for name in declared if name in named}
            return function(*arguments, **named, **resolve(call, requested))

        vars(call)["__signature__"] = signature
        helps = {name: parameter.setting.help for name, parameter in declared.items()}
        call.__doc__ = with_arguments(function.__doc__, {**dict.fromkeys(names, ""), **helps})
        _VERBS[call] = declaration, refuse_conflicts
        return cast("Verb", call)

    return decorate


def is_verb(function: Callable[..., Any]) -> bool:
    """Return whether a function takes declared options."""
    return function in _VERBS


def resolve(declaration: type | Callable[..., Any], requested: Mapping[str, Any]) -> dict[str, Any]:
    """Check requested options, refuse conflicts between them and fill in defaults.

    Args:
        declaration: a TypedDict, a class of `Settings`, or a verb.
        requested: values by name; None leaves a choice open, if the declaration allows it.

    Raises:
        SettingError: if a value is not possible, missing, or in conflict with another.
    """
    kind, refuse_conflicts = _VERBS.get(declaration, (declaration, None))
    options = {}
    for name, parameter in declared_by(declaration).items():
        value = requested.get(name, parameter.default)
        if value is MISSING:
            raise ArgumentTypeError(name, None, parameter.expected)
        options[name] = parameter.checked(value)
    if refuse_conflicts is not None:
        refuse_conflicts(options)
    elif isinstance(kind, type) and issubclass(kind, Settings):
        kind.refuse_conflicts(options)
    return options


@cache
def declared_by(declaration: type | Callable[..., Any]) -> dict[str, Parameter]:
    """Return the options that a TypedDict, a class of `Settings` or a verb declares, by name."""
    kind: Any = _VERBS.get(declaration, (declaration, None))[0]
    options = kind.OPTIONS if _is_settings(kind) else kind
    defaults = {field.name: field.default for field in fields(kind)} if is_dataclass(kind) else {}
    helps, hints, bare = _helps(kind), type_hints(options), get_type_hints(options)
    # Options that the verb describes itself come before shared options.
    described = argument_lines(options.__doc__ or "")
    declared = {}
    for name in sorted(hints, key=lambda name: name not in described):
        option = read_type(name, hints[name])
        default = option.default
        if default is MISSING:
            # None leaves a choice open.
            unset = False if option.kind is bool else MISSING
            default = None if option.optional else defaults.get(name, unset)
        text = helps.get(name) or option.setting.help or SHARED_HELPS.get(name, "")
        setting = replace(option.setting, help=text)
        declared[name] = replace(option, default=default, setting=setting, annotation=bare[name])
    return declared


@cache
def fields_of(kind: type) -> dict[str, Parameter]:
    """Return the declarations of the fields of a dataclass of settings, by name."""
    hints, helps = type_hints(kind), _helps(kind, of_fields=True)
    options = declared_by(kind) if _is_settings(kind) else {}
    declared = {}
    for field in fields(kind):
        if field.init:
            parameter = read_type(field.name, hints[field.name])
            option = options.get(field.name, parameter)
            setting = replace(
                option.setting,
                choices=parameter.setting.choices or option.setting.choices,
                help=helps.get(field.name) or option.setting.help,
            )
            declared[field.name] = replace(
                option, optional=parameter.optional, default=field.default, setting=setting
            )
    return declared


def check_fields(settings: Any) -> None:
    """Check the fields of a dataclass of settings by their declarations; raises SettingError."""
    for name, parameter in fields_of(type(settings)).items():  # type: ignore[arg-type]
        parameter.check(getattr(settings, name))


def _is_settings(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Settings)


#: Help of options that several verbs share.
SHARED_HELPS = argument_lines(shared.__doc__ or "")


def _helps(kind: type, *, of_fields: bool = False) -> dict[str, str]:
    """Return the help of options; of fields, their own help takes precedence."""
    classes = kind.__mro__[::-1]
    described = [vars(base).get("OPTIONS", base) for base in classes]
    helps: dict[str, str] = {}
    for base in (*described, *(classes if of_fields else ())):
        helps |= argument_lines(base.__doc__ or "")
    return helps


def _signature_with(
    function: Callable[..., Any], declared: Mapping[str, Parameter]
) -> inspect.Signature:
    """Return the signature of a function with its options, which are keywords."""
    signature = inspect.signature(function)
    arguments = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    keywords = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if option.default is MISSING else option.default,
            annotation=option.annotation,
        )
        for name, option in declared.items()
    ]
    first = [argument for argument in arguments if argument.kind is not argument.KEYWORD_ONLY]
    return signature.replace(parameters=[*first, *keywords, *arguments[len(first) :]])
