"""What an error weighs in MQM, by its severity and category."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

from truebleu.corpus.files import Files
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.errors import MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Weights by the start of severity/category/subcategory; * is any severity. What starts with none
#: of them weighs nothing. Freitag et al. (2021), table 4, and the scripts of WMT24.
PRESETS: dict[str, dict[str, float]] = {
    "standard": {
        "major": 5.0,
        "minor": 1.0,
        "minor/fluency/punctuation": 0.1,
        "major/non-translation": 25.0,
    },
    "wmt24": {
        "critical": 5.0,
        "major": 5.0,
        "minor": 1.0,
        "minor/fluency/punctuation": 0.1,
        "*/non-translation": 25.0,
        "*/source issue": 0.0,
        "*/reinterpretation": 0.0,
    },
}
#: Nobody means a weight above this.
LARGEST = 1e6
#: Severities that weigh nothing wherever no weight says otherwise.
HARMLESS = frozenset({"", "neutral", "no-error", "no error", "none", "n/a"})


class Weights:
    """Weights of errors: the longest start of an error's name that has one decides."""

    def __init__(self, name: str, weights: Mapping[str, float]) -> None:
        self.name = name
        self._exact: list[tuple[str, float]] = []
        self._any: list[tuple[str, float]] = []
        for key, weight in weights.items():
            plain = _plain(key)
            if plain.startswith("*/"):
                self._any.append((plain[2:], weight))
            else:
                self._exact.append((plain, weight))
        self._known: dict[tuple[str, str], float | None] = {}

    def of(self, severity: str, category: str) -> float | None:
        """The weight of an error; None where nothing says it, which counts as 0.

        >>> mqm_weights(None).of("Minor", "Fluency/Punctuation")
        0.1
        """
        pair = (severity, category)
        if pair not in self._known:
            self._known[pair] = self._find(_plain(severity), _plain(category))
        return self._known[pair]

    def _find(self, severity: str, category: str) -> float | None:
        error = f"{severity}/{category}"
        matches = [(len(key), 1, weight) for key, weight in self._exact if error.startswith(key)]
        matches += [
            (len(severity) + 1 + len(key), 0, weight)
            for key, weight in self._any
            if category.startswith(key)
        ]
        return max(matches)[2] if matches else None


def mqm_weights(written: str | Mapping[str, float] | None) -> Weights:
    """Weights by the name of a preset, as `Major=5,Minor=1`, in a mapping or in a file.

    A file has one error per line, its weight after a tab, `=` or `:`; or it is a JSON object.

    >>> mqm_weights("Major=5,Minor=1").of("minor", "Fluency/Punctuation")
    1.0
    """
    if written is None:
        return Weights("standard", PRESETS["standard"])
    if isinstance(written, Mapping):
        return _custom("weights", None, written.items())
    if not isinstance(written, str):
        raise SettingError("weights", written, "a name, a mapping or a file")
    if written in PRESETS:
        return Weights(written, PRESETS[written])
    if os.path.isfile(written):
        return _read(written)
    if "=" in written:
        parts = [part for part in written.split(",") if part.strip()]
        return _custom("weights", None, [_entry("weights", None, part) for part in parts])
    if not any(sign in written for sign in "./\\"):
        expected = f"{', '.join(map(repr, PRESETS))}, a file, or a list such as Major=5,Minor=1"
        raise SettingError("weights", written, expected)
    return _read(written)


def _read(path: str) -> Weights:
    text = decode(path, Files().contents(path)).removeprefix(BYTE_ORDER_MARK)
    if text.lstrip().startswith("{"):
        import json

        try:
            return _custom(path, None, json.loads(text).items())
        except (ValueError, RecursionError) as error:
            if isinstance(error, MalformedFileError):
                raise
            found = f"no valid JSON ({error})"
            raise MalformedFileError(path, None, found, "an object of weights") from None
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), 1)]
    entries = [
        _entry(path, number, line) for number, line in lines if line and not line.startswith("#")
    ]
    return _custom(path, None, entries)


def _entry(where: str, line: int | None, text: str) -> tuple[str, str]:
    for sign in ("\t", "=", ":"):
        key, found, weight = text.rpartition(sign)
        if found and key.strip():
            return key, weight
    raise MalformedFileError(where, line, repr(text), "an error and its weight, as in Major=5")


def _custom(where: str, line: int | None, entries: Iterable[tuple[str, object]]) -> Weights:
    weights: dict[str, float] = {}
    for key, value in entries:
        try:
            weight = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            weight = -1.0
        if not 0 <= weight <= LARGEST:
            found = f"{value!r} as the weight of {str(key).strip()!r}"
            raise MalformedFileError(where, line, found, f"a number from 0 to {LARGEST:g}")
        if _plain(key) in weights:
            raise MalformedFileError(where, line, f"two weights of {key!r}", "one")
        weights[_plain(key)] = weight
    if not weights:
        raise MalformedFileError(where, line, "no weights", "at least one, as in Major=5")
    text = ",".join(f"{key}={weight:g}" for key, weight in sorted(weights.items()))
    return Weights(text, weights)


def _plain(text: object) -> str:
    """In lower case, without blanks around slashes."""
    return "/".join(part.strip() for part in str(text).lower().split("/"))
