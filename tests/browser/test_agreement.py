"""The page of an agreement in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agreement.test_report import HUMAN, METRIC
from tests.browser.test_page import CONTRAST
from truebleu import agree, count
from truebleu.agreement.report import agreement_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.conftest import Opened


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = {"A": "A", "B": "a-system-with-a-long-name-of-many-letters", "C": "C"}
    scores = {names[name]: row for name, row in METRIC.items()}
    human = {names[name]: row for name, row in HUMAN.items()}
    counts = count(scores)
    found = agree(counts, human, replicates=100, permutations=100)
    report = agreement_report(found, counts, human, name="mqm")
    return report.save(tmp_path_factory.mktemp("page") / "agreement.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_is_legible_in_both_schemes_and_narrow(
    file: Path, open_page: Opened, scheme: str, width: int
) -> None:
    page = open_page(
        file, wait=False, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Long names lose their middle.
    names = page.locator(".scatter:visible .label").all_text_contents()
    assert min(names) == "A"
    assert max(map(len, names)) <= 25


def test_a_pair_opens_its_segments(file: Path, open_page: Opened) -> None:
    page = open_page(file, wait=False)
    assert not page.locator(".segments").first.is_visible()
    page.locator(".pairs a").first.click()
    assert page.locator(".segments").first.is_visible()
    assert "Segment 12" in page.locator(".segments p").first.inner_text()
    page.go_back()
    assert not page.locator(".segments").first.is_visible()


def test_the_page_prints_the_chosen_metric(file: Path, open_page: Opened) -> None:
    page = open_page(file, wait=False)
    page.emulate_media(media="print")
    assert page.locator(".scatter:visible").count() == 1
    assert page.locator(".forest:visible").count() == 2
    assert not page.locator("fieldset").is_visible()


def test_axe_finds_nothing(
    file: Path, open_page: Opened, findings_of_axe: Callable[[Page], list[str]]
) -> None:
    page = open_page(file, wait=False, bypass_csp=True)
    page.locator(".pairs a").first.click()
    assert findings_of_axe(page) == []
