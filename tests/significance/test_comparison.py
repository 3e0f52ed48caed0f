"""A comparison from its JSON is the comparison."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.errors import MalformedFileError
from truebleu.reports.document import render
from truebleu.significance.compare import compare
from truebleu.significance.comparison import read_comparison
from truebleu.simulation import simulate_causes

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.significance.comparison import Comparison


@pytest.fixture(scope="module")
def compared() -> Comparison:
    texts = simulate_causes(segments=40)
    return compare(texts, metrics=["bleu", "ter"], replicates=200, margin=2.0)


def written(folder: Path, values: dict[str, Any]) -> Path:
    path = folder / "comparison.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def test_it_comes_back_whole(compared: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "comparison.json"
    path.write_text(render(compared, "json"), encoding="utf-8")
    again = read_comparison(path)
    assert again == compared
    assert str(again) == str(compared)


def test_what_is_no_comparison_is_refused(compared: Comparison, tmp_path: Path) -> None:
    values = compared.to_dict()
    other = values["metrics"][0]["signature"].replace("version:truebleu-", "version:truebleu-9.")
    for changed, reason in (
        ({"version": 99}, "format version 99"),
        ({"comparisons": []}, "pairs of other systems"),
        ({"systems": values["systems"][:1]}, "1 systems"),
        ({"systems": None}, "another layout"),
        ({"settings": {**values["settings"], "level": 7}}, "another layout"),
        ({"runs": {}}, "a comparison with runs"),
        ({"metrics": [{**values["metrics"][0], "signature": other}]}, "scores of truebleu-9"),
    ):
        with pytest.raises(MalformedFileError, match=reason):
            read_comparison(written(tmp_path, {**values, **changed}))
    with pytest.raises(MalformedFileError, match="another kind"):
        read_comparison(written(tmp_path, {"a": 1}))
    (tmp_path / "cut.json").write_text(json.dumps(values)[:-9], encoding="utf-8")
    with pytest.raises(MalformedFileError, match="cut-off"):
        read_comparison(tmp_path / "cut.json")
