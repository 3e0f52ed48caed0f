"""``truebleu study tuning`` and ``study reranking``: the papers' experiments on n-best lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._nbest_options import nbest_options, read_lists, read_references
from truebleu.cli._options import (
    add_options,
    charted_result_options,
    metric_option,
    option_with_default,
    refuse_idle,
    repeatable_option,
    seed_option,
    simulate_option,
    task_options,
)
from truebleu.errors import SettingError
from truebleu.reports.document import render

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from truebleu._results import Result
    from truebleu.corpus.nbest.lists import NBest
    from truebleu.execution.journal import Runner


def lists_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both commands have."""
    options = (
        click.argument("lists", required=False),
        repeatable_option(
            *("-r", "--reference", "references"),
            metavar="FILE",
            text="A reference of LISTS; repeat for several.",
        ),
        simulate_option("Study N segments of the simulated decoder instead of LISTS."),
        seed_option,
        task_options,
        nbest_options,
        charted_result_options,
    )
    return add_options(command, *options)


@click.command("tuning")
@lists_options
@click.option("--test", metavar="LISTS", help="Test lists, with the same features.")
@repeatable_option(
    *("--test-reference", "test_references"),
    metavar="FILE",
    text="A reference of the test lists; repeat for several.",
)
@click.option(
    "--smoothings", default="0,1,2,3,4,5,6,7", show_default=True, help="With commas between them."
)
@click.option("--no-mira", is_flag=True, help="Leave out batch k-best MIRA.")
@option_with_default("--runs", int, 5, "Of each tuner.")
@option_with_default(
    "--rounds",
    int,
    1,
    "With --simulate: of the outer loop, which decodes with the weights and tunes again.",
)
@option_with_default("--epochs", int, 30, "Of gradient descent.")
@option_with_default("--l2", float, 10.0, "The penalty, λ.")
@option_with_default("--replicates", int, 1000, "Of the tests.")
def tuning(
    lists: str | None,
    references: tuple[str, ...],
    test: str | None,
    test_references: tuple[str, ...],
    simulated: int | None,
    smoothings: str,
    no_mira: bool,
    **options: Any,
) -> None:
    """Does it matter which smoothed BLEU weights are tuned on?

    Chen & Cherry (2014, Tables 5 to 8): weights that maximise expected sentence BLEU by each
    smoothing, several runs each, with MIRA beside them; scores on test lists are compared with
    those of no smoothing by stratified randomization.
    """
    from truebleu.studies.tuning import study_tuning

    if (simulated is None) != (None not in (lists, test)) or (simulated and (lists or test)):
        raise SettingError("LISTS", lists, "LISTS and --test LISTS, or --simulate N")
    decoders = None
    if simulated is not None:
        from truebleu.simulation.decoder import Decoder

        sides = [Decoder(segments=simulated, seed=options["seed"] + side) for side in (0, 1)]
        own, other = (decoder.nbest() for decoder in sides)
        texts, other_texts = ([decoder.references] for decoder in sides)
        if options["rounds"] > 1:
            decoders = (sides[0].nbest, sides[1].nbest)
        _drop_reading(options)
    else:
        refuse_idle(["rounds"], "--simulate N beside it")
        reading = dict(options)
        own, texts = _read(lists or "", references, options)
        other, other_texts = _read(test or "", test_references, reading)
    keywords = {name: options.pop(name) for name in _TUNING}
    _show(
        lambda runner: study_tuning(
            own,
            texts,
            other,
            other_texts,
            smoothings=tuple(smoothings.split(",")),
            with_mira=not no_mira,
            decoders=decoders,
            runner=runner,
            **keywords,
        ),
        **options,
    )


@click.command("reranking")
@lists_options
@metric_option
@option_with_default("--ngrams", int, 3, "Of up to so many words.")
@option_with_default("--folds", int, 5, "Parts of the lists.")
@option_with_default("--replicates", int, 10_000, "Of the tests.")
def reranking(
    lists: str | None,
    references: tuple[str, ...],
    simulated: int | None,
    metrics: tuple[str, ...],
    **options: Any,
) -> None:
    """What do several metrics say of one reranker?

    Riezler & Maxwell (2005, Table 1): a log-linear model with n-grams as features against one with
    the lists' own features only, by each metric, with p-values by approximate randomization and by
    the bootstrap. The first metric says which candidates are gold.
    """
    from truebleu.studies.reranking import study_reranking

    if (simulated is None) == (lists is None):
        raise SettingError("LISTS", lists, "either LISTS or --simulate N")
    if simulated is not None:
        own, texts = _simulated(simulated, options["seed"])
        _drop_reading(options)
    else:
        own, texts = _read(lists or "", references, options)
    keywords = {name: options.pop(name) for name in ("ngrams", "folds", "replicates", "seed")}
    _show(
        lambda runner: study_reranking(own, texts, metrics=metrics, runner=runner, **keywords),
        **options,
    )


for _parameter in reranking.params:
    if _parameter.name == "metrics":
        _parameter.default = ("nist", "bleu", "chrf")


def _read(path: str, references: tuple[str, ...], options: dict[str, Any]) -> tuple[NBest, Any]:
    test_set = read_references(references)
    if test_set is None:
        raise SettingError("references", None, f"a reference of {path}")
    keep = {name: options.pop(name) for name in tuple(options) if name in _OWN}
    lists = read_lists(path, options)
    options.update(keep)
    return lists, test_set.references


def _simulated(segments: int, seed: int) -> tuple[NBest, Any]:
    """Lists of the simulated decoder with equal weights."""
    from truebleu.simulation.decoder import Decoder

    decoder = Decoder(segments=segments, seed=seed)
    return decoder.nbest(), [list(decoder.references)]


_TUNING = ("runs", "rounds", "epochs", "l2", "replicates", "seed")
_OWN = (
    *_TUNING,
    *("ngrams", "folds"),
    *("runner", "format_", "chart", "force"),
)


def _drop_reading(options: dict[str, Any]) -> None:
    """What is about reading lists has nothing to do with simulated ones."""
    for name in [name for name in options if name not in _OWN]:
        value = options.pop(name)
        if value not in (None, (), 0):
            raise SettingError(name, value, "nothing: simulated lists are not read")


def _show(
    study: Callable[[Runner], Result],
    *,
    runner: Runner,
    format_: str,
    chart: Path | None,
    force: bool,
) -> None:
    if chart is None:
        refuse_idle(["force"], "--chart FILE beside it")
    result = study(runner)
    if chart is not None:
        result.save_chart(chart, overwrite=force)
    click.echo(render(result, format_), nl=False)
