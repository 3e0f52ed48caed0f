"""The number of threads changes no digit, and dataclasses are what Python's are."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import os
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, field
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from truebleu import BLEU, CHRF, TER, _core, set_threads
from truebleu._settings import dataclass
from truebleu.corpus.test_set import TextWarning
from truebleu.errors import SettingError
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("metric", [BLEU(), CHRF(word_order=2), TER()], ids=lambda m: m.name)
def test_counts_and_scores_do_not_depend_on_the_threads(metric: Metric) -> None:
    test_set = simulate(segments=300, systems=[0.1, 0.3], references=3)
    found = []
    for threads in (1, 2, 5):
        set_threads(threads)
        assert _core.threads() == threads
        statistics = metric.count(test_set)
        found.append((statistics.array().tolist(), statistics.sums()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("threads", [-1, 1025, 10**20])
def test_an_impossible_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(SettingError, match=f"threads: found {threads}, expected .* 0 to 1024"):
        set_threads(threads)


def run(code: str, threads: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TRUEBLEU_THREADS": threads}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_environment_sets_the_threads() -> None:
    result = run("import truebleu as t; t.BLEU().sentence('a', 'a'); print(t._core.threads())", "3")
    assert result.stdout == "3\n"


def test_importing_and_setting_read_no_environment() -> None:
    assert run("import truebleu.metrics.bleu", "many").returncode == 0
    code = "import truebleu as t; t.set_threads(2); t.BLEU().sentence('a', 'a')"
    assert run(code, "many").returncode == 0
    result = run("import truebleu as t; t.BLEU().sentence('a', 'a')", "many")
    assert "SettingError: TRUEBLEU_THREADS: found 'many'" in result.stderr


def test_a_bad_number_in_the_environment_is_an_error_in_words() -> None:
    code = "from truebleu.cli.main import main; main(['score', '-r', 'x', 'y'])"
    result = run(code, "many")
    assert result.returncode == 2
    assert result.stderr == (
        "error: TRUEBLEU_THREADS: found 'many', expected a whole number from 0 to 1024\n"
    )


def test_more_threads_than_help_are_not_started(
    restored_threads: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert set_threads(1024) == _core.threads() == 20
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert set_threads(1024) == _core.threads() == 16


def test_a_number_of_5000_digits_in_the_environment_is_an_error_in_words() -> None:
    code = "from truebleu.cli.main import main; main(['score', '-r', 'x', 'y'])"
    result = run(code, "9" * 5000)
    assert result.returncode == 2
    assert result.stderr.startswith("error: TRUEBLEU_THREADS: found '999")
    assert len(result.stderr) < 200


# Our dataclass does what Python's does.


def decorated(decorator: Any) -> tuple[Any, Any]:
    @decorator(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, compare=False)
        KIND: ClassVar[str] = "point"

        def __post_init__(self) -> None:
            object.__setattr__(self, "x", int(self.x))

    @decorator(frozen=True, slots=True, kw_only=True)
    class Named(Point):
        """A point with a name."""

        name: str
        note: str = field(default="", repr=False)

    return Point, Named


Point, Named = decorated(dataclass)
PlainPoint, PlainNamed = decorated(dataclasses.dataclass)


@pytest.mark.parametrize("point", [Point(1), Point("3", y=4), Named(1, 2, name="a", note="b")])
def test_dataclasses_look_and_copy_like_pythons(point: Any) -> None:
    plain_type = PlainNamed if isinstance(point, Named) else PlainPoint
    plain = plain_type(**dataclasses.asdict(point))
    assert repr(point) == repr(plain)
    assert dataclasses.astuple(point) == dataclasses.astuple(plain)
    assert inspect.signature(type(point)).parameters.keys() == (
        inspect.signature(plain_type).parameters.keys()
    )
    for copied in (copy.copy(point), copy.deepcopy(point), dataclasses.replace(point)):
        assert copied == point
        assert hash(copied) == hash(point)
    assert point.__slots__ == plain.__slots__
    assert not hasattr(point, "__dict__")


def test_dataclasses_derive_from_pythons_and_the_other_way_round() -> None:
    @dataclass(frozen=True, slots=True)
    class OursOfPythons(PlainPoint):  # type: ignore[misc, valid-type]
        z: int = 3

    @dataclasses.dataclass(frozen=True, slots=True)
    class PythonsOfOurs(Point):  # type: ignore[misc, valid-type]
        z: int = 3

    ours, pythons = OursOfPythons(1), PythonsOfOurs(1)
    assert dataclasses.astuple(ours) == dataclasses.astuple(pythons) == (1, 2, [], 3)
    assert ours == dataclasses.replace(ours)
    assert pythons == dataclasses.replace(pythons)


def test_dataclasses_are_equal_by_their_type_and_compared_fields() -> None:
    assert Point(1, 2, ["a"]) == Point(1, 2, ["b"])
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Named(1, 2, name="a")
    assert Point(1, 2) != (1, 2)
    assert Point(1).tags is not Point(1).tags


def test_dataclasses_are_frozen() -> None:
    point: Any = Point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x


def test_dataclasses_refuse_what_they_do_not_have() -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=3)


def test_results_are_pickled_whole() -> None:
    warning = TextWarning("tabs", "a.txt", 3, None, "a.txt: 3 tabs")
    assert pickle.loads(pickle.dumps(warning)) == warning  # noqa: S301
