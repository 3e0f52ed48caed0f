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
from contextlib import contextmanager, nullcontext
from dataclasses import MISSING, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from truebleu.cli._habits import hint_for
from truebleu.cli.main import QUIET, print_unless_quiet, warn
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
    are_scores,
    count_evaluation_set,
    counts_of_files,
    read_texts,
    with_baseline,
)
from truebleu.errors import SettingError, SuspiciousTextError, UnknownNameError
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import as_requested, is_metric_name
from truebleu.metrics.threads import MAX_THREADS, set_threads, use_environment
from truebleu.reports.document import CHART_ENDINGS, CHECK_FORMATS, FORMATS, render
from truebleu.schema import GROUPS, declared_by, resolve
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

LANGUAGE = "truebleu.language"
HIGHER = "truebleu.higher_is_better"
TEST_SET = "truebleu.test_set"
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
        read: function that converts the argument, called when all settings are checked.
        is_setting: True if the option is a declared setting, so that errors name the option.
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
        read: Callable[[Any], Any] | None = None,
        is_setting: bool = False,
        **details: Any,
    ) -> None:
        if takes in FILES:
            details.setdefault("type", FilePath())
        super().__init__(flags.split(), help=text, metavar=takes, **details)
        self.group, self.rare = group, rare
        self.read, self.is_setting = read, is_setting
        if isinstance(self.type, click.Choice) and takes is None:
            names = tuple(map(str, self.type.choices))
            if len("|".join(names)) > LONGEST_CHOICES:
                self.metavar = "NAME"
                self.help = _with_names(text, names)


def _with_names(text: str, names: Sequence[str]) -> str:
    """Return the help of an option with the names to choose from."""
    listed_names = ", ".join(names)
    if ". " in text:
        return f"{text} One of {listed_names}."
    return f"{text.rstrip('.')}: {listed_names}."


class Command(click.Command):
    """A command that groups its options in help and hints at options of other tools."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description; ``--help`` has only the first paragraph of a long one."""
        text = self.help or ""
        if len(text) > LONGEST_HELP and not ctx.meta.get(ALL_OPTIONS):
            text = inspect.cleandoc(text).partition("\n\n")[0]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(inspect.cleandoc(text))

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
        details: dict[str, Any] = {"takes": setting.metavar}
        if declared.kind is bool:
            details = {"is_flag": True, "default": declared.default}
        else:
            kind: Any = str if declared.kind in (os.PathLike, None) else declared.kind
            if setting.choices:
                kind = click.Choice(tuple(setting.choices))
            # Several values are separated by commas if the declared metavar has commas.
            has_commas = "," in (setting.metavar or "")
            details |= {"type": kind, "multiple": declared.many and not has_commas}
            if has_commas:
                details |= {
                    "type": str,
                    "callback": partial(_split, click.types.convert_type(kind)),
                }
            if declared.default is MISSING:
                details["required"] = True
            elif not declared.many:
                shown = declared.default is not None
                details |= {"default": declared.default, "show_default": shown}
        details |= {"group": setting.group, "rare": setting.rare}
        yield Option(" ".join(flags), _sentence(setting.help), is_setting=True, **details)


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
    epilog: str = "",
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a command from a function.

    Args:
        name: name of the command.
        verb: function whose settings become options; the command's function gets them by name.
        parts: further parts of the command, separated by blanks. With "texts", the function gets
            `texts`: references, source and documents, with the outputs if "systems" (required)
            or "[systems]" (optional) is a part, and with groups of segments if "by" is. With
            "metrics" and "executor" it gets these. With "sets", an evaluation set may stand for the
            texts. With "details", "chart", "format" and "output" the result has these options;
            "checks" adds the formats for pipelines.
        options: further options and arguments.
        metrics: function that parses metrics, BLEU by default; None for metrics and scores of
            other programs, with the default of the verb.
        output: help text of ``--output``.
        epilog: text below the options.
    """
    has = set(parts.split())

    def decorate(function: Callable[..., None]) -> Command:
        declared = {} if verb is None else declared_by(verb)
        parameters: list[click.Parameter] = []
        parameters += [option for option in options if isinstance(option, click.Argument)]
        if not has.isdisjoint(("systems", "[systems]")):
            required = "systems" in has
            metavar = "SYSTEM..." if required else "[SYSTEM...]"
            parameters.append(Systems(["systems"], nargs=-1, type=FilePath(), metavar=metavar))
            parameters[-1].required = required
        parameters += _text_options() if "texts" in has else []
        parameters += _set_options(name) if "sets" in has else []
        if verb is not None and "metrics" in has:
            default = inspect.signature(verb).parameters["metrics"].default
            parameters += _metric_options(metrics, default)
        parameters += [DIRECTION] if {"metrics", "texts"} <= has else []
        parameters += [BY] if "by" in has else []
        parameters += setting_options(declared)
        parameters += [option for option in options if not isinstance(option, click.Argument)]
        parameters += _executor_options() if "executor" in has else []
        formats = (*FORMATS, *CHECK_FORMATS) if "checks" in has else tuple(FORMATS)
        hidden = {"chart", "details", "output", "format"} - has
        parameters += [o for o in _output_options(formats, output) if o.name not in hidden]
        with_group = [option for option in parameters if isinstance(option, Option)]
        names = {str(option.name): option.opts[-1] for option in with_group if option.is_setting}
        read_later: list[Any] = [option for option in with_group if option.read is not None]

        def callback(**values: Any) -> None:
            with _named_as_options(names):
                run(values)

        def run(values: dict[str, Any]) -> None:
            if verb is not None:
                # Check the settings before any file is read; the declaration has the defaults.
                given = {name: values[name] for name in declared.keys() & values.keys()}
                values |= resolve(verb, {k: v for k, v in given.items() if v not in (None, ())})
            for option in read_later:
                if values[option.name] is not None:
                    values[option.name] = option.read(values[option.name])
            if "texts" in has:
                values["texts"] = _texts_of(values)
            if "metrics" in has:
                values["metrics"] = _chosen_metrics(values["metrics"], values.get("texts"))
            if not any(was_given(name) for name in WRITES_FILES):
                reject_unused(["force"], "requires a file to write")
            show = {field: values.pop(field) for field in ResultWriter.__slots__ if field in values}
            with _executor(values.pop("processes", None), values.pop("cluster", None)) as executor:
                if "executor" in has:
                    values["executor"] = executor
                function(show=ResultWriter(**show), **values)

        return Command(
            name,
            params=parameters,
            callback=callback,
            help=function.__doc__,
            epilog=epilog,
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


def _store_in_context(key: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return an option's callback that stores its value in the context for other options."""

    def callback(context: click.Context, _option: click.Parameter, value: Any) -> Any:
        context.meta[key] = value
        return value

    return callback


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


# Texts.


def reference_option(
    of: str = "", text: str = "A reference; repeat for several.", **details: Any
) -> Option:
    """Return the option for `references`, ``-r``; with `of` the option for `of`_references."""
    flags = f"--{of}-reference {of}_references" if of else "-r --reference references"
    return Option(flags, text, "FILE", group="Texts", multiple=True, **details)


def _text_options() -> list[click.Parameter]:
    option = partial(Option, group="Texts")
    return [
        reference_option(),
        option("-s --source", "The source text, which COMET and its kin read.", "FILE", rare=True),
        option(
            "--documents",
            "Each segment's document: a label per line, TSV with doc and domain, or a field of "
            "items.",
            "FILE",
        ),
        option(
            "--test-set",
            "In place of references: a test set that sacreBLEU knows and has downloaded, such as "
            "wmt24 with -l en-de, or wmt24/en-de. Source, documents and domains come with it.",
            "NAME",
            rare=True,
            is_eager=True,
            callback=_store_in_context(TEST_SET),
        ),
        option("--strict", "Treat warnings about the texts as errors.", rare=True, is_flag=True),
    ]


def _set_options(name: str) -> list[click.Parameter]:
    """Return the options of evaluation sets for a command."""
    return [
        Option(
            "--lp",
            "Language pair of an evaluation set, the folder SYSTEM.",
            "PAIR",
            group="Texts",
            # Metrics are usually compared with people on evaluation sets.
            rare=name != "agree",
            is_setting=True,
        ),
        Option(
            "--humans/--no-humans",
            "Compare the human translations of an evaluation set too. Default: as in its task.",
            group="Texts",
            rare=True,
            default=None,
        ),
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
        if parse_location(column).column is not None:
            location = column
        elif self.documents is not None:
            location = f"{parse_location(self.documents).path}#{column}"
        else:
            expected = (
                "domain or document if the texts have them, a column of --documents FILE, or "
                "FILE#COLUMN"
            )
            raise SettingError("--by", column, expected)
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
        if not is_named and self.required and "references" in opts and _is_piped():
            value = (STANDARD_INPUT,)
        return value, source


def _is_piped() -> bool:
    """Return whether standard input is a pipe or a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


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

    language = click.get_current_context().meta.get(LANGUAGE)
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


BY = Option(
    "--by columns",
    "Also report groups of segments: domain, document, another column of the --documents table, or "
    "FILE#COLUMN.",
    "COLUMN",
    group="Texts",
    multiple=True,
)


# Metrics.


def _metric_options(
    parse: Callable[[Sequence[str]], list[Metric]] | None, default: str | Sequence[str] | None
) -> list[click.Parameter]:
    """Return the options for metrics and for the language that chooses their tokenizers."""
    names = [default] if isinstance(default, str) else list(default or ())

    def read(texts: Sequence[str]) -> Sequence[Requested] | None:
        context = click.get_current_context()
        language = context.meta[LANGUAGE]
        if language is None:
            return (parse or as_requested)(texts) if texts else None
        metrics: list[Requested] = [*(parse or as_requested)(texts or DEFAULT_METRIC)]
        has_test_set = context.meta.get(TEST_SET) is not None
        return _for_language(metrics, language, has_test_set=has_test_set)

    return [
        Option(
            "-m --metric metrics",
            "A metric, settings after a colon: chrf:word_order=2. Several: -m bleu chrf ter. See "
            "truebleu list metrics.",
            "METRIC",
            group="Metrics",
            multiple=True,
            default=names,
            show_default=bool(names) or "bleu, given scores, or all saved counts",
            read=read,
        ),
        # Eager: --metric needs the language, in whatever order they are given.
        Option(
            "-l --language",
            "Target language or pair, such as zh or en-zh: chooses the tokenizer as sacreBLEU "
            "does. Default: by the script of the references.",
            "LANG",
            group="Metrics",
            rare=True,
            is_eager=True,
            expose_value=False,
            callback=_store_in_context(LANGUAGE),
        ),
    ]


#: Option for the direction of given scores.
DIRECTION = Option(
    "--higher-is-better/--lower-is-better",
    "For scores of other tools: their direction, whatever the name suggests.",
    group="Metrics",
    rare=True,
    default=None,
    expose_value=False,
    callback=_store_in_context(HIGHER),
)


def _chosen_metrics(metrics: list[Requested] | None, texts: Texts | None) -> list[Requested] | None:
    """Apply --higher-is-better or --lower-is-better to scores of other tools.

    Raises UsageError if only metrics were requested. None requests the default metric.
    """
    higher = click.get_current_context().meta.get(HIGHER)
    if higher is None:
        return metrics
    if metrics is None and texts is not None and texts.systems and not texts.references:
        metrics = as_requested("scores") if are_scores(texts.systems) else None
    if all(isinstance(metric, Metric) for metric in metrics or ()):
        option = "--higher-is-better" if higher else "--lower-is-better"
        raise click.UsageError(f"{option} is for scores of other tools: -m scores.")
    return [
        metric
        if isinstance(metric, Metric)
        else replace(cast("Any", metric), higher_is_better=higher)
        for metric in metrics or ()
    ]


def _for_language(
    metrics: list[Requested], language: str, *, has_test_set: bool
) -> list[Requested]:
    """Fix the tokenizers for a language; raises SettingError if no metric depends on it."""
    fixed = [
        metric.for_language(language) if isinstance(metric, Metric) else metric
        for metric in metrics
    ]
    if fixed == metrics and not has_test_set:
        expected = "a metric whose tokenizer is not set, such as bleu; it would do nothing here"
        raise SettingError("--language", language, expected)
    return fixed


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
        self.draw(cast("Drawable", result))
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


def _output_options(formats: Sequence[str], output: str) -> list[click.Parameter]:
    file = FilePath(path_type=Path)
    return [
        # Eager: the options that name files need it, in whatever order they are given.
        Option("--force", "Overwrite files.", is_flag=True, is_eager=True, rare=True),
        Option(
            "-f --format",
            "Output format.",
            type=click.Choice(formats),
            default="text",
            show_default=True,
        ),
        Option("-o --output", output, "FILE", type=file, callback=_require_new),
        Option(
            "--chart",
            f"Also draw a chart; FILE ends in {', '.join(CHART_ENDINGS)}. Needs truebleu[charts].",
            "FILE",
            type=file,
            callback=_require_new,
        ),
        Option("--details --all", "Show all tables and cautions.", is_flag=True),
        Option(
            "--threads",
            "Threads to use; 0 for one per processor. Default: TRUEBLEU_THREADS, or 0.",
            rare=True,
            type=click.IntRange(min=0, max=MAX_THREADS),
            expose_value=False,
            callback=_use_threads,
        ),
        Option(
            "-q --quiet",
            "Print only results and errors, without warnings and progress.",
            rare=True,
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_store_in_context(QUIET),
        ),
        Option(
            "--help-all",
            "Show all options.",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_help_all,
        ),
    ]


def _help_all(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        context.meta[ALL_OPTIONS] = True
        click.echo(context.get_help())
        context.exit()


def _require_new(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    # Check before the work begins, so that a file that cannot be written is reported at once.
    if path is not None and option.name == "chart":
        from truebleu.reports.charts import require_chart_file

        require_chart_file(path, overwrite=context.params["force"])
    elif path is not None:
        refuse_existing([path], overwrite=context.params["force"])
    return path


def _use_threads(_context: click.Context, _option: click.Parameter, threads: int | None) -> None:
    if threads is None:
        use_environment()
    elif (used := set_threads(threads)) < threads:
        warn(f"{used} threads are used: {threads} would only be slower on this machine")


# Executors of long work.


def _executor_options() -> list[click.Parameter]:
    number = click.IntRange(min=1, max=MAX_THREADS)
    return [
        Option("--processes", "Run tasks in N processes.", "N", rare=True, type=number),
        Option(
            "--dask cluster",
            "Run tasks on a Dask cluster with this scheduler, such as tls://10.0.0.1:8786. Needs "
            "truebleu[dask].",
            "ADDRESS",
            rare=True,
        ),
    ]


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
