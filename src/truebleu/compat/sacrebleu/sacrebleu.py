"""``truebleu sacrebleu``: sacreBLEU's command line, with its output and its exit statuses.

Every option of sacreBLEU is known here, so that abbreviations are as ambiguous as there; those
about its built-in test sets are refused with a reason.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
from collections.abc import Callable
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from truebleu import _core
from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, METRICS, TER
from truebleu.compat.sacrebleu.utils import (
    ALPHA,
    FAILURE,
    RefusedError,
    get_available_testsets_for_langpair,
    logger,
    read_lines,
    read_references,
    read_systems,
)
from truebleu.compat.sacrebleu.version import __version__
from truebleu.errors import TruebleuError
from truebleu.metrics.base import use_environment
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu.compat.sacrebleu.significance import Result
    from truebleu.corpus.known_test_sets import KnownTestSet

    Cells = Sequence[str]

AnyMetric: TypeAlias = BLEU | CHRF | TER
#: What to do to a text that sacreBLEU shows in a colour, by the name of the colour.
Paint: TypeAlias = Callable[[str, str], str]

# What a shell reports of a program that wrote to a closed pipe, as sacreBLEU dies of the signal.
CLOSED_PIPE = 141

FORMATS = ("json", "text", "latex")
FORMAT_VARIABLE = "SACREBLEU_FORMAT"

DESCRIPTION = """\
Score translations the way sacreBLEU does: same options, same output.

    truebleu sacrebleu reference.txt -i system.txt -m bleu chrf ter
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run sacreBLEU's command line; the exit status is 0, 1, 2 for usage or 17 for bad columns."""
    try:
        options = parse(argv)
    except SystemExit as leave:
        return int(leave.code or 0)
    with _messages(quiet=options.quiet):
        try:
            use_environment()
            _write(_run(options))
        except RefusedError as refusal:
            logger().error("%s", refusal)
            return refusal.code
        except TruebleuError as error:
            logger().error("%s", error)
            return FAILURE
        except BrokenPipeError:
            # Python would complain once more when it flushes standard output at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return CLOSED_PIPE
        except OSError as error:
            logger().error("%s: %s", error.filename or "output", error.strerror or error)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILURE
    return 0


def _run(options: Namespace) -> Iterable[str]:
    """The lines of the result."""
    if options.download or options.list or options.citation:
        return _about_test_sets(options)
    _check_options(options)
    if options.echo:
        return _echo(options)
    references = _references(options)
    paired = options.paired_ar or options.paired_bs
    systems = read_systems(options.input, options.encoding, with_baseline=paired)
    systems, references = _part(options, systems, references)
    _check_systems(options, systems, references)
    metrics = _metrics(options, references if systems else None)
    if options.sentence_level:
        (outputs,) = systems.values()
        return _segments(options, metrics[0], outputs, references)
    if options.detail and options.format == "json":
        options.format = "text"
    if len(systems) == 1:
        return _one_system(options, metrics, *systems.values())
    logger().info("scoring %d systems", len(systems))
    if paired:
        return _paired(options, metrics, systems)
    return _several_systems(options, metrics, systems)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line; SystemExit where it makes no sense, as argparse does it."""
    options = _parser().parse_args(arguments)
    wanted = os.environ.get(FORMAT_VARIABLE, "").lower()
    if wanted in FORMATS:
        options.format = wanted
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truebleu sacrebleu",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"truebleu {_core.VERSION}, in the manner of sacreBLEU {__version__}"
    parser.add_argument("--version", "-V", action="version", version=version)
    _add_texts(parser)
    _add_test_sets(parser)
    _add_bleu(parser)
    _add_chrf(parser)
    _add_ter(parser)
    _add_significance(parser)
    _add_report(parser)
    return parser


def _add_texts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "refs", nargs="*", default=[], help="files with references; put them before -i"
    )
    parser.add_argument(
        "--input",
        "-i",
        nargs="*",
        help="files with the outputs of systems; without this, each column of standard input, "
        "separated by tabs, is a system",
    )
    parser.add_argument(
        "--num-refs",
        "-nr",
        type=int,
        default=1,
        help="references on each line of the one reference file, separated by tabs",
    )
    parser.add_argument(
        "--encoding", "-e", default="utf-8", help="encoding of all files (default: %(default)s)"
    )
    parser.add_argument(
        "--language-pair",
        "-l",
        dest="langpair",
        metavar="SOURCE-TARGET",
        help="languages; the target decides on BLEU's tokenizer where none is named",
    )
    parser.add_argument(
        "--metrics",
        "-m",
        nargs="+",
        choices=[name.lower() for name in METRICS],
        default=["bleu"],
        help="one metric or several (default: bleu)",
    )
    parser.add_argument(
        "--sentence-level", "-sl", action="store_true", help="score every segment by itself"
    )


def _add_test_sets(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("test sets of the package sacrebleu, if it is installed")
    group.add_argument("--test-set", "-t", help="a test set, or several with commas between them")
    group.add_argument("--origlang", "-ol", help="only what was written in this language; non-XX")
    group.add_argument("--subset", help="only documents whose description matches this pattern")
    group.add_argument("--download", help="fetch a test set and end")
    group.add_argument("--list", action="store_true", help="list test sets, or pairs of one")
    group.add_argument("--echo", nargs="+", help="print fields of a test set: src, ref, docid, all")
    group.add_argument("--citation", "--cite", action="store_true", help="print how to cite it")


def _add_bleu(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("BLEU")
    group.add_argument(
        "--smooth-method",
        "-s",
        choices=list(BLEU.SMOOTH_DEFAULTS),
        default="exp",
        help="what to do about orders without a match (default: %(default)s)",
    )
    group.add_argument(
        "--smooth-value", "-sv", type=float, help="for floor (default: 0.1) and add-k (default: 1)"
    )
    group.add_argument(
        "--tokenize",
        "-tok",
        choices=BLEU.TOKENIZERS,
        help="tokenizer (default: by the target language of -l, else 13a)",
    )
    group.add_argument("--lowercase", "-lc", action="store_true", help="ignore case")
    group.add_argument(
        "--force", action="store_true", help="say nothing about text that looks tokenized"
    )


def _add_chrf(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("chrF")
    group.add_argument(
        "--chrf-char-order",
        "-cc",
        type=int,
        default=CHRF.CHAR_ORDER,
        help="longest run of characters (default: %(default)s)",
    )
    group.add_argument(
        "--chrf-word-order",
        "-cw",
        type=int,
        default=CHRF.WORD_ORDER,
        help="longest run of words; 2 makes it chrF++ (default: %(default)s)",
    )
    group.add_argument(
        "--chrf-beta",
        type=int,
        default=CHRF.BETA,
        help="how much more recall weighs than precision (default: %(default)s)",
    )
    group.add_argument("--chrf-whitespace", action="store_true", help="count white space too")
    group.add_argument("--chrf-lowercase", action="store_true", help="ignore case")
    group.add_argument(
        "--chrf-eps-smoothing",
        action="store_true",
        help="average over all orders, with a tiny score for an absent one, as chrF++.py does",
    )


def _add_ter(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("TER")
    group.add_argument("--ter-case-sensitive", action="store_true", help="heed case")
    group.add_argument(
        "--ter-asian-support",
        action="store_true",
        help="with the next two: treat Asian characters and their punctuation too",
    )
    group.add_argument("--ter-no-punct", action="store_true", help="delete punctuation")
    group.add_argument("--ter-normalized", action="store_true", help="set punctuation apart")


def _add_significance(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("confidence")
    group.add_argument(
        "--confidence",
        "-ci",
        action="store_true",
        help="add a bootstrap interval to the scores of one system",
    )
    group.add_argument(
        "--confidence-n",
        "-cin",
        type=int,
        default=1000,
        help="resampled texts (default: %(default)s)",
    )
    paired = parser.add_argument_group("paired tests of two or more systems, the first a baseline")
    choice = paired.add_mutually_exclusive_group()
    choice.add_argument(
        "--paired-ar", "-par", action="store_true", help="test by approximate randomization"
    )
    choice.add_argument(
        "--paired-bs",
        "-pbs",
        action="store_true",
        help="test by the bootstrap; rejects too often, so rather use --paired-ar",
    )
    paired.add_argument(
        "--paired-ar-n", "-parn", type=int, default=10_000, help="trials (default: %(default)s)"
    )
    paired.add_argument(
        "--paired-bs-n",
        "-pbsn",
        type=int,
        default=1000,
        help="resampled texts (default: %(default)s)",
    )
    paired.add_argument(
        "--paired-jobs", "-j", type=int, default=1, help="of no effect: one pass serves all systems"
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        "-f",
        choices=FORMATS,
        default="json",
        help=f"output format (default: %(default)s); {FORMAT_VARIABLE} overrides it",
    )
    group.add_argument("--quiet", "-q", action="store_true", help="say less on standard error")
    group.add_argument("--short", "-sh", action="store_true", help="shorter signatures")
    group.add_argument("--score-only", "-b", action="store_true", help="nothing but the scores")
    group.add_argument(
        "--width",
        "-w",
        type=int,
        default=1,
        help="digits after the decimal point (default: %(default)s)",
    )
    group.add_argument(
        "--detail", "-d", action="store_true", help="text instead of JSON, with parts of test sets"
    )
    group.add_argument("--no-color", "-nc", action="store_true", help="no colour on a terminal")


# Test sets, by the data layer of the real package.


def _about_test_sets(options: Namespace) -> Iterator[str]:
    """What is known about test sets, or nothing once one is fetched."""
    from truebleu.corpus import known_test_sets as known

    if options.download:
        known.download(options.download, options.langpair)
    elif options.citation:
        if not options.test_set:
            raise RefusedError("--citation: found no test set, expected one by -t")
        for name in options.test_set.split(","):
            known.language_pairs(name)
            yield known.sacrebleu_module("dataset").DATASETS[name].citation or ""
    elif options.test_set:
        pairs = [options.langpair] if options.langpair else known.language_pairs(options.test_set)
        for pair in pairs:
            fields = known.find_test_set(options.test_set, pair).fields
            yield f"{pair}: {', '.join(fields)}"
    else:
        names = known.known_test_sets()
        if options.langpair:
            yield f"The available test sets for {options.langpair} are:"
            names = {
                name: names[name] for name in get_available_testsets_for_langpair(options.langpair)
            }
        else:
            yield "The available test sets are:"
        for name, description in sorted(names.items()):
            yield f"{name:<30}: {description}"


def _test_sets(options: Namespace) -> list[KnownTestSet]:
    from truebleu.corpus.known_test_sets import find_test_set

    return [find_test_set(name, options.langpair) for name in options.test_set.split(",")]


def _references(options: Namespace) -> list[list[str]]:
    if options.test_set is None:
        return read_references(options.refs, options.num_refs, options.encoding)
    texts: list[list[str]] = []
    for known in _test_sets(options):
        read = read_references(known.references, 1, options.encoding)
        texts = texts or [[] for _ in read]
        if len(read) != len(texts):
            raise RefusedError(
                f"--test-set: found {len(read)} references in {known.name}, "
                f"expected {len(texts)} as in the first"
            )
        for text, lines in zip(texts, read, strict=True):
            text.extend(lines)
    return texts


def _echo(options: Namespace) -> Iterator[str]:
    """Fields of the test sets, with tabs between them."""
    for known in _test_sets(options):
        wanted = list(known.fields) if options.echo == ["all"] else options.echo
        if "ref" in wanted and "ref" not in known.fields:
            first = min(field for field in known.fields if field.startswith("ref"))
            wanted = [first if field == "ref" else field for field in wanted]
        for field in wanted:
            if field not in known.fields:
                raise RefusedError(
                    f"--echo: found {field!r}, expected one of {', '.join(known.fields)}"
                )
        columns = [read_lines(known.fields[field], options.encoding) for field in wanted]
        columns = _kept(options, known.name, columns)
        yield from ("\t".join(row) for row in zip(*columns, strict=True))


def _part(
    options: Namespace, systems: dict[str, list[str]], references: list[list[str]]
) -> tuple[dict[str, list[str]], list[list[str]]]:
    """The segments of the original language and the subset that are asked for."""
    if options.origlang is None and options.subset is None:
        return systems, references
    _check_systems(options, systems, references)
    texts = _kept(options, options.test_set, [*systems.values(), *references])
    if not texts[0]:
        raise RefusedError("--origlang, --subset: found no segment, expected at least one")
    kept = dict(zip(systems, texts, strict=False))
    return kept, texts[len(systems) :]


def _kept(options: Namespace, names: str, texts: list[list[str]]) -> list[list[str]]:
    """Texts without the segments that are not asked for, as the package chooses them."""
    from truebleu.corpus.known_test_sets import sacrebleu_module

    if options.origlang is None and options.subset is None:
        return texts
    choose = sacrebleu_module("utils").filter_subset
    try:
        kept = choose(texts, names, options.langpair, options.origlang, options.subset)
    except Exception as error:  # the package raises nothing more special
        raise RefusedError(f"--subset: {error}") from error
    return [list(text) for text in kept]


def _check_options(options: Namespace) -> None:
    if options.sentence_level and len(options.metrics) > 1:
        raise RefusedError("--sentence-level: found several metrics, expected one")
    if options.num_refs != 1 and len(options.refs) > 1:
        raise RefusedError("--num-refs: found several reference files, expected one with columns")
    by_name = options.test_set is not None
    if not options.refs and not by_name:
        raise RefusedError("found no reference files; name them before -i, or a test set by -t")
    if options.refs and by_name:
        raise RefusedError("--test-set: found reference files too, expected one or the other")
    if by_name and options.num_refs != 1:
        raise RefusedError("--num-refs: found a test set, expected a reference file with columns")
    if by_name and not options.langpair:
        raise RefusedError("--test-set: found no language pair, expected one by -l, like en-de")
    for option in ("origlang", "subset", "echo"):
        if getattr(options, option) is not None and not by_name:
            raise RefusedError(f"--{option}: found no test set, expected one by -t")
    if options.langpair and "-" not in options.langpair:
        raise RefusedError(f"--language-pair: found {options.langpair!r}, expected one like en-de")
    if options.width < 0:
        raise RefusedError(f"--width: found {options.width}, expected a whole number from 0 up")


def _check_systems(
    options: Namespace, systems: dict[str, list[str]], references: list[list[str]]
) -> None:
    if not systems and (options.sentence_level or options.format != "json"):
        raise RefusedError("--input: found no system, expected one or more")
    if options.sentence_level and len(systems) > 1:
        raise RefusedError(f"--sentence-level: found {len(systems)} systems, expected one")
    paired = options.paired_ar or options.paired_bs
    if options.sentence_level and (options.confidence or paired):
        raise RefusedError("--sentence-level: there are no intervals and no tests for one segment")
    if paired and len(systems) < 2:
        flag = "--paired-ar" if options.paired_ar else "--paired-bs"
        raise RefusedError(f"{flag}: found {len(systems)} systems, expected two or more")
    if len(systems) > 1 and options.confidence:
        raise RefusedError(f"--confidence: found {len(systems)} systems, expected one")
    for name, outputs in systems.items():
        if not outputs:
            raise RefusedError(f"{name}: found no segments, expected at least one")
        for number, reference in enumerate(references, start=1):
            if len(reference) != len(outputs):
                raise RefusedError(
                    f"{name}: {len(outputs)} segments, but reference {number} has {len(reference)}"
                )


def _metrics(options: Namespace, references: list[list[str]] | None) -> list[AnyMetric]:
    """The metrics in the order of their names, whatever order they were asked for in."""
    target = options.langpair.split("-")[1] if options.langpair else ""
    metrics: list[AnyMetric] = []
    if "bleu" in options.metrics:
        names = ("lowercase", "force", "tokenize", "smooth_method", "smooth_value")
        bleu = BLEU(
            **{name: getattr(options, name) for name in names},
            effective_order=options.sentence_level,
            trg_lang=target,
            references=references,
        )
        metrics.append(bleu)
    if "chrf" in options.metrics:
        metrics.append(CHRF(**_settings(options, "chrf_"), references=references))
    if "ter" in options.metrics:
        metrics.append(TER(**_settings(options, "ter_"), references=references))
    return metrics


def _settings(options: Namespace, prefix: str) -> dict[str, Any]:
    """The options of a metric, whose names begin with its own."""
    return {
        name.removeprefix(prefix): value
        for name, value in vars(options).items()
        if name.startswith(prefix)
    }


def _segments(
    options: Namespace, metric: AnyMetric, outputs: list[str], references: list[list[str]]
) -> Iterator[str]:
    """One line per segment, always text."""
    signature = ""
    for output, *lines in zip(outputs, *references, strict=True):
        score = metric.sentence_score(output, lines)
        signature = signature or metric.get_signature().format(options.short)
        yield score.format(options.width, options.score_only, signature)


def _one_system(options: Namespace, metrics: list[AnyMetric], outputs: list[str]) -> Iterator[str]:
    """One line or one JSON object per metric."""
    is_json = options.format == "json"
    replicates = options.confidence_n if options.confidence else 1
    results = []
    for metric in metrics:
        score = metric.corpus_score(outputs, None, n_bootstrap=replicates)
        signature = metric.get_signature().format(options.short and not is_json)
        results.append(score.format(options.width, options.score_only, signature, is_json))
    yield from _single_results(results, is_json=is_json, paint=_paint(options))
    if options.detail:
        yield "No subset information found. Consider using --origlang argument."


def _several_systems(
    options: Namespace, metrics: list[AnyMetric], systems: dict[str, list[str]]
) -> Iterator[str]:
    """A table of systems by metrics, or JSON."""
    columns: dict[str, list[str]] = {}
    signatures = {}
    for metric in metrics if systems else ():
        scores = metric.corpus_scores(list(systems.values()))
        columns[scores[0].name] = [score.format(options.width, score_only=True) for score in scores]
        signatures[scores[0].name] = metric.get_signature().format(options.short)
    if options.format == "json":
        yield _systems_as_json(list(systems), columns)
        return
    names = [one_line(system.strip()) for system in systems]
    yield from _table_and_signatures(options, names, columns, signatures)


def _paired(
    options: Namespace, metrics: list[AnyMetric], systems: dict[str, list[str]]
) -> Iterator[str]:
    """Tests of each system against the first: JSON, or a table, what it means, and signatures."""
    from truebleu.compat.sacrebleu.significance import PairedTest

    if options.input is None:
        names = ["Baseline", *(f"System {number}" for number in range(1, len(systems)))]
    else:
        first, *others = systems
        names = [f"{BASELINE}{first}", *others]
    # Here, unlike elsewhere, metrics come in the order they were asked for.
    known = {type(metric).__name__.lower(): metric for metric in metrics}
    test = PairedTest(
        list(zip(names, systems.values(), strict=True)),
        {name: known[name] for name in options.metrics},
        references=None,
        test_type="bs" if options.paired_bs else "ar",
        n_samples=options.paired_bs_n if options.paired_bs else options.paired_ar_n,
        n_jobs=options.paired_jobs,
    )
    signatures, results = test()
    del results["System"]
    if options.format == "json":
        columns = {name: [vars(result) for result in column] for name, column in results.items()}
        yield _systems_as_json(names, columns)
        return
    paint = _paint(options)
    cells = {
        f"{name} (μ ± 95% CI)" if options.paired_bs else name: [
            _cell(result, options.width, "\n" if options.format == "text" else " ", paint)
            for result in column
        ]
        for name, column in results.items()
    }
    names = [one_line(name.strip()) for name in names]
    if names[0].startswith(BASELINE):
        for column in (names, *cells.values()):
            column[0] = paint(column[0], "yellow")
    explanation = _explanation(names[0], test.test_type, test.n_samples, paint)
    shown = {name: signature.format(options.short) for name, signature in signatures.items()}
    yield from _table_and_signatures(options, names, cells, shown, explanation)


def _paint(options: Namespace) -> Paint:
    """Colour on a terminal, unless it is unwanted; LaTeX can do nothing with it."""
    wanted = sys.stdout.isatty() and not options.no_color and not os.environ.get("NO_COLOR")
    return _coloured if wanted and options.format != "latex" else _plain


def _write(lines: Iterable[str]) -> None:
    """UTF-8 whatever the locale says, as sacreBLEU writes."""
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):  # a stand-in that takes text only, as notebooks have
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    for line in lines:
        sys.stdout.buffer.write(f"{line}\n".encode())
    sys.stdout.buffer.flush()


@contextmanager
def _messages(*, quiet: bool) -> Iterator[None]:
    """Write ``sacreBLEU: …`` to standard error for as long as this lasts."""
    log = logger()
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("sacreBLEU: %(message)s"))
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


# How results are printed: lines, drawn tables, LaTeX and JSON.


LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\textasciitilde{}"}
)

COLOUR = re.compile(r"\x1b\[[0-9]+m")
COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")

# What the first system's name starts with, where it has a name of its own.
BASELINE = "Baseline: "


def _grid(header: Cells, rows: Sequence[Cells]) -> str:
    """A table drawn with lines; cells may be coloured, and have several lines.

    The first column is aligned right and the others are centred, as sacreBLEU has them.

    >>> print(_grid(["System", "BLEU"], [["mine", "30.1"], ["yours", "9.8"]]))
    ╒══════════╤════════╕
    │   System │  BLEU  │
    ╞══════════╪════════╡
    │     mine │  30.1  │
    ├──────────┼────────┤
    │    yours │  9.8   │
    ╘══════════╧════════╛
    """
    widths = _widths(header, rows)

    def rule(left: str, line: str, between: str, right: str) -> str:
        return left + between.join(line * (width + 2) for width in widths) + right

    def draw(cells: list[str]) -> str:
        return "│" + "│".join(cells) + "│"

    lines = [rule("╒", "═", "╤", "╕"), draw(_aligned(header, widths))]
    above = rule("╞", "═", "╪", "╡")
    for row in rows:
        lines.append(above)
        for cells in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
            lines.append(draw(_aligned(cells, widths)))
        above = rule("├", "─", "┼", "┤")
    return "\n".join([*lines, rule("╘", "═", "╧", "╛")])


def _booktabs(header: Cells, rows: Sequence[Cells]) -> str:
    r"""A table for LaTeX's booktabs.

    >>> print(_booktabs(["System", "BLEU"], [["m_1", "30.1"]]))
    \begin{tabular}{rc}
    \toprule
       System &  BLEU  \\
    \midrule
          m\_1 &  30.1  \\
    \bottomrule
    \end{tabular}
    """
    widths = _widths(header, rows)

    def write(cells: Cells) -> str:
        # Escaped after aligning, so that a long escape pushes the cell out of its column.
        return "&".join(cell.translate(LATEX_ESCAPES) for cell in _aligned(cells, widths)) + r"\\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{r{'c' * (len(header) - 1)}}}",
            r"\toprule",
            write(header),
            r"\midrule",
            *(write(row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _widths(header: Cells, rows: Sequence[Cells]) -> list[int]:
    """Of each column: its widest line, or its name with a space on both sides."""
    columns = zip(header, *rows, strict=True)
    return [
        max(_width(name) + 2, *(_width(line) for cell in cells for line in cell.split("\n")))
        for name, *cells in columns
    ]


def _width(line: str) -> int:
    return len(COLOUR.sub("", line))


def _aligned(cells: Cells, widths: list[int]) -> list[str]:
    # What a terminal does not show takes no room.
    room = [width + len(cell) - _width(cell) for cell, width in zip(cells, widths, strict=True)]
    first, *others = zip(cells, room, strict=True)
    centred = (f" {cell:^{width}} " for cell, width in others)
    return [f" {first[0]:>{first[1]}} ", *centred]


def _coloured(text: str, colour: str) -> str:
    """The text in colour, for a terminal."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def _plain(text: str, colour: str) -> str:  # noqa: ARG001
    """The text as it is."""
    return text


def _single_results(results: Sequence[str], *, is_json: bool, paint: Paint) -> Iterator[str]:
    """The results of one system, one per metric: a JSON value, or lines with their = aligned."""
    if is_json:
        yield results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]"
        return
    painted = [
        INTERVAL.sub(lambda match: paint(match.group(), "cyan"), result) for result in results
    ]
    # Without an interval, bare scores have no = and stay where they are.
    lefts = [result.partition("=")[0] if "=" in result else "" for result in painted]
    width = max(map(len, lefts)) if len(results) > 1 else 0
    for result, left in zip(painted, lefts, strict=True):
        yield f"{left:>{width}}{result.removeprefix(left)}" if left else result


def _table_and_signatures(
    options: Namespace,
    systems: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    signatures: Mapping[str, str],
    explanation: Sequence[str] = (),
) -> Iterator[str]:
    """A table of systems, drawn or for LaTeX; lines that explain it; the signatures."""
    paint = _paint(options)
    header = [paint(name, "cyan") for name in ("System", *columns)]
    rows = list(zip(systems, *columns.values(), strict=True))
    yield (_booktabs if options.format == "latex" else _grid)(header, rows)
    yield ""
    yield from explanation
    title = "Metric signatures"
    yield from ("-" * len(title), title, "-" * len(title))
    for name, signature in signatures.items():
        yield f" - {name:<10} {signature}"


def _systems_as_json(systems: Sequence[str], columns: Mapping[str, Sequence[object]]) -> str:
    """An array of one object per system, with what each column has for it."""
    import json

    objects = [
        {"system": system} | {name: column[index] for name, column in columns.items()}
        for index, system in enumerate(systems)
    ]
    return json.dumps(objects, indent=4)


def _cell(result: Result, width: int, separator: str, paint: Paint) -> str:
    cell = f"{result.score:.{width}f}"
    if result.mean is not None:
        cell += f" ({result.mean:.{width}f} ± {result.ci:.{width}f})"
    if result.p_value is not None:
        p = f"(p = {result.p_value:.4f})"
        cell += separator + (f"{p}*" if result.p_value <= ALPHA else paint(p, "red"))
    return cell


def _explanation(baseline: str, test: str, samples: int, paint: Paint) -> list[str]:
    """Title and notes. The title is sacreBLEU's; the notes say what its notes say, in our words."""
    if test == "bs":
        title = f"Paired bootstrap resampling test with {samples} resampling trials"
        contents = (
            "score (mean ± half the width of the middle 95%, of the resampled scores), then p"
        )
    else:
        title = f"Paired approximate randomization test with {samples} trials"
        contents = "score, then p"
    null, base = paint("null hypothesis", "green"), paint("baseline", "yellow")
    return [
        "-" * len(title),
        title,
        "-" * len(title),
        f" - One test for each system, always against {baseline}.",
        f"   A cell has: {contents}.",
        "",
        f" - The {null} is that system and {base} are equally good, and only chance decided",
        "   which of them did well on which segment. If that holds, a difference of at least",
        "   this size, in either direction, comes up with a probability of about p.",
        "",
        f" - A * stands where p is at most {ALPHA}: chance is a poor explanation there, and the",
        f"   {null} is rejected at that level. A larger p, on a terminal {paint('in red', 'red')},",
        "   shows no difference, but does not show that there is none either.",
        "",
        f" - A * speaks of a difference from the {base}, for better or worse: compare the scores",
        "   to see which, and mind that TER is better when lower.",
        "",
    ]
