"""Texts to score: real texts if they are available, else simulated texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "wmt23-zh-en"
SIMULATED_SYSTEMS = 15
SIMULATED_SEGMENTS = 2000


@dataclass(frozen=True, slots=True)
class Corpus:
    """Outputs of several systems and one reference, as plain lists of str."""

    name: str
    systems: dict[str, list[str]]
    reference: list[str]

    @property
    def size(self) -> str:
        """Return the numbers of systems and segments as text."""
        return f"{len(self.systems)} × {len(self.reference):,} segments"

    def first(self, systems: int, segments: int) -> Corpus:
        """Return the corpus with its first segments only."""
        names = list(self.systems)[:systems]
        return Corpus(
            self.name,
            {name: self.systems[name][:segments] for name in names},
            self.reference[:segments],
        )

    def every(self, step: int) -> Corpus:
        """Return the corpus with every `step`-th segment."""
        return self._at(range(0, len(self.reference), step))

    def with_words(self, words: int) -> Corpus:
        """Return the corpus with segments of at least `words` words in every text."""
        texts = [self.reference, *self.systems.values()]
        kept = [
            index
            for index in range(len(self.reference))
            if all(len(text[index].split()) >= words for text in texts)
        ]
        return self._at(kept)

    def _at(self, kept: Sequence[int]) -> Corpus:
        systems = {name: [text[i] for i in kept] for name, text in self.systems.items()}
        return Corpus(self.name, systems, [self.reference[i] for i in kept])


def load_corpus() -> Corpus:
    """Load WMT 2023 Chinese to English if available, else simulate a corpus of its size."""
    if REAL_DATA.is_dir():
        outputs = sorted((REAL_DATA / "sys").glob("*.txt"))
        systems = {path.stem: read_lines(path) for path in outputs}
        return Corpus("WMT 2023 zh-en", systems, read_lines(REAL_DATA / "refA.txt"))
    rates = [number / 50 for number in range(1, SIMULATED_SYSTEMS + 1)]
    made = simulate(segments=SIMULATED_SEGMENTS, systems=rates)
    systems = {name: [str(line) for line in text] for name, text in made.systems.items()}
    return Corpus("simulated", systems, [str(line) for line in made.references[0]])


def read_lines(path: Path, limit: int | None = None) -> list[str]:
    """Read all or the first lines of a file, without holding the text twice."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in islice(file, limit)]


def write_large_text(folder: Path, segments: int) -> tuple[Path, Path]:
    """Write a simulated reference and output of this many segments."""
    made = simulate(segments=segments, systems={"system": Channel.at_rate(0.2)})
    paths = folder / "reference.txt", folder / "system.txt"
    for path, text in zip(paths, (made.references[0], made.systems["system"]), strict=True):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in text)
    return paths
