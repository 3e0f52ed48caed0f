"""One Chromium for all tests of the report's page."""

from __future__ import annotations

from shutil import which
from typing import TYPE_CHECKING

import pytest

from tests.conftest import IN_CI
from tools.wasm import build, has_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Request

    Opened = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; CI must have it."""
    path = which("chromium-headless-shell") or which("chromium")
    if path is None:
        word = "Chromium is not installed: make browser"
        if IN_CI:
            pytest.fail(word)
        pytest.skip(word)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def fresh_core() -> Iterator[None]:
    """Pages get the core of these sources if Rust's target for it is installed."""
    with pytest.MonkeyPatch.context() as patch:
        if which("cargo") is not None and has_target():
            patch.setattr("truebleu.reports.page._data.CORE", build())
        yield


@pytest.fixture(scope="session")
def findings_of_axe() -> Callable[[Page], list[str]]:
    """Runs axe-core on a page, and lists the rules and elements that it finds."""
    if not IN_CI:
        pytest.importorskip("axe_core_python")
    from axe_core_python.sync_playwright import Axe

    def findings(page: Page) -> list[str]:
        violations = Axe().run(page)["violations"]
        return [f"{found['id']}: {found['nodes'][0]['html']}" for found in violations]

    return findings


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Opened]:
    """Opens a file, and fails in the end if the page complained or asked for more."""
    contexts = []
    complaints: list[str] = []

    def opened(where: Path, fragment: str = "", *, wait: bool = True, **options: object) -> Page:
        context = chromium.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        address = where.as_uri()
        # A file asks for itself only.
        own = (address, "blob:", "data:,")

        def check(request: Request) -> None:
            if not request.url.startswith(own):
                complaints.append(f"request: {request.url}")

        page.on("request", check)
        page.goto(address + fragment)
        if wait:
            page.wait_for_selector("#browser[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
