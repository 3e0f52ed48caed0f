"""Options that commands share. The same name means the same in every command."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from truebleu._settings import (
    ALTERNATIVES,
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    INTERVALS,
    UNITS,
)
from truebleu.cli.main import QUIET, progress_bar, warn
from truebleu.corpus._files import (
    Files,
    Layout,
    NamedText,
    decode,
    locate,
    may_hold_statistics,
)
from truebleu.corpus._reading import read_labels, read_test_set
from truebleu.errors import MalformedFileError, SettingError, SuspiciousTextError, shortened
from truebleu.metrics.base import MAX_THREADS, set_threads, use_environment
from truebleu.metrics.registry import as_metrics, metrics_for
from truebleu.reports.document import CHART_ENDINGS, CHECK_FORMATS, FORMATS, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from pathlib import Path

    from truebleu._results import Result
    from truebleu.corpus.known_test_sets import KnownTestSet
    from truebleu.corpus.test_set import TestSet, TextWarning
    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics_files import SavedStatistics
    from truebleu.reports.charts import Drawable
    from truebleu.significance.people import AgreementCurve

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


LANGUAGE = "truebleu.language"
TEST_SET = "truebleu.test_set"

Command = TypeVar("Command", bound="Callable[..., object]")


def add_options(command: Command, *options: Callable[[Any], Any]) -> Command:
    """The command with these options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def option_with_default(
    flag: str,
    kind: Any,
    default: object,
    text: str,
    *,
    name: str | None = None,
    metavar: str | None = None,
) -> Decorator:
    """An option of a kind, whose help says what is usual; `name` where that is not the flag."""
    flags = [flag] if name is None else [flag, name]
    return click.option(
        *flags, type=kind, default=default, show_default=True, metavar=metavar, help=text
    )


def repeatable_option(*flags: str, metavar: str, text: str) -> Decorator:
    """An option that may be given several times."""
    return click.option(*flags, metavar=metavar, multiple=True, help=text)


def remember(key: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """The callback of an option whose value the context keeps under a key, for other options."""

    def callback(context: click.Context, _option: click.Parameter, value: Any) -> Any:
        context.meta[key] = value
        return value

    return callback


def was_given(name: str) -> bool:
    """Whether an option of the current command was given, by the name of its value."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def refuse_idle(names: Iterable[str], expected: str) -> None:
    """Refuse options that were given and would do nothing here.

    Args:
        names: of the options' values.
        expected: what they need, or what they cannot stand beside.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and was_given(str(option.name)):
            value = context.params[str(option.name)]
            given = str(value) if isinstance(value, os.PathLike) else value
            raise SettingError(option.opts[-1], given, expected)


class FilePath(click.Path):
    """A path as an object of pathlib, which is imported only where a path is given.

    It loads addresses of the web, and so takes longer than all options together.
    """

    def coerce_path_result(self, value: str | os.PathLike[str]) -> Path:
        """The path."""
        from pathlib import Path

        return Path(value)


# Texts.


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts that a command names, and what is known about them."""

    systems: Sequence[str] = ()
    references: Sequence[str]
    source: str | None
    documents: str | None
    strict: bool
    known: KnownTestSet | None = None

    @property
    def are_given(self) -> bool:
        """Whether any text or option about texts is given."""
        return any(getattr(self, name) for name in self.__slots__)

    def read(self, metrics: Sequence[Metric] = ()) -> TestSet:
        """The test set; warnings go to standard error.

        Systems may be statistics files, which need no references; texts beside them are counted.
        """
        with progress_bar(0, "reading"):
            test_set = self._read(metrics)
        if self.strict and test_set.warnings:
            raise SuspiciousTextError([warning.message for warning in test_set.warnings])
        warn_of(test_set.warnings)
        return test_set

    def _read(self, metrics: Sequence[Metric]) -> TestSet:
        systems, saved = statistics_among(self.systems)
        if not self.references and not saved:
            return self._without_references(metrics)
        if systems and not self.references:
            raise SettingError("references", "none", NEED_REFERENCES)
        if saved:
            refuse_idle(["source", "documents"], "texts only: statistics files have their own")
        if saved and not self.references:
            from truebleu.metrics.statistics_files import SavedTestSet

            return SavedTestSet.of(saved)
        test_set = read_test_set(
            systems,
            self.references,
            source=self.source,
            documents=self.documents,
            strict=self.strict,
        )
        if self.known is not None:
            test_set = _with_labels(test_set, self.known, documents=self.documents is None)
        if metrics and systems:
            _, test_set = metrics_for(metrics, test_set)
        return _with_statistics(test_set, saved, metrics) if saved else test_set

    def _without_references(self, metrics: Sequence[Metric]) -> TestSet:
        """What was scored elsewhere: a file of scores for each system, or for all of them."""
        from truebleu.scores.given import GivenScores, textless_test_set
        from truebleu.scores.scored_test_set import ScoredTestSet, read_evaluated_texts

        given = [metric for metric in metrics if isinstance(metric, GivenScores)]
        refuse_idle(["source", "strict"], "texts: scores have none")
        if not self.systems:
            return textless_test_set(metrics, self.documents)
        if given:
            answers = next((m.answers for m in given if m.answers is not None), None)
            scored = ScoredTestSet.read(self.systems, documents=self.documents, answers=answers)
            test_set: TestSet | None = scored
        else:
            test_set = read_evaluated_texts(self.systems, metrics, self.documents)
        if test_set is None:
            raise SettingError("references", "none", NEED_REFERENCES)
        return test_set


NEED_REFERENCES = (
    "at least one, as in -r FILE, or --test-set NAME; files of scores are compared by -m scores"
)


def test_set_options(command: Command) -> Command:
    """Systems and references, which the command needs; it gets `texts`, to be read."""
    systems = click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
    return add_options(command, systems, reference_options)


def optional_test_set_options(command: Command) -> Command:
    """The same for commands that can do without texts."""
    systems = click.argument("systems", metavar="[SYSTEM...]", nargs=-1)
    return add_options(command, systems, partial(reference_options, required=False))


def warn_of(warnings: Sequence[TextWarning]) -> None:
    """Warn of what is suspicious about texts."""
    for warning in warnings:
        warn(warning.message)


def reference_options(command: Command, *, required: bool = True) -> Command:
    """References, and what else is known about the texts, for commands that name systems apart."""

    @wraps(command)
    def with_texts(*arguments: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in Texts.__slots__ if name in options}
        known = _known_test_set(options.pop("test_set"), given["references"])
        if known is not None:
            given["references"] = known.references
            given["source"] = given["source"] or known.source
        return command(*arguments, texts=Texts(**given, known=known), **options)

    return add_options(
        cast("Command", with_texts),
        click.option(
            "-r",
            "--reference",
            "references",
            metavar="FILE",
            multiple=True,
            help="A reference; repeat for several."
            + (" Statistics files need none." if required else ""),
        ),
        click.option(
            "--test-set",
            metavar="NAME",
            is_eager=True,
            callback=remember(TEST_SET),
            help="In place of references: a test set that sacreBLEU knows and has downloaded, such "
            "as wmt24 with -l en-de, or wmt24/en-de. Source, documents and domains come with it.",
        ),
        click.option("-s", "--source", metavar="FILE", help="The source text."),
        click.option(
            "--documents",
            metavar="FILE",
            help="Each segment's document: one label per line, or TSV with columns doc and domain.",
        ),
        click.option("--strict", is_flag=True, help="Treat warnings about the texts as errors."),
    )


def _known_test_set(written: str | None, references: Sequence[str]) -> KnownTestSet | None:
    """The test set that is named, with its language pair behind a slash or by ``--language``."""
    if written is None:
        return None
    if references:
        raise SettingError("--test-set", written, "none beside --reference, whose place it takes")
    from truebleu.corpus.known_test_sets import find_test_set

    language = click.get_current_context().meta.get(LANGUAGE)
    name, pair = written, language
    head, _, tail = written.rpartition("/")
    if "-" in tail and head:  # some test sets have a slash in their names
        name, pair = head, tail
    if pair is None or (language is not None and language != pair):
        raise SettingError("--test-set", written, "a language pair: -l en-de, or wmt24/en-de")
    return find_test_set(name, pair)


def _with_labels(test_set: TestSet, known: KnownTestSet, *, documents: bool) -> TestSet:
    """The test set with the documents and domains that are known, unless others were given."""
    if documents:
        test_set = replace(test_set, documents=known.documents)
    if test_set.domains is None:
        test_set = replace(test_set, domains=known.domains)
    return test_set


def statistics_among(systems: Sequence[str]) -> tuple[list[str], list[SavedStatistics]]:
    """The arguments that are texts, and the systems of those that are statistics files."""
    texts: list[str] = []
    saved: list[SavedStatistics] = []
    for written in systems:
        location = locate(written)
        statistics = None
        if location.column is None and may_hold_statistics(location.path):
            from truebleu.metrics.statistics_files import find_statistics

            statistics = find_statistics(location.path)
        if statistics is None:
            texts.append(written)
        elif location.name is None:
            saved += statistics
        elif len(statistics) == 1:
            saved.append(statistics[0].named(location.name))
        else:
            raise SettingError(
                "system", written, f"no name for a file of {len(statistics)} systems"
            )
    return texts, saved


def _with_statistics(
    test_set: TestSet, saved: Sequence[SavedStatistics], metrics: Sequence[Metric]
) -> TestSet:
    """Texts and statistics together, refused unless the references are the same."""
    from truebleu.metrics.statistics_files import SavedStatistics, SavedTestSet

    for statistics in saved:
        statistics.require_same_references(test_set)
    counted = SavedStatistics.of_systems(test_set, metrics) if test_set.systems else ()
    together = SavedTestSet.of((*counted, *saved))
    return replace(together, warnings=test_set.warnings)


by_option = click.option(
    "--by",
    "columns",
    metavar="COLUMN",
    multiple=True,
    help="Also by groups of segments: domain, document, another column of the --documents table, "
    "or FILE#COLUMN. Repeat for several.",
)


def read_columns(
    columns: Sequence[str], documents: str | None, test_set: TestSet
) -> dict[str, tuple[str, ...]]:
    """The labels of all segments by the columns of ``--by``."""
    return {
        locate(column).column or column: _column(column, documents, test_set) for column in columns
    }


def _column(column: str, documents: str | None, test_set: TestSet) -> tuple[str, ...]:
    """A column of its own file, what the test set knows, or of the table of documents."""
    known = test_set.labels(column)
    if known is not None:
        return known
    if locate(column).column is not None:
        written = column
    elif documents is not None:
        written = f"{locate(documents).path}#{column}"
    else:
        expected = (
            "domain or document where they are known, a column of --documents FILE, or FILE#COLUMN"
        )
        raise SettingError("--by", column, expected)
    name, text = next(iter(test_set.systems.items()))
    against = NamedText(name, name, name, text)  # type: ignore[arg-type]
    # A column that is named is read as if it held documents.
    return read_labels(Files(), written, against, default=Layout()).documents or ()


# Metrics and resampling.


def metric_option_by(parse: Callable[[Sequence[str]], list[Metric]]) -> Decorator:
    """The metrics with their settings, and the language that decides about tokenizers.

    The command gets the metrics as objects, as the parser makes them.
    """

    def parsed(
        context: click.Context, _option: click.Parameter, written: Sequence[str]
    ) -> list[Metric]:
        return _for_language(parse(written), context.meta[LANGUAGE])

    return lambda command: add_options(
        command,
        click.option(
            "-m",
            "--metric",
            "metrics",
            metavar="METRIC",
            multiple=True,
            default=["bleu"],
            show_default=True,
            callback=parsed,
            help="A metric; settings follow a colon: chrf:word_order=2. Repeat for several, or "
            "separate them by commas. truebleu list metrics lists all of them.",
        ),
        # Read before --metric, wherever it stands.
        click.option(
            "-l",
            "--language",
            metavar="LANG",
            is_eager=True,
            expose_value=False,
            callback=remember(LANGUAGE),
            help="Target language or pair, such as zh or en-zh: chooses the tokenizer as sacreBLEU "
            "does. Default: by the script of the references.",
        ),
    )


#: The same, of the metrics that every command knows.
metric_option = metric_option_by(as_metrics)


def _for_language(metrics: list[Metric], language: str | None) -> list[Metric]:
    if language is None:
        return metrics
    fixed = [metric.for_language(language) for metric in metrics]
    if fixed == metrics and click.get_current_context().meta.get(TEST_SET) is None:
        expected = "a metric whose tokenizer is not set, such as bleu; it would do nothing here"
        raise SettingError("--language", language, expected)
    return fixed


seed_option = option_with_default(
    "--seed", int, DEFAULT_SEED, "Random seed; the same seed gives the same digits."
)
level_option = option_with_default("--level", float, 0.95, "Confidence level.")
alternative_option = option_with_default(
    "--alternative", click.Choice(ALTERNATIVES), "two-sided", "The tests' alternative hypothesis."
)
baseline_option = click.option(
    "--baseline", metavar="NAME", help="Compare all others with this system only."
)


def replicates_option(default: int | None = DEFAULT_REPLICATES) -> Decorator:
    """How many resampled test sets there are; None leaves the choice to the command."""
    chosen = "" if default else " Default: 10000; more for tests of many comparisons."
    return option_with_default(
        "--replicates", int, default, f"Number of resampled test sets.{chosen}"
    )


UNIT_HELP = (
    "What is resampled or swapped as a whole. Default: documents where they are known, else "
    "segments."
)


def replicate_options(command: Command, replicates: int | None = DEFAULT_REPLICATES) -> Command:
    """How test sets are resampled, and how sure an answer must be."""
    return add_options(
        command,
        replicates_option(replicates),
        seed_option,
        level_option,
        click.option(
            "--unit",
            type=click.Choice(UNITS),
            help=UNIT_HELP,
        ),
        click.option(
            "--block-length",
            type=int,
            metavar="N",
            help="Consecutive segments in a block; requires --unit block.",
        ),
        click.option("--by-domain", is_flag=True, help="Resample within each domain."),
    )


_interval_option = click.option(
    "--interval",
    type=click.Choice(INTERVALS),
    help="Kind of confidence interval. Default: hall by documents or blocks, else percentile.",
)


def resampling_options(command: Command) -> Command:
    """The same, and how confidence intervals are made of the replicates."""
    return add_options(command, replicate_options, _interval_option)


def comparison_options(command: Command) -> Command:
    """The same, with as many replicates as the comparisons need."""
    return replicate_options(_interval_option(command), None)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those whose choice is left to the verb."""
    return {name: value for name, value in options.items() if value is not None}


def people_option(command: Command) -> Command:
    """What says how often people agree with a difference; the command gets `curves`."""
    return click.option(
        "--people",
        "curves",
        metavar="CURVES",
        default=PUBLISHED,
        show_default=True,
        callback=_curves,
        help="How often people agree with such a difference: by the curves of Kocmi et al. "
        "(2024), by a FILE that truebleu agree --curve -f json wrote, or none.",
    )(command)


PUBLISHED = "kocmi"


def _curves(
    _context: click.Context, _option: click.Parameter, written: str
) -> tuple[AgreementCurve, ...]:
    from truebleu.significance.people import CURVES, read_curves

    if written == "none":
        return ()
    return CURVES if written == PUBLISHED else read_curves(written)


def explanation_options(command: Command) -> Command:
    """Which differences are explained, by which slices, and how they are tested."""
    return add_options(
        command,
        click.option(
            "--baseline", metavar="NAME", help="Explain every other system's difference to it."
        ),
        by_option,
        click.option(
            "--counts",
            metavar="FILE",
            callback=_read_counts,
            help="Words and their counts in the training data, separated by a tab; shows which "
            "words are rare.",
        ),
        replicates_option(None),
        seed_option,
        level_option,
        click.option(
            "--unit",
            type=click.Choice([unit for unit in UNITS if unit != "block"]),
            help=UNIT_HELP,
        ),
    )


def _read_counts(
    _context: click.Context, _option: click.Parameter, path: str | None
) -> dict[str, int] | None:
    if path is None:
        return None
    counts: dict[str, int] = {}
    text = decode(path, Files().contents(path))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        word, tab, count = line.rstrip("\r").partition("\t")
        if not tab or not count.strip().isdecimal() or len(count.strip()) > 18:
            raise MalformedFileError(path, number, repr(shortened(line)), "WORD<tab>COUNT")
        counts[word.lower()] = counts.get(word.lower(), 0) + int(count)
    return counts


# What is done with the result, and with how many threads.


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Prints a command's result as its options say, after the chart was drawn."""

    format: str
    chart: Path | None = None
    force: bool = False

    def __call__(self, result: Result, **options: Any) -> None:
        """Draw and print a result; `options` are those of its report."""
        self.draw(cast("Drawable", result))
        self.print(result, **options)

    def draw(self, result: Drawable) -> None:
        """Write a result's chart where ``--chart`` says, if it was given."""
        if self.chart is not None:
            from truebleu.reports.charts import save_chart

            save_chart(result, self.chart, overwrite=self.force)

    def print(self, result: Result, **options: Any) -> None:
        """Print a result."""
        click.echo(render(result, self.format, **options), nl=False)


def _with_show(command: Command, names: Sequence[str]) -> Command:
    """The command, which gets `show` in place of the options of these names."""

    @wraps(command)
    def with_show(*arguments: Any, **options: Any) -> Any:
        show = Show(**{name: options.pop(name) for name in names})
        return command(*arguments, show=show, **options)

    return cast("Command", with_show)


def _format_option(command: Command, formats: Iterable[str] = FORMATS) -> Command:
    return click.option(
        "-f",
        "--format",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help="Output format.",
    )(command)


def format_option(command: Command) -> Command:
    """How results are written: the command gets `show`, which prints its result."""
    return _format_option(_with_show(command, ["format"]))


def check_format_option(command: Command) -> Command:
    """How decisions are written."""
    return _format_option(_with_show(command, ["format"]), (*FORMATS, *CHECK_FORMATS))


def result_options(command: Command) -> Command:
    """How results are written, and how the command runs."""
    return add_options(command, format_option, execution_options)


def charted_result_options(command: Command) -> Command:
    """The same, and where a chart goes: `show` draws it.

    Before the command runs, the file's ending, its place and the packages have been checked.
    """
    return _charted(command, _require_chart)


def charted_result_and_file_options(command: Command) -> Command:
    """The same for commands that write another file too, which ``--force`` is also about."""
    return _charted(command, _require_writable)


def _charted(command: Command, callback: Callable[..., Path | None]) -> Command:
    return add_options(
        _with_show(command, ["format", "chart", "force"]),
        click.option(
            "--chart",
            metavar="FILE",
            type=FilePath(),
            callback=callback,
            help=f"Also draw a chart; FILE ends in {', '.join(CHART_ENDINGS)} (Vega-Lite). "
            "Needs truebleu[charts].",
        ),
        # Read before --chart, wherever it stands.
        click.option("--force", is_flag=True, is_eager=True, help="Overwrite files that exist."),
        _format_option,
        execution_options,
    )


#: A file of this name is what the command prints.
STANDARD_OUTPUT = "-"


def output_options(text: str, *, required: bool = False) -> Decorator:
    """The file that a command writes: it gets `output`, a path or None, and `force`.

    A file that exists is refused before the work begins, and so is ``--force`` without a file.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_output(*arguments: Any, output: Path | None, force: bool, **options: Any) -> Any:
            from truebleu.corpus._writing import refuse_existing

            if output is None or str(output) == STANDARD_OUTPUT:
                refuse_idle(["force"], "-o FILE beside it")
            else:
                refuse_existing([output], overwrite=force)
            return command(*arguments, output=output, force=force, **options)

        return add_options(
            cast("Command", with_output),
            click.option(
                "-o",
                "--output",
                metavar="FILE",
                type=FilePath(),
                required=required,
                help=text,
            ),
            click.option("--force", is_flag=True, help="Overwrite FILE."),
        )

    return decorate


def _require_chart(
    context: click.Context, option: click.Parameter, chart: Path | None
) -> Path | None:
    if chart is None and context.params["force"]:
        raise SettingError("--force", True, "--chart FILE beside it")
    return _require_writable(context, option, chart)


def _require_writable(
    context: click.Context, _option: click.Parameter, chart: Path | None
) -> Path | None:
    # Before the work begins: a file that cannot be written should be reported at once.
    if chart is not None:
        from truebleu.reports.charts import require_chart_file

        require_chart_file(chart, overwrite=context.params["force"])
    return chart


def execution_options(command: Command) -> Command:
    """How a command runs, which does not change results: threads, and messages."""
    return add_options(
        command,
        click.option(
            "--threads",
            type=click.IntRange(min=0, max=MAX_THREADS),
            expose_value=False,
            callback=_use_threads,
            help="Threads to use; 0 for one per processor. Default: TRUEBLEU_THREADS, or 0.",
        ),
        quiet_option,
    )


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=remember(QUIET),
    help="No warnings and no progress on standard error; results and errors only.",
)


def _use_threads(_context: click.Context, _option: click.Parameter, threads: int | None) -> None:
    if threads is None:
        use_environment()
    elif (used := set_threads(threads)) < threads:
        warn(f"{used} threads are used: {threads} would only be slower on this machine")


# Where the tasks of long work run.


def executor_options(command: Command) -> Command:
    """Where the tasks of long work run: the command gets `executor`."""

    @wraps(command)
    def with_executor(
        *arguments: Any, processes: int | None, cluster: str | None, **options: Any
    ) -> None:
        with _executor(processes, cluster) as executor:
            command(*arguments, executor=executor, **options)

    return add_options(
        cast("Command", with_executor),
        click.option(
            "--processes",
            type=click.IntRange(min=1, max=MAX_THREADS),
            metavar="N",
            help="Run tasks in N processes.",
        ),
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Run tasks on a Dask cluster with this scheduler, such as tls://10.0.0.1:8786. "
            "Needs truebleu[dask].",
        ),
    )


def _executor(
    processes: int | None, cluster: str | None
) -> AbstractContextManager[Executor | None]:
    if cluster is not None and processes is not None:
        raise SettingError("cluster", cluster, "no --processes beside it")
    if cluster is None and processes is None:
        return nullcontext()
    from truebleu.execution.executors import Cluster, Processes

    if processes is not None:
        return Processes(processes)
    executor = Cluster(cast("str", cluster), silent=True)
    if not executor.is_encrypted:
        warn(f"{executor}: without TLS, whoever reaches the scheduler can run code on its workers")
    return executor
