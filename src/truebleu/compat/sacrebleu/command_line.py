"""``truebleu sacrebleu``: sacreBLEU's command line, with its output and its exit statuses."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from truebleu.compat.sacrebleu.arguments import parse
from truebleu.compat.sacrebleu.inputs import read_references, read_systems
from truebleu.compat.sacrebleu.messages import LOGGER
from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, TER
from truebleu.compat.sacrebleu.refusal import FAILURE, RefusedError
from truebleu.compat.sacrebleu.results import (
    Paint,
    coloured,
    plain,
    several_systems,
    single_results,
)
from truebleu.errors import TruebleuError
from truebleu.threads import set_threads_from_environment

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

AnyMetric: TypeAlias = BLEU | CHRF | TER

# What a shell reports of a program that wrote to a closed pipe, as sacreBLEU dies of the signal.
CLOSED_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run sacreBLEU's command line; the exit status is 0, 1, 2 for usage or 17 for bad columns."""
    try:
        options = parse(argv)
    except SystemExit as leave:
        return int(leave.code or 0)
    with _messages(quiet=options.quiet) as logger:
        try:
            set_threads_from_environment()
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
    return 0


def _run(options: Namespace, logger: logging.Logger) -> Iterable[str]:
    """The lines of the result."""
    _refuse_what_is_not_here(options)
    _check_options(options)
    references = read_references(options.refs, options.num_refs, options.encoding)
    paired = options.paired_ar or options.paired_bs
    systems = read_systems(options.input, options.encoding, with_baseline=paired)
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


def _refuse_what_is_not_here(options: Namespace) -> None:
    test_sets = ("test_set", "origlang", "subset", "download", "list", "echo", "citation")
    for option in test_sets:
        if getattr(options, option) not in (None, False):
            flag = f"--{option.replace('_', '-')}"
            raise RefusedError(
                f"{flag}: there are no built-in test sets here; name files instead, "
                "as in: REFERENCE -i SYSTEM"
            )


def _check_options(options: Namespace) -> None:
    if options.sentence_level and len(options.metrics) > 1:
        raise RefusedError("--sentence-level: found several metrics, expected one")
    if options.num_refs != 1 and len(options.refs) > 1:
        raise RefusedError("--num-refs: found several reference files, expected one with columns")
    if not options.refs:
        raise RefusedError("found no reference files; name them before -i")
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
                found = f"{name}: {len(outputs)} segments"
                raise RefusedError(f"{found}, but reference {number} has {len(reference)}")


def _metrics(options: Namespace, references: list[list[str]] | None) -> list[AnyMetric]:
    """The metrics in the order of their names, whatever order they were asked for in."""
    target = options.langpair.split("-")[1] if options.langpair else ""
    metrics: list[AnyMetric] = []
    if "bleu" in options.metrics:
        bleu = BLEU(
            lowercase=options.lowercase,
            force=options.force,
            tokenize=options.tokenize,
            smooth_method=options.smooth_method,
            smooth_value=options.smooth_value,
            effective_order=options.sentence_level,
            trg_lang=target,
            references=references,
        )
        metrics.append(bleu)
    if "chrf" in options.metrics:
        chrf = CHRF(
            char_order=options.chrf_char_order,
            word_order=options.chrf_word_order,
            beta=options.chrf_beta,
            lowercase=options.chrf_lowercase,
            whitespace=options.chrf_whitespace,
            eps_smoothing=options.chrf_eps_smoothing,
            references=references,
        )
        metrics.append(chrf)
    if "ter" in options.metrics:
        ter = TER(
            normalized=options.ter_normalized,
            no_punct=options.ter_no_punct,
            asian_support=options.ter_asian_support,
            case_sensitive=options.ter_case_sensitive,
            references=references,
        )
        metrics.append(ter)
    return metrics


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
    from truebleu.compat.sacrebleu.paired_results import BASELINE, paired_results
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
