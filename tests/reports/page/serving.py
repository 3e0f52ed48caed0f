"""A server of a report, for the tests that ask it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from truebleu.explanation.report import report
from truebleu.reports.page._server import ReportServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.corpus import TestSet


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
