"""A server of a report, for the tests that ask it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from truebleu.reports.page._server import ReportServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.explanation.report import Report


@contextmanager
def serving(report: Report) -> Iterator[ReportServer]:
    """The server while it answers."""
    with ReportServer(report, command="truebleu serve") as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
