"""The report's page in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import truebleu
from tests.simulated_causes import simulate_causes
from tests.tools.test_wasm import native_metrics
from truebleu.counts.inputs import counts_of
from truebleu.counts.saved import read_counts, save_counts
from truebleu.explanation.report import Report, report
from truebleu.metrics.function import FunctionMetric
from truebleu.reports.document import bracketed, p_cell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.browser.conftest import Opened
    from truebleu.corpus import TestSet


@pytest.fixture(scope="module")
def causes() -> TestSet:
    return simulate_causes(segments=120)


@pytest.fixture(scope="module")
def made(causes: TestSet) -> Report:
    return report(causes, metrics=["bleu", "chrf", "ter"], replicates=200)


@pytest.fixture(scope="module")
def file(made: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.save(tmp_path_factory.mktemp("page") / "report.html", command="truebleu report <x>")


def numbers_in_list(page: Page) -> list[int]:
    """The numbers of the segments whose rows are drawn, from the top."""
    rows = page.locator(".row").all()
    return [int(str(row.get_attribute("id")).removeprefix("segment-")) for row in rows]


def test_all_metrics_score_any_selection_as_the_command_line_does(
    causes: TestSet, tmp_path: Path, open_page: Opened
) -> None:
    systems = {name: causes.systems[name] for name in ("runaway", "baseline")}
    # An empty output and an empty reference, so that the rules for nothing are asked too.
    systems["runaway"] = ["", *list(systems["runaway"])[1:]]
    references = [["", *list(causes.references[0])[1:]]]
    texts = replace(causes, systems=systems, references=tuple(references))
    metrics = [metric for metric in native_metrics(texts) if metric.reads_texts]
    path = report(texts, metrics=metrics, replicates=40).save(tmp_path / "all.html")
    page = open_page(path)
    generator = np.random.default_rng(3)
    for places in ([0], [5], list(range(40)), sorted(generator.permutation(120)[:30].tolist())):
        part = {name: [text[place] for place in places] for name, text in systems.items()}
        reference = [references[0][place] for place in places]
        values = page.evaluate(
            "places => browser.store.metrics.map(metric => browser.store.scores(metric, places))",
            places,
        )
        for metric, scores in zip(metrics, values, strict=True):
            if metric.counts_whole_text:  # weights of the whole text, not of the part
                rows = metric.count(texts).array()[places].sum(axis=0)
                expected = metric.score(rows).tolist()
            else:
                fixed = metric.for_references(texts.references)
                expected = [fixed.corpus(text, reference).score for text in part.values()]
            assert scores == pytest.approx(expected, rel=1e-9, abs=1e-9), metric


def test_scores_and_contributions_equal_the_json(
    made: Report, file: Path, open_page: Opened
) -> None:
    page = open_page(file)
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the JSON").click()
    result = json.loads(downloaded.value.path().read_text(encoding="utf-8"))
    assert result["comparisons"] == made.to_dict()["comparisons"]
    for number, (label, scores) in enumerate(
        page.evaluate(
            "browser.store.metrics.map(metric => "
            "[metric.label, browser.store.scores(metric, browser.selection)])"
        )
    ):
        expected = [system["scores"][label]["score"] for system in result["systems"]]
        assert scores == pytest.approx(expected, rel=1e-9)
        explained = result["explanations"][number]
        page.evaluate(
            "([metric, a, b]) => browser.change({ metric, a, b })",
            [label, explained["comparison"]["a"], explained["comparison"]["b"]],
        )
        contributions = page.evaluate("Array.from(browser.contributions())")
        assert contributions == pytest.approx(explained["segments"], abs=1e-9)


def test_segment_scores_equal_the_metric(made: Report, file: Path, open_page: Opened) -> None:
    page = open_page(file)
    assert made.segments is not None
    scores = truebleu.score(
        made.segments.counts.require_texts(), metrics=["bleu", "chrf", "ter"], per_segment=True
    )
    for row in scores.systems:
        for label, expected in (row.segments or {}).items():
            values = page.evaluate(
                "([label, system]) => { const { store, selection } = browser;"
                "const metric = store.metrics.find(one => one.label === label);"
                "const number = store.systems.indexOf(system);"
                "return selection.map(place => store.segmentScore(metric, number, place)); }",
                [label, row.name],
            )
            assert values == pytest.approx(list(expected), rel=1e-9, abs=1e-9)


def test_a_selection_shows_its_scores_and_a_p_that_knows_of_the_looks(
    causes: TestSet, file: Path, open_page: Opened
) -> None:
    page = open_page(file, "#a=weak-in-sport&b=baseline")
    sport = [place for place, domain in enumerate(causes.domains or ()) if domain == "sport"]
    page.locator("select[name=slice]").select_option(label="sport")
    summary = page.locator(".summary")
    summary.get_by_text(f"{len(sport)} of 120 segments").wait_for()
    part = {
        name: [causes.systems[name][place] for place in sport]
        for name in ("weak-in-sport", "baseline")
    }
    reference = [causes.references[0][place] for place in sport]
    assert "Exploratory" in summary.inner_text()
    page.wait_for_function(
        "() => !document.querySelector('[data-p=BLEU]').textContent.includes('…')"
    )
    documents = [(causes.documents or ())[place] for place in sport]
    result = truebleu.compare(part, reference, documents=documents, replicates=200)
    (pair,) = result.comparisons
    scores = [result.systems[name]["BLEU"].score for name in part]
    cells = summary.locator("tbody tr").first.locator("td:not(.plot)").all_inner_texts()
    assert cells == [
        *(f"{score:.2f}" for score in scores),
        f"{pair.difference:+.2f}".replace("-", "−"),
        bracketed(pair.interval, 2, sign="+").replace("-", "−"),
        p_cell(pair.p),
    ]
    page.locator("select[name=slice]").select_option(value="")
    page.locator("select[name=slice]").select_option(label="sport")
    page.locator("select[name=slice]").select_option(label="news")
    summary.get_by_text("number of selections (2)").wait_for()


def test_segments_are_sorted_filtered_and_linked_to(
    made: Report, causes: TestSet, file: Path, open_page: Opened
) -> None:
    page = open_page(file)
    assert made.explanation is not None
    pair = made.explanation.pairs[0]
    order = sorted(range(120), key=lambda place: (-abs(pair.segments[place]), place))
    assert numbers_in_list(page)[:5] == [place + 1 for place in order[:5]]
    page.get_by_label("Sort by").select_option("number")
    page.wait_for_function("() => document.querySelector('.row').id === 'segment-1'")
    assert numbers_in_list(page)[:4] == [1, 2, 3, 4]
    word = str(causes.references[0][40]).split()[-2]
    page.get_by_label("Text", exact=True).fill(word)
    page.wait_for_function("() => location.hash.includes('text=')")
    found = [
        place + 1
        for place in range(120)
        if any(
            word.lower() in str(text[place]).lower()
            for text in (*causes.references, *causes.systems.values())
        )
    ]
    page.wait_for_function(f"() => browser.order.length === {len(found)}")
    assert page.evaluate("browser.order.map(place => place + 1)") == found
    page.locator(".row").nth(1).click()
    link = page.evaluate("location.hash")
    again = open_page(file, link)
    assert again.locator(".detail h3").inner_text() == f"Segment {found[1]}"
    assert again.get_by_label("Text", exact=True).input_value() == word
    assert again.evaluate("browser.order.length") == len(found)
    page.get_by_label("regular expression").check()
    page.get_by_label("Text", exact=True).fill("(")
    page.wait_for_function("() => document.querySelector('.error').textContent !== ''")
    page.get_by_label("Text", exact=True).fill("^The .*\\.$")
    page.wait_for_function("() => document.querySelector('.error').textContent === ''")
    page.get_by_role("button", name="Show all 120").click()
    page.wait_for_function("() => browser.order.length === 120")


def test_flags_and_documents_select(causes: TestSet, file: Path, open_page: Opened) -> None:
    page = open_page(file, "#a=runaway&b=baseline")
    page.get_by_label("Flagged").select_option("runaway")
    page.wait_for_function("() => browser.order.length < 120")
    flags = page.locator(".row .top").first.inner_text()
    assert "⚑ runaway" in flags
    page.get_by_label("Flagged").select_option("")
    document = (causes.documents or ())[0]
    page.get_by_label("Document").fill(document)
    expected = sum(one == document for one in causes.documents or ())
    page.wait_for_function(f"() => browser.order.length === {expected}")


def test_the_keyboard_reaches_every_segment(file: Path, open_page: Opened) -> None:
    page = open_page(file, "#sort=number", viewport={"width": 1280, "height": 800})
    heading = page.locator(".detail h3")
    page.keyboard.press("j")
    assert heading.inner_text() == "Segment 2"
    page.keyboard.press("k")
    page.locator(".list").focus()
    page.keyboard.press("End")
    assert heading.inner_text() == "Segment 120"
    assert page.locator("#segment-120").is_visible()
    page.keyboard.press("PageUp")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert heading.inner_text() == "Segment 2"
    assert page.locator(".row[aria-selected=true]").get_attribute("id") == "segment-2"
    assert page.locator(".row").count() < 30  # a virtual list
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "text"


HOSTILE = [
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(2)">',
    "\u202egnitset‮ \u2066 bidi ‏مرحبا",
    "x" * 1_000_000,
    "nul \0 inside",
    "👩‍👩‍👧‍👦 🏳️‍🌈 emoji",
    "\u0301\u0301 lone combining marks",
    "<!--<script>{title}{script}",
    "]]>&amp;&lt;b&gt;\u2028\u2029",
    "=cmd|' /C calc'!A0 ${7*7} {{7*7}}",
]


def test_hostile_texts_stay_text(tmp_path: Path, open_page: Opened) -> None:
    names = ["<b>system</b>", "</script><script>alert(3)</script>"]
    texts = {names[0]: HOSTILE, names[1]: [text[::-1] for text in HOSTILE]}
    path = report(
        texts,
        [f"{text[:200]} <i>reference</i>" for text in HOSTILE],
        source=HOSTILE,
        documents=[f"</title><svg onload=alert({i})>" for i in range(len(HOSTILE))],
        by={"<u>by": [f"'\"><script>alert({i})</script>" for i in range(len(HOSTILE))]},
        replicates=40,
    ).save(tmp_path / "hostile.html", command="</pre><script>alert(4)</script>")
    page = open_page(path)
    for place, text in enumerate(HOSTILE):
        page.evaluate("segment => browser.change({ segment, against: '' })", str(place + 1))
        page.wait_for_function(
            f"() => document.querySelector('.detail h3').textContent === 'Segment {place + 1}'"
        )
        shown = page.locator(".text-block[data-kind=source] .text")
        if len(text) > 4000:
            shown.get_by_role("button").click()
        assert shown.evaluate("node => node.textContent") == text
        page.evaluate("browser.change({ against: 'reference' })")
    # Nothing but what the page itself has.
    assert page.locator("script:not([type])").count() == 1
    assert (
        page.locator(
            "img, .text b, .text i, .row b, .row i, h1 b, .example b, iframe, object"
        ).count()
        == 0
    )
    assert page.locator("main svg[onload]").count() == 0


def test_a_policy_forbids_requests_eval_and_inline_handlers(file: Path, chromium: Browser) -> None:
    page = chromium.new_page()
    page.goto(file.as_uri())
    assert (
        page.evaluate("fetch('https://example.org').then(() => 'sent', () => 'refused')")
        == "refused"
    )
    # Not at once: what the debugger itself evaluates is free to.
    tried = page.evaluate(
        "new Promise(done => setTimeout(() => {"
        "try { done(eval('1')); } catch (error) { done(error.name); } }))"
    )
    assert tried == "EvalError"
    page.evaluate(
        "() => { const node = document.createElement('div');"
        "node.setAttribute('onclick', 'window.clicked = true');"
        "document.body.append(node); node.click(); }"
    )
    assert page.evaluate("window.clicked") is None
    page.close()


def test_the_page_shows_tables_without_scripts(file: Path, open_page: Opened) -> None:
    page = open_page(file, wait=False, java_script_enabled=False)
    text = page.locator("main").inner_text()
    assert page.locator("#browser").is_hidden()
    assert page.locator(".example:visible").count() == 3
    assert "needs JavaScript" in text
    assert "baseline" in page.locator("#answer table").first.inner_text()
    assert page.locator("details:not([open]):not(.triangle)").count() == 0


def test_print_shows_examples_instead_of_the_browser(file: Path, open_page: Opened) -> None:
    page = open_page(file, color_scheme="dark")
    # With more than two systems, the browser is of the pair that its reader chooses.
    assert page.locator(".example:visible").count() == 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("#browser").is_hidden()
    assert page.locator(".example:visible").count() == 3
    assert page.locator("main details:not([open])").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


CONTRAST = """
() => {
  const channel = (value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || /^(SCRIPT|STYLE|NOSCRIPT|OPTION|TITLE)$/i.test(node.tagName)) continue;
    if (!node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const ink = parse(node instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${node.tagName}.${node.className}: ${ratio.toFixed(2)}`);
  }
  return poor;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_legible_in_both_schemes_and_narrow(
    file: Path, open_page: Opened, scheme: str, width: int
) -> None:
    page = open_page(
        file,
        "#a=runaway&b=baseline&flag=runaway",
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
    )
    assert page.evaluate(CONTRAST) == []
    # Wide tables scroll by themselves, and the page does not.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Rows with bars stay large enough to read, and controls as small as they are.
    heights = page.locator("#answer table td").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    )
    assert min(height for height in heights if height) >= 10
    controls = page.locator(".controls select:visible").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    )
    assert max(controls) < 40
    unnamed = page.locator("input, select, button").evaluate_all(
        "nodes => nodes.filter(node => !node.labels?.length && !node.ariaLabel "
        "&& !node.textContent.trim()).map(node => node.outerHTML)"
    )
    assert unnamed == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    causes: TestSet,
    file: Path,
    tmp_path: Path,
    open_page: Opened,
    findings_of_axe: Callable[[Page], list[str]],
    scheme: str,
) -> None:
    systems = {name: causes.systems[name] for name in ("runaway", "baseline")}
    two = report(replace(causes, systems=systems), by=["domain"], replicates=200)
    two.save(tmp_path / "two.html")
    report(items_of(60), by=["kind"], replicates=200).save(tmp_path / "items.html")
    for path, fragment in (
        (file, "#a=runaway&b=baseline&flag=runaway"),
        (tmp_path / "two.html", ""),
        (tmp_path / "items.html", ""),
    ):
        page = open_page(path, fragment, color_scheme=scheme, bypass_csp=True)
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        assert findings_of_axe(page) == []


def test_two_clicks_choose_a_pair(made: Report, file: Path, open_page: Opened) -> None:
    page = open_page(file)
    part, league = page.locator("#pair-of-systems"), page.locator(".league")
    before = part.inner_text()
    league.get_by_role("button", name="weak-in-sport").click()
    # The first click changes nothing yet.
    assert part.inner_text() == before
    league.get_by_role("button", name="baseline").click()
    part.get_by_role("heading", name="weak-in-sport − baseline").wait_for()
    assert page.evaluate("[browser.state.a, browser.state.b]") == ["weak-in-sport", "baseline"]
    chosen = league.locator(".pick[aria-pressed=true]").all_inner_texts()
    assert sorted(chosen) == ["baseline", "weak-in-sport"]
    cells = part.locator("tbody tr").first.locator("td:not(.plot)").all_inner_texts()
    results = {(p.a, p.b): p for p in made.comparison.of("BLEU")}
    pair = results.get(("weak-in-sport", "baseline")) or results["baseline", "weak-in-sport"]
    sign = 1 if pair.a == "weak-in-sport" else -1
    low, high = pair.uncorrected_interval or pair.interval
    assert low is not None
    assert high is not None
    bounds = (low, high) if sign > 0 else (-high, -low)
    scores = [made.comparison.systems[n]["BLEU"].score for n in ("weak-in-sport", "baseline")]
    assert [cell.replace("−", "-") for cell in cells] == [
        *(f"{score:.2f}" for score in scores),
        f"{sign * pair.difference:+.2f}",
        bracketed(bounds, 2, sign="+"),
        p_cell(pair.p),
        p_cell(pair.p_adjusted),
    ]
    page.go_back()
    assert part.inner_text() == before


def test_buttons_of_outcomes_are_as_wide_as_their_counts(
    causes: TestSet, tmp_path: Path, open_page: Opened
) -> None:
    systems = {name: causes.systems[name] for name in ("weak-in-sport", "baseline")}
    made = report(replace(causes, systems=systems), replicates=200)
    page = open_page(made.save(tmp_path / "two.html"), viewport={"width": 1400, "height": 900})
    buttons = page.locator("#outcomes button")
    counts = [int(text.split()[0]) for text in buttons.all_inner_texts()]
    widths = buttons.evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().width)")
    assert sum(counts) == 120
    # Narrow ones keep room for their words.
    wide = [(count, width) for count, width in zip(counts, widths, strict=True) if count > 30]
    assert len(wide) > 1
    assert [count / wide[0][0] for count, _ in wide] == pytest.approx(
        [width / wide[0][1] for _, width in wide], rel=0.05
    )


def test_outputs_are_compared_by_words_or_characters(file: Path, open_page: Opened) -> None:
    page = open_page(file)
    runs = page.evaluate("differences('the cat sat', 'the dog sat down')")
    assert runs == [
        ["same", "the "],
        ["extra", "cat "],
        ["missing", "dog "],
        ["same", "sat"],
        ["missing", "down"],
    ]
    runs = page.evaluate("differences('我爱你', '我恨你')")
    assert runs == [["same", "我"], ["extra", "爱"], ["missing", "恨"], ["same", "你"]]
    assert page.evaluate("differences('', 'a')") == [["missing", "a"]]
    assert page.evaluate("differences('a '.repeat(3000), 'b '.repeat(3000))") is None


def test_a_metric_that_the_core_lacks_is_not_recomputed(tmp_path: Path, open_page: Opened) -> None:
    class Opaque(FunctionMetric):
        def core_settings(self) -> None:
            return None

    metric = Opaque(function=lambda output, _references: float(len(output)), name="letters")
    texts = {"a": ["a cat", "sits"] * 3, "b": ["a cat", "sat"] * 3}
    made = report(texts, ["a dog", "sat"] * 3, metrics=[metric], replicates=40)
    page = open_page(made.save(tmp_path / "opaque.html"), "#text=sits")
    page.locator(".summary").get_by_text("not recomputed").wait_for()
    assert page.evaluate("browser.store.segmentScore(browser.metric, 1, 1)") == 3
    assert page.evaluate("browser.contributions()[1]") == pytest.approx(1 / 6)


def test_a_large_set_is_sampled_and_says_so(
    tmp_path: Path, causes: TestSet, open_page: Opened
) -> None:
    from truebleu.reports.page import html_page

    made = report(causes, metrics=["bleu"], replicates=200)
    path = tmp_path / "sampled.html"
    path.write_text(html_page(made, most_outputs=40 * len(causes.systems)), encoding="utf-8")
    page = open_page(path)
    kept = page.evaluate("browser.store.count")
    assert kept == 40
    assert f"{kept} of 120 segments are in this page" in page.locator("#segments").inner_text()
    assert made.explanation is not None
    values = made.explanation.pairs[0].segments
    largest = sorted(range(120), key=lambda place: -abs(values[place]))[: kept // 2]
    numbers = page.evaluate("browser.store.numbers")
    assert {place + 1 for place in largest} <= set(numbers)
    number = numbers[-1]
    page.evaluate("segment => browser.change({ segment, against: '' })", str(number))
    page.wait_for_function(
        f"() => document.querySelector('.detail h3').textContent === 'Segment {number}'"
    )
    text = page.locator(".text-block[data-kind=output] .text").first.inner_text()
    assert text in {str(outputs[number - 1]) for outputs in causes.systems.values()}


def test_a_page_of_items_speaks_of_items_and_models(tmp_path: Path, open_page: Opened) -> None:
    scores = {name: [(n * k) % 7 / 7 for n in range(40)] for k, name in enumerate("abc", 1)}
    page = open_page(report(scores, replicates=200).save(tmp_path / "items.html"))
    page.get_by_label("Sort by").select_option(label="most for the first model")
    shown = page.locator("#browser").inner_text().lower()
    assert page.locator(".detail h3").inner_text().startswith("Item ")
    assert "segment" not in shown
    assert "system" not in shown


def items_of(count: int, seed: int = 5) -> dict[str, list[dict[str, Any]]]:
    """Simulated answers of two models to questions of two kinds."""
    generator = np.random.default_rng(seed)
    rates = {"old": 0.4, "new": 0.6}
    right = {name: generator.random(count) < rate for name, rate in rates.items()}
    return {
        name: [
            {
                "id": f"q{n}",
                "question": f"What is {n} + 1 <b>?</b>",
                "target": f"{n} + 1\n#### {n + 1}",
                "output": f"It is\nA: {n + 1 if is_right else n}",
                "score": int(is_right),
                "kind": "even" if n % 2 == 0 else "odd",
            }
            for n, is_right in enumerate(answers)
        ]
        for name, answers in right.items()
    }


def test_items_show_questions_answers_and_who_is_right(tmp_path: Path, open_page: Opened) -> None:
    items = items_of(300)
    made = report(items, by=["kind"], replicates=400)
    page = open_page(made.save(tmp_path / "items.html"))
    scores = {name: [row["score"] for row in rows] for name, rows in items.items()}
    pairs = list(zip(scores["old"], scores["new"], strict=True))
    counts = {kind: pairs.count(kind) for kind in ((1, 0), (0, 1), (1, 1), (0, 0))}
    buttons = page.locator("#outcomes button")
    assert [text.split()[0] for text in buttons.all_inner_texts()] == [
        str(count) for count in counts.values()
    ]
    title = page.locator("#segments-title").inner_text()
    assert title == f"{counts[1, 0] + counts[0, 1]} items that only one model gets right"
    # By default, the items that only one model gets right.
    differing = [place for place, (old, new) in enumerate(pairs) if old != new]
    assert page.evaluate("browser.order") == differing
    row = page.locator(".row").first.inner_text()
    assert f"q{differing[0]}" in row
    assert "<b>?</b>" in row
    # The target and both answers are the last lines of their texts.
    answers = page.locator(".row").first.locator(".target, .answer").all_inner_texts()
    n = differing[0]
    shown = [f"✓right {n + 1}" if right else f"✗wrong {n}" for right in pairs[n]]
    assert [text.replace("\n", "") for text in answers] == [str(n + 1), *shown]
    assert "What is" in page.locator(".detail").inner_text()
    # Each button takes its items away or adds them, and all can be shown.
    buttons.nth(0).click()
    assert page.evaluate("browser.order") == [p for p in differing if pairs[p] == (0, 1)]
    page.get_by_role("button", name="Show all 300").click()
    assert page.evaluate("browser.order.length") == 300
    buttons.nth(3).click()
    neither = [place for place, pair in enumerate(pairs) if pair == (0, 0)]
    assert page.evaluate("browser.order") == neither
    page.locator("select[name=slice]").select_option(label="even")
    assert page.evaluate("browser.order") == [place for place in neither if place % 2 == 0]
    page.go_back()
    assert page.evaluate("browser.order") == neither


def test_ten_selections_of_items_have_the_digits_of_compare(
    tmp_path: Path, open_page: Opened
) -> None:
    items = items_of(300)
    page = open_page(report(items, by=["kind"], replicates=400).save(tmp_path / "items.html"))
    for number in range(10):
        chosen = [n for n in range(300) if str(number) in str(n)]
        page.evaluate(
            "text => browser.change({ text, regex: 'yes' })", f"What is \\d*{number}\\d* "
        )
        page.wait_for_function(f"() => browser.selection.length === {len(chosen)}")
        page.wait_for_function("() => !/…/.test(document.querySelector('.summary').textContent)")
        part = {name: [float(rows[n]["score"]) for n in chosen] for name, rows in items.items()}
        (pair,) = truebleu.compare(part, replicates=400).comparisons
        low, high = pair.interval
        assert low is not None
        assert high is not None
        means = [f"{100 * sum(scores) / len(scores):.1f} %" for scores in part.values()]
        cells = page.locator(".summary tbody tr td:not(.plot)").all_inner_texts()
        assert [cell.replace("−", "-") for cell in cells] == [
            *means,
            f"{100 * pair.difference:+.1f}",
            bracketed((100 * low, 100 * high), 1, sign="+"),
            p_cell(min(1.0, pair.p * (number + 1))),
        ]


def test_ten_selections_of_texts_have_the_digits_and_cautions_of_compare(
    causes: TestSet, file: Path, open_page: Opened
) -> None:
    names = ("runaway", "baseline")
    page = open_page(file, "#a=runaway&b=baseline&metric=BLEU")
    documents = causes.documents or ()
    references = [str(text) for text in causes.references[0]]
    words = Counter(word for text in references for word in set(text.split()) if word.isalpha())
    for looks, (word, _) in enumerate(words.most_common(24)[4::2], 1):
        page.evaluate("text => browser.change({ text, in: 'reference' })", word)
        chosen = [n for n, text in enumerate(references) if word.lower() in text.lower()]
        page.wait_for_function(f"() => browser.selection.length === {len(chosen)}")
        page.wait_for_function("() => !/…/.test(document.querySelector('.summary').textContent)")
        part = {name: [causes.systems[name][n] for n in chosen] for name in names}
        reference = [causes.references[0][n] for n in chosen]
        labels = [documents[n] for n in chosen]
        result = truebleu.compare(part, reference, documents=labels, replicates=200)
        (pair,) = result.comparisons
        cells = page.locator(".summary tbody tr").first.locator("td:not(.plot)").all_inner_texts()
        assert [cell.replace("−", "-") for cell in cells] == [
            *(f"{result.systems[name]['BLEU'].score:.2f}" for name in names),
            f"{pair.difference:+.2f}",
            bracketed(pair.interval, 2, sign="+"),
            p_cell(min(1.0, pair.p * looks)),
        ]
        shown = page.locator(".summary").inner_text()
        said = str(result)
        for caution in ("intervals can be too narrow", "of the variance"):
            assert (caution in " ".join(said.split())) == (caution in shown)


def test_going_back_undoes_filters_down_to_the_last(file: Path, open_page: Opened) -> None:
    page = open_page(file)
    page.locator("select[name=slice]").select_option(label="sport")
    page.get_by_label("Sort by").select_option("number")
    page.go_back()
    assert page.evaluate("browser.state.sort") == "contribution"
    assert page.evaluate("browser.state.slice") == "domain:sport"
    page.go_back()
    assert page.evaluate("[browser.state.slice, browser.order.length]") == ["", 120]


def test_typing_is_kept_when_another_control_changes(file: Path, open_page: Opened) -> None:
    page = open_page(file)
    page.get_by_label("Text", exact=True).press_sequentially("the")
    # Before the pause after which typing is applied.
    page.get_by_label("Sort by").select_option("number")
    assert page.get_by_label("Text", exact=True).input_value() == "the"
    assert page.evaluate("[browser.state.text, browser.state.sort]") == ["the", "number"]


def test_names_are_shown_safely_and_never_break(tmp_path: Path, open_page: Opened) -> None:
    causes = simulate_causes(segments=40)
    long = "a-system-with-a-name-of-more-than-25-characters"
    outputs = dict(
        zip(["evil\u202ename", long, "short one"], causes.systems.values(), strict=False)
    )
    made = report(outputs, causes.references[0], replicates=100)
    page = open_page(made.save(tmp_path / "names.html"))
    assert "\u202e" not in page.locator("body").inner_text()
    for part in ("header", "h1", ".league", "#pair"):
        shown = " ".join(page.locator(part).all_inner_texts())
        assert long not in shown
        assert "evil\\u202ename" in shown or part in ("header", "h1")
    assert "a-system-wit…5-characters" in page.locator(".league").inner_text()
    options = page.locator("select[name=a] option").all_inner_texts()
    assert options == ["evil\\u202ename", "a-system-wit…5-characters", "short one"]
    heights = page.locator(".name:visible").evaluate_all(
        "nodes => nodes.map(node => node.getClientRects().length)"
    )
    assert set(heights) == {1}


def test_a_page_without_texts_or_segments_works_too(
    made: Report, causes: TestSet, tmp_path: Path, open_page: Opened
) -> None:
    counts = counts_of(causes).select(["runaway", "baseline"])
    save_counts(counts, tmp_path / "saved.npz")
    saved = read_counts(tmp_path / "saved.npz")
    page = open_page(report(saved, replicates=200).save(tmp_path / "saved.html"))
    assert page.locator(".text-block").count() == 0
    assert page.get_by_label("Text", exact=True).count() == 0
    page.locator("select[name=slice]").select_option(label="sport")
    page.locator(".summary").get_by_text("segments").wait_for()
    page = open_page(Report(comparison=made.comparison).save(tmp_path / "bare.html"), wait=False)
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the JSON").click()
    result = json.loads(downloaded.value.path().read_text(encoding="utf-8"))
    assert result["systems"] == made.comparison.to_dict()["systems"]


def test_lower_is_better_sorts_and_colours_by_better(file: Path, open_page: Opened) -> None:
    page = open_page(file, "#metric=TER&a=runaway&b=baseline&sort=ahead")
    values = page.evaluate("Array.from(browser.contributions())")
    # Fewer edits are for the first system.
    assert values[numbers_in_list(page)[0] - 1] == pytest.approx(min(values))
    page.get_by_label("Sort by").select_option("behind")
    page.wait_for_function("() => browser.state.sort === 'behind'")
    assert values[numbers_in_list(page)[0] - 1] == pytest.approx(max(values))
    assert "▼ +" in page.locator(".row .top").first.inner_text()


def test_a_system_is_never_compared_with_itself(file: Path, open_page: Opened) -> None:
    page = open_page(file, "#a=baseline&b=baseline")
    assert page.evaluate("browser.state.a !== browser.state.b")
    page = open_page(file, "#a=runaway&b=baseline")
    page.locator("select[name=a]").select_option("baseline")
    page.wait_for_function("() => browser.state.a === 'baseline'")
    assert page.evaluate("browser.state.b") == "runaway"
    page.get_by_role("button", name="Swap the systems").click()
    assert page.evaluate("[browser.state.a, browser.state.b]") == ["runaway", "baseline"]


def test_no_segments_and_one_document_say_why_there_is_no_p(
    causes: TestSet, file: Path, open_page: Opened
) -> None:
    page = open_page(file, "#text=no-such-words-anywhere")
    summary = page.locator(".summary")
    summary.get_by_text("matches the selection").wait_for()
    document = (causes.documents or ())[0]
    page.evaluate("document => browser.change({ text: '', document })", document)
    summary.get_by_text("these segments are one document").wait_for()
    assert summary.locator("[data-p=BLEU]").inner_text() == "–"


def test_slices_and_ngrams_of_the_explanation_are_links(
    causes: TestSet, tmp_path: Path, open_page: Opened
) -> None:
    systems = {name: causes.systems[name] for name in ("weak-in-sport", "baseline")}
    made = report(replace(causes, systems=systems), replicates=500)
    page = open_page(made.save(tmp_path / "links.html"))
    kinds = ["slice=", "text=", "segment=", "document="]
    addresses = page.locator("#explanation td a").evaluate_all("nodes => nodes.map(a => a.hash)")
    assert all(any(kind in address for address in addresses) for kind in kinds)
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    page.locator("#explanation td a[href*='slice=']").first.click()
    page.wait_for_function("() => browser.order.length < 120")
    assert "slice=" in page.evaluate("location.hash")
    example = page.locator("#segments .example a").first
    example.click()
    page.locator(".detail h3", has_text=example.inner_text()).wait_for()


def test_texts_that_differ_in_more_than_half_have_matched_ngrams(
    file: Path, open_page: Opened
) -> None:
    page = open_page(file)
    marked = "([text, other]) => paragraph(text, { other }).querySelectorAll('ins, del').length"
    note = "([text, other]) => paragraph(text, { other }).dataset.note ?? ''"
    alike = ["the cat sat on the mat", "the cat sat on a mat"]
    unlike = ["the cat sat on the mat", "dogs ran away from my house on monday"]
    assert page.evaluate(marked, alike) > 0
    assert page.evaluate(note, alike) == ""
    assert page.evaluate(marked, unlike) == 0
    assert "too different to mark" in page.evaluate(note, unlike)
    shaded = "([text, other]) => paragraph(text, { other }).querySelector('.match-1').textContent"
    assert page.evaluate(shaded, unlike) == "on"
    orders = page.evaluate("matched('a b c x', 'a b c y x').map(([kind]) => kind)")
    assert orders == ["match-3", "match-3", "match-3", "match-1"]
