"""Evaluation sets in the layout of mt-metrics-eval: outputs, human scores and metric scores.

Scores are taken as stored. A system's score is the one in `.sys.score`, such as corpus BLEU; where
that is not the mean of the segment scores, resampled segments move it by the change of their mean.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import isclose, isfinite
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.corpus import tables
from truebleu.corpus._files import Files, decode, stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError, first_names
from truebleu.metrics.base import GivenMean, Signature, StoredMean, mean_statistics
from truebleu.scores.evaluations import mean
from truebleu.scores.task_standards import Standard, set_name, standard_of

if TYPE_CHECKING:
    from os import PathLike

    from truebleu.corpus.outline import Outline
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountSystems

__all__ = ["EvaluationSet", "StoredScores"]

#: Human scores to choose without a standard, the first that a set has.
HUMAN_SCORES = ("mqm", "esa", "esa-human1", "da-sqm", "wmt-z", "wmt", "wmt-appraise")
#: References of metrics that use none, and of metrics that use all of them.
NO_REFERENCE, ALL_REFERENCES = "src", "all"
# Largest relative difference of a stored score from a mean by rounding.
ROUNDING = 1e-12
HUMAN, METRICS = "human-scores", "metric-scores"


def is_evaluation_set(path: str | PathLike[str]) -> bool:
    """Return whether a folder is laid out as an evaluation set."""
    return all(os.path.isdir(os.path.join(path, part)) for part in ("system-outputs", HUMAN))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScores:
    """Scores of systems by one metric or by people, as stored.

    Attributes:
        name: plain name, such as "COMET" or "mqm".
        label: name in messages: the file of the segment scores, or of the system scores.
        digest: first digits of the SHA-256 of the files.
        segments: segment scores by system, None if missing; empty without such a file.
        systems: stored score of each system; empty without such a file.
        settings: further fields of the signature.
        are_separate: True if `systems` and `segments` are scores on different scales.
    """

    name: str
    label: str
    digest: str
    segments: Mapping[str, Sequence[float | None]] = field(default_factory=dict, repr=False)
    systems: Mapping[str, float] = field(default_factory=dict, repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)
    are_separate: bool = False

    def select(self, names: Sequence[str]) -> StoredScores:
        """Return the scores of the systems `names` that have scores, in this order."""
        segments = {name: self.segments[name] for name in names if name in self.segments}
        systems = {name: self.systems[name] for name in names if name in self.systems}
        return replace(self, segments=segments, systems=systems)

    def attach(self, systems: Sequence[str]) -> tuple[GivenMean, CountSystems]:
        """Return the scorer of the scores, and a function that makes the rows of systems."""
        signature = Signature.of(self.name, **self.settings, scores=self.digest)
        means = {name: mean(self.segments[name]) or 0.0 for name in systems}
        stored = {name: self.systems.get(name, score) for name, score in means.items()}
        if all(isclose(stored[name], score, rel_tol=ROUNDING) for name, score in means.items()):
            return GivenMean(name=self.name, signature=signature), partial(_rows, self, None)
        shifts = {name: stored[name] - score for name, score in means.items()}
        return StoredMean(name=self.name, signature=signature), partial(_rows, self, shifts)


def _rows(
    scores: StoredScores, shifts: Mapping[str, float] | None, systems: Sequence[str]
) -> _core.Statistics:
    import numpy as np

    rows = mean_statistics([scores.segments[name] for name in systems])
    if shifts is None:
        return rows
    means = rows.array()
    shift = means[..., 1:] * np.array([shifts[name] for name in systems])[:, np.newaxis]
    return _core.Statistics(np.concatenate([means, shift], axis=2))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    """Systems of one language pair with human scores and metric scores.

    Attributes:
        label: name of the folder and language pair.
        name: name of the task's set, such as "wmt23", or None if unknown.
        lp: language pair.
        outline: outline of the systems that are compared.
        texts: outputs, references, source, documents and domains; None without references.
        human: human scores.
        metrics: scores of the metrics that use the references, or none.
        notes: sentences about the choice of references, scores and systems.
    """

    label: str
    name: str | None
    lp: str
    outline: Outline
    texts: TestSet
    human: StoredScores
    metrics: tuple[StoredScores, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        folder: str | PathLike[str],
        lp: str | None = None,
        *,
        references: Sequence[str] = (),
        human: str | None = None,
        humans: bool | None = None,
    ) -> EvaluationSet:
        """Read the files of a language pair; see docs/reference/evaluation-sets.md.

        Args:
            folder: folder of the set, with human-scores, metric-scores, system-outputs and
                references.
            lp: language pair, such as "en-de"; needed if the set has several.
            references: names of references, such as "refA". Default: the task's standard.
            human: name of human scores, such as "mqm". Default: the task's standard.
            humans: True to count human translations other than the references as systems, False
                to leave them out. Default: as in the task.
        """
        return _Folder(os.fspath(folder), lp).read(references, human, humans=humans)


def language_pairs(folder: str) -> list[str]:
    """Return the language pairs of a set that have human scores."""
    names = {name.partition(".")[0] for name in _names(folder, HUMAN) if "." in name}
    return sorted(names & set(_names(folder, "system-outputs")))


def _names(*parts: str) -> list[str]:
    """Return the names in a folder, sorted; empty if there is no such folder."""
    path = os.path.join(*parts)
    return sorted(os.listdir(path)) if os.path.isdir(path) else []


class _Folder:
    """The files of one language pair.

    Args:
        folder: folder of the evaluation set.
        lp: language pair; None for the only one.
    """

    def __init__(self, folder: str, lp: str | None) -> None:
        if not is_evaluation_set(folder):
            expected = f"a folder with system-outputs and {HUMAN}, as of mt-metrics-eval"
            raise SettingError("systems", folder, expected)
        pairs = language_pairs(folder)
        if lp is None and len(pairs) != 1:
            found = f"{len(pairs)} language pairs in {folder}"
            expected = f"one of them: {' or '.join(pairs)}" if pairs else "files LANG-LANG.*"
            raise SettingError("lp", found, expected)
        if lp is not None and lp not in pairs:
            raise UnknownNameError("language pair", lp, pairs)
        self.folder, self.lp = folder, lp or pairs[0]
        self.name = set_name(os.path.basename(os.path.abspath(folder)))
        self.files = Files()
        self.notes: list[str] = []
        self.guesses: list[str] = []
        metrics = os.path.join(folder, METRICS, self.lp)
        self.metrics = _score_files(metrics, r"(.+)-([^-]+)")
        self.human = _score_files(os.path.join(folder, HUMAN), rf"{re.escape(self.lp)}\.(.+)")

    def read(
        self, references: Sequence[str], human: str | None, *, humans: bool | None
    ) -> EvaluationSet:
        """Choose references, scores and systems, and read them."""
        standard = standard_of(self.name, self.lp)
        texts = self._texts("references", f"{self.lp}.")
        chosen = self._references(list(texts), list(references), standard or Standard())
        people = self._human(human, standard or Standard())
        outputs = self._texts("system-outputs", "", self.lp)
        systems = self._systems(outputs, list(texts), chosen, people, standard, humans=humans)
        sources = [
            os.path.join(self.folder, "sources", f"{self.lp}{e}") for e in (".txt", ".jsonl")
        ]
        documents = os.path.join(self.folder, "documents", f"{self.lp}.docs")
        test_set = read_test_set(
            [f"{name}={outputs[name]}" for name in systems],
            [f"{name}={texts[name]}" for name in chosen],
            source=next(filter(os.path.isfile, sources), None),
            documents=documents if os.path.isfile(documents) else None,
        )
        metrics = self._metrics(systems, chosen)
        for scores in (people, *metrics):
            for system, row in scores.segments.items():
                if len(row) != len(test_set):
                    expected = f"{len(test_set):,}, one for each segment"
                    found = f"{len(row):,} scores of {system}"
                    raise MalformedFileError(scores.label, None, found, expected)
        label = f"{os.path.basename(os.path.abspath(self.folder))} {self.lp}"
        warnings = tuple(
            TextWarning("evaluation-set", label, 1, None, f"{self.folder}: {guess}")
            for guess in self.guesses
        )
        test_set = replace(test_set, warnings=(*test_set.warnings, *warnings))
        return EvaluationSet(
            label=label,
            name=self.name,
            lp=self.lp,
            outline=test_set.outline,
            texts=test_set,
            human=people.select(systems),
            metrics=tuple(metrics),
            notes=(f"{label}: {'; '.join(self.notes)}.",),
        )

    def _texts(self, kind: str, prefix: str, *parts: str) -> dict[str, str]:
        """Return the paths of texts by their names."""
        folder = os.path.join(self.folder, kind, *parts)
        return {
            stem(name)[len(prefix) :]: os.path.join(folder, name)
            for name in _names(folder)
            if name.startswith(prefix) and not name.startswith(".")
        }

    def _references(
        self, known: Sequence[str], names: Sequence[str], standard: Standard
    ) -> list[str]:
        """Choose references: `names`, the standard, or the reference of most metric files."""
        for name in names:
            if name not in known:
                raise UnknownNameError("reference", name, known)
        if names:
            self.notes.append(f"reference {' and '.join(names)}")
            return list(names)
        if standard.reference in known:
            self.notes.append(f"reference {standard.reference}, the standard of {self.name}")
            return [str(standard.reference)]
        uses = Counter(reference for _, reference in self.metrics)
        found = sorted(known, key=lambda name: (-uses[name], name))
        if not found:
            folder = os.path.join(self.folder, "references")
            raise MalformedFileError(folder, None, "no reference", f"{self.lp}.NAME.txt")
        if len(found) > 1:
            self.guesses.append(
                f"the standard reference of this set is unknown; {found[0]} was taken, which most "
                "metrics use (-r NAME chooses another)"
            )
        self.notes.append(f"reference {found[0]}")
        return found[:1]

    def _human(self, name: str | None, standard: Standard) -> StoredScores:
        """Read the human scores `name`; by default the standard, else the first of HUMAN_SCORES."""
        files = {scores: paths for (scores,), paths in self.human.items()}
        known = list(files)
        if name is not None and name not in known:
            raise UnknownNameError("human score", name, known)
        if not known:
            folder, expected = os.path.join(self.folder, HUMAN), f"{self.lp}.NAME.seg.score"
            raise MalformedFileError(folder, None, "no human scores", expected)
        segments, systems = str(name or standard.segments), str(name or standard.systems)
        if segments not in known and systems not in known:
            segments = systems = next(
                (scores for scores in HUMAN_SCORES if scores in known), known[0]
            )
            if len(known) > 1:
                self.guesses.append(
                    f"the standard human scores of this set are unknown; {segments} was taken, of "
                    f"{', '.join(known)} (--human NAME chooses others)"
                )
        self.notes.append(f"human scores {segments}")
        if systems != segments and "sys" in files.get(systems, {}):
            self.notes[-1] += f" of segments and {systems} of systems"
        else:
            systems = segments
        chosen = {"seg": segments, "sys": systems}
        paths = {
            level: path
            for level, scores in chosen.items()
            if (path := files.get(scores, {}).get(level)) is not None
        }
        return replace(self._stored(segments, paths), are_separate=systems != segments)

    def _systems(
        self,
        outputs: Mapping[str, str],
        translations: Sequence[str],
        references: Sequence[str],
        people: StoredScores,
        standard: Standard | None,
        *,
        humans: bool | None,
    ) -> list[str]:
        """Choose the systems: judged outputs but references, outliers and unwanted humans."""
        if humans is None:
            humans = standard is not None and standard.has_humans
        judged = people.segments or people.systems
        systems, reasons = [], defaultdict[str, list[str]](list)
        for name in (name for name in outputs if name not in references):
            if standard is not None and name in standard.outliers:
                reasons[f"left out by {self.name} as an outlier"].append(name)
            elif name in translations and not humans:
                reasons["a human translation; --humans compares it too"].append(name)
            elif name not in judged:
                reasons["not judged"].append(name)
            else:
                systems.append(name)
        compared = [name for name in systems if name in translations]
        if compared:
            self.notes.append(f"{first_names(compared)}: a human translation, compared as a system")
        self.notes += [f"{first_names(names)}: {why}" for why, names in reasons.items()]
        if len(systems) < 2:
            found = f"human scores of {first_names(systems) or 'no system'}"
            raise MalformedFileError(people.label, None, found, "scores of two systems or more")
        return systems

    def _metrics(self, systems: Sequence[str], references: Sequence[str]) -> list[StoredScores]:
        """Read the metrics that use the chosen references or none, and have all scores."""
        allowed = {NO_REFERENCE, *references}
        chosen = {
            key: paths
            for key, paths in self.metrics.items()
            if set(key[1].split(".")) <= allowed or (key[1] == ALL_REFERENCES and references)
        }
        counts = Counter(name for name, _ in chosen)
        metrics, incomplete = [], []
        for (name, reference), paths in chosen.items():
            label = name if counts[name] == 1 else f"{name}-{reference}"
            scores = self._stored(label, paths, reference=reference).select(systems)
            if len(scores.segments) < len(systems) or None in chain(*scores.segments.values()):
                incomplete.append(label)
            else:
                metrics.append(scores)
        if incomplete:
            self.guesses.append(
                f"{first_names(incomplete)} left out: without segment scores of all systems"
            )
        if not metrics:
            folder = os.path.join(self.folder, METRICS, self.lp)
            found = "no metric with scores of all systems"
            raise MalformedFileError(folder, None, found, "NAME-REF.seg.score")
        return metrics

    def _stored(self, name: str, paths: Mapping[str, str], **settings: str) -> StoredScores:
        """Read the files of segment and system scores; systems without any score are left out."""
        data = {level: self.files.contents(path) for level, path in paths.items()}
        scores = {level: _parse(paths[level], part) for level, part in data.items()}
        return StoredScores(
            name=name,
            label=str(paths.get("seg") or paths.get("sys")),
            digest=tables.digest(b"\n".join(data.values())),
            segments={n: row for n, row in scores.get("seg", {}).items() if set(row) != {None}},
            systems={n: row[0] for n, row in scores.get("sys", {}).items() if row[0] is not None},
            settings=settings,
        )


def _score_files(folder: str, pattern: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Map the groups that `pattern` matches to the paths of their score files, by level."""
    files = defaultdict[tuple[str, ...], dict[str, str]](dict)
    for level in ("seg", "sys"):
        for name in _names(folder):
            match = re.fullmatch(rf"{pattern}\.{level}\.score", name)
            if match is not None:
                files[match.groups()][level] = os.path.join(folder, name)
    return files


def _parse(path: str, data: bytes) -> dict[str, list[float | None]]:
    """Parse lines of SYSTEM SCORE; return the scores of each system in their order."""
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(decode(path, data).removesuffix("\n").split("\n"), 1):
        try:
            name, value = line.split()
            score = None if value == "None" else float(value) + 0.0
        except ValueError:
            score, name = float("nan"), ""
        if score is not None and not isfinite(score):
            raise MalformedFileError(path, number, repr(line), "SYSTEM SCORE, or SYSTEM None")
        scores.setdefault(name, []).append(score)
    return scores
