"""A server of a report, for the tests that ask it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.explanation.report import report
from truebleu.reports.page._server import ReportServer
from truebleu.simulation import simulate_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.corpus import TestSet


def served(segments: int) -> tuple[TestSet, Any]:
    """Simulated texts, and the fixture of a server of their report."""
    causes = simulate_causes(segments=segments)

    @pytest.fixture(scope="module")
    def server() -> Iterator[ReportServer]:
        with serving(causes) as server:
            yield server

    return causes, server


@contextmanager
def serving(texts: TestSet) -> Iterator[ReportServer]:
    """The server of a report about these texts, while it answers."""
    made = report(texts, replicates=200)
    with ReportServer(made, command="truebleu serve") as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
