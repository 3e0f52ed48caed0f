"""``truebleu agree``: agreement of metrics with human raters."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import click

from truebleu.agreement.agree import (
    EVALUATION_COEFFICIENTS,
    TASKS,
    agree,
    default_coefficients,
    stored_human_scores,
)
from truebleu.agreement.grid import parse_grid
from truebleu.agreement.report import agreement_report
from truebleu.cli._command import (
    ResultWriter,
    Texts,
    make_command,
    reject_unused,
    setting_options,
    warn_of_texts,
    was_given,
)
from truebleu.cli.main import print_unless_quiet
from truebleu.corpus.test_set import TestSet
from truebleu.counts.inputs import count_evaluation_set
from truebleu.human.reading import read_human
from truebleu.schema import Setting, declared_by, resolve
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.agree import Agreement
    from truebleu.counts.counts import Counts
    from truebleu.human.judgments import HumanScores, PairwiseJudgments
    from truebleu.metrics.base import Requested


#: Options of `read_human` that get a prefix, because other options have their names.
PREFIXED = {name: f"human_{name}" for name in ("format", "column", "weights")}
#: Options for reading judgments; `HumanFile.of` takes their values.
OPTIONS = declared_by(read_human)
READING = {PREFIXED.get(name, name): option for name, option in OPTIONS.items()}


class HumanOptions(TypedDict, total=False):
    """Option of human scores.

    Attributes:
        human: human scores, MQM annotations, ESA or DA scores, or rankings; with an evaluation set,
            the name of its scores.
    """

    human: Annotated[str | None, Setting(metavar="FILE", group="Texts")]


HUMAN_OPTIONS = [*setting_options(declared_by(HumanOptions) | READING)]


@dataclass(frozen=True, slots=True)
class HumanFile:
    """A file of human judgments, with the settings for reading it."""

    path: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, values: dict[str, Any]) -> HumanFile:
        """Make a file from its options, which it removes from `values`; one is required."""
        human = cls.or_none(values)
        if human is None:
            raise click.UsageError("Give the human scores with --human FILE.")
        return human

    @classmethod
    def or_none(cls, values: dict[str, Any]) -> HumanFile | None:
        """Make a file from its options, which it removes from `values`, or return None."""
        path = values.pop("human")
        given = {name: values.pop(option) for name, option in zip(OPTIONS, READING, strict=True)}
        if path is None:
            reject_unused(READING, "requires --human FILE")
            return None
        return cls(path, resolve(read_human, given))

    def read(self, test_set: TestSet | Counts) -> HumanScores | PairwiseJudgments:
        """Read the judgments of a test set's systems."""
        with progress_bar(0, "reading"):
            return read_human(self.path, test_set, **self.settings)


@make_command(
    "agree",
    agree,
    "[systems] texts sets metrics chart details format output",
    options=HUMAN_OPTIONS,
    # Metrics are usually compared with people on evaluation sets.
    common=["lp"],
)
def agree_command(
    texts: Texts, metrics: list[Requested] | None, show: ResultWriter, **values: Any
) -> None:
    """Test how well metrics agree with human raters, and which agrees best.

    Examples:
      truebleu agree -r ref.txt sys/ --human mqm.tsv -m bleu chrf ter
      truebleu agree wmt23/ --lp en-de
      truebleu agree wmt23/ --lp en-de -o agreement.html
      truebleu agree -r ref.txt sys/ --human mqm.tsv --grid 'sentbleu:smoothing=4,k=1|2|5|10'
    """
    evaluation_set = texts.evaluation_set(values["human"])
    if evaluation_set is not None:
        reject_unused(READING, "has no effect with an evaluation set")
        for name in ("human", *READING):
            values.pop(name)
        steps = len(values["coefficients"] or TASKS.get(values["task"], EVALUATION_COEFFICIENTS))
        with progress_bar(steps, "agreeing") as progress:
            agreement = agree(evaluation_set, metrics=metrics, progress=progress, **values)
        counts = count_evaluation_set(evaluation_set, metrics, human=False)
        _show(agreement, counts, stored_human_scores(evaluation_set), show)
        return
    human = HumanFile.of(values)
    if texts.references and not texts.systems:
        raise click.UsageError("Name the outputs of the systems as well as the reference.")
    judged: TestSet | Counts
    if values["grid"]:
        reject_unused(["metrics"], "has no effect with --grid, which names the metric")
        judged = texts.read()
    else:
        reject_unused(["development"], "requires --grid METRIC")
        judged = texts.count(metrics, keep_texts=True)
    judgments = human.read(judged)
    if values["grid"]:
        steps = len(parse_grid(values["grid"]))
    else:
        steps = len(values["coefficients"] or default_coefficients(judgments))
    with progress_bar(steps, "agreeing") as progress:
        agreement = agree(judged, judgments, progress=progress, **values)
    known = judged.warnings if isinstance(judged, TestSet) else judged.outline.warnings
    warn_of_texts([warning for warning in agreement.warnings if warning not in known])
    if isinstance(judged, TestSet):  # a grid
        show(agreement)
    else:
        _show(agreement, judged, judgments, show)


def _show(
    agreement: Agreement,
    counts: Counts,
    human: HumanScores | PairwiseJudgments,
    show: ResultWriter,
) -> None:
    """Print an agreement, or write its page if the output ends in .html."""
    if show.output is None or show.output.suffix.lower() != ".html" or was_given("format"):
        show(agreement)
        return
    show.draw(agreement)
    name = human.label.removesuffix(".score").removesuffix(".seg").rpartition(".")[2]
    is_set = agreement.evaluation_set is not None
    report = agreement_report(agreement, counts, human, name=name if is_set else "people")
    command = join(["truebleu", *sys.argv[1:]])
    report.save(show.output, command=command, overwrite=show.force)
    print_unless_quiet(f"wrote {show.output}")
