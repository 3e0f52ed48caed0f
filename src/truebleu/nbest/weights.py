"""Weights of features: files of them, and the candidates that they choose."""

from __future__ import annotations

import re
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from truebleu.errors import MalformedFileError, SettingError, UnknownNameError
from truebleu.nbest.problem import feature_matrix, first_best

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest

WeightsFormat = Literal["tsv", "json", "ini"]


def weighted_scores(nbest: NBest, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of each candidate's features.

    A feature without a weight counts nothing. A weight whose feature no candidate has is refused,
    unless the lists have sparse features: there, any feature may be absent.
    """
    names, matrix = feature_matrix(nbest)
    missing = set(weights) - set(names)
    if missing and nbest.sparse is None:
        raise UnknownNameError("feature", sorted(missing)[0], names)
    vector = np.array([weights.get(name, 0.0) for name in names])
    return np.asarray(matrix @ vector, dtype=np.float64)


def weighted_choices(nbest: NBest, weights: Mapping[str, float]) -> NDArray[np.int64]:
    """The index of the candidate of each list with the highest score; the first of several."""
    return first_best(weighted_scores(nbest, weights), nbest.offsets)


def format_weights(
    weights: Mapping[str, float], kind: WeightsFormat, *, sparse: frozenset[str] = frozenset()
) -> str:
    r"""Weights as the text of a file.

    >>> format_weights({"LM0": 0.5, "TM0_0": 0.25, "TM0_1": 0.25}, "ini")
    '[weight]\nLM0= 0.5\nTM0= 0.25 0.25\n'
    """
    if kind not in get_args(WeightsFormat):
        raise UnknownNameError("weights format", kind, get_args(WeightsFormat))
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

    text = decode(path, Files().contents(path))
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
