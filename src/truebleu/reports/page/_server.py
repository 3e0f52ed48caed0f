"""The report's page from a server on this machine, for sets that are too large for one file.

It answers this machine only, and only whoever knows the token in the page's address. The names of
host and origin are checked as well, so that no other page in the same browser can ask for anything,
not even one whose own name was made to point here. It reads and never writes.
"""

from __future__ import annotations

import sys
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from re import fullmatch
from secrets import token_urlsafe
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from truebleu.errors import SettingError
from truebleu.reports.formats.json import render as render_json
from truebleu.reports.page import document, html_page
from truebleu.reports.page._data import PageData, packed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.explanation.report import Report

ADDRESS = "127.0.0.1"
# Segments in one answer.
MOST_SEGMENTS = 1000
# A connection that says nothing for so many seconds is closed.
PATIENCE_SECONDS = 10

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ReportServer(ThreadingHTTPServer):
    """Serves one report until it is closed.

    Args:
        report: what is served; it must have segments.
        command: what made it, which the page shows.
        port: where to listen; 0 for any free one.
    """

    daemon_threads = True
    # Another program that waits for the same port must not get what was meant for this one.
    allow_reuse_address = False

    def __init__(self, report: Report, *, command: str | None = None, port: int = 0) -> None:
        if report.segments is None:
            raise SettingError("report", "no segments", "texts or saved statistics")
        self.token = token_urlsafe(32)
        self.data = PageData.of(report)
        # Made once: asking again must not cost anything.
        self.page = html_page(report, command=command, served=True).encode()
        self.answers: Mapping[str, bytes] = {
            "/description": packed(self.data.description()),
            "/statistics": packed(self.data.statistics()),
            "/result": packed(render_json(document(report), report).encode()),
        }
        super().__init__((ADDRESS, port), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that was closed needs no answer; what else goes wrong is reported."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def origin(self) -> str:
        """The only origin that may ask."""
        return f"http://{ADDRESS}:{self.server_port}"

    @property
    def address(self) -> str:
        """The address of the page, with the token in it."""
        return f"{self.origin}/?token={self.token}"


class Handler(BaseHTTPRequestHandler):
    """Answers GET, and nothing else."""

    server: ReportServer
    server_version = "truebleu"
    sys_version = ""
    timeout = PATIENCE_SECONDS

    def do_GET(self) -> None:  # the name that the library calls
        """The page, or a part of its data."""
        asked = urlsplit(self.path)
        # A whole address names a host of its own, whatever the header says.
        whole = asked.scheme or asked.netloc
        refusal = HTTPStatus.FORBIDDEN if whole else self._refusal(asked.path, asked.query)
        if refusal is not None:
            self._send(refusal, b"", "text/plain")
        elif asked.path == "/":
            self._send(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        else:
            self._data(asked.path)

    def _refusal(self, path: str, query: str) -> HTTPStatus | None:
        origin = self.server.origin
        hosts = self.headers.get_all("Host") or []
        if hosts != [origin.removeprefix("http://")]:
            return HTTPStatus.FORBIDDEN
        if any(sent != origin for sent in self.headers.get_all("Origin") or []):
            return HTTPStatus.FORBIDDEN
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return HTTPStatus.FORBIDDEN
        # The page is asked for by its address, data by the page's script.
        tokens = parse_qs(query).get("token", [])
        if path != "/":
            tokens = self.headers.get_all("X-Token") or []
        if len(tokens) != 1 or not compare_digest(tokens[0].encode(), self.server.token.encode()):
            return HTTPStatus.FORBIDDEN
        return None

    def _data(self, path: str) -> None:
        if path in self.server.answers:
            answer = self.server.answers[path]
            self._send(HTTPStatus.OK, answer, "application/octet-stream", encoding="gzip")
        elif (texts := self._texts(path)) is not None:
            # On this machine, sending them is faster than compressing them.
            self._send(HTTPStatus.OK, texts, "application/octet-stream")
        else:
            self._send(HTTPStatus.NOT_FOUND, b"", "text/plain")

    def _texts(self, path: str) -> bytes | None:
        match = fullmatch(r"/texts/(\d{1,9})-(\d{1,9})", path)
        if match is None:
            return None
        first, last = map(int, match.groups())
        if not first < last <= min(self.server.data.kept, first + MOST_SEGMENTS):
            return None
        return self.server.data.texts(first, last)

    def _send(self, status: HTTPStatus, body: bytes, kind: str, *, encoding: str = "") -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing is logged: addresses hold the token."""
