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

    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.gate import GateResult

__all__ = ["Gate", "truebleu_gate"]


class Gate:
    """What the fixture gives: gates whose verdict is the message of a failing test."""

    def assert_not_worse(
        self,
        new: TextLike | str | PathLike[str],
        baseline: TextLike | str | PathLike[str],
        references: ReferencesLike | str | PathLike[str] | Sequence[PathLike[str]] | None = None,
        metrics: MetricsLike | None = None,
        **settings: Any,
    ) -> GateResult:
        """Fail the test when the new outputs are significantly worse than the baseline's.

        Args:
            new: the new system's outputs, or the path of a file.
            baseline: likewise; or the path of counts that `truebleu score --save` saved.
            references: likewise; with paths, a path or a list of them, one per translator. None if
                the files have scores of items.
            metrics: names or objects; the new system must pass by all of them. Default: BLEU, or
                the scores of items.
            settings: further keyword arguments of `truebleu.gate`, such as margin and level. With
                a margin, the test fails unless the new system is shown to be worse by less. Beside
                paths, `documents` is one, too; of scores, also a field of the items.

        Returns:
            The result, for further assertions.
        """
        __tracebackhide__ = True
        from truebleu.significance.gate import gate

        if isinstance(new, str | os.PathLike):
            documents = settings.pop("documents", None)
            counts, old = _read(new, baseline, references, metrics, documents)
            result = gate(counts, baseline=old, **settings)
        else:  # what is no text is refused there
            both = {"new": new, "old": cast("TextLike", baseline)}
            texts = cast("ReferencesLike", references)
            result = gate(both, texts, metrics, baseline="old", **settings)
        if not result.passed:
            pytest.fail(str(result).rstrip(), pytrace=False)
        return result


@pytest.fixture(scope="session")
def truebleu_gate() -> Gate:
    """Gates that fail a test with their verdict; see `Gate.assert_not_worse`."""
    return Gate()


def _read(
    new: str | PathLike[str],
    baseline: object,
    references: object,
    metrics: MetricsLike | None,
    documents: str | PathLike[str] | None,
) -> tuple[Counts, str]:
    """Count the files of both systems; return the counts and the name of the old system."""
    from truebleu.counts.inputs import counts_of_files, with_baseline
    from truebleu.errors import SettingError

    if not isinstance(baseline, str | os.PathLike):
        raise SettingError("baseline", type(baseline), "a file's path, as the new outputs are one")
    paths = [references] if isinstance(references, str | os.PathLike) else references or []
    if not isinstance(paths, list | tuple):
        raise SettingError("references", type(references), "a file's path, or a list of them")
    systems, old = with_baseline([os.fspath(new)], os.fspath(baseline))
    counts = counts_of_files(
        systems,
        [os.fspath(path) for path in paths],
        metrics,
        documents=None if documents is None else os.fspath(documents),
    )
    return counts, old
