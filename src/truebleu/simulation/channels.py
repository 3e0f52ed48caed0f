"""Noise channels: systems whose errors are known, because they are made on purpose."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import fsum
from typing import TYPE_CHECKING

from truebleu.errors import SettingError
from truebleu.simulation.lexicon import TABLE_SIZE, general_tables, kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.streams import Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A system of known quality: how probable each kind of error is at each word.

    Each word meets at most one error, whatever its neighbours meet. It is dropped, swapped with the
    next word (the last one with the word before it), substituted by another word of its kind, or
    followed by an extra word.

    >>> Channel(drop=0.25, substitute=0.5).rate
    0.75
    """

    drop: float = 0.0
    swap: float = 0.0
    substitute: float = 0.0
    insert: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            require_probability(field.name, getattr(self, field.name))
        require_probability("drop + swap + substitute + insert", self.rate)

    @classmethod
    def at_rate(cls, rate: float) -> Channel:
        """A channel that makes an error at this share of the words, a quarter of each kind.

        As many words are dropped as inserted, so that outputs are on average as long as references
        and systems differ in accuracy, not in length.

        >>> Channel.at_rate(0.2)
        Channel(drop=0.05, swap=0.05, substitute=0.05, insert=0.05)
        """
        require_probability("rate", rate)
        return cls(drop=rate / 4, swap=rate / 4, substitute=rate / 4, insert=rate / 4)

    @property
    def rate(self) -> float:
        """How probable an error of any kind is at each word."""
        return fsum((self.drop, self.swap, self.substitute, self.insert))

    def garble(self, words: Sequence[str], draw: Draw) -> list[str]:
        """The words with errors, drawn from one stream of random numbers."""
        rate = self.rate
        errors = [(place, number) for place in range(len(words)) if (number := draw()) < rate]
        garbled = list(words)
        # From the right, so that the places still to come do not move.
        for place, number in reversed(errors):
            self._err(garbled, place, number, draw)
        return garbled

    def _err(self, words: list[str], place: int, number: float, draw: Draw) -> None:
        """Make the error at this place that the number, below the rate, stands for."""
        if number < self.drop:
            del words[place]
        elif number < self.drop + self.swap:
            neighbour = place + 1 if place + 1 < len(words) else place - 1
            if neighbour >= 0:
                words[place], words[neighbour] = words[neighbour], words[place]
        elif number < self.drop + self.swap + self.substitute:
            words[place] = _other_word(words[place], draw)
        else:
            words.insert(place + 1, general_tables()["any"][int(draw() * TABLE_SIZE)])


def _other_word(word: str, draw: Draw) -> str:
    table = general_tables()[kinds()[word]]
    place = int(draw() * TABLE_SIZE)
    while table[place] == word:
        place = (place + 1) % TABLE_SIZE
    return table[place]


def require_probability(setting: str, value: object) -> None:
    """Raise SettingError unless the value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise SettingError(setting, value, "a number from 0 to 1")
