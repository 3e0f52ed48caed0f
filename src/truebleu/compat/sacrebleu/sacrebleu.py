"""``truebleu sacrebleu``: sacreBLEU's command line, with its output and its exit statuses.

Every option of sacreBLEU is known here, so that abbreviations are as ambiguous as there; those
about its built-in test sets are refused with a reason.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from truebleu import _core
from truebleu.compat.sacrebleu._printing import (
    Paint,
    coloured,
    plain,
    several_systems,
    single_results,
)
from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, METRICS, TER
from truebleu.compat.sacrebleu.utils import LOGGER, get_available_testsets_for_langpair
from truebleu.compat.sacrebleu.version import __version__
from truebleu.errors import TruebleuError
from truebleu.metrics.base import use_environment

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.corpus.known_test_sets import KnownTestSet

AnyMetric: TypeAlias = BLEU | CHRF | TER

# sacreBLEU's exit statuses, and what a shell reports of a program that wrote to a closed pipe, as
# sacreBLEU dies of the signal.
FAILURE = 1
BAD_COLUMNS = 17
CLOSED_PIPE = 141

FORMATS = ("json", "text", "latex")
FORMAT_VARIABLE = "SACREBLEU_FORMAT"

DESCRIPTION = """\
Score translations the way sacreBLEU does: same options, same output.

    truebleu sacrebleu reference.txt -i system.txt -m bleu chrf ter
"""


class RefusedError(Exception):
    """A run that cannot go on, with the reason and the exit status."""

    def __init__(self, reason: str, code: int = FAILURE) -> None:
        super().__init__(reason)
        self.code = code


def main(argv: Sequence[str] | None = None) -> int:
    """Run sacreBLEU's command line; the exit status is 0, 1, 2 for usage or 17 for bad columns."""
    try:
        options = parse(argv)
    except SystemExit as leave:
        return int(leave.code or 0)
    with _messages(quiet=options.quiet) as logger:
        try:
            use_environment()
            _write(_run(options, logger))
        except RefusedError as refusal:
            logger.error("%s", refusal)
            return refusal.code
        except TruebleuError as error:
            logger.error("%s", error)
            return FAILURE
        except BrokenPipeError:
            # Python would complain once more when it flushes standard output at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return CLOSED_PIPE
        except OSError as error:
            logger.error("%s: %s", error.filename or "output", error.strerror or error)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILURE
    return 0


def _run(options: Namespace, logger: logging.Logger) -> Iterable[str]:
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
    logger.info("scoring %d systems", len(systems))
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


def read_references(files: Sequence[str], columns: int, encoding: str) -> list[list[str]]:
    """One text per file, or per column where the one file has several."""
    if columns == 1:
        return [_read_lines(file, encoding) for file in files]
    (file,) = files
    texts: list[list[str]] = [[] for _ in range(max(columns, 1))]
    for number, line in enumerate(_read_lines(file, encoding), start=1):
        # What follows the last separator is the last reference, with all its tabs.
        fields = line.split("\t", maxsplit=columns - 1)
        if len(fields) != columns:
            raise RefusedError(
                f"{file}: line {number}: found {len(fields)} references, "
                f"expected {columns} with tabs between them",
                code=BAD_COLUMNS,
            )
        for text, field in zip(texts, fields, strict=True):
            text.append(field)
    return texts


def read_systems(
    files: Sequence[str] | None, encoding: str, *, with_baseline: bool
) -> dict[str, list[str]]:
    """Each system's outputs by its name: the file's, or a number for a column of standard input.

    Where the first one is a baseline, as all the systems of a folder may follow, it is read once.
    """
    if files is None:
        return _read_standard_input(encoding)
    systems: dict[str, list[str]] = {}
    for file in files:
        if with_baseline and file == files[0] and systems:
            logging.getLogger(LOGGER).info("%s: left out, as it is the baseline", file)
            continue
        if file in systems:
            raise RefusedError(f"{file}: named twice, expected each system once")
        systems[file] = _read_lines(file, encoding)
    return systems


def _read_lines(file: str, encoding: str) -> list[str]:
    """The lines of a file, which end at LF only, without white space at their ends."""
    try:
        if file.endswith(".gz"):
            import gzip

            with gzip.open(file) as compressed:
                data = compressed.read()
        else:
            with open(file, "rb") as plain:
                data = plain.read()
    except (OSError, EOFError) as error:
        raise RefusedError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    return [line.rstrip() for line in _split(_decode(file, data, encoding))]


def _read_standard_input(encoding: str) -> dict[str, list[str]]:
    text = _decode("standard input", sys.stdin.buffer.read(), encoding)
    # Here, and only here, a carriage return ends a line by itself.
    lines = _split(text.replace("\r\n", "\n").replace("\r", "\n")) or [""]
    rows = [line.rstrip().split("\t") for line in lines]
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise RefusedError(
                f"standard input: line {number}: found {len(row)} columns, "
                f"expected {width} as on line 1",
                code=BAD_COLUMNS,
            )
    # sacreBLEU strips the columns of all lines but the first, which chrF can see.
    texts = zip(rows[0], *([field.rstrip() for field in row] for row in rows[1:]), strict=True)
    return {f"System {number}": list(text) for number, text in enumerate(texts, start=1)}


def _decode(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        raise RefusedError(f"{name}: not {encoding}: {error}") from error
    except LookupError as error:
        raise RefusedError(f"--encoding: {error}") from error


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


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
        columns = [_read_lines(known.fields[field], options.encoding) for field in wanted]
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
    yield from single_results(results, is_json=is_json, paint=_paint(options))
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
    return several_systems(list(systems), columns, signatures, options.format, _paint(options))


def _paired(
    options: Namespace, metrics: list[AnyMetric], systems: dict[str, list[str]]
) -> Iterator[str]:
    """Tests of each system against the first: a table, or JSON."""
    from truebleu.compat.sacrebleu._printing import BASELINE, paired_results
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
    signatures, columns = test()
    return paired_results(
        columns.pop("System"),
        columns,
        {name: signature.format(options.short) for name, signature in signatures.items()},
        test.test_type,
        test.n_samples,
        format_=options.format,
        width=options.width,
        paint=_paint(options),
    )


def _paint(options: Namespace) -> Paint:
    """Colour on a terminal, unless it is unwanted."""
    wanted = sys.stdout.isatty() and not options.no_color and not os.environ.get("NO_COLOR")
    return coloured if wanted else plain


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
def _messages(*, quiet: bool) -> Iterator[logging.Logger]:
    """The logger, writing ``sacreBLEU: …`` to standard error for as long as this lasts."""
    logger = logging.getLogger(LOGGER)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("sacreBLEU: %(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
    try:
        yield logger
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
