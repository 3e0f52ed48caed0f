"""``truebleu study tuning`` and ``study reranking``: the papers' experiments on n-best lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from truebleu.cli._nbest_options import (
    ListReader,
    nbest_options,
    read_references,
    reference_option,
)
from truebleu.cli._options import (
    Show,
    add_options,
    charted_result_options,
    metric_option,
    option_with_default,
    refuse_idle,
    seed_option,
)
from truebleu.cli.study import simulate_option, task_options
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TextLike
    from truebleu.simulation.decoder import Decoder

    StudiedLists: TypeAlias = tuple[NBest, Sequence[TextLike]]


def lists_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both commands have."""
    return add_options(
        command,
        click.argument("lists", required=False),
        reference_option(text="A reference of LISTS; repeat for several."),
        simulate_option("Study N segments of the simulated decoder instead of LISTS."),
        seed_option,
        task_options,
        nbest_options,
        charted_result_options,
    )


@click.command("tuning")
@lists_options
@click.option("--test", metavar="LISTS", help="Test lists, with the same features.")
@reference_option("test")
@option_with_default(
    "--smoothings", str, "0,1,2,3,4,5,6,7", "Smoothings to compare, separated by commas."
)
@click.option("--no-mira", is_flag=True, help="Leave out batch k-best MIRA.")
@option_with_default("--runs", int, 5, "Runs of each tuner.")
@option_with_default(
    "--rounds",
    int,
    1,
    "With --simulate: rounds of the outer loop, which decodes with the weights and tunes again.",
)
@option_with_default("--epochs", int, 30, "Epochs of gradient descent.")
@option_with_default("--l2", float, 10.0, "The penalty, λ.")
@option_with_default("--replicates", int, 1000, "Replicates of the tests.")
def tuning(
    lists: str | None,
    references: tuple[str, ...],
    test: str | None,
    test_references: tuple[str, ...],
    simulated: int | None,
    smoothings: str,
    no_mira: bool,
    reader: ListReader,
    show: Show,
    **options: Any,
) -> None:
    """Does it matter which smoothed BLEU weights are tuned on?

    Chen & Cherry (2014, Tables 5 to 8): weights that maximise expected sentence BLEU by each
    smoothing, several runs each, with MIRA beside them; scores on test lists are compared with
    those of no smoothing by stratified randomization.
    """
    from truebleu.studies import study_tuning

    is_given = lists is not None and test is not None
    if is_given == (simulated is not None) or (simulated and (lists or test)):
        raise SettingError("LISTS", lists or "none", "LISTS and --test LISTS, or --simulate N")
    own: StudiedLists
    other: StudiedLists
    decoders = None
    if simulated is not None:
        sides = [_decoder(simulated, options["seed"] + side, reader) for side in (0, 1)]
        own, other = ((decoder.nbest(), [decoder.references]) for decoder in sides)
        if options["rounds"] > 1:
            decoders = (sides[0].nbest, sides[1].nbest)
    else:
        refuse_idle(["rounds"], "--simulate N beside it")
        own = _read(reader, lists or "", references)
        other = _read(reader, test or "", test_references)
    result = study_tuning(
        *own,
        *other,
        smoothings=tuple(smoothings.split(",")),
        with_mira=not no_mira,
        decoders=decoders,
        **options,
    )
    show(result)


@click.command("reranking")
@lists_options
@metric_option
@option_with_default("--ngrams", int, 3, "N-grams of up to this many words.")
@option_with_default("--folds", int, 5, "Parts of the lists.")
@option_with_default("--replicates", int, 10_000, "Replicates of the tests.")
def reranking(
    lists: str | None,
    references: tuple[str, ...],
    simulated: int | None,
    reader: ListReader,
    show: Show,
    **options: Any,
) -> None:
    """What do several metrics say of one reranker?

    Riezler & Maxwell (2005, Table 1): a log-linear model with n-grams as features against one with
    the lists' own features only, by each metric, with p-values by approximate randomization and by
    the bootstrap. The first metric says which candidates are gold.
    """
    from truebleu.studies import study_reranking

    if (simulated is None) == (lists is None):
        raise SettingError("LISTS", lists or "none", "either LISTS or --simulate N")
    own: StudiedLists
    if simulated is not None:
        decoder = _decoder(simulated, options["seed"], reader)
        own = decoder.nbest(), [decoder.references]
    else:
        own = _read(reader, lists or "", references)
    show(study_reranking(*own, **options))


for _parameter in reranking.params:
    if _parameter.name == "metrics":
        _parameter.default = ("nist", "bleu", "chrf")


def _read(reader: ListReader, path: str, references: tuple[str, ...]) -> StudiedLists:
    texts = read_references(references)
    if texts is None:
        raise SettingError("references", "none", f"a reference of {path}")
    return reader.read(path), list(texts.values())


def _decoder(segments: int, seed: int, reader: ListReader) -> Decoder:
    """The simulated decoder, whose lists are not read."""
    from truebleu.simulation.decoder import Decoder

    reader.refuse("none: simulated lists are not read")
    return Decoder(segments=segments, seed=seed)
