"""Blocks, progress, and what is kept when a run is stopped."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.neural.conftest import forget
from tests.neural.stand_ins import plain_score
from truebleu.errors import RefusedError
from truebleu.neural.scoring import Engine, score_triples
from truebleu.schema import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.neural.scoring import Triple


class PlainEngine(Engine):
    """An engine that notes its blocks, and stops before one of them."""

    name = "plain"
    first_block = 64

    def __init__(self, stop_at: int | None = None, precision: str = "single") -> None:
        self.identity = {"model": "plain", "prec": precision}
        self.blocks: list[list[Triple]] = []
        self.stop_at = stop_at

    def score(self, block: Sequence[Triple]) -> list[float]:
        if len(self.blocks) == self.stop_at:
            raise KeyboardInterrupt
        self.blocks.append(list(block))
        return [plain_score(*triple) for triple in block]

    @property
    def texts(self) -> list[Triple]:
        return [triple for block in self.blocks for triple in block]


TRIPLES: dict[Triple, str] = {("s" * (n % 7), f"o{n}", "r"): f"a, segment {n}" for n in range(500)}


def test_scores_belong_to_their_texts() -> None:
    assert score_triples(PlainEngine(), TRIPLES) == {t: plain_score(*t) for t in TRIPLES}


def test_blocks_have_sources_of_similar_length() -> None:
    engine = PlainEngine()
    score_triples(engine, TRIPLES)
    lengths = [len(triple[0] or "") for triple in engine.texts]
    assert len(engine.blocks) > 1
    assert sorted(engine.texts) == sorted(TRIPLES)
    assert lengths == sorted(lengths)


def test_a_stopped_run_keeps_its_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = PlainEngine(stop_at=2), PlainEngine()
    with pytest.raises(KeyboardInterrupt):
        score_triples(first, TRIPLES)
    kept = len(first.texts)
    assert 0 < kept < len(TRIPLES)
    assert capsys.readouterr().err == (
        f"note: plain: {kept} of 500 scores are cached; run the same command again to continue\n"
    )
    forget()
    assert score_triples(second, TRIPLES) == {t: plain_score(*t) for t in TRIPLES}
    assert sorted(first.texts + second.texts) == sorted(TRIPLES)


def test_precisions_share_no_score() -> None:
    single, half = PlainEngine(), PlainEngine(precision="half")
    score_triples(single, TRIPLES)
    score_triples(half, TRIPLES)
    assert len(half.texts) == len(TRIPLES)


@pytest.mark.parametrize("score", [float("nan"), float("-inf")])
def test_a_score_that_is_no_number_names_its_segment(score: float) -> None:
    class Broken(PlainEngine):
        def score(self, block: Sequence[Triple]) -> list[float]:
            return [score if triple[1] == "o3" else 0.5 for triple in block]

    with pytest.raises(RefusedError, match=rf"plain: a, segment 3: the score is {score}, of the"):
        score_triples(Broken(), TRIPLES)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_says_the_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1.0)
    score_triples(PlainEngine(), TRIPLES)
    drawn = terminal.getvalue().split("\r")
    assert re.match(r"plain +0 %", drawn[1])
    assert re.match(r"plain █+ +13 % of 500 texts, \S+ per second, \d+:\d\d left", drawn[2])
    assert drawn[-1] == "\033[K"


def test_a_quiet_command_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "is_silent", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        score_triples(PlainEngine(stop_at=1), TRIPLES)
    assert terminal.getvalue() == ""


def test_a_cache_that_cannot_be_written_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRUEBLEU_CACHE", "/dev/null/cache")
    assert len(score_triples(PlainEngine(), TRIPLES)) == 500
    assert "note: plain: scores are not cached for the next run (/dev/null/cache" in (
        capsys.readouterr().err
    )
