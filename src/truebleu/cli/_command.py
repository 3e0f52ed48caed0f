"""Commands made from verbs: settings as options, and the parts that all commands share.

`make_command` gives a function the options of its texts, its metrics, its verb and its output, in
these groups; the function gets `texts`, `metrics`, `show` and the settings. A setting's option is
declared in the verb's signature (see `truebleu.schema`); options that name files, here.
"""

from __future__ import annotations

import inspect
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import MISSING, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, TypeVar, cast

import click
from click.core import ParameterSource

from truebleu.cli._habits import hint_for
from truebleu.cli.main import QUIET, print_unless_quiet, split_help, warn
from truebleu.corpus._files import (
    STANDARD_INPUT,
    Files,
    parse_location,
    refuse_existing,
    stem,
    write_files,
)
from truebleu.corpus._reading import read_labels
from truebleu.corpus.text_warnings import merge_warnings, refuse_serious
from truebleu.counts.counting import DEFAULT_METRIC
from truebleu.counts.inputs import (
    ITEM_METRIC,
    are_scores,
    count_evaluation_set,
    counts_of_files,
    read_texts,
    with_baseline,
    with_direction,
)
from truebleu.errors import SettingError, SuspiciousTextError, UnknownNameError
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import as_requested, is_metric_name
from truebleu.metrics.threads import MAX_THREADS, set_threads, use_environment
from truebleu.reports.document import CHECK_FORMATS, FORMATS, render
from truebleu.schema import (
    DEFAULT_REPLICATES,
    GROUPS,
    Setting,
    argument_lines,
    declared_by,
    read_type,
    resolve,
    type_hints,
)
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Set
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from truebleu._results import Result
    from truebleu.corpus._reading import TestSetParts
    from truebleu.corpus.outline import Outline
    from truebleu.corpus.public_test_sets import PublicTestSet
    from truebleu.corpus.test_set import TestSet
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Requested
    from truebleu.reports.charts import Drawable
    from truebleu.schema import Group, Parameter
    from truebleu.scores.evaluation_set import EvaluationSet

ALL_OPTIONS = "truebleu.all_options"


#: Metavars of files, which shells complete.
FILES = ("FILE", "FILE.npz", "LISTS", "FOLDER", "PATH")
# Most characters of choices in the first column of help; longer lists follow the sentence.
LONGEST_CHOICES = 20
# Most characters of a description that `--help` shows whole.
LONGEST_HELP = 350


class FilePath(click.Path):
    """A path, which shells complete; the file's reader rejects invalid ones, as with a NUL."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path unchanged, even if invalid; reject an empty one.

        The reader of the path reports an invalid one.
        """
        if value == "":  # an unset variable; as a path it would be the current folder
            self.fail("''; expected the name of a file or folder", param, ctx)
        try:
            return super().convert(value, param, ctx)
        except ValueError:
            return self.coerce_path_result(value)


class Option(click.Option):
    """An option with its group in ``--help``; only ``--help-all`` shows rare ones.

    Args:
        flags: names of the option, separated by blanks; the last may name the value.
        text: help text.
        takes: metavar; shells complete files.
        group: heading in help.
        rare: True if only ``--help-all`` shows the option.
        declared: declaration of the option if it is a setting; errors about it name the option.
        details: further arguments of `click.Option`.
    """

    def __init__(
        self,
        flags: str,
        text: str,
        takes: str | None = None,
        *,
        group: Group = "Output",
        rare: bool = False,
        declared: Parameter | None = None,
        **details: Any,
    ) -> None:
        if takes in FILES:
            details.setdefault("type", FilePath())
        super().__init__(flags.split(), help=text, metavar=takes, **details)
        self.group, self.rare = group, rare
        self.declared = declared
        if isinstance(self.type, click.Choice) and takes is None:
            names = tuple(map(str, self.type.choices))
            if len("|".join(names)) > LONGEST_CHOICES:
                # The names follow the sentence, or are its end.
                self.metavar, end = "NAME", f"{', '.join(names)}."
                self.help = f"{text} One of {end}" if ". " in text else f"{text.rstrip('.')}: {end}"


class Command(click.Command):
    """A command that groups its options in help and hints at options of other tools."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description; ``--help`` has only the first paragraph of a long one."""
        text = self.help or ""
        if len(text) > LONGEST_HELP and not ctx.meta.get(ALL_OPTIONS):
            text = text.partition("\n\n")[0]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group; ``--help`` leaves out rare ones."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        rare = [option for option in options if getattr(option, "rare", False)]
        hidden = [] if ctx.meta.get(ALL_OPTIONS) else rare
        for group in GROUPS:
            shown = [o for o in options if getattr(o, "group", "Output") == group]
            rows = [row for o in shown if o not in hidden and (row := o.get_help_record(ctx))]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)
        if hidden:
            formatter.write_paragraph()
            formatter.write_text(f"--help-all shows {len(hidden)} more options.")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; `-m bleu chrf` names two metrics, as in sacreBLEU."""
        for argument in args:
            flag = argument.partition("=")[0]
            hint = hint_for(flag, self)
            if hint is not None:
                raise click.UsageError(f"No such option: {flag}. Here it is {hint}.", ctx)
        arguments = list(_repeat_metric_flags(args))
        _, _, order = self.make_parser(ctx).parse_args(list(arguments))
        for option, count in Counter(order).items():
            # A repeated number overrides the first, but a repeated file would silently drop one.
            is_file = isinstance(option, Option) and "FILE" in (option.metavar or "")
            if count > 1 and is_file and not option.multiple:
                raise click.UsageError(f"{option.opts[0]} was given {count} times.", ctx)
        return super().parse_args(ctx, arguments)


def _repeat_metric_flags(arguments: Sequence[str]) -> Iterator[str]:
    """Insert `-m` before each metric that follows another, unless a file has its name."""
    after_metric = False
    for index, argument in enumerate(arguments):
        is_metric = is_metric_name(argument.partition(":")[0]) and not os.path.exists(argument)
        if after_metric and is_metric and arguments[index - 1] not in ("-m", "--metric"):
            yield "-m"
        yield argument
        after_metric = argument in ("-m", "--metric") or (after_metric and is_metric)


# Options generated from a verb's declaration.


def setting_options(settings: Mapping[str, Parameter]) -> Iterator[Option]:
    """Yield an option for each setting that the command line can hold."""
    for name, declared in settings.items():
        setting = declared.setting
        # A value of any type is read as text if the declaration has a metavar for it.
        if not setting.option or (declared.kind is None and setting.metavar is None):
            continue
        flags = (*(setting.flags or (f"--{name.replace('_', '-')}",)), name)
        details: dict[str, Any] = {"group": setting.group, "rare": setting.rare}
        if declared.kind is bool:
            details |= {"is_flag": True, "default": declared.default}
        else:
            kind: Any = str if declared.kind in (os.PathLike, None) else declared.kind
            kind = FilePath() if setting.metavar in FILES else kind
            kind = click.Choice(tuple(setting.choices)) if setting.choices else kind
            # Several values are separated by commas if the declared metavar has commas.
            has_commas = "," in (setting.metavar or "")
            multiple = declared.many and not has_commas
            details |= {"takes": setting.metavar, "type": kind, "multiple": multiple}
            if has_commas:
                split = partial(_split, click.types.convert_type(kind))
                details |= {"type": str, "callback": split}
            if declared.default is MISSING:
                details["required"] = True
            elif not declared.many:
                shown = declared.default is not None
                details |= {"default": declared.default, "show_default": shown}
        yield Option(" ".join(flags), _sentence(setting.help), declared=declared, **details)


def own_settings(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the settings that a command's function declares by its annotations and ``Args:``."""
    helps, settings = argument_lines(function.__doc__ or ""), {}
    for name, hint in type_hints(function).items():
        if any(isinstance(item, Setting) for item in getattr(hint, "__metadata__", ())):
            declared = read_type(name, hint)
            setting = replace(declared.setting, help=helps.get(name) or declared.setting.help)
            default = None if declared.optional else declared.default
            settings[name] = replace(declared, setting=setting, default=default)
    return settings


def _split(
    kind: click.ParamType[Any], context: click.Context, option: click.Parameter, text: str | None
) -> tuple[Any, ...] | None:
    """Split the argument of an option at commas and convert each value."""
    if text is None:
        return None
    return tuple(kind.convert(part, option, context) for part in text.split(","))


def _sentence(text: str) -> str:
    """Format a docstring line as help: capitalized, without quotes or a leading 'True to'.

    Quotes are backticks and double quotes.
    """
    words = text.replace("`", "").replace('"', "").removeprefix("True to ")
    return words[:1].upper() + words[1:]


def make_command(
    name: str,
    verb: Callable[..., Any] | None = None,
    parts: str = "format output",
    *,
    options: Sequence[click.Parameter] = (),
    metrics: Callable[[Sequence[str]], list[Metric]] | None = None,
    output: str = "Write the result into FILE.",
    common: Sequence[str] = (),
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a command from a function, whose docstring is the help.

    Parameters of the function that are annotated with a `Setting` become options.

    Args:
        name: name of the command.
        verb: function whose settings become options; the command's function gets them by name.
        parts: further parts of the command, separated by blanks. With "texts", the function gets
            `texts`: references, source and documents, with the outputs if "systems" (required)
            or "[systems]" (optional) is a part, and with groups of segments if "by" is. With
            "metrics" and "executor" it gets these; "direction" is for scores of other programs,
            without texts. With "sets", an evaluation set may stand for the texts. With "details",
            "chart", "format" and "output" the result has these options; "checks" adds the formats
            for pipelines.
        options: further options and arguments.
        metrics: function that parses metrics, BLEU by default; None for metrics and scores of
            other programs, with the default of the verb.
        output: help text of ``--output``.
        common: names of rare options that ``--help`` shows all the same.
    """
    has = set(parts.split())
    has |= {"direction"} if {"metrics", "texts"} <= has else set()

    def of_part(part: str) -> dict[str, Parameter]:
        return declared_by(PARTS[part]) if part in has else {}

    def decorate(function: Callable[..., None]) -> Command:
        declared = {} if verb is None else declared_by(verb)
        parameters: list[click.Parameter] = []
        parameters += [option for option in options if isinstance(option, click.Argument)]
        if not has.isdisjoint(("systems", "[systems]")):
            required = "systems" in has
            metavar = "SYSTEM..." if required else "[SYSTEM...]"
            parameters.append(Systems(["systems"], nargs=-1, type=FilePath(), metavar=metavar))
            parameters[-1].required = required
        parameters += setting_options(of_part("texts") | of_part("sets"))
        if verb is not None and "metrics" in has:
            parameters.append(_metric_option(verb))
        parameters += setting_options(of_part("metrics") | of_part("direction") | of_part("by"))
        parameters += setting_options(declared)
        parameters += [option for option in options if not isinstance(option, click.Argument)]
        parameters += setting_options(own_settings(function) | of_part("executor"))
        parameters += [*setting_options(_output_settings(has, output)), HELP_ALL]
        with_group = [option for option in parameters if isinstance(option, Option)]
        for option in with_group:
            option.rare &= option.name not in common
        generated = {str(o.name): o for o in with_group if o.declared is not None}
        names = {name: option.opts[-1] for name, option in generated.items()}

        def callback(**values: Any) -> None:
            with _named_as_options(names):
                run(values)

        def run(values: dict[str, Any]) -> None:
            for name, option in generated.items():
                if option.declared is not None and name not in declared:
                    option.declared.check(values[name])
            _prepare_output(values)
            if verb is not None:
                # Check the settings before any file is read; the declaration has the defaults.
                given = {name: values[name] for name in declared.keys() & values.keys()}
                values |= resolve(verb, {k: v for k, v in given.items() if v not in (None, ())})
            if "texts" in has:
                values["texts"] = _texts_of(values)
            if "metrics" in has:
                values["metrics"] = _chosen_metrics(values, metrics or as_requested)
            if not any(was_given(name) for name in WRITES_FILES):
                reject_unused(["force"], "requires a file to write")
            output = {name: values.pop(name) for name in ResultWriter.__slots__ if name in values}
            with _executor(values.pop("processes", None), values.pop("cluster", None)) as executor:
                if "executor" in has:
                    values["executor"] = executor
                function(show=ResultWriter(**output), **values)

        text, examples = split_help(function.__doc__)
        return Command(
            name,
            params=parameters,
            callback=callback,
            help=text,
            epilog=examples,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )

    return decorate


@contextmanager
def _named_as_options(names: Mapping[str, str]) -> Iterator[None]:
    """Replace the name of a setting in errors by its option on the command line."""
    try:
        yield
    except SettingError as error:
        setting, *others = error.args
        # The first argument of an UnknownNameError is the kind of name.
        if not isinstance(error, UnknownNameError):
            error.args = (names.get(setting, setting), *others)
        raise


#: Options that name files to write.
WRITES_FILES = ("output", "chart", "file", "folder")


def was_given(name: str) -> bool:
    """Return whether the current command's option with the value `name` was given."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def reject_unused(names: Iterable[str], reason: str) -> None:
    """Raise click.UsageError if an option without effect was given.

    Args:
        names: names of the options' values.
        reason: end of the message: the option that they need or exclude.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and was_given(str(option.name)):
            raise click.UsageError(f"{option.opts[-1]} {reason}.")


RARE_OUTPUT: Any = {"group": "Output", "rare": True}

# Texts.

RARE_TEXT: Any = {"group": "Texts", "rare": True}
References: TypeAlias = Annotated[
    Sequence[str] | None, Setting(flags=("-r", "--reference"), metavar="FILE", group="Texts")
]


class TextOptions(TypedDict, total=False):
    """Options of texts.

    Attributes:
        references: a reference; repeat for several.
        source: the source text, which COMET and its kin read.
        documents: each segment's document: a label per line, TSV with doc and domain, or a field of
            items.
        test_set: in place of references: a test set that sacreBLEU knows and has downloaded, such
            as wmt24 with -l en-de, or wmt24/en-de. Source, documents and domains come with it.
        strict: treat warnings about the texts as errors.
    """

    references: References
    source: Annotated[str | None, Setting(flags=("-s", "--source"), metavar="FILE", **RARE_TEXT)]
    documents: Annotated[str | None, Setting(metavar="FILE", group="Texts")]
    test_set: Annotated[str | None, Setting(metavar="NAME", **RARE_TEXT)]
    strict: Annotated[bool, Setting(**RARE_TEXT)]


class SetOptions(TypedDict, total=False):
    """Options of evaluation sets.

    Attributes:
        lp: language pair of an evaluation set, the folder SYSTEM.
        humans: compare the human translations of an evaluation set too. Default: as in its task.
    """

    lp: Annotated[str | None, Setting(metavar="PAIR", **RARE_TEXT)]
    humans: Annotated[bool | None, Setting(flags=("--humans/--no-humans",), **RARE_TEXT)]


class GroupOptions(TypedDict, total=False):
    """Option of groups.

    Attributes:
        columns: also report groups of segments: domain, document, another column of the --documents
            table, or FILE#COLUMN.
    """

    columns: Annotated[
        Sequence[str] | None, Setting(flags=("--by",), metavar="COLUMN", group="Texts")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A command's texts, with their documents and columns of labels."""

    systems: Sequence[str] = ()
    references: Sequence[str]
    source: str | None
    documents: str | None
    strict: bool
    columns: Sequence[str] = ()
    public: PublicTestSet | None = None
    lp: str | None = None
    humans: bool | None = None

    def evaluation_set(self, human: str | None = None) -> EvaluationSet | None:
        """Read the evaluation set that the only system names, or return None.

        Args:
            human: name of its human scores; None for the standard.
        """
        from truebleu.scores.evaluation_set import EvaluationSet, is_evaluation_set

        if len(self.systems) != 1 or not is_evaluation_set(self.systems[0]):
            reject_unused(["lp", "humans"], "requires the folder of an evaluation set as SYSTEM")
            return None
        reject_unused(["source", "documents", "test_set"], "has no effect with an evaluation set")
        evaluation_set = EvaluationSet.read(
            self.systems[0], self.lp, references=self.references, human=human, humans=self.humans
        )
        self._warn(evaluation_set.outline.warnings)
        return evaluation_set

    def read(self) -> TestSet:
        """Read the texts; warnings go to standard error."""
        with progress_bar(0, "reading"):
            test_set = read_texts(
                self.systems,
                self.references,
                source=self.source,
                documents=self.documents,
                strict=self.strict,
            )
            if self.public is not None:
                test_set = _with_labels(test_set, self.public, documents=self.documents is None)
            self._warn(test_set.warnings)
            return test_set

    def count(
        self,
        metrics: Sequence[Requested] | None = None,
        *,
        keep_texts: bool = False,
        fingerprints: bool = False,
        by_runs: bool = False,
        refuses_serious: bool = False,
    ) -> Counts:
        """Count the texts, or take saved counts or scores; warnings go to standard error.

        Args:
            metrics: metrics to count; None for the default.
            keep_texts: True to keep the texts, False to forget them part by part.
            fingerprints: True to compute the fingerprints that saved counts and ledgers need.
            by_runs: True if runs of scored models, such as epochs, are systems of their own.
            refuses_serious: True if a serious warning is an error.
        """
        evaluation_set = self.evaluation_set()
        if evaluation_set is not None:
            for note in evaluation_set.notes:
                print_unless_quiet(note)
            return count_evaluation_set(evaluation_set, metrics)
        parts: list[TestSetParts] = []

        def share() -> float | None:
            return parts[0].share_read if parts else None

        with progress_bar(0, "reading", share=share) as progress:

            def watch(reading: TestSetParts) -> None:
                parts[:] = [reading]
                progress(0)

            counts = counts_of_files(
                self.systems,
                self.references,
                metrics,
                source=self.source,
                documents=self.documents,
                strict=self.strict,
                keep_texts=keep_texts,
                fingerprints=fingerprints,
                by_runs=by_runs,
                watch=watch,
            )
            if self.public is not None:
                outline = _with_labels(
                    counts.outline, self.public, documents=self.documents is None
                )
                counts = replace(counts, outline=outline)
            if refuses_serious:
                refuse_serious(counts.outline.warnings)
            self._warn(counts.outline.warnings)
            return counts

    def _warn(self, warnings: Sequence[TextWarning]) -> None:
        if self.strict and warnings:
            raise SuspiciousTextError([warning.message for warning in warnings])
        warn_of_texts(warnings)

    def run(
        self,
        verb: Callable[..., Any],
        counts: Counts,
        settings: Mapping[str, Any],
        passes: int = 1,
        action: str = "comparing",
    ) -> Any:
        """Call a verb with counts and the groups of ``--by``, and show its progress.

        Args:
            verb: function of counts.
            counts: counts of these texts.
            settings: arguments of the verb, with the number of replicates.
            passes: number of times that the verb makes the replicates.
            action: participle before the progress bar.
        """
        labels = self.labels(counts.outline)
        steps = passes * (settings["replicates"] or DEFAULT_REPLICATES)
        with progress_bar(steps, action) as progress:
            return verb(counts, by=labels, progress=progress, **settings)

    def labels(self, outline: Outline) -> dict[str, tuple[str, ...]]:
        """Return the labels of all segments by the columns of ``--by``."""
        return {
            parse_location(column).column or column: self._column(column, outline)
            for column in self.columns
        }

    def _column(self, column: str, outline: Outline) -> tuple[str, ...]:
        """Return known labels, or a column of its own file or of the table of documents."""
        known = outline.labels(column)
        if known is not None:
            return known
        location = column
        if parse_location(column).column is None:
            if self.documents is None:
                expected = (
                    "domain or document if the texts have them, a column of --documents FILE, or "
                    "FILE#COLUMN"
                )
                raise SettingError("--by", column, expected)
            location = f"{parse_location(self.documents).path}#{column}"
        # Any column can be read in the way that documents are.
        labels = read_labels(Files(), location, outline.systems[0], outline.segments)
        return labels.documents or ()

    def with_baseline(self, baseline: str) -> tuple[Texts, str]:
        """Append the baseline; return the texts and its name, as `inputs.with_baseline` does."""
        systems, name = with_baseline(self.systems, baseline)
        return replace(self, systems=systems), name


def warn_of_texts(warnings: Sequence[TextWarning]) -> None:
    """Write warnings to standard error, merged by kind unless ``--details`` is given."""
    arguments = click.get_current_context().params
    option = "--details" if "details" in arguments else "--strict"
    messages = [warning.message for warning in warnings]
    merged = merge_warnings(warnings, f"; {option} lists them")
    for message in messages if arguments.get("details") else merged:
        warn(message)


class Systems(click.Argument):
    """The systems of a command; a required one is read from a pipe if none is named."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Return the arguments, or standard input if references but no systems are named."""
        value, source = super().consume_value(ctx, opts)
        is_named = isinstance(value, tuple) and bool(value)
        if not is_named and self.required and "references" in opts:
            with suppress(AttributeError, OSError, ValueError):
                mode = os.fstat(sys.stdin.fileno()).st_mode
                if stat.S_ISFIFO(mode) or stat.S_ISREG(mode):
                    value = (STANDARD_INPUT,)
        return value, source


#: Names of files of references.
_REFERENCE = re.compile(r"[Rr]ef(erence)?s?([\W_\d].*|[A-Z])?")


def _texts_of(values: dict[str, Any]) -> Texts:
    """Make `Texts` from the values of its options, which it removes from `values`."""
    fields = {name: values.pop(name) for name in Texts.__slots__ if name in values}
    for system in fields.get("systems", ()) if fields["references"] else ():
        location = parse_location(system)
        if location.name is None and _REFERENCE.fullmatch(stem(location.path)):
            flags = " ".join(f"-r {name}" for name in (*fields["references"], system))
            print_unless_quiet(
                f"hint: {system} is scored as a system; if it is a reference, write {flags}"
            )
    public = _public_test_set(values.pop("test_set"), fields["references"])
    if public is not None:
        fields["references"] = public.references
        fields["source"] = fields["source"] or public.source
    return Texts(**fields, public=public)


def _public_test_set(argument: str | None, references: Sequence[str]) -> PublicTestSet | None:
    """Find a test set by NAME/PAIR, or by its name and the pair of ``--language``."""
    if argument is None:
        return None
    if references:
        raise SettingError("--test-set", argument, "--test-set or --reference, not both")
    from truebleu.corpus.public_test_sets import find_test_set

    language = click.get_current_context().params.get("language")
    name, pair = argument, language
    head, _, tail = argument.rpartition("/")
    if "-" in tail and head:  # some test sets have a slash in their names
        name, pair = head, tail
    if pair is None or (language is not None and language != pair):
        raise SettingError("--test-set", argument, "a language pair: -l en-de, or wmt24/en-de")
    return find_test_set(name, pair)


Labelled = TypeVar("Labelled", "TestSet", "Outline")


def _with_labels(labelled: Labelled, public: PublicTestSet, *, documents: bool) -> Labelled:
    """Add the documents and domains of a public test set, unless others were given."""
    if documents:
        labelled = replace(labelled, documents=public.documents)
    if labelled.domains is None:
        labelled = replace(labelled, domains=public.domains)
    return labelled


# Metrics.


class LanguageOptions(TypedDict, total=False):
    """Option of the metrics of texts.

    Attributes:
        language: target language or pair, such as zh or en-zh: chooses the tokenizer as sacreBLEU
            does. Default: by the script of the references.
    """

    language: Annotated[
        str | None,
        Setting(flags=("-l", "--language"), metavar="LANG", group="Metrics", rare=True),
    ]


class DirectionOptions(TypedDict, total=False):
    """Option of given scores.

    Attributes:
        higher_is_better: for scores of other tools: their direction, whatever the name suggests.
    """

    higher_is_better: Annotated[
        bool | None,
        Setting(flags=("--higher-is-better/--lower-is-better",), group="Metrics", rare=True),
    ]


def _metric_option(verb: Callable[..., Any]) -> Option:
    """Return the option for metrics, with the default of a verb."""
    default = inspect.signature(verb).parameters["metrics"].default
    names = [default] if isinstance(default, str) else list(default or ())
    return Option(
        "-m --metric metrics",
        "A metric, settings after a colon: chrf:word_order=2. Several: -m bleu chrf ter. See "
        "truebleu list metrics.",
        "METRIC",
        group="Metrics",
        multiple=True,
        default=names,
        show_default=bool(names) or "bleu, given scores, or all saved counts",
    )


def _chosen_metrics(
    values: dict[str, Any], parse: Callable[[Any], Sequence[Requested]]
) -> list[Requested] | None:
    """Parse metrics and fix their language and direction; None requests the default metric.

    Args:
        values: values of a command's options; language and direction are removed.
        parse: function that parses names of metrics.
    """
    language, higher = values.pop("language"), values.pop("higher_is_better", None)
    texts: Texts | None = values.get("texts")
    metrics = parse(values["metrics"]) if values["metrics"] else None
    if language is not None:
        requested = [*(metrics or parse(DEFAULT_METRIC))]
        metrics = [m.for_language(language) if isinstance(m, Metric) else m for m in requested]
        if metrics == requested and (texts is None or texts.public is None):
            expected = "a metric whose tokenizer is not set, such as bleu; it would do nothing here"
            raise SettingError("--language", language, expected)
    if higher is not None:
        are_given = texts is not None and not texts.references and are_scores(texts.systems)
        metrics = metrics or as_requested(ITEM_METRIC if are_given else DEFAULT_METRIC)
        metrics = with_direction(metrics, not higher)
    return None if metrics is None else list(metrics)


# Output.


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultWriter:
    """Writer of a command's result and chart, in the format and file of its options."""

    format: str = "text"
    output: Path | None = None
    chart: Path | None = None
    force: bool = False
    details: bool = False

    def __call__(self, result: Result, **options: Any) -> None:
        """Draw and print a result; its report takes `options`."""
        self.draw(result)
        self.print(result, **options)

    def draw(self, result: Drawable) -> None:
        """Write a result's chart to the file of ``--chart``, if it was given."""
        if self.chart is not None:
            from truebleu.reports.charts import save_chart

            save_chart(result, self.chart, overwrite=self.force)

    def print(self, result: Result, **options: Any) -> None:
        """Print a result, or write it into the file of ``--output``."""
        if self.details:
            options["details"] = True
        text = render(result, self.format, **options)
        if self.output is None:
            click.echo(text, nl=False)
        else:
            self.write([text.encode()])

    def write(self, lines: Iterable[bytes]) -> None:
        """Write lines into the file of ``--output``, if it was given: all of them or no file."""
        if self.output is not None:
            write_files(self.output.parent, {self.output.name: lines}, overwrite=self.force)

    def write_choice(self, texts: Iterable[bytes]) -> None:
        """Write chosen texts into the file of ``--output``, and name the file."""
        self.write(texts)
        if self.output is not None:
            print_unless_quiet(f"wrote the chosen texts to {self.output}")
        elif sys.stderr.isatty():
            print_unless_quiet("hint: -o FILE writes the chosen texts")


class OutputOptions(TypedDict, total=False):
    """Options of output.

    Attributes:
        force: overwrite files.
        format: output format.
        chart: also draw a chart; FILE ends in .png, .svg, .pdf or .json. Needs truebleu[charts].
        details: show all tables and cautions.
        threads: threads to use; 0 for one per processor. Default: TRUEBLEU_THREADS, or 0.
        quiet: print only results and errors, without warnings and progress.
    """

    force: Annotated[bool, Setting(**RARE_OUTPUT)]
    format: Annotated[str, Setting(flags=("-f", "--format"), group="Output", default="text")]
    output: Annotated[str | None, Setting(flags=("-o", "--output"), metavar="FILE", group="Output")]
    chart: Annotated[str | None, Setting(metavar="FILE", group="Output")]
    details: Annotated[bool, Setting(flags=("--details", "--all"), group="Output")]
    threads: Annotated[int | None, Setting(minimum=0, maximum=MAX_THREADS, **RARE_OUTPUT)]
    quiet: Annotated[bool, Setting(flags=("-q", "--quiet"), **RARE_OUTPUT)]


def _output_settings(parts: Set[str], output: str) -> dict[str, Parameter]:
    """Return the settings of output that a command has; `output` is the help of ``--output``."""
    settings = dict(declared_by(OutputOptions))
    formats = (*FORMATS, *CHECK_FORMATS) if "checks" in parts else tuple(FORMATS)
    changes: dict[str, dict[str, Any]] = {
        "format": {"choices": formats},
        "output": {"help": output},
    }
    for name, change in changes.items():
        setting = replace(settings[name].setting, **change)
        settings[name] = replace(settings[name], setting=setting)
    hidden = {"chart", "details", "output", "format"} - parts
    return {name: setting for name, setting in settings.items() if name not in hidden}


def _prepare_output(values: dict[str, Any]) -> None:
    """Apply options of output; a file that cannot be written is reported before the work begins."""
    context, threads = click.get_current_context(), values.pop("threads")
    context.meta[QUIET] = values.pop("quiet")
    if threads is None:
        use_environment()
    elif (used := set_threads(threads)) < threads:
        warn(f"{used} threads are used: {threads} would only be slower on this machine")
    for name in ("output", "chart"):
        values[name] = values[name] and Path(values[name]) if name in values else None
    if values["output"] is not None:
        refuse_existing([values["output"]], overwrite=values["force"])
    if values["chart"] is not None:
        from truebleu.reports.charts import require_chart_file

        require_chart_file(values["chart"], overwrite=values["force"])


def _help_all(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        context.meta[ALL_OPTIONS] = True
        click.echo(context.get_help())
        context.exit()


HELP_ALL = Option(
    "--help-all",
    "Show all options.",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_help_all,
)


# Executors of long work.


class ExecutorOptions(TypedDict, total=False):
    """Options of executors.

    Attributes:
        processes: run tasks in N processes.
        cluster: run tasks on a Dask cluster with this scheduler, such as tls://10.0.0.1:8786. Needs
            truebleu[dask].
    """

    processes: Annotated[
        int | None,
        Setting(minimum=1, maximum=MAX_THREADS, metavar="N", group="Output", rare=True),
    ]
    cluster: Annotated[
        str | None, Setting(flags=("--dask",), metavar="ADDRESS", group="Output", rare=True)
    ]


#: Declarations of the options that are parts of several commands.
PARTS: dict[str, type] = {
    "texts": TextOptions,
    "sets": SetOptions,
    "by": GroupOptions,
    "metrics": LanguageOptions,
    "direction": DirectionOptions,
    "executor": ExecutorOptions,
}


def _executor(
    processes: int | None, cluster: str | None
) -> AbstractContextManager[Executor | None]:
    if cluster is not None and processes is not None:
        raise SettingError("--dask", cluster, "--dask or --processes, not both")
    if cluster is None and processes is None:
        return nullcontext()
    from truebleu.execution.executors import Cluster, Processes

    if processes is not None:
        return Processes(processes)
    executor = Cluster(cast("str", cluster), silent=True)
    if not executor.is_encrypted:
        warn(f"{executor}: without TLS, whoever reaches the scheduler can run code on its workers")
    return executor
