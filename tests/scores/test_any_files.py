"""Files of any kind make one test set; the baseline gets a name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu import score
from truebleu.errors import SettingError
from truebleu.metrics import SavedStatistics, save_statistics
from truebleu.metrics.registry import as_metrics
from truebleu.scores.any_files import read_any, with_baseline

if TYPE_CHECKING:
    from pathlib import Path

REFERENCE = ["the cat sat on the mat", "a dog ran"]
METRICS = as_metrics(["bleu", "chrf"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"ref": REFERENCE, "old": REFERENCE, "new": ["the cat sat on a mat", "a dog ran"]}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    counted = SavedStatistics.of(read_any(["old.txt"], ["ref.txt"]), METRICS)
    save_statistics(counted, "old.npz")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_statistics_stand_for_texts_beside_texts() -> None:
    texts = read_any(["new.txt", "old.txt"], ["ref.txt"], METRICS)
    mixed = read_any(["new.txt", "old.npz"], ["ref.txt"], METRICS)
    assert list(mixed.systems) == ["new", "old"]
    expected = score(texts, metrics=METRICS).to_dict()["systems"]
    assert score(mixed, metrics=METRICS).to_dict()["systems"] == expected
    assert list(read_any(["other=old.npz"], [], METRICS).systems) == ["other"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("systems", "references", "options", "message"),
    [
        (["new.txt", "old.npz"], [], {}, "references"),
        (["new.txt"], [], {}, "-r FILE"),
        (["old.npz"], [], {"documents": "docs"}, "documents"),
        (["old.npz"], ["ref.txt"], {"source": "ref.txt"}, "source"),
        (["new.txt"], [], {"source": "ref.txt"}, "source"),
        (["new.txt"], [], {"strict": True}, "strict"),
    ],
)
def test_what_cannot_be_read_together_is_refused(
    systems: list[str], references: list[str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        read_any(systems, references, METRICS, **options)  # type: ignore[arg-type]


def test_the_baseline_is_told_from_a_system_of_the_same_name() -> None:
    assert with_baseline(["a/de.txt"], "b/old.txt") == (["a/de.txt", "old=b/old.txt"], "old")
    systems, name = with_baseline(["a/de.txt"], "b/de.txt")
    assert (systems[1], name) == ("de (baseline)=b/de.txt", "de (baseline)")
    assert with_baseline(["a/de.txt"], "x=b/de.txt")[1] == "x"
