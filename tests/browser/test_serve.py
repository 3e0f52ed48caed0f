"""The served page in a real browser: the same page, which fetches its segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reports.page.serving import served

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.conftest import Opened
    from truebleu.reports.page._server import ReportServer

# More than one piece.
CAUSES, server = served(1100)


def test_segments_are_fetched_as_they_are_looked_at(
    server: ReportServer, open_page: Opened
) -> None:
    page = open_page(server.address, "#sort=number&segment=1007")
    shown = page.locator(".text-block[data-kind=reference] .text")
    shown.wait_for()
    assert shown.inner_text() == CAUSES.references[0][1006]
    assert 1 <= page.evaluate("browser.store.source.loaded.size") <= 2
    word = str(CAUSES.references[0][1006]).split()[-1]
    page.get_by_label("Text", exact=True).fill(word)
    page.wait_for_function("() => browser.order.length < 1100")
    found = [
        place
        for place in range(1100)
        if any(
            word.lower() in str(text[place]).lower()
            for text in (*CAUSES.references, *CAUSES.systems.values())
        )
    ]
    assert page.evaluate("browser.order") == found
    with page.expect_download():
        page.get_by_role("button", name="Download the JSON").click()


REFUSED = "address => fetch(address).then(answer => answer.text(), () => 'refused')"


def test_the_page_asks_its_own_server_only(server: ReportServer, chromium: Browser) -> None:
    page = chromium.new_page()
    page.goto(server.address)
    assert page.evaluate(REFUSED, "https://example.org") == "refused"
    assert page.evaluate(REFUSED, f"{server.origin}/description") == ""
    page.close()


def test_another_page_gets_nothing(server: ReportServer, chromium: Browser, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<!DOCTYPE html><p>another page", encoding="utf-8")
    page = chromium.new_page()
    page.goto(other.as_uri())
    assert page.evaluate(REFUSED, server.address) == "refused"
    page.close()
