"""The command ``truebleu``: its sub-commands, imported when called, and the standard streams.

Results go to standard output; warnings, errors and progress, to standard error.
"""

from __future__ import annotations

import inspect
import io
import os
import signal
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from truebleu._core import VERSION
from truebleu.errors import TruebleuError, UnreadableFileError
from truebleu.reports.document import one_line
from truebleu.schema import progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from click.shell_completion import CompletionItem


#: Environment variable that a shell sets to ask for completions.
COMPLETE = "_TRUEBLEU_COMPLETE"

BAD_INPUT = 2
# Exit status of a program that a signal stopped, as shells report it: 128 + its number.
INTERRUPTED = 128 + 2
BROKEN_PIPE = 128 + 13


def split_help(docstring: str | None) -> tuple[str, str]:
    """Split a command's docstring into the text above its options, and the examples below them.

    Blocks with indented lines keep their line breaks.
    """
    text, heading, rest = inspect.cleandoc(docstring or "").partition("\n\nExamples:\n")
    text = text.partition("\n\nArgs:\n")[0]
    blocks = f"{heading}{rest}".strip().split("\n\n")
    return text, "\n\n".join(f"\b\n{block}" if "\n  " in block else block for block in blocks)


class LazyGroup(click.Group):
    """A group that knows its commands by name, module and one line of help.

    A module's command is what follows the colon: "truebleu.cli.compare:score_command".
    """

    def __init__(
        self,
        *arguments: Any,
        table: Mapping[str, tuple[str, str]],
        sections: Mapping[str, Iterable[str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.help, self.epilog = split_help(self.help)
        self.table = table
        self.sections = sections or {"Commands": tuple(table)}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; an unknown name fails with the nearest known one."""
        if cmd_name not in self.table:
            if ctx.resilient_parsing:  # a shell asks for completions, and there are none
                return None
            ctx.fail(_unknown_command(cmd_name, self.table))
        module, _, name = self.table[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin with `incomplete`, or options, importing no command."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.table if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.table[name][1]) for name in names]
        return commands or click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands in the help text, by section."""
        for title, names in self.sections.items():
            with formatter.section(title):
                rows = [(name, self.table[name][1]) for name in names if name in self.table]
                formatter.write_dl(rows)


def _unknown_command(name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown command, with the nearest one or the way to score."""
    from difflib import get_close_matches

    if os.path.isfile(name):
        return (
            f"{name} is a file, not a command. To score an output against it: truebleu score -r "
            f"{name} OUTPUT; with sacreBLEU's own options: truebleu sacrebleu {name} -i OUTPUT"
        )
    nearest = get_close_matches(name, known, n=1)
    guess = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"No such command {name!r}.{guess}"


# Exit status of an internal software error in sysexits.h.
BUG = 70

# Name, module and one line of help: listing the commands must not import them.
SECTIONS = {
    "Score and compare": {
        "score": ("score", "Score systems by BLEU, chrF, TER and other metrics."),
        "compare": ("compare", "Test which differences between systems are real."),
        "explain": ("explain", "Break a difference down by segment, document and n-gram."),
        "report": ("report", "Write comparison and segments into one HTML file."),
        "gate": ("compare", "Fail a new system that is significantly worse than the baseline."),
        "plan": ("plan", "Estimate the test set size needed to detect a difference."),
    },
    "Many test sets, human scores": {
        "panel": ("compare", "Compare systems over many test sets, such as languages."),
        "agree": ("agree", "Test how well metrics agree with human raters."),
        "sample": ("plan", "Draw a test set from a pool."),
        "check": ("explain", "Find test segments in training text."),
    },
    "N-best lists": {
        "tune": ("nbest", "Tune the weights of features on n-best lists."),
        "rerank": ("nbest", "Choose from n-best lists by weights or a trained model."),
        "mbr": ("nbest", "Choose the candidate with the highest expected utility."),
        "nbest": ("nbest", "Describe n-best lists and their oracle score."),
    },
    "More": {
        "study": ("study", "Measure how far scores, intervals and tests can be trusted."),
        "demo": ("demo", "Show scores, tests and explanations of a simulated test set."),
        "list": ("demo", "List metrics, tokenizers, formats, tests and other names."),
        "cache": ("main", "Describe or clear the cache of neural metrics' scores."),
        "sacrebleu": ("main", "Run sacreBLEU's own command line, faster."),
    },
}
COMMANDS = {
    name: (f"truebleu.cli.{home}:{name}_command", text)
    for section in SECTIONS.values()
    for name, (home, text) in section.items()
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="truebleu")
def truebleu() -> None:
    """Is the difference between two systems real: translations, or models scored item by item?

    Examples:
      truebleu score -r ref.txt system.txt
      truebleu compare -r ref.txt old.txt new.txt
      truebleu compare a.jsonl b.jsonl -m scores
      truebleu report -r ref.txt new.txt old.txt -o report.html
      truebleu gate new.txt --baseline old.txt -r ref.txt --margin 0.5
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 0 = answered, 1 = gate says no, 2 = bad usage or bad input."""
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments)
    except BaseException as error:
        status = _status(error)
    sys.exit(status)


def _run(arguments: Sequence[str]) -> int:
    from truebleu.corpus._files import remembered_inputs

    progress.is_silent = is_quiet
    # NumPy's linear algebra would start a thread for each processor, and wait in them: commands
    # multiply no large matrices, and the core has threads of its own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_streams()
    status: object = 0
    with stopped_by_signals(), remembered_inputs():
        try:
            if COMPLETE in os.environ:
                truebleu.main(prog_name="truebleu")
            # Click's standalone mode exits with 1 for a closed pipe, as a failed gate does.
            with truebleu.make_context("truebleu", list(arguments)) as context:
                truebleu.invoke(context)
        except click.exceptions.Exit as error:
            status = error.exit_code
        except SystemExit as error:
            status = error.code
        # Flush while a full disk can still be reported; Python would flush only at exit.
        flush_output()
    return status if isinstance(status, int) else 0


def _status(error: BaseException) -> int:
    """Report the error that ended the program, if stderr works; return the exit status."""
    status, lines = _reported(error)
    try:
        for line in lines:
            print_stderr(line)
    except (OSError, ValueError):
        discard(sys.stderr)
    try:
        flush_output()
    except (OSError, ValueError):
        discard(sys.stdout)
    return status


def _reported(error: BaseException) -> tuple[int, Iterable[str]]:
    """Return the exit status of an error, and the lines that report it."""
    match error:
        case click.ClickException():
            return BAD_INPUT, _usage(error)
        case TruebleuError():
            first, *others = error.lines
            return BAD_INPUT, [f"error: {first}", *others]
        case BrokenPipeError():
            # The reader closed the pipe, as `head` does.
            discard(sys.stdout)
            return BROKEN_PIPE, ()
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED, ()
        case _ if type(error).__name__ == "PanicException" and "KeyboardInterrupt" in str(error):
            # Ctrl-C while native code imports NumPy: the core panics.
            return INTERRUPTED, ()
        case SignalError():
            return 128 + int(error.args[0]), ()
        case MemoryError():
            return BAD_INPUT, [f"error: out of memory ({error or 'the machine has no more'})"]
        case OSError():
            discard(sys.stdout)
            where = error.filename or "standard output"
            return BAD_INPUT, [f"error: {where}: {error.strerror or error}"]
    # Python's own exit status for a crash is 1, which would look like a failed gate.
    from traceback import format_exception

    lines = [line for text in format_exception(error) for line in text.splitlines()]
    return BUG, [*lines, "error: this is a bug in truebleu; please report it"]


def _usage(error: click.ClickException) -> Iterator[str]:
    """Yield Click's lines about bad usage, with its message on one line."""
    # A group without a command is an error from Click 8.2 on, and its message the group's help.
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        yield from error.format_message().splitlines()
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        yield from error.ctx.get_usage().splitlines()
        yield f"Try '{error.ctx.command_path} {error.ctx.help_option_names[-1]}' for help."
        yield ""
    yield f"Error: {error.format_message()}"


# Standard streams: lost output is an error, and control characters are escaped.


class SignalError(BaseException):
    """A signal ended the program; raised in the running code, so that it cleans up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)


def print_stderr(line: str) -> None:
    """Write one line to standard error, with control characters escaped."""
    if sys.stderr is not None:
        sys.stderr.write(one_line(line) + "\n")
        sys.stderr.flush()


#: Key of ``--quiet`` in the context of a command.
QUIET = "truebleu.quiet"


def is_quiet() -> bool:
    """Return whether the current command was called with ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def print_unless_quiet(line: str) -> None:
    """Write one line to standard error, unless the command has ``--quiet``."""
    if not is_quiet():
        print_stderr(line)


def warn(message: str) -> None:
    """Write a warning to standard error, unless the command has ``--quiet``."""
    print_unless_quiet(f"warning: {message}")


def prepare_streams() -> None:
    """Open missing streams and set encodings; raises UnreadableFileError without stdout."""
    has_output = sys.stdout is not None
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_descriptors()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if not has_output:
        raise UnreadableFileError("standard output", "cannot be written: it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Backslash escapes of file names that are not UTF-8 keep JSON valid.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        if isinstance(sys.stdout.buffer, io.RawIOBase):
            sys.stdout = _buffered(sys.stdout, encoding)
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _fill_descriptors() -> None:
    """Open the null device in place of streams that were closed.

    Otherwise the next file that is opened would become standard output or standard error.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _buffered(stream: io.TextIOWrapper, encoding: str) -> io.TextIOWrapper:
    """Wrap an unbuffered stream in a buffer; without one, Python loses partial writes."""
    raw = io.FileIO(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, write_through=False)


def flush_output() -> None:
    """Flush standard output; raises OSError if that fails."""
    if sys.stdout is not None:
        sys.stdout.flush()


def discard(stream: TextIO | None) -> None:
    """Redirect a stream to the null device, so that Python can close it without an error."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        os.close(null)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise SignalError at SIGTERM and SIGHUP, unless they are ignored, as under nohup."""
    before = {}

    def stop(number: int, _frame: FrameType | None) -> None:
        raise SignalError(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may set handlers.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# Commands without a module of their own.


@click.command("cache")
@click.option("--clear", is_flag=True, help="Delete the cache.")
def cache_command(clear: bool) -> None:
    """Describe the cache of neural metrics' scores, or delete it."""
    from truebleu.neural.scoring import ScoreCache, cache_file

    cache = ScoreCache()
    if clear:
        cache.clear()
    scores, size = cache.size()
    path = cache_file()
    where = "off: TRUEBLEU_CACHE=off" if path is None else f"{scores:,} scores, {size / 1e6:.1f} MB"
    click.echo(f"{'' if path is None else f'{one_line(str(path))}: '}{where}")


@click.command(
    "sacrebleu",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sacrebleu_command(arguments: tuple[str, ...]) -> None:
    """Score with sacreBLEU's command line."""
    sys.argv = ["sacrebleu", *arguments]
    import_module("truebleu.compat.sacrebleu.sacrebleu").main()
