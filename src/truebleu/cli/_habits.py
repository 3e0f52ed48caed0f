"""Options of other tools, and the equivalents of each command here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click


class Habit(NamedTuple):
    """Options of other tools, and a hint that applies to some commands.

    Attributes:
        flags: the options, separated by blanks.
        hint: equivalent option or setting here.
        parameters: parameters that a command must have for the hint to apply.
        commands: names of the commands that the hint applies to; empty for all.
    """

    flags: str
    hint: str
    parameters: str = ""
    commands: str = ""


#: Habits; the first one with a given flag that applies to a command gives the hint.
HABITS = (
    Habit(
        "--ref --refs --references", "-r FILE (--reference), once for each reference", "references"
    ),
    Habit("-i --input --hyp", "the output itself, without an option", "systems"),
    Habit("-t", "--reference FILE, or --test-set wmt24 with -l en-de", "test_set language"),
    Habit("-tok --tok --tokenize", "a setting of the metric: -m bleu:tokenize=zh", "metrics"),
    Habit("-lc --lowercase", "a setting of the metric: -m bleu:lowercase=yes", "metrics"),
    Habit("--smooth-method --smooth", "a setting of the metric: -m bleu:smooth=exp", "metrics"),
    Habit("--chrf-word-order", "a setting of the metric: -m chrf:word_order=2", "metrics"),
    Habit("-w --width", "-f json, which prints every digit", "format"),
    Habit("-b", "--baseline NAME, the system to compare with", "", "compare gate"),
    Habit("-b --score-only", "-f tsv, which prints the bare numbers", "format"),
    Habit("--short", "-f json, which has the signature by itself", "format metrics"),
    Habit("--sentence-level", "--per-segment", "per_segment"),
    Habit("--paired-bs", "truebleu compare --test bootstrap", "systems"),
    Habit("--paired-ar", "truebleu compare, whose default is approximate randomization", "systems"),
    Habit("--paired-bs-n --paired-ar-n", "truebleu compare --replicates N", "systems"),
    Habit("--alpha", "--level: intervals of 0.95 go with tests at 0.05", "level"),
    Habit("--n-resamples --n-boot --num-samples", "--replicates N", "replicates"),
    Habit("--metrics", "-m METRIC (--metric), as in -m bleu chrf ter", "metrics"),
    Habit("--confidence", "always on: every comparison has intervals", "", "compare explain"),
    Habit("--bootstrap", "--test bootstrap", "", "compare"),
    Habit("--bootstrap", "--confidence", "confidence"),
    Habit("--plot --figure", "--chart FILE", "chart"),
    Habit("--scores", "-m FILE, as in -m bleu -m comet.json", "metrics"),
    Habit("--json", "-f json", "format"),
    Habit("--latex", "-f latex", "format"),
    Habit("-v --verbose", "--details", "details"),
)


def hint_for(flag: str, command: click.Command) -> str | None:
    """Return a command's equivalent of a foreign option; None if it has `flag` or no hint."""
    if any(flag in parameter.opts for parameter in command.params):
        return None
    names = {parameter.name for parameter in command.params}
    for habit in HABITS:
        applies = names.issuperset(habit.parameters.split()) and (
            not habit.commands or command.name in habit.commands.split()
        )
        if applies and flag in habit.flags.split():
            return habit.hint
    return None
