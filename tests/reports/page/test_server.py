"""The server of the report's page: read-only, for this machine, for whoever knows the token."""

from __future__ import annotations

import json
from gzip import decompress
from http.client import HTTPConnection

import pytest

from tests.reports.page.serving import served
from truebleu.errors import SettingError
from truebleu.explanation.report import report
from truebleu.reports.page._server import ADDRESS, ReportServer

CAUSES, server = served(60)


def ask(
    server: ReportServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers of an answer; names of headers are written with underscores."""
    connection = HTTPConnection(ADDRESS, server.server_port, timeout=10)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=given)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, dict(answer.getheaders())


def test_the_page_and_its_data_are_there_for_the_token(server: ReportServer) -> None:
    status, page, headers = ask(server, f"/?token={server.token}")
    assert (status, page[:15]) == (200, b"<!DOCTYPE html>")
    assert b"connect-src 'self'" in page
    assert server.token.encode() not in page
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    token = server.token
    described = json.loads(decompress(ask(server, "/description", X_Token=token)[1]))
    assert described["segments"] == 60
    texts = json.loads(ask(server, "/texts/10-12", X_Token=token)[1])
    assert [row[0] for row in texts] == list(CAUSES.references[0])[10:12]


DATA = ("/description", "/statistics", "/result", "/texts/0-1")


@pytest.mark.parametrize("path", DATA)
def test_a_wrong_token_is_refused(server: ReportServer, path: str) -> None:
    for headers in ({}, {"X_Token": "x"}, {"X_Token": server.token[:-1]}, {"X_Token": "é"}):
        status, body, _ = ask(server, path, **headers)
        assert (status, body) == (403, b"")
    # In the address it would end up in histories; it counts for the page only.
    assert ask(server, f"{path}?token={server.token}")[0] == 403
    for query in ("", "?token=", "?token=x", f"?token={server.token}&token={server.token}"):
        assert ask(server, f"/{query}")[0] == 403


@pytest.mark.parametrize(
    "host", ["localhost:{}", "evil.example:{}", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_another_host_is_refused(server: ReportServer, host: str) -> None:
    named = host.format(server.server_port)
    for path in (f"/?token={server.token}", *DATA):
        status, body, _ = ask(server, path, Host=named, X_Token=server.token)
        assert (status, body) == (403, b"")


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "https://127.0.0.1:{}", "http://127.0.0.1:1"]
)
def test_another_origin_is_refused(server: ReportServer, origin: str) -> None:
    named = origin.format(server.server_port)
    assert ask(server, "/description", Origin=named, X_Token=server.token)[0] == 403
    assert ask(server, "/description", Origin=server.origin, X_Token=server.token)[0] == 200
    cross = {"Sec_Fetch_Site": "cross-site", "X_Token": server.token}
    assert ask(server, "/description", **cross)[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_possible(server: ReportServer, method: str) -> None:
    status, body, headers = ask(server, f"/?token={server.token}", method, X_Token=server.token)
    assert status == 501
    assert server.token.encode() not in body
    assert "Access-Control-Allow-Origin" not in headers


PATHS = ("/texts/0-61", "/texts/5-5", "/texts/9-2", "/texts/0-2000", "/texts/-1-2", "/texts/0-1/..")


@pytest.mark.parametrize("path", [*PATHS, "/etc/passwd", "/../../etc/passwd", "/%2e%2e/x"])
def test_what_is_not_there_is_not_found(server: ReportServer, path: str) -> None:
    assert ask(server, path, X_Token=server.token)[:2] == (404, b"")


def test_a_report_without_segments_is_refused() -> None:
    from dataclasses import replace

    made = replace(report(CAUSES, replicates=200), segments=None)
    with pytest.raises(SettingError, match="no segments"):
        ReportServer(made)


def test_a_page_that_is_closed_early_is_no_error(
    server: ReportServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for error in (BrokenPipeError(), ConnectionResetError(), TimeoutError()):
        try:
            raise error
        except OSError:
            server.handle_error(None, (ADDRESS, 1))
    assert capfd.readouterr() == ("", "")
    try:
        raise ValueError("a bug")
    except ValueError:
        server.handle_error(None, (ADDRESS, 1))
    assert "a bug" in capfd.readouterr().err
