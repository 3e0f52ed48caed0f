"""Degenerate outputs: empty, runaway, cut short, looping, untranslated, in the wrong script.

The rules are cheap and look at characters only, so that they hold for any language. What they flag
depends on outputs: a difference without flagged segments is exploratory, and segments are taken
that are flagged for either system.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import name as character_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet

__all__ = ["degenerate_outputs"]

# An output of this many times the reference's characters, and some more, has run away.
RUNAWAY_FACTOR, RUNAWAY_EXTRA = 3, 30
# One of less than a quarter of a reference that is not short has been cut.
CUT_SHARE, CUT_LEAST = 0.25, 20
# A loop repeats an n-gram of this order so many times more than source and reference do.
LOOP_ORDER, LOOP_REPEATS = 4, 2
# Shorter sources, such as names, may well stay as they are.
UNTRANSLATED_LEAST = 10
# The share of letters in scripts that the references do not use.
FOREIGN_SHARE = 0.3
# Japanese mixes these, and so may Chinese names in it.
EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentTexts:
    """What the rules hold an output against.

    Attributes:
        source: what was translated; None where it is unknown.
        references: those that the segment has.
        scripts: those that any reference of the test set uses.
    """

    source: str | None
    references: Sequence[str]
    scripts: frozenset[str]


def _is_empty(output: str, _texts: SegmentTexts) -> bool:
    return not _visible(output)


def _visible(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)


def _has_run_away(output: str, texts: SegmentTexts) -> bool:
    return len(output) > RUNAWAY_FACTOR * max(map(len, texts.references)) + RUNAWAY_EXTRA


def _is_cut_short(output: str, texts: SegmentTexts) -> bool:
    shortest = min(map(len, texts.references))
    return shortest > CUT_LEAST and len(output) < CUT_SHARE * shortest and _visible(output)


def _loops(output: str, texts: SegmentTexts) -> bool:
    repeats = _most_repeats(output)
    if repeats <= LOOP_REPEATS:
        return False
    known = [*texts.references, *([] if texts.source is None else [texts.source])]
    return repeats >= LOOP_REPEATS + max(_most_repeats(text) for text in known)


def _most_repeats(text: str) -> int:
    words = text.split()
    ngrams = list(zip(*(words[start:] for start in range(LOOP_ORDER)), strict=False))
    if len(set(ngrams)) == len(ngrams):  # by far the most frequent case
        return min(1, len(ngrams))
    return max(Counter(ngrams).values())


def _is_untranslated(output: str, texts: SegmentTexts) -> bool:
    source = texts.source
    return (
        source is not None
        and len(source) > UNTRANSLATED_LEAST
        and output.strip() == source.strip()
        and output.strip() not in {reference.strip() for reference in texts.references}
    )


def _has_wrong_script(output: str, texts: SegmentTexts) -> bool:
    if _scripts(output) <= texts.scripts:
        return False
    letters = [script for character in output if (script := _script(character)) is not None]
    foreign = sum(script not in texts.scripts for script in letters)
    return foreign > FOREIGN_SHARE * len(letters)


def _scripts(text: str) -> frozenset[str]:
    return frozenset(script for character in set(text) if (script := _script(character)))


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str | None:
    """The script of a letter, by the first word of its Unicode name; None of anything else."""
    if not character.isalpha():
        return None
    script = character_name(character, "").split(" ")[0]
    return "CJK" if script in EAST_ASIAN else script or None


#: What makes an output degenerate, by flag; a rule is a function of the output and the texts.
RULES: Mapping[str, Callable[[str, SegmentTexts], bool]] = {
    "empty": _is_empty,
    "runaway": _has_run_away,
    "cut short": _is_cut_short,
    "loop": _loops,
    "untranslated": _is_untranslated,
    "wrong script": _has_wrong_script,
}


def degenerate_outputs(test_set: TestSet) -> dict[str, dict[str, tuple[int, ...]]]:
    """For each system and flag the numbers of its flagged segments, counted from 0.

    >>> from truebleu.corpus import as_test_set
    >>> test_set = as_test_set({"a": ["A cat.", ""]}, ["The cat.", "It sat."])
    >>> degenerate_outputs(test_set)["a"]["empty"]
    (1,)
    """
    if test_set.is_counted:  # nobody can tell without the texts
        return {system: {} for system in test_set.systems}
    references = [list(reference) for reference in test_set.references]
    scripts = frozenset[str]().union(
        *(_scripts(text) for reference in references for text in reference if text)
    )
    sources = [None] * len(test_set) if test_set.source is None else list(test_set.source)
    texts = [
        SegmentTexts(
            source=source,
            references=[text for text in segment if text is not None],
            scripts=scripts,
        )
        for source, *segment in zip(sources, *references, strict=True)
    ]
    flagged: dict[str, dict[str, tuple[int, ...]]] = {}
    for system, outputs in test_set.systems.items():
        pairs = [(output or "", against) for output, against in zip(outputs, texts, strict=True)]
        flagged[system] = {
            flag: tuple(i for i, (output, against) in enumerate(pairs) if rule(output, against))
            for flag, rule in RULES.items()
        }
    return flagged
