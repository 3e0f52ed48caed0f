"""Choices from n-best lists by weights, files of weights, and the gain of a choice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np

from truebleu.corpus.outline import Outline
from truebleu.corpus.test_set import as_test_set
from truebleu.counts.counts import Counts
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError
from truebleu.nbest.problem import (
    count_candidates,
    feature_matrix,
    first_argmax,
    list_metrics,
    require_weight,
)
from truebleu.schema import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    Column,
    Setting,
    require_name,
    require_path,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Indices, Values

__all__ = ["read_weights"]

WeightsFormat = Literal["tsv", "json", "ini"]
BASELINE, CHOSEN = "baseline", "chosen"
TestReplicates = Annotated[
    int,
    Setting(
        help="number of replicates of the test of the gain.",
        minimum=1,
        rare=True,
        default=DEFAULT_REPLICATES,
    ),
]


def weighted_scores(nbest: NBest, weights: Mapping[str, float]) -> Values:
    """Compute the weighted sum of each candidate's features.

    A feature without a weight has the weight 0. Raises UnknownNameError for the weight of a feature
    that no candidate has, unless the lists have sparse features, which may be absent.
    """
    names, matrix = feature_matrix(nbest)
    for name, weight in weights.items():
        require_weight(name, weight)
    missing = set(weights) - set(names)
    if missing and nbest.sparse is None:
        raise UnknownNameError("feature", sorted(missing)[0], names)
    vector = np.array([weights.get(name, 0.0) for name in names])
    return np.asarray(matrix @ vector, dtype=np.float64)


def weighted_choices(nbest: NBest, weights: Mapping[str, float]) -> Indices:
    """Return the index in each list of the first candidate with the highest score."""
    return first_argmax(weighted_scores(nbest, weights), nbest.offsets)


def format_weights(
    weights: Mapping[str, float], kind: WeightsFormat, *, sparse: frozenset[str] = frozenset()
) -> str:
    r"""Format weights as the text of a file.

    >>> format_weights({"LM0": 0.5, "TM0_0": 0.25, "TM0_1": 0.25}, "ini")
    '[weight]\nLM0= 0.5\nTM0= 0.25 0.25\n'
    """
    require_name("weights format", kind, get_args(WeightsFormat))
    if kind == "json":
        return dumps({"version": 1, "weights": dict(weights)}, ensure_ascii=False, indent=1) + "\n"
    if kind == "tsv":
        for name in weights:
            if set("\t\n\r") & set(name):
                raise SettingError("feature", name, "no tab or line break in a TSV file; use JSON")
        return "".join(f"{name}\t{weight!r}\n" for name, weight in weights.items())
    if sparse:
        found = f"{len(sparse):,} sparse features"
        raise SettingError("weights as Moses ini", found, "dense features only; write TSV or JSON")
    groups: dict[str, list[float]] = {}
    for name, weight in weights.items():
        groups.setdefault(_group(name, weights), []).append(weight)
    lines = [
        f"{name}= {' '.join(repr(value) for value in values)}" for name, values in groups.items()
    ]
    return "\n".join(["[weight]", *lines]) + "\n"


def _group(name: str, weights: Mapping[str, float]) -> str:
    """Return NAME of a feature NAME_0, NAME_1, ... with several values, or else the whole name."""
    match = re.fullmatch(r"(.+)_(\d+)", name)
    return match[1] if match and f"{match[1]}_0" in weights and f"{match[1]}_1" in weights else name


def weights_format(path: Path) -> WeightsFormat:
    """Return the format of a weights file by its extension."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in get_args(WeightsFormat):
        raise SettingError("weights file", path.name, "a name that ends in .tsv, .json or .ini")
    return kind  # type: ignore[return-value]


def read_weights(path: str) -> dict[str, float]:
    """Read weights from TSV (feature, weight), JSON (an object, or with "weights") or Moses ini."""
    from truebleu.corpus._files import Files, decode

    text = decode(path, Files().contents(require_path("path", path)))
    if text.lstrip().startswith("{"):
        return _from_json(path, text)
    weights: dict[str, float] = {}
    section, is_ini = "weight", "[weight]" in text
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip("\r\n ")
        if not stripped or stripped.startswith("#"):
            continue
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
            continue
        if is_ini and section != "weight":
            continue
        for name, value in _parse_line(path, number, stripped, is_ini=is_ini):
            if name in weights:
                raise MalformedFileError(path, number, f"{name!r} again", "each feature once")
            weights[name] = value
    if not weights:
        raise MalformedFileError(path, None, "no weights", "a feature and its weight on each line")
    return weights


def _parse_line(path: str, number: int, line: str, *, is_ini: bool) -> list[tuple[str, float]]:
    if is_ini:
        name, separator, rest = line.partition("=")
        values = rest.split()
        if not separator or not values:
            raise MalformedFileError(path, number, repr(line), "NAME= weight …")
        names = [name] if len(values) == 1 else [f"{name}_{i}" for i in range(len(values))]
    else:
        # A name that ends at a tab may have blanks.
        name, separator, rest = line.rpartition("\t") if "\t" in line else line.rpartition(" ")
        if name == "feature" and rest == "weight":
            return []
        if not separator:
            raise MalformedFileError(path, number, repr(line), "a feature, a tab and its weight")
        names, values = [name.strip()], [rest]
    return [(n, _number(path, number, v)) for n, v in zip(names, values, strict=True)]


def _from_json(path: str, text: str) -> dict[str, float]:
    from truebleu.corpus.tables import json_in

    values = json_in(path, None, text, "weights")
    if isinstance(values.get("weights"), dict | list):
        values = values["weights"]
    if isinstance(values, list):
        # The result of ``tune --format json``.
        try:
            values = {entry["feature"]: entry["weight"] for entry in values}
        except (KeyError, TypeError):
            expected = "entries with feature and weight"
            raise MalformedFileError(path, None, "other entries", expected) from None
    return {name: _number(path, None, value) for name, value in values.items()}


def _number(path: str, line: int | None, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number) or isinstance(value, bool):
        raise MalformedFileError(path, line, f"weight {value!r}", "a finite number")
    return number


# The gain of a choice.


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The gain of a choice over the baseline by one metric.

    Attributes:
        metric: name of the metric.
        signature: signature of the metric.
        higher_is_better: direction of the metric.
        digits: decimals to show.
        baseline: score of the baseline.
        score: score of the choice; the mean over several runs.
        first: score of the first candidates.
        by_chance: mean score of random candidates.
        oracle: score of each segment's best candidate.
        difference: score minus baseline.
        interval: interval of the difference; None for an open end.
        p: p-value of the difference.
        runs: score of each run.
        deviation: standard deviation of the runs' scores, or None for a single run.
        differing_segments: number of segments with different counts.
    """

    metric: Annotated[str, Column(heading="Metric")]
    signature: str
    higher_is_better: bool | None
    digits: int
    baseline: Annotated[float, Column(heading="Before", digits=2)]
    score: Annotated[float, Column(heading="After", digits=2)]
    first: Annotated[float, Column(heading="First", digits=2)]
    by_chance: Annotated[float, Column(heading="At random", digits=2)]
    oracle: Annotated[float, Column(heading="Oracle", digits=2)]
    difference: Annotated[float, Column(heading="Difference", digits=2, sign=True)]
    interval: Annotated[
        tuple[float | None, float | None], Column(heading="95 % interval", numeric=True)
    ]
    p: Annotated[float, Column(heading="p", digits=4, numeric=True)]
    runs: tuple[float, ...]
    deviation: Annotated[float | None, Column(heading="Deviation over runs", digits=2)]
    differing_segments: int

    @property
    def is_better(self) -> bool:
        """True if the choice is better than the baseline."""
        return self.difference > 0 if self.higher_is_better else self.difference < 0


def measure_gain(
    nbest: NBest,
    references: ReferencesLike | None,
    metrics: Sequence[Metric],
    baseline: ArrayLike,
    runs: Sequence[ArrayLike],
    *,
    seed: int = DEFAULT_SEED,
    replicates: int = DEFAULT_REPLICATES,
) -> tuple[Gain, ...]:
    """Compare the candidates chosen by one or more runs with the baseline's candidates.

    Args:
        nbest: lists with the candidates.
        references: references as for `truebleu.score`; None if all metrics are ``feature:NAME``.
        metrics: metrics to compare by. With references, a metric that was not used to choose is
            added: chrF, or BLEU after chrF.
        baseline: index in its list of each segment's candidate.
        runs: indices in their lists of each run's candidates.
        seed: seed of the test and the interval.
        replicates: number of replicates of the test and the interval.
    """
    from truebleu.significance.compare import compare

    several = len(runs) > 1
    # The baseline has no random part: all its runs are equal.
    names = [f"{BASELINE}.{number}" for number, _ in enumerate(runs, 1)] if several else [BASELINE]
    choices = {name: np.asarray(baseline) for name in names}
    choices |= {f"{CHOSEN}.{number}": np.asarray(run) for number, run in enumerate(runs, 1)}
    goals = list(metrics)
    outline = Outline(systems=tuple(choices), segments=len(nbest))
    if references is not None:
        names = [goal.name.casefold() for goal in goals]
        others = [m for m in ("chrf", "bleu") if not any(name.startswith(m) for name in names)]
        goals += list_metrics(others[:1]) if others else []
        test_set = as_test_set({nbest.name: nbest.first()}, references)
        outline = test_set.outline.select(outline.systems)
    candidates = [count_candidates(nbest, references, goal) for goal in goals]
    result = compare(
        Counts.of(outline, [(counted.metric, counted.chosen(choices)) for counted in candidates]),
        replicates=replicates,
        seed=seed,
        baseline=BASELINE,
        runs="{system}.{run}" if several else None,
    )
    gains = []
    for counted, pair in zip(candidates, result.comparisons, strict=True):
        metric = result.metrics[pair.metric]
        before, after = (result.systems[name][pair.metric] for name in (pair.b, pair.a))
        gain = Gain(
            metric=pair.metric,
            signature=str(metric.signature),
            higher_is_better=metric.higher_is_better,
            digits=metric.digits,
            baseline=before.score,
            score=after.score,
            **counted.landmarks()._asdict(),
            difference=pair.difference,
            interval=pair.interval,
            p=pair.p,
            runs=(after.score,) if after.runs is None else after.runs.scores,
            deviation=None if after.runs is None else after.runs.sd_of_runs,
            differing_segments=pair.differing_units,
        )
        gains.append(gain)
    return tuple(gains)
