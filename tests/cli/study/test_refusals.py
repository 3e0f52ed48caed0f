"""What studies refuse: settings that could say nothing, in words and with exit code 2."""

from __future__ import annotations

from shlex import split

import pytest

from tests.cli.shell import refuses
from tests.cli.texts import TWO_SYSTEMS

# By study: options that make it quick, and what is refused beside them.
REFUSED: dict[str, tuple[str, dict[str, str]]] = {
    "accuracy": (
        "--replicates 50",
        {
            "error: bands: found 'a', expected percentages separated by commas": "--bands a",
            "error: bands: found 1.0, expected confidences between 0 and 1": "--bands 90,100",
            "error: bands: found nan": "--bands nan",
            "error: size: found 81": "--sizes 81",
            "error: (samples|replicates): found 10": "--replicates 10",
            "error: samples: found 0": "--samples 0",
        },
    ),
    "coverage": (
        "--replicates 50",
        {
            "error: size: found 81, expected no more than the pool has: 80": "--sizes 81",
            "expected at most 16 for 5 systematic samples": "--sizes 40 --sampling systematic",
            "error: samples: found 1, expected at least 5": "--samples 1",
            "error: replicates: found 20, expected at least 40": "--replicates 20",
            "error: level: found 2.0": "--level 2",
            "error: unit: found 'document'": "--unit document",
            "expected a metric that is a mean over segments": "--interval student",
        },
    ),
    "power": (
        "--replicates 50",
        {
            "error: size: found 81, expected no more than the pool has: 80": "--sizes 81",
            "expected at most 16 for 5 block samples": "--sizes 40 --sampling block",
            "error: samples: found 4, expected at least 5": "--samples 4",
            "error: (samples|replicates): found 10, expected at least 40": "--replicates 10",
            "error: (samples|replicates): found 50, expected at least 2000": "--level 0.999",
            "error: unknown baseline 'system-3'; did you mean 'system-": "--baseline system-3",
            "error: unit: found 'document'": "--unit document",
            "error: seed: found -1": "--seed -1",
        },
    ),
    "references": (
        "-r reference-2.txt --samples 2 --replicates 100",
        {
            "shares: found 'ten'": "--shares ten",
            "expected at least 3": "--shares 100",
            "subsets: found 0": "--subsets 0",
            "samples: found 1": "--samples 1",
        },
    ),
    "replicates": (
        "--replicates 100,200 --repetitions 5",
        {
            "replicates: found 10, expected at least 40": "--replicates 10,100",
            "replicates: found 'many', expected whole numbers": "--replicates many",
            "at least 2000": "--replicates 100 --level 0.999",
            "repetitions: found 2": "--repetitions 2",
            "enough: found 2.0": "--enough 2",
        },
    ),
    "sampling": (
        "--independent 100",
        {
            "error: size: found 81, expected no more than the pool has: 80": "--sizes 81",
            "error: size: found 20, expected at most 16 for 5 block samples": "--sizes 20",
            "error: sizes: found 'many'": "--sizes many",
            "error: samples: found 2, expected at least 5": "--samples 2",
            "error: independent: found 7, expected at least 100": "--independent 7",
            "error: unit: found 'document', expected a test set with": "--unit document",
            "error: unknown system 'x'": "--pair system-1 x",
            "no --pairs all beside it": "--pair system-1 x --pairs all",
            "no other choice of pairs beside it": "--baseline system-1 --pairs all",
        },
    ),
    "sensitivity": (
        "-m bleu -m ter --replicates 200",
        {
            "size: found 200, expected no more than the pool has: 80": "--sizes 200",
            "sizes: found 'a'": "--sizes a",
            "samples: found 1": "--sizes 20 --samples 1",
            "replicates: found 20": "--replicates 20",
        },
    ),
    "test-size": (
        "--samples 3 --replicates 100 --shares 25,50,100",
        {
            "shares: found '10,x', expected percent": "--shares 10,x",
            "at least 5 segments in a part": "--shares 1,50,100",
            "expected at least 3": "--shares 50,100",
            "share: found '200 %', expected more than 0 and at most 100 %": "--shares 50,100,200",
            "samples: found 1": "--samples 1",
            "replicates: found 5": "--replicates 5",
            "a test set with documents": "--unit document",
            "unknown metric 'nosuch'": "-m nosuch",
        },
    ),
}
CASES = [
    pytest.param(claim, [name, *TWO_SYSTEMS, *split(f"{quick} {options}")], id=f"{name}: {options}")
    for name, (quick, refused) in REFUSED.items()
    for claim, options in refused.items()
]


@pytest.mark.parametrize(("claim", "arguments"), CASES)
def test_what_could_say_nothing_is_refused_in_words(claim: str, arguments: list[str]) -> None:
    refuses(claim, "study", *arguments)
