"""A pytest fixture that fails a test of a model if its translations got worse.

>>> def test_quality(truebleu_gate):
...     truebleu_gate.assert_not_worse("new.txt", "old.txt", "ref.txt")  # doctest: +SKIP

The fixture is installed with truebleu and found by its entry point; truebleu is only imported when
a test uses the fixture.
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
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.gate import GateResult

__all__ = ["Gate", "truebleu_gate"]


class Gate:
    """Value of `truebleu_gate`; `assert_not_worse` fails a test with the gate's verdict."""

    def assert_not_worse(
        self,
        new: TextLike | str | PathLike[str],
        baseline: TextLike | str | PathLike[str],
        references: ReferencesLike | str | PathLike[str] | Sequence[PathLike[str]] | None = None,
        metrics: MetricsLike | None = None,
        **settings: Any,
    ) -> GateResult:
        """Fail the test if the new outputs are significantly worse than the baseline's.

        Args:
            new: outputs of the new system, or the path of a file.
            baseline: outputs of the old system, or the path of a file or of counts saved by
                `truebleu score --save`.
            references: references, or a path or a list of paths, one per translator. None if the
                files have scores of items.
            metrics: names or objects; the new system must pass on each of them. Default: BLEU,
                or the scores of items.
            settings: further keyword arguments of `truebleu.gate`, such as margin and level. With
                a margin, the test passes only if the new system is shown to be less than the margin
                worse. With paths, `documents` is also a path, or with scores a field of the items.

        Returns:
            The result, for further assertions.
        """
        __tracebackhide__ = True
        from truebleu.counts.inputs import with_baseline
        from truebleu.errors import SettingError
        from truebleu.significance.gate import gate

        systems: Any = {"new": new, "old": baseline}
        old = "old"
        if isinstance(new, str | os.PathLike):
            if not isinstance(baseline, str | os.PathLike):
                raise SettingError("baseline", type(baseline), "a path, like the new outputs")
            systems, old = with_baseline([os.fspath(new)], os.fspath(baseline))
        texts = cast("ReferencesLike", references)
        result = gate(systems, texts, metrics, baseline=old, **settings)
        if not result.passed:
            pytest.fail(str(result).rstrip(), pytrace=False)
        return result


@pytest.fixture(scope="session")
def truebleu_gate() -> Gate:
    """Provide gates that fail a test with their verdict; see `Gate.assert_not_worse`."""
    return Gate()
