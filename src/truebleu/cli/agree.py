"""``truebleu agree``: how well metrics agree with people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from truebleu.agreement.agree import agree, default_coefficients
from truebleu.agreement.grid import parse_grid
from truebleu.cli._command import Option, Show, Texts, make_command, refuse_idle
from truebleu.cli.main import progress_bar
from truebleu.human.judgments import FORMATS
from truebleu.human.reading import read_human

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.human.judgments import HumanScores, PairwiseJudgments
    from truebleu.metrics.base import Requested

EPILOG = """\b
Examples:
  truebleu agree -r ref.txt sys/ --human mqm.tsv -m bleu chrf ter
  truebleu agree -r ref.txt sys/ --human mqm.tsv --grid 'sentbleu:smoothing=4,k=1|2|5|10'
"""


_reading = partial(Option, group="Texts", rare=True)
#: Which judgments are read, and how; `HumanFile.of` takes their values.
HUMAN_OPTIONS = [
    Option(
        "--human",
        "Human scores, MQM annotations, ESA or DA scores, or rankings.",
        "FILE",
        group="Texts",
    ),
    _reading(
        "--human-format",
        "Format of the human scores. Default: detected automatically.",
        type=click.Choice(FORMATS),
    ),
    _reading("--human-column", "The column of scores.", "NAME"),
    _reading(
        "--raters",
        "Average scores of raters as they are, or z-normalise each rater first. Default: mean.",
        type=click.Choice(["mean", "z"]),
    ),
    _reading(
        "--human-weights",
        "What errors weigh in MQM: standard, wmt24, 'Major=5,Minor=1', or a file.",
        "WEIGHTS",
    ),
    _reading(
        "--match",
        "How segments of the file are matched to those of the texts. Default: whatever fits.",
        type=click.Choice(["names", "documents", "numbers", "order"]),
    ),
    _reading(
        "--first-segment",
        "Its number in the file. Default: detected automatically.",
        type=click.Choice(["0", "1"]),
    ),
    _reading("--language-pair", "The one to take from a file with several.", "PAIR"),
    _reading(
        "--others",
        "Refuse or ignore judgments of systems that are not given. Default: refuse.",
        type=click.Choice(["refuse", "ignore"]),
    ),
]


@dataclass(frozen=True, slots=True)
class HumanFile:
    """A file of human judgments, and how it is read."""

    path: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, values: dict[str, Any]) -> HumanFile:
        """What the options say, whose values are taken out of the others."""
        human = cls.or_none(values)
        if human is None:
            raise click.UsageError("What did people say? Name the file with --human.")
        return human

    @classmethod
    def or_none(cls, values: dict[str, Any]) -> HumanFile | None:
        """The same; None without a file."""
        path, *names = (str(option.name) for option in HUMAN_OPTIONS)
        given = {name.removeprefix("human_"): values.pop(name) for name in names}
        settings = {name: value for name, value in given.items() if value is not None}
        if "first_segment" in settings:
            settings["first_segment"] = int(settings["first_segment"])
        human = values.pop(path)
        if human is None:
            refuse_idle(names, "requires --human FILE")
            return None
        return cls(human, settings)

    def read(self, test_set: TestSet | Counts) -> HumanScores | PairwiseJudgments:
        """Read the judgments of a test set's systems."""
        with progress_bar(0, "reading"):
            return read_human(self.path, test_set, **self.settings)


@make_command(
    "agree",
    agree,
    "[systems] texts metrics chart details format output",
    options=HUMAN_OPTIONS,
    epilog=EPILOG,
)
def agree_command(texts: Texts, metrics: list[Requested] | None, show: Show, **values: Any) -> None:
    """Say how well metrics agree with people, and which agrees best."""
    human = HumanFile.of(values)
    if texts.references and not texts.systems:
        raise click.UsageError("Name the outputs of the systems, beside the reference.")
    judged: TestSet | Counts
    if values["grid"]:
        refuse_idle(["metrics"], "has no effect with --grid, which names the metric")
        judged = texts.read()
    else:
        refuse_idle(["development"], "requires --grid METRIC")
        judged = texts.count(metrics, keep_texts=True)
    judgments = human.read(judged)
    if values["grid"]:
        steps = len(parse_grid(values["grid"]))
    else:
        steps = len(values["coefficients"] or default_coefficients(judgments))
    with progress_bar(steps, "agreeing") as progress:
        show(agree(judged, judgments, progress=progress, **values))
