"""Every command on the page about the papers runs."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run
from tests.docs.pages import ROOT
from truebleu.simulation import Channel, save_test_set, simulate
from truebleu.simulation.decoder import Decoder

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "reference" / "papers.md"
ROWS = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
COMMANDS = dict.fromkeys(re.findall(r"`(truebleu [^`]*)`", "\n".join(ROWS)))
# Sizes at which a command takes a fraction of a second, in place of those that it has.
SMALL = {
    "score": "--replicates 50",
    "compare": "--replicates 400",
    "check": "",
    "agree": "--replicates 40 --permutations 20",
    "rerank": "--replicates 50 --folds 2",
    "tune": "--replicates 50 --folds 2",
    "study length": "",
    "study references": "--samples 2 --replicates 50 --shares 0.5,0.75,1",
    "study sampling": "--sizes 12 --independent 100",
    "study coverage": "--sizes 12 --replicates 50 --samples 5",
    "study power": "--sizes 12 --replicates 50 --samples 5",
    "study accuracy": "--sizes 12 --replicates 50 --samples 5",
    "study test-size": "--samples 2 --replicates 50 --shares 0.5,0.75,1",
    "study replicates": "--replicates 50,100 --repetitions 5",
    "study sensitivity": "--replicates 200",
    "study equivalents": "--replicates 50",
    "study type-one": "--replicates 99 --repetitions 50 --tests ar",
    "study multiplicity": "--replicates 200 --repetitions 50 --together 2,3",
    "study reranking": "--simulate 20 --replicates 99 --ngrams 1 --folds 2",
    "study smoothing": "--replicates 40 --permutations 20",
    "study tuning": "--simulate 8 --rounds 2 --replicates 200",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts that the page names, of 60 segments."""
    folder = tmp_path_factory.mktemp("papers")
    names = ("system-1", "system-2", "system-3", "a.0", "a.1", "b.0", "b.1")
    rates = (0.1, 0.2, 0.3, 0.1, 0.1, 0.3, 0.3)
    channels = {name: Channel.at_rate(rate) for name, rate in zip(names, rates, strict=True)}
    texts = simulate(segments=60, systems=channels, references=4)
    save_test_set(texts, folder)
    (folder / "sys").mkdir()
    (folder / "train.txt").write_text(f"{texts.references[0][0]}\n", "utf-8")
    for number in (1, 2, 3, 4):
        name = "ref.txt" if number == 1 else f"ref{number}.txt"
        (folder / f"reference-{number}.txt").rename(folder / name)
    for name in names[:3]:
        (folder / f"{name}.txt").rename(folder / "sys" / f"{name}.txt")
    scores = [
        f"{name}\t{segment}\t{(7 * segment + place) % 5 - place}\n"
        for place, name in enumerate(names[:3])
        for segment in range(1, 61)
    ]
    (folder / "human.tsv").write_text("system\tsegment\tscore\n" + "".join(scores))
    decoder = Decoder(segments=20)
    lists = decoder.nbest(size=5)
    lines = [
        f"{segment} ||| {lists.texts[place]} ||| {_features(lists.feature_names, place, lists)}\n"
        for segment, span in enumerate(lists.spans())
        for place in range(span.start, span.stop)
    ]
    (folder / "lists.txt").write_text("".join(lines))
    (folder / "lists.ref").write_text("".join(f"{text}\n" for text in decoder.references))
    return folder


def _features(names: tuple[str, ...], place: int, lists: object) -> str:
    values = lists.features[place]  # type: ignore[attr-defined]
    return " ".join(f"{name}= {value:.6f}" for name, value in zip(names, values, strict=True))


def small(command: str) -> list[str]:
    """The arguments of a command, with sizes that take little time."""
    arguments = shlex.split(command.replace(r"\|", "|"))[1:]
    name = " ".join(arguments[: 2 if arguments[0] == "study" else 1])
    sizes = SMALL.get(name, "").split()
    if name == "score" and "--confidence" not in arguments:
        sizes = []
    if "--rounds" in arguments:
        sizes += ["--rounds", "2"]
    if "--topics" in arguments:
        sizes += ["--simulate", "80"]
    for option, value in zip(sizes[::2], sizes[1::2], strict=True):
        if option in arguments:
            arguments[arguments.index(option) + 1] = value
        else:
            arguments += [option, value]
    return arguments


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = run(*small(command))
    assert result.code == 0, result.err
    assert result.out or "-o" in command


def test_every_row_has_a_command_and_all_papers_are_there() -> None:
    items = [row for row in ROWS if not row.startswith("| item")]
    assert all(re.search(r"\| `truebleu [^`]*` \|", row) for row in items)
    text = PAGE.read_text("utf-8")
    for paper in ("Koehn", "Zhang & Vogel", "Riezler & Maxwell", "Chen & Cherry"):
        assert f"\n## {paper} (20" in text
