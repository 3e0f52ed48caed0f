"""Claims about the ledger: what looks cost, which are recognised, and what is refused."""

from __future__ import annotations

import json
import math
import multiprocessing
import sqlite3
import subprocess
import sys
from contextlib import closing
from operator import le
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError
from truebleu.scores import GivenScores
from truebleu.significance.gate import gate
from truebleu.significance.ledger import alpha_of_look
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.significance.gate import GateResult
    from truebleu.significance.ledger import Look

TEXTS = simulate(segments=60, systems=[0.1, 0.12, 0.3], seed=1)
FIRST, SECOND, BAD = (list(text) for text in TEXTS.systems.values())


def against_second(new: Sequence[str | None], **settings: Any) -> GateResult:
    systems = {"new": new, "old": SECOND}
    return gate(systems, TEXTS.references, baseline="old", **settings)


def look_at(ledger: Path, new: Sequence[str | None] = FIRST, **settings: Any) -> Look:
    result = against_second(new, ledger=ledger, **settings)
    assert result.look is not None
    return result.look


def recorded(ledger: Path, column: str) -> list[Any]:
    with closing(sqlite3.connect(ledger)) as database:
        database.row_factory = sqlite3.Row
        return [row[column] for row in database.execute("SELECT * FROM looks ORDER BY look")]


def test_all_looks_together_spend_no_more_than_alpha() -> None:
    spent = sum(alpha_of_look(look, 0.05) for look in range(1, 100_000))
    assert 0.0499 < spent < 0.05
    assert sum(alpha_of_look(look, 0.05, 40) for look in range(1, 41)) == pytest.approx(0.05)


def test_looks_are_counted_and_share_the_level(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    looks = [look_at(ledger, seed=seed) for seed in range(3)]
    assert [look.number for look in looks] == [1, 2, 3]
    assert [look.alpha for look in looks] == pytest.approx(
        [0.05 * 6 / (np.pi * k) ** 2 for k in (1, 2, 3)]
    )
    assert looks[2].spent == pytest.approx(sum(look.alpha for look in looks))
    assert recorded(ledger, "look") == [1, 2, 3]
    assert all(json.loads(decision)["passed"] for decision in recorded(ledger, "decision"))


def test_a_look_is_decided_at_its_own_level(tmp_path: Path) -> None:
    # p of this pair lies between the levels of the first and of a later look.
    ledger = tmp_path / "looks.db"
    scores = np.random.default_rng(3).normal(size=40)
    decisions = []
    for night in range(4):
        new = scores - 0.32
        new[night] += 1e-6  # another system every night, of the same quality
        decisions.append(of_scores(new, np.zeros(40), ledger=ledger))
    assert [result.passed for result in decisions] == [False, True, True, True]
    first = decisions[0].checks[0].p_adjusted
    assert decisions[1].alpha < first <= decisions[0].alpha


def of_scores(new: NDArray[np.float64], old: NDArray[np.float64], **settings: Any) -> GateResult:
    metric = GivenScores.of({"new": new, "old": old}, name="S")
    texts = ["x"] * len(new)
    return gate({"new": texts, "old": texts}, texts, [metric], baseline="old", **settings)


def test_a_repeated_look_spends_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    first = against_second(FIRST, ledger=ledger)
    look_at(ledger, BAD)
    written = ledger.read_bytes()
    again = against_second(FIRST, ledger=ledger)
    assert again.look is not None
    assert (again.look.number, again.look.repeated) == (1, True)
    assert again.checks == first.checks
    assert ledger.read_bytes() == written
    assert "recorded before" in str(again)


def test_each_test_set_has_looks_of_its_own(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    other = simulate(segments=60, systems=[0.1, 0.12], seed=2)
    assert look_at(ledger).number == 1
    result = gate(other, baseline="system-2", unit="segment", ledger=ledger)
    assert result.look is not None
    assert result.look.number == 1


def test_planned_looks_are_equal_and_end(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    looks = [look_at(ledger, seed=seed, looks=2) for seed in range(2)]
    assert [look.alpha for look in looks] == [0.025, 0.025]
    with pytest.raises(SettingError, match=r"at most .*, as planned in"):
        look_at(ledger, seed=2, looks=2)
    assert look_at(ledger, seed=1, looks=2).repeated


def test_one_test_set_has_one_level_and_plan(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    look_at(ledger)
    with pytest.raises(SettingError, match=r"level: 0\.99; expected 0\.95, as in"):
        look_at(ledger, level=0.99)
    with pytest.raises(SettingError, match="looks: 10; expected None"):
        look_at(ledger, looks=10)


def test_planned_looks_need_a_ledger() -> None:
    with pytest.raises(SettingError, match="looks: 5; expected None without a ledger"):
        against_second(FIRST, looks=5)


@pytest.mark.parametrize("looks", [0, -1, 1.5, True])
def test_impossible_numbers_of_looks_are_refused(tmp_path: Path, looks: float) -> None:
    with pytest.raises(SettingError, match="looks"):
        look_at(tmp_path / "looks.db", looks=looks)


def test_later_looks_take_the_replicates_that_they_need(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    for seed in range(8):
        look_at(ledger, seed=seed, replicates=100)
    result = against_second(BAD, ledger=ledger, replicates=100)
    assert not result.passed
    assert result.checks[0].replicates >= 2 / result.alpha


@pytest.mark.parametrize(
    "damage", [lambda data: b"x" * len(data), lambda data: data[:100] + b"x" * 9000]
)
def test_a_file_that_is_not_a_ledger_is_rejected(tmp_path: Path, damage: Any) -> None:
    ledger = tmp_path / "looks.db"
    look_at(ledger)
    ledger.write_bytes(damage(ledger.read_bytes()))
    with pytest.raises(
        MalformedFileError, match=r"looks\.db.* expected a ledger written by gate --ledger"
    ):
        look_at(ledger, seed=9)


def changed(ledger: Path, *commands: str) -> None:
    with closing(sqlite3.connect(ledger)) as database, database:
        for command in commands:
            database.execute(command)


TAMPERING = {
    "first removed": ["DELETE FROM looks WHERE look = 1"],
    "middle removed": ["DELETE FROM looks WHERE look = 2"],
    "last removed": ["DELETE FROM looks WHERE look = 3"],
    "renumbered": ["DELETE FROM looks WHERE look = 1", "UPDATE looks SET look = look - 1"],
    "reordered": ["UPDATE looks SET rowid = 9 - rowid"],
    "numbers exchanged": [
        "UPDATE looks SET look = 9 WHERE look = 1",
        "UPDATE looks SET look = 3 - look WHERE look = 2",
        "UPDATE looks SET look = 2 WHERE look = 9",
    ],
    "key changed": ["UPDATE looks SET key = 'x' WHERE look = 2"],
    "level changed": ["UPDATE looks SET level = 0.99"],
    "decision changed": ["UPDATE looks SET decision = '{}' WHERE look = 1"],
    "copied": ["INSERT INTO looks SELECT test_set, 4, looks, level, 'x', decision, chain FROM looks"
               " WHERE look = 3"],
    "chain removed": ["UPDATE looks SET chain = NULL"],
    "of bytes": ["UPDATE looks SET key = x'ff' WHERE look = 3"],
}  # fmt: skip


@pytest.mark.parametrize("commands", TAMPERING.values(), ids=TAMPERING)
def test_a_changed_removed_or_reordered_look_is_noticed(
    commands: list[str], tmp_path: Path
) -> None:
    ledger = tmp_path / "looks.db"
    for seed in range(3):
        look_at(ledger, seed=seed)
    changed(ledger, *commands)
    for seed in (0, 9):
        with pytest.raises(MalformedFileError, match=r"looks that were changed, removed or reord"):
            look_at(ledger, seed=seed)


OTHER_LAYOUTS = [
    ["DROP TABLE looks", "CREATE TABLE looks (a)"],
    ["DROP TABLE looks", "CREATE TABLE looks (chain)", "INSERT INTO looks VALUES (1)"],
    ["ALTER TABLE looks RENAME TO others", "CREATE VIEW looks AS SELECT * FROM others"],
    ["ALTER TABLE looks DROP COLUMN level"],
    ["CREATE TRIGGER t BEFORE INSERT ON looks BEGIN SELECT RAISE(FAIL, 'SELECT *'); END"],
]


@pytest.mark.parametrize("commands", OTHER_LAYOUTS, ids=lambda commands: commands[-1])
def test_no_sql_reaches_a_user(commands: list[str], tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    look_at(ledger)
    changed(ledger, *commands)
    with pytest.raises(MalformedFileError) as raised:
        look_at(ledger, seed=9)
    message = str(raised.value).replace(str(ledger), "")
    assert message == (
        ": another layout, or damaged data; expected a ledger written by gate --ledger; restore "
        "it, or begin another"
    )


def test_a_ledger_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="cannot be written"):
        look_at(tmp_path / "nowhere" / "looks.db")
    with pytest.raises(UnreadableFileError, match="cannot be written"):
        look_at(tmp_path)


@pytest.mark.parametrize("name", ["", ":memory:"])
def test_a_ledger_that_sqlite_would_not_keep_is_rejected(name: str) -> None:
    with pytest.raises(SettingError, match="expected the name of a file to keep"):
        against_second(FIRST, ledger=name)


@pytest.mark.parametrize("name", ["file::memory:", "file:looks?mode=memory", "looks?x=1.db"])
def test_a_ledger_is_kept_whatever_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    looks = [against_second(system, ledger=name).look for system in (FIRST, BAD)]
    assert [look.number for look in looks if look is not None] == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_only_a_ledger_needs_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert against_second(FIRST).look is None
    with pytest.raises(SettingError, match="None: ledgers need SQLite"):
        look_at(tmp_path / "looks.db")


def test_score_runs_without_sqlite() -> None:
    code = (
        "import sys\n"
        "sys.modules['_sqlite3'] = None\n"
        "from truebleu.cli.main import main\n"
        "import truebleu\n"
        "truebleu.score({'a': ['x y']}, ['x y'])\n"
        "truebleu.gate\n"
        "print('sqlite3' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_a_gate_that_cannot_decide_spends_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    with pytest.raises(SettingError, match="no difference can be significant"):
        gate(
            {"new": FIRST[:5], "old": SECOND[:5]},
            [list(TEXTS.references[0])[:5]],
            baseline="old",
            ledger=ledger,
        )
    assert look_at(ledger).number == 1


def _look_from_elsewhere(ledger: str, seed: int) -> None:
    against_second(FIRST, ledger=ledger, seed=seed, replicates=100)


@pytest.mark.slow
def test_two_writers_at_once_number_their_looks_apart(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_look_from_elsewhere, args=(str(ledger), seed)) for seed in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert recorded(ledger, "look") == [1, 2, 3, 4]


# Nightly gates on one test set: new systems share most of their errors with one another, since all
# are judged on the same segments. Each look is decided at its own level, as shown above.


@pytest.mark.slow
def test_twelve_nights_pass_no_bad_system_more_often_than_promised() -> None:
    rng = np.random.default_rng(17)
    levels = [alpha_of_look(night, 0.05, 12) for night in range(1, 13)]
    wrong = without = 0
    for _ in range(120):
        old, common = rng.normal(size=(2, 80))
        nights = [old - 0.5 + 0.5 * common + 0.5 * rng.normal(size=80) for _ in levels]
        p = [of_scores(new, old, margin=0.5).checks[0].p for new in nights]
        wrong += any(map(le, p, levels))
        without += min(p) <= 0.05
    # Three standard deviations of a share of .05 in 120.
    assert wrong / 120 < 0.11
    assert without / 120 > 0.15


@pytest.mark.slow
def test_ten_nights_fail_no_equal_system_more_often_than_promised() -> None:
    rng = np.random.default_rng(18)
    levels = [alpha_of_look(night, 0.05) for night in range(1, 11)]
    wrong = without = 0
    for _ in range(120):
        old = rng.normal(size=60)
        p = [of_scores(rng.normal(size=60), old).checks[0].p for _ in levels]
        wrong += any(map(le, p, levels))
        without += min(p) <= 0.05
    assert wrong / 120 < 0.11
    assert without / 120 > 0.15


def test_a_look_has_replicates_for_its_part_of_the_level(tmp_path: Path) -> None:
    texts = simulate(segments=60, systems=[0.3, 0.2])
    result = gate(texts, baseline="system-2", replicates=40, ledger=tmp_path / "looks.db")
    assert result.look is not None
    # Two replicates in 1 / alpha: one of the swaps may be the observed one.
    assert result.checks[0].replicates == math.ceil(2 / result.look.alpha) > 40
