"""A small log-linear translation model with a k-best decoder, whose best weights are known.

``python -m truebleu.simulation.decoder WEIGHTS NBEST`` decodes simulated sources with a file of
weights and writes Moses lists: a decoder to try ``truebleu tune --decoder`` on.

Every word of a source has a few translations, and two neighbours may be swapped. Each choice has
five features whose sum with the best weights separates right from wrong choices, while each feature
alone is mostly noise. So only the best weights and their multiples reproduce all references. With
sparse features, the five features misjudge every pair of a source word and its translation by a
constant of the pair, and a sparse feature for each pair can correct it.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu.corpus._files import Files, decode, write_files
from truebleu.corpus.nbest import NBest, SparseFeatures
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError
from truebleu.schema import DEFAULT_SEED, Streams
from truebleu.simulation.test_sets import Channel, general_tables, simulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.schema import Draw

    Values = NDArray[np.float64]

__all__ = ["BEST_WEIGHTS", "Decoder"]

BEST_WEIGHTS = {"forward": 0.4, "backward": 0.25, "lexical": 0.15, "words": 0.15, "swaps": -0.05}
FEATURES = tuple(BEST_WEIGHTS)
EQUAL_WEIGHTS = dict.fromkeys(FEATURES, 1 / len(FEATURES))
#: Number of wrong translations of each word, besides leaving it out.
WRONG = 3
SWAPPED_SHARE = 0.15
#: Quality of a right choice, of the best wrong choice, and of a swap, negative if wrong.
RIGHT, BEST_WRONG, ORDER = 1.0, 0.6, 0.3
NOISE = 1.5


#: Sparse features: number of wrong translations in a word's lexicon, and the largest amount by
#: which the five features misjudge a pair of words.
LEXICON, MISJUDGED = 40, 0.6
PAIR = "pair_"


#: A translation of a piece of the source: its words, sparse features and features.
_Choice: TypeAlias = "tuple[tuple[str, ...], tuple[str, ...], Values]"


@dataclass(frozen=True, slots=True)
class _Step:
    """Translations of the next one or two words of the source, with their features."""

    length: int
    words: list[tuple[str, ...]]
    pairs: list[tuple[str, ...]]
    features: Values


class Decoder:
    """A decoder of simulated sources into lists of the best translations.

    >>> decoder = Decoder(segments=2)
    >>> decoder.decode(BEST_WEIGHTS, size=1)[0][0][0] == decoder.references[0]
    True

    Args:
        segments: number of sources.
        seed: seed of references, translations and features.
        sparse: True for thousands of sparse features: every pair of a source word and its
            translation, with its own best weight, and every such pair with the word before it,
            whose best weight is 0.
    """

    def __init__(self, *, segments: int, seed: int = DEFAULT_SEED, sparse: bool = False) -> None:
        test_set = simulate(segments=segments, systems={"reference": Channel()}, seed=seed)
        self.references = tuple(str(text) for text in test_set.references[0])
        self.sparse = sparse
        streams = Streams(seed, "decoder")
        self._sentences = tuple(
            _make_sentence(text.split(), streams.at(number), sparse)
            for number, text in enumerate(self.references)
        )

    @property
    def best_weights(self) -> dict[str, float]:
        """Weights that translate every source as its reference."""
        words = {word for text in self.references for word in text.split()} if self.sparse else ()
        pairs = {_pair(word, text): -by for word in words for text, by in _lexicon(word).items()}
        return {**BEST_WEIGHTS, **pairs}

    def decode(
        self, weights: Mapping[str, float], *, size: int = 100
    ) -> list[list[tuple[str, dict[str, float]]]]:
        """Return the best different translations of each source, with their features."""
        for name in weights:
            if name not in BEST_WEIGHTS and not (self.sparse and name.startswith(PAIR)):
                raise UnknownNameError("feature", name, FEATURES)
        if size < 1:
            raise SettingError("size", size, "at least 1")
        return [_decode(sentence, weights, size) for sentence in self._sentences]

    def nbest(self, weights: Mapping[str, float] = EQUAL_WEIGHTS, *, size: int = 50) -> NBest:
        """Decode all sources into n-best lists with features."""
        decoded = self.decode(weights, size=size)
        lists = NBest.of(
            [[text for text, _ in candidates] for candidates in decoded],
            features={
                name: [[features[name] for _, features in candidates] for candidates in decoded]
                for name in FEATURES
            },
            name="the simulated decoder",
        )
        if not self.sparse:
            return lists
        rows = (
            {name: value for name, value in features.items() if name not in BEST_WEIGHTS}
            for candidates in decoded
            for _, features in candidates
        )
        return replace(lists, sparse=SparseFeatures.of(rows))


def _make_sentence(words: Sequence[str], draw: Draw, sparse: bool) -> list[list[_Step]]:
    # The source has some neighbours in reversed order.
    order = list(range(len(words)))
    swapped: set[int] = set()
    for position in range(len(words) - 1):
        if position - 1 not in swapped and draw() < SWAPPED_SHARE:
            order[position], order[position + 1] = order[position + 1], order[position]
            swapped.add(position)
    others = general_tables()["any"]
    choices = []
    before = ""
    for position in order:
        word = words[position]
        misjudged = _lexicon(word) if sparse else {}
        known = [text for text in misjudged if text and text != word] or others
        wrong = [known[int(draw() * len(known))] for _ in range(WRONG)]
        choices.append(
            [
                (
                    (text,) if text else (),
                    (_pair(word, text), _pair(f"{before}+{word}", text)) if sparse else (),
                    _features(
                        (RIGHT if text == word else BEST_WRONG * draw()) + misjudged.get(text, 0.0),
                        draw,
                        words=bool(text),
                    ),
                )
                for text in dict.fromkeys([word, *wrong, ""])
            ]
        )
        before = word
    swaps = [
        _features(ORDER if position in swapped else -ORDER, draw, swaps=True)
        for position in range(len(words) - 1)
    ]
    return _steps(choices, swaps)


@cache
def _lexicon(word: str) -> dict[str, float]:
    """Draw the amounts by which features misjudge each translation of a word, in all texts."""
    draw = Streams(DEFAULT_SEED, f"translations of {word}").at(0)
    others = general_tables()["any"]
    wrong = [others[int(draw() * len(others))] for _ in range(LEXICON)]
    return {text: MISJUDGED * (2 * draw() - 1) for text in dict.fromkeys([word, *wrong, ""])}


def _pair(word: str, text: str) -> str:
    return f"{PAIR}{word}~{text}"


def _features(quality: float, draw: Draw, *, words: bool = False, swaps: bool = False) -> Values:
    """Draw features whose sum with the best weights is `quality`, and which else are noise."""
    values = {
        "backward": NOISE * (2 * draw() - 1),
        "lexical": NOISE * (2 * draw() - 1),
        "words": float(words),
        "swaps": float(swaps),
    }
    rest = quality - sum(BEST_WEIGHTS[name] * value for name, value in values.items())
    values["forward"] = rest / BEST_WEIGHTS["forward"]
    return np.array([values[name] for name in FEATURES])


def _steps(choices: Sequence[Sequence[_Choice]], swaps: Sequence[Values]) -> list[list[_Step]]:
    """List the steps that end at each source word: it alone, or after the word that follows it."""
    sentence = []
    for position, seconds in enumerate(choices):
        ways = [list(seconds)]
        if position:
            swap = swaps[position - 1]
            # The words change places; features do not.
            swapped = [
                (words + before, pairs + others, features + values + swap)
                for before, pairs, features in choices[position - 1]
                for words, others, values in seconds
            ]
            ways.append(swapped)
        steps = []
        for length, of_length in enumerate(ways, 1):
            words, pairs, features = zip(*of_length, strict=True)
            steps.append(_Step(length, list(words), list(pairs), np.stack(features)))
        sentence.append(steps)
    return sentence


@dataclass(frozen=True, slots=True)
class _Hypotheses:
    """Best translations of the first words of the source."""

    words: list[tuple[str, ...]]
    pairs: list[tuple[str, ...]]
    features: Values


def _decode(
    sentence: Sequence[Sequence[_Step]], weights: Mapping[str, float], size: int
) -> list[tuple[str, dict[str, float]]]:
    """Find the `size` best translations word by word; this is exact because scores add up."""
    known = [_Hypotheses([()], [()], np.zeros((1, len(FEATURES) + 1)))]
    for steps in sentence:
        ways = [(known[-step.length], step) for step in steps]
        known.append(_best(ways, weights, size))
    last = known[-1]
    return [
        (" ".join(words), dict(zip(FEATURES, values, strict=False)) | Counter(pairs))
        for words, pairs, values in zip(last.words, last.pairs, last.features.tolist(), strict=True)
    ]


def _best(
    ways: Sequence[tuple[_Hypotheses, _Step]], weights: Mapping[str, float], size: int
) -> _Hypotheses:
    """Extend hypotheses by the steps that follow them; return the `size` best different ones."""
    # The weighted sum of sparse features is one more column, with weight 1.
    vector = np.array([*(weights.get(name, 0.0) for name in FEATURES), 1.0])
    blocks = []
    for before, step in ways:
        pairs = [[sum(weights.get(pair, 0.0) for pair in pairs)] for pairs in step.pairs]
        more = np.hstack([step.features, pairs])
        blocks.append((before.features[:, None] + more).reshape(-1, len(vector)))
    features = np.concatenate(blocks)
    best: dict[tuple[str, ...], tuple[int, tuple[str, ...]]] = {}
    for index in np.argsort(-(features @ vector), kind="stable").tolist():
        second = index >= len(blocks[0])
        before, step = ways[second]
        hypothesis, way = divmod(index - second * len(blocks[0]), len(step.words))
        words = before.words[hypothesis] + step.words[way]
        if words not in best:
            best[words] = index, before.pairs[hypothesis] + step.pairs[way]
            if len(best) == size:
                break
    indices, pairs_of_kept = zip(*best.values(), strict=True)
    return _Hypotheses(list(best), list(pairs_of_kept), features[list(indices)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; see ``--help``."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m truebleu.simulation.decoder",
        description="Decode simulated sources into Moses n-best lists.",
    )
    parser.add_argument("weights", nargs="?", help="a file of feature, tab, weight on each line")
    parser.add_argument("nbest", nargs="?", help="the file to write")
    parser.add_argument("--segments", type=int, default=50, help="default: 50")
    parser.add_argument("--size", type=int, default=50, help="candidates; default: 50")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"default: {DEFAULT_SEED}")
    parser.add_argument("--sparse", action="store_true", help="with pairs of words as features")
    parser.add_argument("--reference", metavar="FILE", help="write the references, and only them")
    options = parser.parse_args(arguments)
    decoder = Decoder(segments=options.segments, seed=options.seed, sparse=options.sparse)
    if options.reference:
        _write(options.reference, (f"{text}\n" for text in decoder.references))
        return 0
    if options.nbest is None:
        parser.error("give WEIGHTS and NBEST, or --reference FILE")
    weights = _read_weights(options.weights)
    lines = []
    for number, list_ in enumerate(decoder.decode(weights, size=options.size)):
        for text, features in list_:
            # Full precision: lists of several rounds must have the same numbers.
            values = " ".join(f"{name}= {value!r}" for name, value in features.items())
            total = sum(weights.get(name, 0.0) * value for name, value in features.items())
            lines.append(f"{number} ||| {text} ||| {values} ||| {total!r}\n")
    _write(options.nbest, lines)
    return 0


def _read_weights(path: str) -> dict[str, float]:
    weights = {}
    for number, line in enumerate(decode(path, Files().contents(path)).splitlines(), 1):
        name, _, value = line.partition("\t")
        try:
            weights[name] = float(value)
        except ValueError:
            expected = "a feature, a tab and its weight"
            raise MalformedFileError(path, number, repr(line), expected) from None
    return weights


def _write(path: str, lines: Iterable[str]) -> None:
    contents = {Path(path).name: (line.encode() for line in lines)}
    write_files(Path(path).parent, contents, overwrite=True)


if __name__ == "__main__":
    sys.exit(main())
