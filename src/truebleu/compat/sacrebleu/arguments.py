"""sacreBLEU's command line: every option of it, so that abbreviations are as ambiguous as there."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, METRICS
from truebleu.compat.sacrebleu.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMATS = ("json", "text", "latex")
FORMAT_VARIABLE = "SACREBLEU_FORMAT"

DESCRIPTION = """\
Score translations the way sacreBLEU does: same options, same output.

    truebleu sacrebleu reference.txt -i system.txt -m bleu chrf ter
"""


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
    group = parser.add_argument_group("built-in test sets (there are none here: these are refused)")
    group.add_argument("--test-set", "-t")
    group.add_argument("--origlang", "-ol")
    group.add_argument("--subset")
    group.add_argument("--download")
    group.add_argument("--list", action="store_true")
    group.add_argument("--echo", nargs="+")
    group.add_argument("--citation", "--cite", action="store_true")


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
    one_of = paired.add_mutually_exclusive_group()
    one_of.add_argument(
        "--paired-ar", "-par", action="store_true", help="test by approximate randomization"
    )
    one_of.add_argument(
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
