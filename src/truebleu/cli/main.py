"""The command ``truebleu``: its sub-commands, imported when they are called, and what they write.

Results go to standard output; warnings, errors and progress, to standard error.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from truebleu._core import VERSION
from truebleu.errors import TruebleuError, UnreadableFileError
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from click.shell_completion import CompletionItem, ShellComplete


BAD_INPUT = 2
# What shells say of a program that was stopped: 128 and the number of the signal.
INTERRUPTED = 128 + 2
BROKEN_PIPE = 128 + 13


class _PipeClosedError(Exception):
    """A BrokenPipeError, which Click would take for its own and exit with 1."""


@contextmanager
def _hide_broken_pipes_from_click() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _PipeClosedError from error


class LazyGroup(click.Group):
    """A group that knows its commands by name, module and one line of help.

    A module's command is its `command`, or what follows a colon: "truebleu.cli.study:power".
    """

    def __init__(
        self,
        *arguments: Any,
        table: Mapping[str, tuple[str, str]],
        sections: Mapping[str, Sequence[str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.table = table
        self.sections = sections or {"Commands": tuple(table)}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; an unknown name fails with the nearest known one."""
        if cmd_name not in self.table:
            if ctx.resilient_parsing:  # a shell asks what could follow: nothing could
                return None
            ctx.fail(_unknown_command(cmd_name, self.table))
        module, _, name = self.table[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name or "command"))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin like that, or options; none of the commands is imported."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.table if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.table[name][1]) for name in names]
        return commands or click.Command.shell_complete(self, ctx, incomplete)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Take the command line apart; help may be printed here."""
        with _hide_broken_pipes_from_click():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Click would exit with 1 when it is stopped: to a gate, that is a no."""
        try:
            with _hide_broken_pipes_from_click():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands in the help text."""
        for title, names in self.sections.items():
            with formatter.section(title):
                rows = [(name, self.table[name][1]) for name in names if name in self.table]
                formatter.write_dl(rows)


def _unknown_command(name: str, known: Iterable[str]) -> str:
    """What to type instead: the nearest command, or what scores a file as sacreBLEU does."""
    from difflib import get_close_matches

    if os.path.isfile(name):
        return (
            f"{name} is a file, not a command. To score an output against it: truebleu score -r "
            f"{name} OUTPUT; with sacreBLEU's own options: truebleu sacrebleu {name} -i OUTPUT"
        )
    nearest = get_close_matches(name, known, n=1)
    guess = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"No such command {name!r}.{guess}"


# What sysexits.h calls an internal software error.
BUG = 70

# Name, module and one line of help: listing the commands must not import them.
COMMANDS = {
    "score": ("truebleu.cli.score", "Score systems by BLEU, chrF, TER and other metrics."),
    "compare": ("truebleu.cli.compare", "Test which differences between systems are real."),
    "explain": ("truebleu.cli.explain", "Say where a difference between systems comes from."),
    "report": ("truebleu.cli.report", "Write comparison and segments into one HTML file."),
    "gate": ("truebleu.cli.gate", "Let a new system pass unless it is worse than the baseline."),
    "plan": ("truebleu.cli.plan", "Say how large a test set must be to find a difference."),
    "panel": ("truebleu.cli.panel", "Compare systems over many test sets, such as languages."),
    "agree": ("truebleu.cli.agree", "Tell how well metrics agree with human raters."),
    "sample": ("truebleu.cli.sample", "Draw a test set from a pool."),
    "tune": ("truebleu.cli.tune", "Tune the weights of features on n-best lists."),
    "rerank": ("truebleu.cli.rerank", "Choose from n-best lists by weights or a trained model."),
    "mbr": ("truebleu.cli.mbr", "Choose the candidate with the highest expected utility."),
    "nbest": ("truebleu.cli.nbest", "Say what is in n-best lists, and how good their best is."),
    "study": ("truebleu.cli.study", "Measure how far scores, intervals and tests can be trusted."),
    "demo": ("truebleu.cli.demo", "Show the whole path on a simulated test set."),
    "list": ("truebleu.cli.list", "List metrics, tokenizers, formats, tests and the like."),
    "sacrebleu": ("truebleu.cli.main:sacrebleu", "Run sacreBLEU's own command line, faster."),
    "completion": ("truebleu.cli.main:completion", "Print a script that completes commands."),
}
SECTIONS = {
    "Score and compare": ("score", "compare", "explain", "report", "gate", "plan"),
    "Many test sets, human scores": ("panel", "agree", "sample"),
    "N-best lists": ("tune", "rerank", "mbr", "nbest"),
    "More": ("study", "demo", "list", "sacrebleu", "completion"),
}

EPILOG = """\b
Examples:
  truebleu score -r ref.txt system.txt
  truebleu compare -r ref.txt old.txt new.txt
  truebleu compare a.jsonl b.jsonl -m scores
  truebleu report -r ref.txt new.txt old.txt -o report.html
  truebleu gate new.txt --baseline old.txt -r ref.txt --margin 0.5
"""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="truebleu")
def truebleu() -> None:
    """Is the difference between two systems real: translations, or models scored item by item?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 0 = answered, 1 = gate says no, 2 = bad usage or bad input."""
    try:
        status = _run(arguments)
    except BaseException as error:
        status = _status(error)
    sys.exit(status)


def _run(arguments: Sequence[str] | None) -> int:
    from truebleu.corpus._files import remembered_inputs

    # NumPy's linear algebra would start a thread for each processor, and wait in them: commands
    # multiply no large matrices, and the core has threads of its own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_streams()
    if COMPLETE in os.environ:
        from click.shell_completion import add_completion_class

        for shell in _completions().values():
            add_completion_class(shell)
    with rare_collections(), stopped_by_signals(), remembered_inputs():
        try:
            # Otherwise Click itself would exit with 1 for what is not a gate's no.
            status = truebleu(args=arguments, prog_name="truebleu", standalone_mode=False)
        except click.ClickException as error:
            _show(error)
            status = BAD_INPUT
        except TruebleuError as error:
            for line in error.lines:
                say(f"error: {line}" if line == error.lines[0] else line)
            status = BAD_INPUT
        except SystemExit as error:
            status = error.code
        # Here, where it can still be reported: Python would find a full disk only as it ends.
        flush_output()
    return status if isinstance(status, int) else 0


def _status(error: BaseException) -> int:
    """Report what ended the program, as far as that can be written, and choose its exit status."""
    status, message = _reported(error)
    if message is not None:
        try:
            say(f"error: {message}")
        except (OSError, ValueError):
            discard(sys.stderr)
    try:
        flush_output()
    except (OSError, ValueError):
        discard(sys.stdout)
    return status


def _reported(error: BaseException) -> tuple[int, str | None]:
    """An exit status, and what to say."""
    match error:
        case BrokenPipeError() | _PipeClosedError():
            # The reader has enough.
            discard(sys.stdout)
            return BROKEN_PIPE, None
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED, None
        case _ if type(error).__name__ == "PanicException" and "KeyboardInterrupt" in str(error):
            # Ctrl-C while native code imports NumPy, which it cannot do without.
            return INTERRUPTED, None
        case Stopped():
            return 128 + int(error.args[0]), None
        case MemoryError():
            return BAD_INPUT, f"out of memory ({error or 'the machine has no more'})"
        case TruebleuError():
            return BAD_INPUT, str(error)
        case OSError():
            discard(sys.stdout)
            return BAD_INPUT, f"{error.filename or 'output'}: {error.strerror or error}"
    # A crash must not look like a gate's no, and Python's own exit status for it is 1.
    from traceback import format_exception

    try:
        for text in format_exception(error):
            for line in text.splitlines():
                say(line)
    except (OSError, ValueError):
        discard(sys.stderr)
    return BUG, "this is a bug in truebleu; please report it"


def _show(error: click.ClickException) -> None:
    """What Click says of bad usage, its message on one line: a line end in it is foreign."""
    # A group without a command is an error from Click 8.2 on, and its message the group's help.
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        for line in error.format_message().splitlines():
            say(line)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        for line in error.ctx.get_usage().splitlines():
            say(line)
        say(f"Try '{error.ctx.command_path} {error.ctx.help_option_names[-1]}' for help.")
        say("")
    say(f"Error: {error.format_message()}")


# Standard streams: nothing that should be written is lost in silence, nothing foreign gets out.


class Stopped(BaseException):
    """A signal ended the program; raised where it stands, so that it tidies up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)


def say(line: str) -> None:
    """Write one line to standard error, with control characters as escapes that can be read."""
    if sys.stderr is not None:
        sys.stderr.write(one_line(line) + "\n")
        sys.stderr.flush()


#: Where the context of a command says that nothing but results and errors are wanted.
QUIET = "truebleu.quiet"


def is_quiet() -> bool:
    """Whether the current command was called with ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def tell(line: str) -> None:
    """Write one line to standard error, unless ``--quiet`` says not to."""
    if not is_quiet():
        say(line)


def warn(message: str) -> None:
    """Write a warning to standard error, unless ``--quiet`` says not to."""
    tell(f"warning: {message}")


def prepare_streams() -> None:
    """Make the streams fit for use; raises UnreadableFileError where there is no output."""
    has_output = sys.stdout is not None
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_descriptors()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if not has_output:
        raise UnreadableFileError("standard output", "cannot be written: it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The escapes of file names that are not UTF-8 look like JSON's own, so JSON stays valid.
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
    """The stream through a buffer: without one, Python drops what a write leaves over."""
    raw = io.FileIO(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, write_through=False)


def flush_output() -> None:
    """Write what is still held back; raises OSError where that fails."""
    if sys.stdout is not None:
        sys.stdout.flush()


def discard(stream: TextIO | None) -> None:
    """Send what is left of a stream nowhere: Python must not fail again when it closes it."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        os.close(null)


# So many more objects than were dropped make Python look for garbage.
OBJECTS = 50_000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage less often: imports make many objects, and hardly any garbage.

    The usual thresholds take a twentieth of the time of a short command.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise Stopped at SIGTERM and SIGHUP; one that is ignored, as by nohup, stays ignored."""
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may set handlers.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


# Progress.


PATIENCE_SECONDS = 1.0
WIDTH = 30
#: The bars of the work that is going on, the innermost last: that one is shown.
_bars: list[_Bar] = []


class _Bar:
    """How far some work is, drawn over itself on a terminal."""

    def __init__(self, total: int, what: str, share: Callable[[], float | None] | None) -> None:
        self.total, self.what, self.share = total, what, share
        self.started, self.done, self.shown = monotonic(), 0, False

    def draw(self) -> None:
        """Show it, once people would wonder, if no work inside of it has a bar of its own."""
        seconds = monotonic() - self.started
        if seconds <= PATIENCE_SECONDS or _bars[-1:] != [self]:
            return
        if self.share is not None:
            share = self.share()
            line = f"{progress_line(share)}{rate_line(self.done, seconds, share)}"
        else:
            known = min(1.0, self.done / self.total) if self.total else None
            line = progress_line(known) or f"… {seconds:.0f} s"
        sys.stderr.write(f"\r{self.what} {line}\033[K")
        sys.stderr.flush()
        self.shown = True


@contextmanager
def progress_bar(
    total: int, what: str, *, share: Callable[[], float | None] | None = None
) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much more is done; the bar goes when the work is over.

    Only a terminal has it. A thread draws it while the work says nothing.

    Args:
        total: how much there is to do; 0 where it has no steps to count, and seconds are shown.
        what: is done.
        share: says how far the work has come, where that is not known from the total; then segments
            are counted, and the bar shows their rate and the time that is left.
    """
    if not sys.stderr.isatty() or is_quiet():
        yield lambda _more: None
        return
    from threading import Event, Thread

    bar, over = _Bar(total, what, share), Event()

    def advance(more: int) -> None:
        bar.done += more
        bar.draw()

    def watch() -> None:
        while not over.wait(1.0):
            bar.draw()

    watcher = Thread(target=watch, daemon=True)
    _bars.append(bar)
    watcher.start()
    try:
        yield advance
    finally:
        _bars.remove(bar)
        over.set()
        watcher.join()
        if bar.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def progress_line(share: float | None) -> str:
    """How far the work has come; nothing where nobody knows."""
    if share is None:
        return ""
    return f"{'█' * round(WIDTH * share):<{WIDTH}} {100 * share:3.0f} %"


def rate_line(segments: int, seconds: float, share: float | None) -> str:
    """How many segments were counted, how fast, and how long it will take.

    >>> rate_line(200_000, 10.0, 0.25)
    '  200,000 segments, 20,000/s, 0:30 left'
    """
    line = f"  {segments:,} segments, {segments / max(seconds, 1e-9):,.0f}/s"
    if not share:
        return line
    minutes, rest = divmod(round(seconds * (1 - share) / share), 60)
    return f"{line}, {minutes}:{rest:02} left"


# The commands that need no module of their own.


# What tells truebleu that a shell asks, and what it asks for.
COMPLETE = "_TRUEBLEU_COMPLETE"
SHELLS = ("bash", "zsh", "fish")

COMPLETION_EPILOG = """\b
To switch it on for good:
  truebleu completion bash > ~/.local/share/bash-completion/completions/truebleu
  truebleu completion zsh > ~/.zfunc/_truebleu     (with ~/.zfunc in fpath)
  truebleu completion fish > ~/.config/fish/completions/truebleu.fish

\b
To try it in this shell only:
  source <(truebleu completion bash)
"""


def _completions() -> dict[str, type[ShellComplete]]:
    """Click's classes for the shells; where they have nothing to offer, they offer files."""
    from click.shell_completion import (
        BashComplete,
        CompletionItem,
        FishComplete,
        ShellComplete,
        ZshComplete,
    )

    class OrFiles(ShellComplete):
        """Most of what is typed here are files."""

        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
            """What could stand in place of the incomplete word."""
            items = super().get_completions(args, incomplete)
            if items or incomplete.startswith("-"):
                return items
            return [CompletionItem(incomplete, type="file")]

    bases = (BashComplete, ZshComplete, FishComplete)
    return {base.name: type(base.__name__, (OrFiles, base), {}) for base in bases}


@click.command("completion", epilog=COMPLETION_EPILOG)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for SHELL that completes truebleu's command lines."""
    script = _completions()[shell](context.find_root().command, {}, "truebleu", COMPLETE)
    # source() would ask the installed shell for its version; the script may be for another machine.
    click.echo(script.source_template % script.source_vars())


@click.command(
    "sacrebleu",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Score with sacreBLEU's command line."""
    from importlib import import_module

    sys.argv = ["sacrebleu", *arguments]
    import_module("truebleu.compat.sacrebleu.sacrebleu").main()
