"""Directory layout of mt-metrics-eval: texts and human scores of a test set.

TESTSET/sources/SRC-TGT.txt                     documents/SRC-TGT.docs
references/SRC-TGT.NAME.txt             system-outputs/SRC-TGT/NAME.txt
human-scores/SRC-TGT.NAME.LEVEL.score   human-scores/SRC-TGT.NAME.seg.rating

Read metric-scores/SRC-TGT/NAME-REF.LEVEL.score as metrics with `GivenScores(path=…)`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from truebleu.corpus._files import Files, read_lines
from truebleu.corpus._reading import read_labels
from truebleu.corpus.tables import read_json_lines
from truebleu.corpus.test_set import TestSet
from truebleu.errors import (
    EmptyTextError,
    MissingColumnError,
    UnpairedSegmentsError,
    UnreadableFileError,
)
from truebleu.human.judgments import (
    HumanReadOptions,
    HumanScores,
    Level,
    Others,
    Raters,
    ReadOptions,
)
from truebleu.human.matching import CANARY
from truebleu.human.reading import LEVELS, parse_human

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Unpack

__all__ = ["MetricsEvalSet", "read_metrics_eval"]

#: Placeholder for a missing translation.
NOT_SUPPLIED = "[No translation supplied]"

#: Extensions of texts: plain lines, or JSON lines with source, target or hypothesis.
TEXTS = (".txt", ".jsonl")


class ScoresFile(NamedTuple):
    """A file of scores: `human-scores/en-de.mqm.seg.score` is mqm at segment level."""

    name: str
    level: Level
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsEvalSet:
    """A test set in this layout, without the canary line at its start.

    Attributes:
        folder: folder of the test set.
        language_pair: language pair, as SRC-TGT.
        source: source text.
        references: references by name; segments without a translation are None.
        outputs: outputs by system, including references that were judged as systems.
        documents: document of each segment, or None.
        domains: domain of each segment, or None.
        canary: True if the files have a canary line.
        human: files of human scores.
        ratings: files of marked errors.
    """

    folder: str
    language_pair: str
    source: tuple[str, ...] = field(repr=False)
    references: Mapping[str, tuple[str | None, ...]] = field(repr=False)
    outputs: Mapping[str, tuple[str, ...]] = field(repr=False)
    documents: tuple[str, ...] | None = field(repr=False)
    domains: tuple[str, ...] | None = field(repr=False)
    canary: bool
    human: tuple[ScoresFile, ...]
    ratings: tuple[ScoresFile, ...]

    def test_set(
        self, references: Iterable[str] | None = None, systems: Iterable[str] | None = None
    ) -> TestSet:
        """Return the texts as a test set.

        Args:
            references: names of the references to compare with; by default all.
            systems: names of the systems; by default all outputs except these references.
        """
        reference_names = tuple(self.references if references is None else references)
        others = [name for name in self.outputs if name not in reference_names]
        system_names = tuple(others if systems is None else systems)
        texts = (
            ("reference", reference_names, self.references),
            ("system", system_names, self.outputs),
        )
        for role, names, known in texts:
            for name in names:
                if name not in known:
                    raise MissingColumnError(self.folder, role, name, tuple(known))
        return TestSet(
            systems={name: self.outputs[name] for name in system_names},
            references=tuple(self.references[name] for name in reference_names),
            reference_names=reference_names,
            source=self.source,
            documents=self.documents,
            domains=self.domains,
        )

    def human_scores(
        self,
        name: str,
        level: Level = "segment",
        *,
        systems: Iterable[str] | None = None,
        others: Others = "ignore",
    ) -> HumanScores:
        """Return the human scores of a name at a level.

        Args:
            name: one of the names in `human`.
            level: unit that a score belongs to.
            systems: systems to read; by default all outputs.
            others: "refuse" or "ignore" scores of other systems.
        """
        return self._scores(self.human, name, level, systems, others=others)

    def human_ratings(
        self,
        name: str,
        *,
        systems: Iterable[str] | None = None,
        others: Others = "ignore",
        weights: str | Mapping[str, float] | None = None,
        raters: Raters = "mean",
    ) -> HumanScores:
        """Return scores made of the marked errors of a name in `ratings`; see `read_human`."""
        choices: ReadOptions = {"others": others, "weights": weights, "raters": raters}
        return self._scores(self.ratings, name, "segment", systems, **choices)

    def _scores(
        self,
        files: Sequence[ScoresFile],
        name: str,
        level: Level,
        systems: Iterable[str] | None,
        **choices: Unpack[ReadOptions],
    ) -> HumanScores:
        """Read the scores of a name at a level from the file that has them."""
        path = next((file.path for file in files if file[:2] == (name, level)), None)
        if path is None:
            names = [f"{file.name} ({file.level})" for file in files]
            raise MissingColumnError(self.folder, "human scores", f"{name} ({level})", names)
        request = HumanReadOptions(
            systems=tuple(self.outputs if systems is None else systems),
            segments=len(self.source),
            documents=self.documents,
            canary=self.canary,
            **choices,
        )
        return cast("HumanScores", parse_human(path, Files().contents(path), request))


def read_metrics_eval(
    folder: str | os.PathLike[str], language_pair: str | None = None
) -> MetricsEvalSet:
    """Read the texts of a test set in mt-metrics-eval's layout and list its human scores.

    Args:
        folder: folder with `sources`, `system-outputs` and so on.
        language_pair: language pair, as SRC-TGT in the names of files; None for the only one.

    Raises:
        CorpusError: Files are missing, or texts do not pair.
    """
    root = os.fspath(folder)
    pair = _language_pair(root, language_pair)
    # JSON lines override plain lines.
    sources = {name: path for name, _, path in reversed(_files(root, "sources"))}
    source = _text(sources[pair], "source")
    folder_of_outputs = os.path.join("system-outputs", pair)
    references, outputs = (
        {name: _text(path, key) for name, ending, path in files if ending in TEXTS}
        for key, files in (
            ("target", _files(root, "references", f"{pair}.")),
            ("hypothesis", _files(root, folder_of_outputs)),
        )
    )
    if not outputs:
        raise EmptyTextError(os.path.join(root, folder_of_outputs))
    for name, text in (*references.items(), *outputs.items()):
        if len(text) != len(source):
            raise UnpairedSegmentsError(f"{pair} {name}", len(text), sources[pair], len(source))
    documents, domains = None, None
    labels = os.path.join(root, "documents", f"{pair}.docs")
    if os.path.exists(labels):
        documents, domains, _ = read_labels(Files(), labels, "the source", len(source))
    canary = CANARY in (label[0].lower() for label in (documents, domains) if label is not None)
    human = _files(root, "human-scores", f"{pair}.")
    rows = slice(1 if canary else 0, None)
    return MetricsEvalSet(
        folder=root,
        language_pair=pair,
        source=tuple(text or "" for text in source[rows]),
        references={name: text[rows] for name, text in references.items()},
        outputs={name: tuple(part or "" for part in text[rows]) for name, text in outputs.items()},
        documents=documents and documents[rows],
        domains=domains and domains[rows],
        canary=canary,
        human=_named(human, ".score"),
        ratings=_named(human, ".rating"),
    )


def _language_pair(root: str, chosen: str | None) -> str:
    pairs = sorted({name for name, _, _ in _files(root, "sources")})
    if not pairs:
        reason = "no folder 'sources' with files in it; expected mt-metrics-eval's layout"
        raise UnreadableFileError(root, reason)
    if chosen is None and len(pairs) == 1:
        return pairs[0]
    if chosen not in pairs:
        raise MissingColumnError(root, "language pair", chosen or "", pairs)
    return chosen


def _files(root: str, folder: str, prefix: str = "") -> list[tuple[str, str, str]]:
    """List the files with a prefix: the name without prefix and extension, extension, path."""
    path = os.path.join(root, folder)
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    return [
        (*os.path.splitext(name.removeprefix(prefix)), os.path.join(path, name))
        for name in names
        if name.startswith(prefix) and not name.startswith(".")
    ]


def _named(files: list[tuple[str, str, str]], ending: str) -> tuple[ScoresFile, ...]:
    """Return the files of scores with an extension."""
    parts = [(*name.rpartition("."), path) for name, end, path in files if end == ending]
    named = ((name, level, path) for name, _, level, path in parts if name and level in LEVELS)
    return tuple(ScoresFile(name, LEVELS[level], path) for name, level, path in named)


def _text(path: str, key: str) -> tuple[str | None, ...]:
    data = Files().contents(path)
    if path.endswith(".jsonl"):
        (text,) = read_json_lines(path, data).select("reference", key)
        segments = text.segments
    else:
        segments = read_lines(path, data).segments
    # White space at the end of a line is not part of the text in this layout.
    return tuple(
        None if text is None or text.strip() == NOT_SUPPLIED else text.rstrip() for text in segments
    )
