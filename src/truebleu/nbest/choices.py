"""Choices from lists: by weights, which have files of their own, and what a choice gains."""

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

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric

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


def weighted_scores(nbest: NBest, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of each candidate's features.

    A feature without a weight counts nothing. A weight whose feature no candidate has is refused,
    unless the lists have sparse features: there, any feature may be absent.
    """
    names, matrix = feature_matrix(nbest)
    for name, weight in weights.items():
        require_weight(name, weight)
    missing = set(weights) - set(names)
    if missing and nbest.sparse is None:
        raise UnknownNameError("feature", sorted(missing)[0], names)
    vector = np.array([weights.get(name, 0.0) for name in names])
    return np.asarray(matrix @ vector, dtype=np.float64)


def weighted_choices(nbest: NBest, weights: Mapping[str, float]) -> NDArray[np.int64]:
    """The index of the candidate of each list with the highest score; the first of several."""
    return first_argmax(weighted_scores(nbest, weights), nbest.offsets)


def format_weights(
    weights: Mapping[str, float], kind: WeightsFormat, *, sparse: frozenset[str] = frozenset()
) -> str:
    r"""Weights as the text of a file.

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
    """The group of a feature that is one of several values, as the reader of lists names them."""
    match = re.fullmatch(r"(.+)_(\d+)", name)
    return match[1] if match and f"{match[1]}_0" in weights and f"{match[1]}_1" in weights else name


def weights_format(path: Path) -> WeightsFormat:
    """The format that a file's name asks for."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in get_args(WeightsFormat):
        raise SettingError("weights file", path.name, "a name that ends in .tsv, .json or .ini")
    return kind  # type: ignore[return-value]


def read_weights(path: str) -> dict[str, float]:
    """Weights from TSV (feature, weight), JSON (an object, or with "weights") or a Moses ini."""
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
        for name, value in _of_line(path, number, stripped, is_ini=is_ini):
            if name in weights:
                raise MalformedFileError(path, number, f"{name!r} again", "each feature once")
            weights[name] = value
    if not weights:
        raise MalformedFileError(path, None, "no weights", "a feature and its weight on each line")
    return weights


def _of_line(path: str, number: int, line: str, *, is_ini: bool) -> list[tuple[str, float]]:
    if is_ini:
        name, separator, rest = line.partition("=")
        values = rest.split()
        if not separator or not values:
            raise MalformedFileError(path, number, repr(line), "NAME= weight …")
        names = [name] if len(values) == 1 else [f"{name}_{i}" for i in range(len(values))]
    else:
        # A name may have blanks where a tab ends it.
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
            raise MalformedFileError(path, None, "other entries", "feature and weight") from None
    return {name: _number(path, None, value) for name, value in values.items()}


def _number(path: str, line: int | None, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number) or isinstance(value, bool):
        raise MalformedFileError(path, line, f"weight {value!r}", "a finite number")
    return number


# What a choice gains on segments that it was not tuned on.


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A choice against the baseline by one metric.

    Attributes:
        metric: the metric's name.
        signature: its settings.
        higher_is_better: its direction.
        digits: decimals that people should see.
        baseline: the score of the baseline.
        score: the score of the choice; the mean over runs, where there are several.
        first: the score of the first candidates.
        by_chance: the score that candidates drawn at random have on average.
        oracle: the score of the candidates that are best by themselves.
        difference: score minus baseline.
        interval: of the difference, as its test has it; None where an end is open.
        p: how often equal choices would differ by at least this much.
        runs: the score of each run.
        deviation: the standard deviation of the runs' scores; None of one run.
        differing_segments: where the metric counts the two differently.
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
        """Whether the difference is in the direction of the metric."""
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
    """Compare the candidates that one or more runs choose with those of the baseline.

    Args:
        nbest: the lists that both choose from.
        references: as for `truebleu.score`; not needed where all metrics are ``feature:NAME``.
        metrics: what to compare by; with references also by a metric that nobody chose by: chrF,
            or BLEU after chrF.
        baseline: the index in its list of each segment's candidate.
        runs: the same for each run.
        seed: of the test and the interval.
        replicates: of both.
    """
    from truebleu.significance.compare import compare

    several = len(runs) > 1
    # The baseline has no random part: each of its runs is the same.
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
        gains.append(
            Gain(
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
        )
    return tuple(gains)
