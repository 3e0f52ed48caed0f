"""``truebleu study``: experiments of papers, each a command made from a function's signature."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import click

from truebleu.cli._command import (
    FilePath,
    Option,
    References,
    ResultWriter,
    Texts,
    make_command,
    reject_unused,
    setting_options,
)
from truebleu.cli.agree import HUMAN_OPTIONS, HumanFile
from truebleu.cli.main import LazyGroup
from truebleu.corpus._files import register_input
from truebleu.errors import SettingError
from truebleu.reports.document import render
from truebleu.schema import DEFAULT_SEED, Setting, declared_by
from truebleu.schema.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.studies import StudyResult

# Module and one line of help of each study, in the order of the papers; listing imports none.
STUDIES = {
    "sampling": ("sampling", "Variation of scores over blocks and over systematic samples."),
    "coverage": ("sampling", "How often intervals of samples contain the pool's score."),
    "power": ("power", "Right and wrong conclusions of tests on samples of each size."),
    "accuracy": ("power", "Share of conclusions that are right, by their confidence."),
    "test-size": ("interval_width", "Scores and intervals by the share of the test set used."),
    "references": ("interval_width", "Test data that a further reference is worth."),
    "replicates": ("interval_width", "Number of replicates that the bootstrap needs."),
    "sensitivity": ("power", "Number of pairs of systems that differ significantly, by metric."),
    "type-one": ("type_one", "Type I error rate of each test."),
    "multiplicity": ("type_one", "Rate of at least one false alarm among many comparisons."),
    "equivalents": ("type_one", "p-values of systems that are assumed to be equal."),
    "length": ("length", "Scores by the length of the output."),
    "smoothing": ("smoothing", "Agreement of smoothings of sentence BLEU with human raters."),
    "tuning": ("nbest", "Effect of the smoothed BLEU that weights are tuned on."),
    "reranking": ("nbest", "Gain of one reranker by several metrics."),
}
PAPER = ("truebleu.cli.study:paper_command", "Every table and figure of one of the four papers.")
# Error rates of simulated systems, so close that only large samples show the differences.
SIMULATED_RATES = (0.20, 0.21, 0.23, 0.26, 0.30)
SIMULATED_REFERENCES = 4


class StudyGroup(LazyGroup):
    """The studies; calling a study makes its command."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a study and make its command."""
        study: Any = super().get_command(ctx, cmd_name)
        if isinstance(study, click.Command):
            return study
        return None if study is None else _command_of(cmd_name, study)


@click.group(
    "study",
    cls=StudyGroup,
    table={
        name: (f"truebleu.studies.{module}:study_{name.replace('-', '_')}", text)
        for name, (module, text) in STUDIES.items()
    }
    | {"paper": PAPER},
)
def study_command() -> None:
    """Measure how far scores, intervals and tests can be trusted on your own data.

    Examples:
      truebleu study power -r ref.txt sys/ --sizes 100,300,600 --chart power.svg
      truebleu study type-one -r ref.txt a.txt b.txt --resume type-one.jsonl
      truebleu study coverage --simulate 3000

    A study takes the given texts as a pool, and measures on samples of it what you would otherwise
    have to assume. With --simulate N it makes a pool of N segments whose truth is known.
    """


#: Settings that only ``--help-all`` shows.
RARE = (
    "unit", "replicates", "level", "sampling", "permutations", "tokenize",
    "alpha", "epochs", "l2", "ngrams", "folds", "figure", "corrections",
)  # fmt: skip


class StudyOptions(TypedDict, total=False):
    """Options of the data of studies.

    Attributes:
        resume: save results in FILE as they come, and continue from it if it exists.
        simulate: study N simulated segments instead of texts or lists.
        topics: segments per topic on average, with --simulate; topics differ in difficulty.
        sparse: a feature for every pair of words, thousands of them, with --simulate.
        references: a reference; repeat for several.
        test_lists: test lists, with the same features.
        test_references: a reference of the test lists; repeat for several.
    """

    resume: Annotated[str | None, Setting(metavar="FILE", group="Output")]
    simulate: Annotated[int | None, Setting(minimum=1, metavar="N", group="Texts")]
    topics: Annotated[int | None, Setting(minimum=1, metavar="N", group="Texts", rare=True)]
    sparse: Annotated[bool, Setting(group="Texts", rare=True)]
    references: References
    test_lists: Annotated[str | None, Setting(metavar="LISTS", group="Texts")]
    test_references: Annotated[
        Sequence[str] | None,
        Setting(flags=("--test-reference",), metavar="FILE", group="Texts"),
    ]


def _command_of(name: str, study: Callable[..., StudyResult]) -> click.Command:
    """Make the command of a study, with an option per setting and the options of its data."""
    parameters = inspect.signature(study).parameters
    of_lists, with_human = "lists" in parameters, "human" in parameters
    names = {"resume", *(() if with_human else ("simulate", "sparse" if of_lists else "topics"))}
    options: list[click.Parameter] = [*HUMAN_OPTIONS] if with_human else []
    if of_lists:
        names |= {"references", "test_lists", "test_references"} & {"references", *parameters}
        options.append(click.Argument(["lists"], required=False, type=FilePath()))
    known = declared_by(StudyOptions).items()
    options += setting_options({name: option for name, option in known if name in names})

    def run(
        show: ResultWriter, executor: Executor | None, resume: str | None, **values: Any
    ) -> None:
        from truebleu.execution.journal import Runner

        if resume is not None:
            register_input(resume)
        progress = partial(progress_bar, action="studying")
        journal = None if resume is None else Path(resume)
        runner = Runner(journal=journal, progress=progress, executor=executor)
        data = (_lists if of_lists else _pool_and_judgments if with_human else _pool)(values)
        settings = {key: value for key, value in values.items() if value not in (None, ())}
        show(study(*data, runner=runner, **settings))

    run.__doc__ = inspect.cleandoc(study.__doc__ or "").partition("\nArgs:")[0].partition(">>>")[0]
    systems = "" if of_lists else "systems texts" if with_human else "[systems] texts"
    metrics = "metrics" if "metrics" in parameters else ""
    parts = f"{systems} {metrics} executor chart format output"
    command = make_command(name, study, parts, options=options)(run)
    for option in command.params:
        if isinstance(option, Option) and option.declared is not None:
            option.rare = option.rare or option.name in RARE
    return command


# Data of studies; each function removes the options of the data from `values`.


def _pool(values: dict[str, Any]) -> tuple[TestSet]:
    texts: Texts = values.pop("texts")
    simulated, topics = values.pop("simulate"), values.pop("topics")
    if simulated is not None:
        names = ("systems", "references", "source", "documents", "test_set", "strict")
        reject_unused(names, "excludes --simulate: no texts are read")
        from truebleu.simulation.test_sets import simulate

        seed = values.get("seed", DEFAULT_SEED)
        size: Any = {"segments": simulated, "references": SIMULATED_REFERENCES, "seed": seed}
        return (simulate(systems=SIMULATED_RATES, topic_length=topics, **size),)
    reject_unused(["topics"], "requires --simulate N")
    if not texts.systems:
        raise SettingError("SYSTEM", "none", "at least one output, or --simulate N")
    if not texts.references:
        raise SettingError("reference", "none", "a reference (-r FILE), or --simulate N")
    return (texts.read(),)


def _pool_and_judgments(values: dict[str, Any]) -> tuple[TestSet, Any]:
    test_set = values.pop("texts").read()
    return test_set, HumanFile.of(values).read(test_set)


def _lists(values: dict[str, Any]) -> list[Any]:
    """Return lists and their references, then test lists and references if a study has them."""
    simulated, sparse, tuned = values.pop("simulate"), values.pop("sparse"), "test_lists" in values
    names = [("lists", "references"), *([("test_lists", "test_references")] if tuned else [])]
    files = [(values.pop(lists), values.pop(references)) for lists, references in names]
    if simulated is not None:
        reject_unused([name for pair in names for name in pair], "excludes --simulate")
        from truebleu.simulation.decoder import Decoder

        seed = values["seed"]
        size: Any = {"segments": simulated, "sparse": sparse}
        sides = [Decoder(seed=seed + side, **size) for side in range(len(files))]
        if values.get("rounds", 1) > 1:
            values["decoders"] = tuple(side.nbest for side in sides)
        return [part for side in sides for part in (side.nbest(), [side.references])]
    reject_unused(["rounds", "sparse"], "requires --simulate N: files cannot be decoded again")
    if not all(lists and references for lists, references in files):
        expected = "lists and their references (-r FILE), or --simulate N"
        raise SettingError("LISTS", files[0][0] or "none", expected)
    return [part for file in files for part in _read(*file)]


def _read(path: str, references: Sequence[str]) -> tuple[NBest, list[TextLike]]:
    from truebleu.corpus._reading import read_test_set
    from truebleu.corpus.nbest_files import ListFormat, read_lists

    return read_lists(path, ListFormat()), list(read_test_set([], references).references)


@make_command(
    "paper",
    None,
    "[systems] texts executor format output",
    options=[click.Argument(["paper"], metavar="PAPER"), *HUMAN_OPTIONS],
)
def paper_command(
    texts: Texts,
    show: ResultWriter,
    executor: Executor | None,
    paper: str,
    resume: Annotated[str | None, Setting(metavar="FILE", group="Output")],
    lists: Annotated[str | None, Setting(metavar="LISTS", group="Texts")],
    **values: Any,
) -> None:
    """Redo every table and figure of a paper that the data allow.

    PAPER is koehn2004, zhang-vogel2004, riezler-maxwell2005 or chen-cherry2014. Each section has
    the paper's own label and numbers. Missing data are simulated, and a sentence says so.
    A file of --output that ends in .html becomes a page with charts.

    Args:
        resume: save results as they come in files FILE-1, FILE-2, ..., and continue from them if
            they exist.
        lists: n-best lists of the segments, with features.
    """
    from truebleu.corpus.nbest_files import ListFormat, read_lists
    from truebleu.execution.journal import Runner
    from truebleu.studies.paper import study_paper

    file = HumanFile.or_none(values)
    if not texts.systems:
        given = {"--human": file, "--lists": lists, "--reference": texts.references or None}
        for option, value in given.items():
            if value is not None:
                raise SettingError("SYSTEM", "none", f"outputs of systems, with {option}")
    test_set = texts.read() if texts.systems else None
    human = None if file is None or test_set is None else file.read(test_set)
    nbest = None if lists is None else read_lists(lists, ListFormat())
    journal = None if resume is None else Path(resume)
    runner = Runner(journal, partial(progress_bar, action="studying"), executor)
    result = study_paper(paper, test_set, lists=nbest, human=human, runner=runner)
    if show.output is None or show.output.suffix != ".html":
        show.print(result)
    else:
        page = f'<!DOCTYPE html>\n<meta charset="UTF-8">\n<title>{paper}</title>\n'
        show.write([f"{page}{render(result, 'html')}".encode()])
