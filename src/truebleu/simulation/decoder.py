"""A small log-linear translation model with a k-best decoder, whose best weights are known.

``python -m truebleu.simulation.decoder WEIGHTS NBEST`` decodes simulated sources with a file of
weights and writes Moses lists: a decoder to try ``truebleu tune --decoder`` on.

Every word of a source has a few translations, and two neighbours may change places. Each choice has
five features, drawn so that their sum with the best weights tells right from wrong, while each by
itself is mostly noise. So the best weights, and only multiples of them, translate everything as
the reference has it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from truebleu.corpus.nbest import NBest
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError, UnreadableFileError
from truebleu.schema import DEFAULT_SEED, Streams
from truebleu.simulation.test_sets import Channel, general_tables, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.schema import Draw

__all__ = ["BEST_WEIGHTS", "Decoder"]

BEST_WEIGHTS = {
    "forward": 0.4,
    "backward": 0.25,
    "lexical": 0.15,
    "words": 0.15,
    "swaps": -0.05,
}
FEATURES = tuple(BEST_WEIGHTS)
EQUAL_WEIGHTS = dict.fromkeys(FEATURES, 1 / len(FEATURES))
#: Wrong translations of each word, besides leaving it out.
WRONG = 3
SWAPPED_SHARE = 0.15
#: How good a right and the best wrong choice are, and changing places rightly or wrongly.
RIGHT, BEST_WRONG, ORDER = 1.0, 0.6, 0.3
NOISE = 1.5


@dataclass(frozen=True, slots=True)
class _Choice:
    """Words that a piece of the source may become, and what it counts."""

    words: tuple[str, ...]
    features: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The translations of each source word, and what changing places of neighbours counts."""

    choices: tuple[tuple[_Choice, ...], ...]
    swaps: tuple[NDArray[np.float64], ...]


class Decoder:
    """Decodes simulated sources into lists of the best translations.

    >>> decoder = Decoder(segments=2)
    >>> decoder.decode(BEST_WEIGHTS, size=1)[0][0][0] == decoder.references[0]
    True

    Args:
        segments: how many sources there are.
        seed: of references, translations and features.
    """

    def __init__(self, *, segments: int, seed: int = DEFAULT_SEED) -> None:
        made = simulate(segments=segments, systems={"reference": Channel()}, seed=seed)
        self.references = tuple(str(text) for text in made.references[0])
        streams = Streams(seed, "decoder")
        self._sentences = tuple(
            _make_sentence(text.split(), streams.at(number))
            for number, text in enumerate(self.references)
        )

    def decode(
        self, weights: Mapping[str, float], *, size: int = 100
    ) -> list[list[tuple[str, dict[str, float]]]]:
        """The best different translations of each source, with their features."""
        for name in weights:
            if name not in BEST_WEIGHTS:
                raise UnknownNameError("feature", name, FEATURES)
        if size < 1:
            raise SettingError("size", size, "1 or more")
        vector = np.array([weights.get(name, 0.0) for name in FEATURES])
        return [_decode(sentence, vector, size) for sentence in self._sentences]

    def nbest(self, weights: Mapping[str, float] = EQUAL_WEIGHTS, *, size: int = 50) -> NBest:
        """The same as lists with features."""
        made = self.decode(weights, size=size)
        return NBest.of(
            [[text for text, _ in candidates] for candidates in made],
            features={
                name: [[features[name] for _, features in candidates] for candidates in made]
                for name in FEATURES
            },
            name="the simulated decoder",
        )


def _make_sentence(words: Sequence[str], draw: Draw) -> _Sentence:
    # The source has some neighbours the other way round.
    order = list(range(len(words)))
    swapped: set[int] = set()
    for place in range(len(words) - 1):
        if place - 1 not in swapped and draw() < SWAPPED_SHARE:
            order[place], order[place + 1] = order[place + 1], order[place]
            swapped.add(place)
    others = general_tables()["any"]
    choices = []
    for place in order:
        wrong = [others[int(draw() * len(others))] for _ in range(WRONG)]
        texts = dict.fromkeys([words[place], *wrong, ""])
        choices.append(
            tuple(
                _Choice(
                    (text,) if text else (),
                    _features(
                        RIGHT if text == words[place] else BEST_WRONG * draw(),
                        draw,
                        words=bool(text),
                    ),
                )
                for text in texts
            )
        )
    swaps = tuple(
        _features(ORDER if place in swapped else -ORDER, draw, swaps=True)
        for place in range(len(words) - 1)
    )
    return _Sentence(tuple(choices), swaps)


def _features(
    quality: float, draw: Draw, *, words: bool = False, swaps: bool = False
) -> NDArray[np.float64]:
    """Features whose sum with the best weights is the quality, and which are noise otherwise."""
    values = {
        "backward": NOISE * (2 * draw() - 1),
        "lexical": NOISE * (2 * draw() - 1),
        "words": float(words),
        "swaps": float(swaps),
    }
    rest = quality - sum(BEST_WEIGHTS[name] * value for name, value in values.items())
    values["forward"] = rest / BEST_WEIGHTS["forward"]
    return np.array([values[name] for name in FEATURES])


def _decode(
    sentence: _Sentence, weights: NDArray[np.float64], size: int
) -> list[tuple[str, dict[str, float]]]:
    """The k best ways through the source, word by word: scores add up, so that this is exact."""
    start = _Hypotheses([()], np.zeros((1, len(weights))))
    known = [start]
    for place, choices in enumerate(sentence.choices):
        steps = [(known[-1], [(choice.words, choice.features) for choice in choices])]
        if place:
            pairs = [
                (second.words + first.words, first.features + second.features + swap)
                for swap in (sentence.swaps[place - 1],)
                for first in sentence.choices[place - 1]
                for second in choices
            ]
            steps.append((known[-2], pairs))
        known.append(_best(steps, weights, size))
    texts, features = known[-1].words, known[-1].features
    return [
        (" ".join(words), dict(zip(FEATURES, values.tolist(), strict=True)))
        for words, values in zip(texts, features, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Hypotheses:
    """The best translations of the source up to some place."""

    words: list[tuple[str, ...]]
    features: NDArray[np.float64]


def _best(
    steps: Sequence[tuple[_Hypotheses, Sequence[tuple[tuple[str, ...], NDArray[np.float64]]]]],
    weights: NDArray[np.float64],
    size: int,
) -> _Hypotheses:
    features = np.concatenate(
        [
            (hypotheses.features[:, None] + np.stack([step for _, step in more])).reshape(
                -1, len(weights)
            )
            for hypotheses, more in steps
        ]
    )
    words = [
        before + after
        for hypotheses, more in steps
        for before in hypotheses.words
        for after, _ in more
    ]
    kept: dict[tuple[str, ...], int] = {}
    for index in np.argsort(-(features @ weights), kind="stable"):
        kept.setdefault(words[index], int(index))
        if len(kept) == size:
            break
    return _Hypotheses(list(kept), features[list(kept.values())])


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; see ``--help``."""
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
    parser.add_argument("--reference", metavar="FILE", help="write the references, and only them")
    options = parser.parse_args(arguments)
    decoder = Decoder(segments=options.segments, seed=options.seed)
    if options.reference:
        _write(options.reference, [f"{text}\n" for text in decoder.references])
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
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableFileError(path, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), 1):
        name, _, value = line.partition("\t")
        try:
            weights[name] = float(value)
        except ValueError:
            expected = "a feature, a tab and its weight"
            raise MalformedFileError(path, number, repr(line), expected) from None
    return weights


def _write(path: str, lines: Sequence[str]) -> None:
    try:
        Path(path).write_text("".join(lines), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnreadableFileError(path, f"cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
