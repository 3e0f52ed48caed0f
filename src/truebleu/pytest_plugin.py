"""A fixture for pytest: a test of a model fails when its translations got worse.

>>> def test_quality(truebleu_gate):
...     truebleu_gate.assert_not_worse("new.txt", "old.txt", "ref.txt")  # doctest: +SKIP

Installed with truebleu and known to pytest by its entry point; nothing of truebleu is imported
before a test asks for the fixture.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from truebleu.corpus.test_set import ReferencesLike, TestSet, TextLike
    from truebleu.metrics.base import Metric
    from truebleu.metrics.statistics_files import SavedStatistics
    from truebleu.significance.gate import GateResult

__all__ = ["Gate", "truebleu_gate"]


class Gate:
    """What the fixture gives: gates whose verdict is the message of a failing test."""

    def assert_not_worse(
        self,
        new: TestSet | TextLike | PathLike[str],
        baseline: TextLike | SavedStatistics | PathLike[str] | None,
        references: ReferencesLike | str | PathLike[str] | Sequence[PathLike[str]] | None = None,
        metrics: Sequence[str | Metric] = ("bleu",),
        **settings: Any,
    ) -> GateResult:
        """Fail the test when the new outputs are significantly worse than the baseline's.

        Args:
            new: the new system's outputs as `truebleu.gate` takes them, or the path of a file.
            baseline: likewise; or the path of what `truebleu score --save` made of the old system.
            references: likewise; beside paths, a path or a list of them, one per translator. None
                where the files have scores of items, and metrics are ["scores"]; `documents` is
                then a field of the items.
            metrics: names or objects; the new system must pass by all of them.
            settings: further keyword arguments of `truebleu.gate`, such as margin and level. With
                a margin, the test fails unless the new system is shown to be worse by less.

        Returns:
            The result, for further assertions.
        """
        __tracebackhide__ = True
        from truebleu.significance.gate import gate

        if isinstance(new, str | os.PathLike) and references is None and _are_scores(metrics):
            scored = _read_scores(new, baseline, settings.pop("documents", None))
            result = gate(scored, metrics=metrics, **settings)
        elif isinstance(new, str | os.PathLike):
            texts, saved = _read(new, baseline, references)
            result = gate(texts, saved, metrics=metrics, **settings)
        else:  # what is no text is refused there
            result = gate(
                new,
                cast("TextLike", baseline),
                cast("ReferencesLike", references),
                metrics=metrics,
                **settings,
            )
        if not result.passed:
            pytest.fail(str(result).rstrip(), pytrace=False)
        return result


@pytest.fixture(scope="session")
def truebleu_gate() -> Gate:
    """Gates that fail a test with their verdict; see `Gate.assert_not_worse`."""
    return Gate()


def _are_scores(metrics: Sequence[str | Metric]) -> bool:
    """Whether some metric takes scores from files, and no texts."""
    return any(
        metric.startswith("scores") if isinstance(metric, str) else not metric.reads_texts
        for metric in metrics
    )


def _read_scores(new: str | PathLike[str], baseline: object, documents: str | None) -> TestSet:
    """Items of both systems, of which only scores are known."""
    from truebleu.errors import SettingError
    from truebleu.scores.scored_test_set import ScoredTestSet

    if not isinstance(baseline, str | os.PathLike):
        raise SettingError("baseline", type(baseline), "a file's path, as the new scores are one")
    files = [f"new={os.fspath(new)}", f"baseline={os.fspath(baseline)}"]
    return ScoredTestSet.read(files, documents=documents)


def _read(
    new: str | PathLike[str], baseline: object, references: object
) -> tuple[TestSet, SavedStatistics | None]:
    """What is in the files: outputs of both systems, or statistics of the old one."""
    from truebleu.corpus._reading import read_test_set
    from truebleu.errors import SettingError
    from truebleu.metrics.statistics_files import find_statistics

    if not isinstance(baseline, str | os.PathLike):
        raise SettingError("baseline", type(baseline), "a file's path, as the new outputs are one")
    paths = [references] if isinstance(references, str | os.PathLike) else references
    if not isinstance(paths, list | tuple):
        raise SettingError("references", type(references), "a file's path, or a list of them")
    saved = find_statistics(os.fspath(baseline))
    if saved is not None and len(saved) != 1:
        raise SettingError("baseline", f"{len(saved)} systems in {baseline}", "one")
    systems = [new] if saved is not None else [new, baseline]
    return read_test_set(systems, paths), None if saved is None else saved[0]
