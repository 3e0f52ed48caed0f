"""``truebleu study``: the papers' experiments, each a command of its own, on your texts.

A command does nothing but name its options: their names are those of the study's keywords, and an
option that was not given leaves the study's own default. Studies are imported when they are run.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from truebleu._settings import INTERVALS
from truebleu.cli._options import (
    FilePath,
    Show,
    Texts,
    add_options,
    baseline_option,
    charted_result_options,
    executor_options,
    level_option,
    metric_option,
    option_with_default,
    optional_test_set_options,
    refuse_idle,
    seed_option,
    test_set_options,
    was_given,
)
from truebleu.cli.agree import HumanFile, human_options
from truebleu.cli.main import LazyGroup, progress_bar
from truebleu.corpus._files import note_input
from truebleu.errors import SettingError
from truebleu.significance.corrections import CORRECTIONS, P_VALUE_CORRECTIONS
from truebleu.studies._tests import STUDY_TESTS, TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from truebleu._results import Result
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

    Decorator = Callable[[Any], Any]


# One line of help each, in the order of the papers.
_HELP = {
    "sampling": "How much scores vary over blocks and over systematic samples.",
    "coverage": "How often intervals of samples contain the score of the whole.",
    "power": "How often tests on samples of each size conclude, rightly or wrongly.",
    "accuracy": "How many conclusions are right, by their confidence.",
    "test-size": "Scores and intervals against the share of the test set used.",
    "references": "What a further reference is worth in test data.",
    "replicates": "How many replicates the bootstrap needs.",
    "sensitivity": "By which metric most pairs of systems differ significantly.",
    "type-one": "How often each test finds a difference where there is none.",
    "length": "Each metric against the length of the output.",
    "smoothing": "Which smoothing of sentence BLEU agrees best with people.",
    "tuning": "Whether it matters which smoothed BLEU weights are tuned on.",
    "reranking": "What several metrics say of one reranker.",
}
# Those of n-best lists have options of their own.
_OF_LISTS = ("tuning", "reranking")
STUDIES = {
    name: (
        f"truebleu.cli.{'study_lists' if name in _OF_LISTS else 'study'}:{name.replace('-', '_')}",
        text,
    )
    for name, text in _HELP.items()
}

EPILOG = """\b
Examples:
  truebleu study coverage -r ref.txt system.txt
  truebleu study power -r ref.txt sys/ --sizes 100,300,600 --chart power.svg
  truebleu study type-one -r ref.txt a.txt b.txt --resume type-one.jsonl
  truebleu study coverage --simulate 3000
  truebleu study power -r ref.txt sys/ --cluster tls://10.0.0.1:8786 --resume power.jsonl

\b
A study takes the given texts as a pool, and measures on samples of it what you would otherwise
have to assume. With --simulate N it makes a pool of N segments whose truth is known.
"""


@click.group("study", cls=LazyGroup, table=STUDIES, epilog=EPILOG)
def command() -> None:
    """Measure how far scores, intervals and tests can be trusted on your own data."""


# Error rates of the simulated systems: their differences are significant on large samples only.
SIMULATED_RATES = (0.20, 0.21, 0.23, 0.26, 0.30)
SIMULATED_REFERENCES = 4


# --- Where the tasks of a study run, and what keeps their results ---------------------------------


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the tasks of long work run, and what keeps their results: the command gets `runner`."""

    @wraps(command)
    def with_runner(
        *arguments: Any,
        resume: Path | None,
        executor: Executor | None,
        **options: Any,
    ) -> None:
        from truebleu.execution.journal import Runner

        runner = Runner(
            journal=resume,
            progress=partial(progress_bar, what="studying"),
            executor=executor,
        )
        if resume is not None:
            note_input(resume)
        command(*arguments, runner=runner, **options)

    return add_options(
        with_runner,
        click.option(
            "--resume",
            metavar="FILE",
            type=FilePath(),
            help="Save results in FILE as they come, and continue from it if it exists.",
        ),
        executor_options,
    )


# --- What all studies have in common -------------------------------------------------------------


def simulate_option(text: str) -> Decorator:
    """What is simulated instead of read: the command gets `simulated`, a number or None."""
    return click.option(
        "--simulate", "simulated", type=click.IntRange(min=1), metavar="N", help=text
    )


def study(name: str, *options: Decorator, metrics: Sequence[str] = ("bleu",)) -> Decorator:
    """A command with its own options and those of all studies.

    The function gets the test set, and its options as keywords with the metrics and what runs the
    tasks among them; it returns a result, which is shown.
    """
    what = (
        optional_test_set_options,
        simulate_option("Study a simulated test set of N segments instead of texts."),
        metric_option,
    )
    return lambda function: _command(name, function, (*what, *options), metrics)


def human_study(name: str, *options: Decorator) -> Decorator:
    """The same for a study of human judgments: it has metrics of its own, and needs real texts."""
    every: tuple[Decorator, ...] = (test_set_options, human_options, *options)
    return lambda function: _command(name, function, every, ())


def _command(
    name: str,
    function: Callable[..., Result],
    options: Sequence[Decorator],
    metrics: Sequence[str],
) -> click.Command:
    text, _, examples = (function.__doc__ or "").partition("\n    Examples:\n")

    @wraps(function)
    def run(texts: Texts, show: Show, simulated: int | None = None, **keywords: Any) -> None:
        test_set = _pool(texts, keywords.get("metrics", ()), simulated, keywords["seed"])
        given = {key: value for key, value in keywords.items() if value not in (None, ())}
        show(function(test_set, **given))

    decorated = add_options(run, *options, seed_option, task_options, charted_result_options)
    lines = [line.removeprefix("    ") for line in examples.splitlines()]
    epilog = "\n".join(["\b\nExamples:", *lines]) if lines else None
    made = click.command(name, help=text, epilog=epilog)(decorated)
    for parameter in made.params:
        if parameter.name == "metrics":
            parameter.default = tuple(metrics)
    return made


def _pool(texts: Texts, metrics: Sequence[Metric], simulated: int | None, seed: int) -> TestSet:
    if simulated is not None:
        if texts.are_given:
            expected = "no texts beside it, nor options about texts (-s, --documents, --strict)"
            raise SettingError("simulate", simulated, expected)
        from truebleu.simulation.test_sets import simulate

        return simulate(
            segments=simulated, systems=SIMULATED_RATES, references=SIMULATED_REFERENCES, seed=seed
        )
    if not texts.systems:
        raise SettingError("SYSTEM", "none", "at least one output, or --simulate N")
    if not texts.references:
        raise SettingError("reference", "none", "a reference (-r FILE), or --simulate N")
    return texts.read(metrics)


# --- Options --------------------------------------------------------------------------------------


def _listed_option(
    flag: str, metavar: str, kind: Callable[[str], Any], expected: str, text: str
) -> Decorator:
    """An option whose values are separated by commas."""

    def parse(
        _context: click.Context, option: click.Parameter, value: str | None
    ) -> tuple[Any, ...] | None:
        if value is None:
            return None
        try:
            return tuple(kind(part) for part in value.split(","))
        except ValueError:
            raise SettingError(str(option.name), value, expected) from None

    return click.option(flag, metavar=metavar, callback=parse, help=text)


def numbers_option(flag: str, text: str, metavar: str = "N,N,...") -> Decorator:
    """Whole numbers."""
    expected = "whole numbers separated by commas, such as 100,1000"
    return _listed_option(flag, metavar, int, expected, text)


def percents_option(flag: str, text: str) -> Decorator:
    """Shares, which are written as percentages."""
    expected = "percentages separated by commas, such as 10,50,100"
    return _listed_option(flag, "P,P,...", lambda part: float(part) / 100, expected, text)


def sizes_option(default: str) -> Decorator:
    """Units in a sample."""
    return numbers_option("--sizes", f"Units in a sample. Default: {default}.")


def samples_option(default: str, help_: str = "Samples of each size.") -> Decorator:
    """How many samples are taken of the pool."""
    return click.option("--samples", type=int, metavar="N", help=f"{help_} Default: {default}.")


def sampling_option(default: str) -> Decorator:
    """How samples are taken of the pool."""
    return click.option(
        "--sampling",
        type=click.Choice(["systematic", "block", "random", "independent"]),
        help="Every k-th unit, consecutive ones, or at random without or with replacement. "
        f"Default: {default}.",
    )


def replicates_option(default: str, help_: str = "Replicates of each test.") -> Decorator:
    """How many replicates each interval or test is made of."""
    return click.option("--replicates", type=int, metavar="N", help=f"{help_} Default: {default}.")


def shares_option(default: str) -> Decorator:
    """Parts of the test set in percent."""
    return percents_option("--shares", f"Percents of the test set to use. Default: {default}.")


unit_option = option_with_default(
    "--unit",
    click.Choice(["segment", "document"]),
    "segment",
    "What samples and replicates are made of.",
)
tests_option = click.option(
    "--test",
    "tests",
    type=click.Choice(TESTS),
    multiple=True,
    default=["ar", "wins"],
    show_default=True,
    help="A test; repeat for several. "
    + "; ".join(f"{name}: {STUDY_TESTS[name].title}" for name in TESTS)
    + ".",
)


def pair_options(default: str) -> Decorator:
    """Which pairs; the study gets `pairs`, None where nothing was chosen, and `baseline`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_pairs(
            *arguments: Any, kind: str | None, named: Sequence[tuple[str, str]], **options: Any
        ) -> Any:
            if kind is not None and named:
                raise SettingError("pair", " ".join(named[0]), f"no --pairs {kind} beside it")
            return command(*arguments, pairs=list(named) or kind, **options)

        return add_options(
            with_pairs,
            click.option(
                "--pairs",
                "kind",
                type=click.Choice(["neighbours", "near", "all"]),
                help="Systems one rank apart, up to two ranks apart as in the paper, or all. "
                f"Default: {default}.",
            ),
            click.option(
                "--pair",
                "named",
                nargs=2,
                multiple=True,
                metavar="NAME NAME",
                help="A pair of systems; repeat for several.",
            ),
            baseline_option,
        )

    return decorate


def _single(options: dict[str, Any], several: str, name: str) -> None:
    """Keep one value, where an option may have been given several times."""
    values: Sequence[Any] = options.pop(several, ())
    if len(values) > 1:
        raise SettingError(name, values, "one only")
    if values:
        options[name] = values[0]


#: What `power` and `accuracy` try on samples.
TRIALS: tuple[Decorator, ...] = (
    sizes_option("100, 300, 600, 3000, as far as two of each fit"),
    samples_option("100"),
    sampling_option("independent"),
    unit_option,
    pair_options("near"),
    tests_option,
    replicates_option("1000"),
)


# --- The studies, in the order of the papers ------------------------------------------------------


@study(
    "sampling",
    sizes_option("100, 300, 600, as far as five of each fit"),
    samples_option("all that fit", "Samples of each kind."),
    unit_option,
    pair_options("neighbours"),
    option_with_default(
        "--independent", int, 1000, "Samples of independent units to compare with.", metavar="N"
    ),
    option_with_default(
        "--show",
        click.Choice(["scores", "differences"]),
        "scores",
        "What the chart shows: the best system's scores, or the differences of the first pair.",
        name="shown",
    ),
)
def sampling(test_set: TestSet, **options: Any) -> Result:
    """How much do scores vary over consecutive blocks, and how much over systematic samples?

    Koehn (2004, Figs. 2-4): BLEU ran from 21 to 37 on blocks of 300 consecutive sentences, and
    from 27 to 31 on systematic samples, of every hundredth sentence.

    How to read it: the design effect is the variance over samples, against that of as many
    independent segments. With an effect of 5 a block of 300 tells as much as 60 segments drawn at
    random.

    Examples:
      truebleu study sampling -r ref.txt sys/ --sizes 100,300
      truebleu study sampling -r ref.txt a.txt b.txt --show differences --chart figure4.svg
      truebleu study sampling -r ref.txt sys/ --documents docs.tsv --unit document --sizes 10,20
      truebleu study sampling --simulate 3000
    """
    from truebleu.studies import study_sampling

    return study_sampling(test_set, **options)


@study(
    "coverage",
    sizes_option("100, 300, 600, 1000, 3000, as far as two of each fit"),
    samples_option("100"),
    sampling_option("independent"),
    unit_option,
    replicates_option("1000", "Replicates of each interval."),
    level_option,
    option_with_default(
        "--of",
        click.Choice(["scores", "differences"]),
        "scores",
        "Intervals of the systems' scores, or of the differences of all pairs.",
    ),
    option_with_default(
        "--interval", click.Choice(INTERVALS), "percentile", "How intervals are made of replicates."
    ),
)
def coverage(test_set: TestSet, **options: Any) -> Result:
    """How often does the interval of a small sample contain the score of the whole pool?

    Koehn (2004, Fig. 6): of 100 intervals at the 95 % level from samples of 300 segments, 97
    contained the score of all 30,000 segments.

    Examples:
      truebleu study coverage -r ref.txt sys/ -m bleu -m chrf
      truebleu study coverage -r ref.txt system.txt --sizes 300 --sampling systematic
      truebleu study coverage -r ref.txt sys/ --documents docs.tsv --unit document --sizes 20,50
      truebleu study coverage -r ref.txt sys/ -m ter --of differences --interval bca
      truebleu study coverage --simulate 3000 --chart coverage.html
    """
    from truebleu.studies import study_coverage

    return study_coverage(test_set, **options)


@study(
    "power",
    *TRIALS,
    level_option,
)
def power(test_set: TestSet, **options: Any) -> Result:
    """How often do tests on small samples conclude which system is better, and how often wrongly?

    Koehn (2004, Table 3): on 300 sentences, a difference of 2 BLEU was found in 65 of 100 samples,
    one of 0.5 in 12, and in 1 the opposite.

    How to read it: 12 %/1 % means that on 12 of 100 samples the test concluded what the whole pool
    says, on 1 the opposite, and on 87 nothing.

    Examples:
      truebleu study power -r ref.txt sys/ --sizes 100,300,600
      truebleu study power -r ref.txt sys/ --baseline ONLINE-A -m bleu -m chrf --test ar
      truebleu study power -r ref.txt sys/ --pair old new --sampling systematic --chart power.svg
      truebleu study power -r ref.txt sys/ --resume power.jsonl
      truebleu study power --simulate 3000
    """
    from truebleu.studies import study_power

    return study_power(test_set, **options)


@study(
    "accuracy",
    *TRIALS,
    percents_option(
        "--bands",
        "Percents at which bands of confidence begin. Default: 50,60,70,80,90,95,99,99.9.",
    ),
)
def accuracy(test_set: TestSet, **options: Any) -> Result:
    """How many conclusions are right, by how sure the test was of them?

    Koehn (2004, Table 4): of 363 conclusions with a confidence of 90 to 95 %, 95 % were right.

    How to read it: a test that claims 90 to 95 % should be right about that often. It is right more
    often where the systems differ much, and p-values of two-sided tests claim less than they could.

    Examples:
      truebleu study accuracy -r ref.txt sys/ --sizes 100,300,600
      truebleu study accuracy -r ref.txt sys/ --test wins --sampling systematic
      truebleu study accuracy -r ref.txt sys/ -m ter --bands 80,90,95,99
      truebleu study accuracy --simulate 3000 --chart accuracy.svg
    """
    from truebleu.studies import study_accuracy

    return study_accuracy(test_set, **options)


@study(
    "test-size",
    shares_option("10,20,30,40,50,60,70,80,90,100"),
    option_with_default("--samples", int, 100, "Random growths to average over.", metavar="N"),
    unit_option,
    click.option(
        "--recount",
        is_flag=True,
        help="Count every part anew, so that NIST's weights are those of the part.",
    ),
    option_with_default("--replicates", int, 1000, "Replicates of each interval."),
    level_option,
)
def test_size(test_set: TestSet, **options: Any) -> Result:
    """How do scores and intervals depend on how much of the test set is used?

    Zhang & Vogel (2004, Figs. 4 to 7, Table 2): random units are added to a test set until it is
    complete; doubling the data narrows the relative interval by about 30 %.

    Examples:
      truebleu study test-size -r ref.txt system.txt -m bleu -m nist -m mbleu
      truebleu study test-size -r ref.txt sys/ --documents docs.tsv --unit document
      truebleu study test-size -r ref.txt sys/ -m nist --recount
      truebleu study test-size -r ref.txt sys/ -m scores:path=human.tsv,missing=common
      truebleu study test-size --simulate 2000 --shares 10,20,50,100 --chart size.svg
    """
    from truebleu.studies import study_test_size

    return study_test_size(test_set, **options)


@study(
    "references",
    shares_option("50,60,70,80,90,100"),
    option_with_default("--samples", int, 20, "Random growths to average over.", metavar="N"),
    option_with_default(
        "--subsets",
        int,
        20,
        "Sets of references of each size, at most; chosen at random where there are more.",
        metavar="N",
    ),
    unit_option,
    option_with_default("--replicates", int, 1000, "Replicates of each interval."),
    level_option,
)
def references(test_set: TestSet, **options: Any) -> Result:
    """What is a further reference worth in test data?

    Zhang & Vogel (2004, Fig. 8, Tables 3 and 4): intervals narrow with every reference, but no more
    than with 10 to 15 % more test data. Here all sets of references of each size are averaged.

    Examples:
      truebleu study references -r refA.txt -r refB.txt -r refC.txt system.txt -m bleu -m nist
      truebleu study references -r refA.txt -r refB.txt sys/ --shares 25,50,75,100
      truebleu study references --simulate 1000 --chart references.svg
    """
    from truebleu.studies import study_references

    return study_references(test_set, **options)


@study(
    "replicates",
    numbers_option(
        "--replicates",
        "Numbers of replicates. Default: 100,200,500,1000,2000,5000,10000.",
        "B,B,...",
    ),
    option_with_default(
        "--repetitions",
        int,
        20,
        "Runs of the largest B; smaller ones cut the same replicates into more.",
        metavar="N",
    ),
    unit_option,
    option_with_default(
        "--enough",
        float,
        0.02,
        "B is enough when the bounds' standard deviation is this share of the width or less.",
        metavar="SHARE",
    ),
    level_option,
)
def replicates(test_set: TestSet, **options: Any) -> Result:
    """How many replicates does the bootstrap need?

    Zhang & Vogel (2004, Tables 5 and 6): the relative interval and the standard deviation of its
    bounds for B = 100 to 100,000; beyond 2,000 replicates there are only small changes.

    Examples:
      truebleu study replicates -r ref.txt system.txt -m bleu -m nist -m mbleu
      truebleu study replicates -r ref.txt system.txt --replicates 100,1000,10000,100000
      truebleu study replicates -r ref.txt sys/ --repetitions 100 --enough 0.05
      truebleu study replicates --simulate 1000 --chart replicates.svg
    """
    from truebleu.studies import study_replicates

    return study_replicates(test_set, **options)


@study(
    "sensitivity",
    sizes_option("the whole test set, once"),
    samples_option("20", "With --sizes: samples of each."),
    sampling_option("random, with --sizes only"),
    unit_option,
    replicates_option("10000"),
    level_option,
    option_with_default(
        "--correction",
        click.Choice(P_VALUE_CORRECTIONS),
        "holm",
        "Correction for the number of pairs.",
    ),
    click.option("--by-system", is_flag=True, help="List every system's relative interval."),
    metrics=("bleu", "nist", "mbleu", "chrf", "ter"),
)
def sensitivity(test_set: TestSet, **options: Any) -> Result:
    """By which metric do most pairs of systems differ significantly?

    Zhang & Vogel (2004, Table 1, Fig. 3) and Riezler & Maxwell (2005, Table 1) found NIST more
    sensitive than BLEU. Pairs are tested by the bootstrap's interval of the difference and by
    approximate randomization, with and without a correction.

    Examples:
      truebleu study sensitivity -r ref.txt sys/
      truebleu study sensitivity -r ref.txt sys/ -m bleu -m nist -m mbleu
      truebleu study sensitivity -r ref.txt sys/ -m bleu -m chrf -m ter --sizes 100,300,600
      truebleu study sensitivity -r ref.txt sys/ -m bleu -m nist --by-system
      truebleu study sensitivity --simulate 500 -m bleu -m nist --chart sensitivity.svg
    """
    from truebleu.studies import study_sensitivity

    return study_sensitivity(test_set, **options)


@study(
    "type-one",
    option_with_default(
        "--null",
        click.Choice(["segment", "document", "simulated", "sampled", "given"]),
        "segment",
        "How systems are made equal. segment: the outputs of two systems are swapped at "
        "random, segment by segment; document: document by document; simulated: two systems of "
        "the simulator with equal channels, on a simulated test set of this size; sampled: samples "
        "of two systems that have one score on the whole test set, since outputs of the better one "
        "are cut short; given: nothing is done, the systems are taken for equal, and their "
        "p-values are listed.",
    ),
    unit_option,
    click.option(
        "--test",
        "tests",
        type=click.Choice(list(STUDY_TESTS)),
        multiple=True,
        help="A test; repeat for several. Default: all that resample; ar with --together; ar and "
        "bootstrap-absolute with --null given. bootstrap-absolute is sacreBLEU's, student is for "
        "metrics that are means over segments.",
    ),
    click.option(
        "--alpha",
        "alphas",
        type=float,
        multiple=True,
        help="A significance level; repeat for several. Default: 0.01, 0.05 and 0.1; 0.05 with "
        "--together and with --null given.",
    ),
    numbers_option(
        "--together",
        "Compare this many equal systems with one another, and count any false alarm among "
        "all their pairs.",
    ),
    click.option(
        "--correction",
        "corrections",
        type=click.Choice(list(CORRECTIONS)),
        multiple=True,
        help="With --together: a correction for many comparisons; repeat for several. Default: "
        "none, bonferroni, holm, bh, by and westfall-young.",
    ),
    click.option(
        "--repetitions",
        type=int,
        metavar="N",
        help="How often systems are made equal. Default: 1000.",
    ),
    replicates_option("1000; 2000 with --together, 10000 with --null given"),
)
def type_one(test_set: TestSet, **options: Any) -> Result:
    """How often does each test find a difference where there is none?

    Two systems are made equal. A test that keeps its level then finds a difference as often as the
    level says. Riezler & Maxwell (2005, Table 2): the bootstrap's p-values are smaller than those
    of approximate randomization. With --together, the chance of any false alarm among many
    comparisons (§4.4), with and without corrections.

    Examples:
      truebleu study type-one -r ref.txt a.txt b.txt
      truebleu study type-one -r ref.txt sys/ -m bleu -m ter --test ar --test bootstrap
      truebleu study type-one -r ref.txt sys/ --documents docs.tsv --null document
      truebleu study type-one -r ref.txt sys/ --documents docs.tsv --null document --unit document
      truebleu study type-one --simulate 500 --null simulated --resume type-one.jsonl
      truebleu study type-one -r ref.txt sys/ --together 2,3,4,5,6 --chart alarms.svg
      truebleu study type-one -r ref.txt run1.txt run2.txt run3.txt -m nist --null given
    """
    from truebleu.studies import study_equivalents, study_multiplicity, study_type_one

    if options["null"] == "given":
        refuse_idle(["together", "corrections", "repetitions"], "none with --null given")
        del options["null"]
        _single(options, "alphas", "alpha")
        return study_equivalents(test_set, **options)
    if "together" in options:
        options["systems"] = options.pop("together")
        _single(options, "alphas", "alpha")
        _single(options, "tests", "test")
        return study_multiplicity(test_set, **options)
    refuse_idle(["corrections"], "--together N,N,... beside it")
    return study_type_one(test_set, **options)


@study(
    "length",
    option_with_default(
        "--by",
        click.Choice(["cut", "choice"]),
        "cut",
        "Cut words off the end of every segment, or repeat the last ones; or choose for each "
        "segment the shortest of the systems' outputs, the second shortest, and so on.",
        name="way",
    ),
    percents_option(
        "--lengths",
        "With --by cut: percents of the natural length, up to 150. Default: "
        "70,75,80,85,90,95,100,105,110.",
    ),
    click.option(
        "--piece",
        type=click.Choice(["word", "character"]),
        help="What is cut and counted. Default: words, or characters where texts have no blanks "
        "between words.",
    ),
    metrics=("bleu", "gtm"),
)
def length(test_set: TestSet, **options: Any) -> Result:
    """How does each metric depend on the length of the output?

    Koehn (2004, Fig. 1): BLEU drops dramatically when the output is shorter than the reference, GTM
    does not. Scores are given relative to that of the natural output, so that metrics compare.

    Examples:
      truebleu study length -r ref.txt system.txt
      truebleu study length -r ref.txt sys/ -m bleu -m gtm -m chrf -m ter --lengths 60,80,100,120
      truebleu study length -r ref.txt sys/ --by choice --chart length.svg
      truebleu study length -r ref.ja.txt system.ja.txt -m bleu:tokenize=char -m chrf
    """
    from truebleu.studies import study_length

    # It draws nothing: the seed is for --simulate alone.
    if not was_given("simulated"):
        refuse_idle(["seed"], "--simulate N beside it: cutting draws nothing at random")
    del options["seed"]
    return study_length(test_set, **options)


@human_study(
    "smoothing",
    option_with_default("--epsilon", float, 0.1, "ε of smoothing 1."),
    option_with_default("--k", float, 5.0, "K of smoothings 4 and 7."),
    option_with_default("--alpha", float, 5.0, "α of smoothing 6."),
    click.option("--tokenize", default="13a", show_default=True, help="Tokenizer of all rows."),
    click.option("--lowercase", is_flag=True, help="Ignore case in all rows."),
    option_with_default(
        "--system-scores",
        click.Choice(["all", "rated"]),
        "all",
        "Score systems on all segments, or on those that people rated.",
    ),
    unit_option,
    option_with_default("--replicates", int, 1000, "Replicates of the intervals."),
    option_with_default(
        "--permutations", int, 10_000, "Permutations in each test of two smoothings."
    ),
    level_option,
)
def smoothing(test_set: TestSet, human: HumanFile, **options: Any) -> Result:
    """Which smoothing of sentence BLEU agrees best with people?

    Chen & Cherry (2014, Tables 2 and 3): smoothings 0 to 7 by the τ of pairs of outputs of one
    segment (eq. 12), and with corpus BLEU (crp) by Pearson's γ and Spearman's ρ of systems, scored
    by the mean of sentence BLEU weighted by reference length (eq. 13). The defaults of ε, K and α
    are the paper's; truebleu choose finds others.

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.

    Examples:
      truebleu study smoothing -r ref.txt sys/ --human mqm.tsv
      truebleu study smoothing -r ref.txt sys/ --human rankings.csv --chart smoothing.svg
      truebleu study smoothing -r ref.txt sys/ --human mqm.tsv --documents docs.tsv --unit document
      truebleu study smoothing -r ref.zh.txt sys/ --human mqm.tsv --tokenize zh --k 10
    """
    from truebleu.studies import study_smoothing

    return study_smoothing(test_set, human.read(test_set), **options)
