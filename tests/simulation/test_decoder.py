"""Claims about the simulated decoder: its best weights are the best, and its lists are exact."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.corpus.nbest_files import read_nbest
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError, UnreadableFileError
from truebleu.simulation.decoder import BEST_WEIGHTS, FEATURES, Decoder, _decode, _steps, main

if TYPE_CHECKING:
    from pathlib import Path


def test_the_best_weights_reproduce_the_references() -> None:
    decoder = Decoder(segments=20, seed=3)
    best = decoder.decode(BEST_WEIGHTS, size=2)
    assert tuple(list_[0][0] for list_ in best) == decoder.references
    twice = {name: 2 * weight for name, weight in BEST_WEIGHTS.items()}
    assert decoder.decode(twice, size=2) == best
    equal = decoder.decode(dict.fromkeys(FEATURES, 0.2), size=1)
    assert sum(a == b for ((a, _),), b in zip(equal, decoder.references, strict=True)) < 5


def test_sparse_features_correct_the_other_features_equally_in_all_texts() -> None:
    decoder = Decoder(segments=20, seed=3, sparse=True)
    best = decoder.best_weights
    assert len(best) > 2000
    translated = decoder.decode(best, size=1)
    assert tuple(list_[0][0] for list_ in translated) == decoder.references
    without = decoder.decode(BEST_WEIGHTS, size=1)
    assert sum(a == b for ((a, _),), b in zip(without, decoder.references, strict=True)) < 5
    lists = decoder.nbest(best, size=3)
    assert lists.feature_names == FEATURES
    assert lists.sparse is not None
    assert {name for name in lists.sparse.names if "+" not in name} <= set(best)
    # A pair for each word of the source, whatever becomes of it, alone and with the word before.
    words = len(decoder.references[0].split())
    assert sum(lists.sparse.row(0).values()) == 2 * words
    other = Decoder(segments=20, seed=4, sparse=True).best_weights
    common = [name for name in other if name in best and name not in BEST_WEIGHTS]
    assert len(common) > 500
    assert all(best[name] == other[name] for name in common)


def test_lists_are_the_best_of_all_translations() -> None:
    draw = np.random.default_rng(1)
    choices = tuple(
        tuple(((word,), (), draw.normal(size=5)) for word in words) for words in ("ab", "cd", "e")
    )
    swapped = [draw.normal(size=5) for _ in range(2)]
    sentence = _steps(choices, swapped)
    weights = draw.normal(size=5)
    by_name = dict(zip(FEATURES, weights.tolist(), strict=True))
    scores: dict[str, float] = {}
    for order in permutations(range(3)):
        # Only neighbours change places, and each once.
        swaps = [
            place for place in (0, 1) if order[place] == place + 1 and order[place + 1] == place
        ]
        moved = sum(order[place] != place for place in range(3))
        if moved != 2 * len(swaps):
            continue
        for picks in np.ndindex(2, 2, 1):
            chosen = [choices[place][pick] for place, pick in enumerate(picks)]
            features = sum((choice[2] for choice in chosen), np.zeros(5))
            features = features + sum((swapped[place] for place in swaps), np.zeros(5))
            text = " ".join(chosen[place][0][0] for place in order)
            scores[text] = max(scores.get(text, -np.inf), float(features @ weights))
    expected = sorted(scores, key=lambda text: -scores[text])
    found = _decode(sentence, by_name, 100)
    assert [text for text, _ in found] == expected
    assert [
        pytest.approx(sum(w * v for w, v in zip(weights, features.values(), strict=True)))
        for _, features in found
    ] == [scores[text] for text in expected]
    assert _decode(sentence, by_name, 3) == found[:3]


def test_the_program_writes_lists_that_can_be_read(tmp_path: Path) -> None:
    weights, lists, reference = (tmp_path / name for name in ("w.tsv", "lists", "ref"))
    weights.write_text("forward\t1\nwords\t0.5\n")
    assert main([str(weights), str(lists), "--segments", "3", "--size", "4"]) == 0
    read = read_nbest(str(lists))
    assert (len(read), read.candidates, read.feature_names) == (3, 12, FEATURES)
    assert main(["--reference", str(reference), "--segments", "3"]) == 0
    assert reference.read_text().splitlines() == list(Decoder(segments=3).references)


def test_invalid_arguments_of_the_program_are_rejected(tmp_path: Path) -> None:
    weights = tmp_path / "w.tsv"
    with pytest.raises(UnreadableFileError, match="no such file"):
        main([str(weights), str(tmp_path / "lists")])
    weights.write_text("forward\n")
    with pytest.raises(MalformedFileError, match="line 1"):
        main([str(weights), str(tmp_path / "lists")])
    weights.write_text("LM\t1\n")
    with pytest.raises(UnknownNameError, match="LM"):
        main([str(weights), str(tmp_path / "lists")])
    with pytest.raises(SettingError, match="size"):
        Decoder(segments=1).decode({}, size=0)
    with pytest.raises(SystemExit):
        main([str(weights)])
