"""The cache of scores: between runs and processes, bounded, and without SQLite."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import truebleu.neural.scoring as scoring
from tests.neural.conftest import forget
from truebleu.errors import RefusedError
from truebleu.neural.scoring import ScoreCache, cache_file, score_key

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [score_key("model", (None, str(number), None)) for number in range(1200)]


def store(first: int, end: int) -> None:
    ScoreCache().add({KEYS[number]: number / 7 for number in range(first, end)})


def stored(keys: list[bytes]) -> dict[bytes, float]:
    forget()
    return ScoreCache().find(keys)


def test_scores_are_found_by_another_process() -> None:
    store(0, 1200)
    assert stored(KEYS) == {key: number / 7 for number, key in enumerate(KEYS)}
    assert ScoreCache().size()[0] == 1200


def test_unknown_keys_are_left_out() -> None:
    store(0, 3)
    assert set(stored(KEYS[:6])) == set(KEYS[:3])


def test_the_oldest_scores_are_deleted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MOST_SCORES", 100)
    store(0, 80)
    store(80, 130)
    assert set(stored(KEYS)) == set(KEYS[30:130])


def test_a_key_depends_on_every_text_and_on_the_model() -> None:
    keys = {
        score_key(identity, triple)
        for identity in ("model", "other")
        for triple in (("a", "b", "c"), ("ab", "", "c"), ("", "ab", "c"), (None, "ab", "c"))
    }
    assert len(keys) == 8
    assert score_key("model", ("a", "b", None)) != score_key("model", ("a", "b", ""))


def test_clearing_deletes_the_file(cache: Path) -> None:
    store(0, 5)
    assert cache.exists()
    ScoreCache().clear()
    assert not cache.exists()
    assert ScoreCache().size() == (0, 0)
    assert stored(KEYS[:5]) == {}


def test_scores_last_as_long_as_the_process_if_sqlite_is_missing(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    store(0, 5)
    assert len(ScoreCache().find(KEYS[:9])) == 5
    assert not cache.exists()
    assert stored(KEYS[:9]) == {}


def test_the_cache_can_be_off(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_CACHE", "off")
    store(0, 5)
    assert cache_file() is None
    assert not cache.exists()


def test_the_folder_is_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEBLEU_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_file() == tmp_path / "truebleu" / "scores.sqlite"


def test_a_damaged_file_is_a_sentence(cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_bytes(b"no database, but long enough to be read as one" * 100)
    with pytest.raises(RefusedError, match=r"damaged .*; truebleu cache --clear deletes it"):
        stored(KEYS[:1])


def test_a_folder_that_cannot_be_written_keeps_scores_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "file" / "cache"))
    cache = ScoreCache()
    cache.add({KEYS[0]: 0.5})
    assert cache.failure is not None
    assert cache.find([KEYS[0]]) == {KEYS[0]: 0.5}


WRITER = """
import sys
from truebleu.neural.scoring import ScoreCache, score_key
for block in range(20):
    texts = [f"{sys.argv[1]} {block} {i}" for i in range(50)]
    ScoreCache().add({score_key("model", (None, text, None)): 0.5 for text in texts})
"""


def test_processes_that_write_at_once_lose_nothing() -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert ScoreCache().size()[0] == 3 * 20 * 50
