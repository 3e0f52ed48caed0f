"""The core in the report's page computes what the native one does."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import sha256
from shutil import which
from subprocess import run
from typing import TYPE_CHECKING, Any, Literal, get_args, get_type_hints
from zipfile import ZipFile

import numpy as np
import pytest

import truebleu
from tests.conftest import IN_CI
from tests.simulated_causes import simulate_causes
from tools.wasm import MODULE, NOTE, TARGET, build, check, has_target, sources_hash
from truebleu import _core
from truebleu.corpus import as_test_set
from truebleu.corpus.outline import Outline
from truebleu.counts.counts import Counts
from truebleu.counts.rows import Rows
from truebleu.errors import SettingError
from truebleu.explanation.contributions import mean_gradient
from truebleu.metrics import SentenceBLEU
from truebleu.metrics.base import GivenMean, NativeMetric, Signature
from truebleu.metrics.bleu import SMOOTHINGS
from truebleu.metrics.dependency import GivenParses
from truebleu.metrics.registry import METRICS, as_metrics, metric_class
from truebleu.reports.page._data import core_comparison_settings, core_description

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.significance.compare import Comparison, PairResult

CAUSES = simulate_causes(segments=60)
TEXTS = replace(
    CAUSES, systems={name: CAUSES.systems[name] for name in ("runaway", "weak-in-sport")}
)

# Relative difference of last digits: NumPy adds in another order, and the page has no C library.
SAME = 1e-12


def conllu(text: TextLike) -> str:
    """Parse a text: every word depends on the word before it."""
    sentences = [
        [f"{n}\t{word}\t{word}\t_\t_\t_\t{n - 1}\tdep\t_\t_" for n, word in enumerate(words, 1)]
        for words in ((segment or "").split() for segment in text)
    ]
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


def native_metrics(texts: TestSet) -> Iterator[NativeMetric]:
    """Yield the registry's native metrics, and each of them with other choices and switches."""
    outputs = {name: conllu(text) for name, text in texts.systems.items()}
    parses = GivenParses.of(outputs, [conllu(text) for text in texts.references])
    for name in METRICS:
        make = metric_class(name)
        if not (isinstance(make, type) and issubclass(make, NativeMetric)):
            continue
        required = {"given": parses} if name == "depf" else {}
        default = make(**required)
        yield default
        hints = get_type_hints(make)
        for setting in fields(make):  # type: ignore[arg-type]  # metrics are dataclasses
            value = getattr(default, setting.name)
            choices = (not value,) if hints[setting.name] is bool else get_args(hints[setting.name])
            for choice in choices:
                if isinstance(choice, bool | str) and choice != value:
                    with suppress(SettingError):  # settings that go together with others
                        changed = make(**required, **{setting.name: choice})
                        if changed.signature != default.signature:
                            yield changed


# No list: what the recipe adds is here too.
SCORED = [
    *native_metrics(TEXTS),
    *as_metrics("bleu:smooth=add-k,smooth_value=0.137,chrf:word_order=2,beta=3,gtm:exponent=1.7"),
    *(SentenceBLEU(smoothing=name) for name in SMOOTHINGS if name != SentenceBLEU().smoothing),
    truebleu.metrics.FunctionMetric(function=lambda output, _: len(output) / 7, name="letters"),
]

# What the page does, by its own script; the first line of the input is what to do.
SCRIPT = """
const fs = require("fs");
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
eval(fs.readFileSync(asked.script, "utf8") + "; globalThis.Core = Core;");
(async () => {
  const core = await Core.load(fs.readFileSync(asked.module));
  const answers = [];
  for (const { metric, rows, places, units, settings } of asked.tables) {
    core.addTable(metric, 2);
    const [segments] = [rows.length];
    core.rows(metric, 2, segments).set(rows.flat(2));
    answers.push({
      scores: [...core.scores(metric, 2, places)],
      segments: [0, 1].map((system) => [...core.segmentScores(metric, system, segments)]),
      contributions: [...core.contributions(metric, 0, 1, segments)],
      compared: await core.compare(metric, [0, 1], places, units, settings, () => false),
    });
  }
  console.log(JSON.stringify(answers));
})();
"""


def test_the_note_describes_the_tracked_module() -> None:
    note = json.loads(NOTE.read_text(encoding="utf-8"))
    assert note["module"] == sha256(MODULE.read_bytes()).hexdigest()
    assert MODULE.stat().st_size < 850_000


@pytest.mark.parametrize("sources", [sources_hash(), "other"])
def test_a_wheel_must_have_the_core_of_these_sources(tmp_path: Path, sources: str) -> None:
    with ZipFile(tmp_path / "truebleu-1.whl", "w") as wheel:
        wheel.writestr("truebleu/reports/page/core.json", json.dumps({"sources": sources}))
    if sources == "other":
        with pytest.raises(SystemExit, match=r"truebleu-1\.whl: .* run make wasm first"):
            check(tmp_path)
    else:
        check(tmp_path)


@pytest.fixture(scope="session", params=["tracked", pytest.param("built", marks=pytest.mark.slow)])
def module(request: pytest.FixtureRequest) -> Path:
    """The tracked module, which must have the digits of these sources, and one made of them."""
    return MODULE if request.param == "tracked" else built_module()


def built_module() -> Path:
    """Compile the page's core; skip the test if Rust or its target is not installed."""
    if which("cargo") is None or not has_target():
        if IN_CI:
            pytest.fail(f"Rust's target {TARGET} is not installed")
        pytest.skip(f"Rust's target {TARGET} is not installed")
    return build()


def node() -> str:
    found = which("node")
    if found is None:
        if IN_CI:
            pytest.fail("Node.js is not installed")
        pytest.skip("Node.js is not installed")
    return found


def answered(module: Path, tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    script = MODULE.with_name("core.js")
    asked = {"script": str(script), "module": str(module), "tables": tables}
    done = run([node(), "-e", SCRIPT], input=json.dumps(asked), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_all_numbers_equal_the_native_core(
    module: Path, unit: Literal["segment", "document"]
) -> None:
    places = list(range(3, 60, 2))
    documents = [(TEXTS.documents or ())[place] for place in places]
    counts = truebleu.count(TEXTS, metrics=SCORED)
    result = truebleu.compare(counts.subset(places), unit=unit, replicates=2000)
    metrics = [metric.scorer for metric in counts.metrics]
    rows = [metric.rows.floats() for metric in counts.metrics]
    answers = answered(
        module,
        [
            {
                "metric": core_description(metric),
                "rows": table.tolist(),
                "places": places,
                "units": places if unit == "segment" else documents,
                "settings": core_comparison_settings(result.settings),
            }
            for metric, table in zip(metrics, rows, strict=True)
        ],
    )
    for metric, table, answer, pair in zip(metrics, rows, answers, result.comparisons, strict=True):
        scores, segments = metric.score(table[places].sum(axis=0)), metric.segment_scores(table)
        assert answer["scores"] == pytest.approx(scores.tolist(), rel=SAME)
        assert answer["segments"] == pytest.approx(np.array(segments), rel=SAME)
        sums = table.sum(axis=0)
        gradient, _ = mean_gradient(metric, sums[1:], sums[:1])
        each = (table[:, 0] - table[:, 1]) @ gradient[0]
        assert answer["contributions"] == pytest.approx(each, rel=SAME, abs=SAME)
        assert_compared(answer["compared"], result, pair)


def assert_compared(compared: dict[str, Any], result: Comparison, pair: PairResult) -> None:
    """Check that the page compares two systems as the command line does."""
    metric = result.metrics[pair.metric]
    assert (compared["method"], compared["pass_fail"]) == (metric.interval_method, metric.pass_fail)
    assert compared["p"] == pair.p, pair.metric
    assert compared["difference"] == pytest.approx(pair.difference, rel=SAME), pair.metric
    assert compared["interval"] == pytest.approx(list(pair.interval), rel=SAME), pair.metric
    # The page shows no intervals of scores; those without replicates are known all the same.
    for name, interval in zip((pair.a, pair.b), compared["intervals"] or (), strict=False):
        expected = result.systems[name][pair.metric].interval
        assert interval == pytest.approx(list(expected), rel=SAME), pair.metric


def scores_by_kind() -> dict[str, NDArray[np.float64]]:
    """Draw scores of every kind, shaped (segment, system); NaN stands for a missing score."""
    draw = np.random.default_rng(5)
    shape, lead = (120, 2), [0.15, 0.0]
    missing = np.where(draw.random(shape) < 0.1, np.nan, draw.normal(lead, 1, shape))
    both = np.where(draw.random((120, 1)) < 0.2, np.nan, draw.random(shape) < 0.7)
    return {
        "pass/fail": (draw.random(shape) < [0.8, 0.6]).astype(np.float64),
        "nothing but passes": np.stack([np.ones(120), draw.random(120) < 0.7], axis=1),
        "pass/fail without some items": both,
        "ordinal": np.floor(draw.uniform(1, 6, shape) + lead),
        "fractions": draw.integers(0, 8, shape) / 7,
        "negative": -draw.exponential(3, shape) + lead,
        "missing": missing,
    }


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("together", [1, 2, 6])
def test_every_kind_of_score_has_the_numbers_of_compare(
    module: Path, together: int, higher: bool
) -> None:
    scorer = GivenMean(name="given", signature=Signature.of("given"), higher_is_better=higher)
    documents = tuple(str(segment // together) for segment in range(120))
    outline = Outline(systems=("a", "b"), segments=120, rows="items", documents=documents)
    places = [segment for segment in range(120) if segment % 12 != 7]
    units = places if together == 1 else [documents[place] for place in places]
    tables, results = [], []
    for scores in scores_by_kind().values():
        present = ~np.isnan(scores)
        rows = np.stack([np.where(present, scores, 0.0), present], axis=2)
        counts = Counts.of(outline, [(scorer, Rows.of(_core.Statistics(rows)))])
        result = truebleu.compare(
            counts.subset(places),
            unit="segment" if together == 1 else "document",
            replicates=999,
            seed=2**53 + 1,  # which JavaScript rounds
        )
        settings = core_comparison_settings(result.settings)
        about = {"places": places, "units": units, "settings": settings}
        tables.append({"metric": core_description(scorer), "rows": rows.tolist(), **about})
        results.append(result)
    methods = set()
    for answer, result in zip(answered(module, tables), results, strict=True):
        assert_compared(answer["compared"], result, result.comparisons[0])
        methods.add(answer["compared"]["method"])
    default = {1: "percentile", 2: "hall", 6: "jackknife"}[together]
    assert methods == {"wilson" if together == 1 else "korn-graubard", default}


def test_swaps_are_scaled_as_in_a_comparison(module: Path) -> None:
    reference = [f"word{n} likes word{n + 1} and word{n + 2} very much {n}" for n in range(60)]
    texts = {
        "short": [" ".join(text.split()[: 4 + n % 5]) for n, text in enumerate(reference)],
        "long": [f"{text} {'more ' * (n % 4)}indeed" for n, text in enumerate(reference)],
    }
    result = truebleu.compare(texts, reference, replicates=999)
    assert result.settings.test == "scaled"
    metric = truebleu.BLEU()
    rows = metric.count(as_test_set(texts, reference)).array().tolist()
    places = list(range(60))
    settings = core_comparison_settings(result.settings)
    about = {"places": places, "units": places, "settings": settings}
    (answer,) = answered(module, [{"metric": core_description(metric), "rows": rows, **about}])
    assert_compared(answer["compared"], result, result.comparisons[0])


def test_nothing_is_compared_without_two_units_or_without_scores(module: Path) -> None:
    scorer = GivenMean(name="given", signature=Signature.of("given"))
    rows = [[[0.0, 0.0], [1.0, 1.0]]] * 2 + [[[1.0, 1.0], [1.0, 1.0]]]
    settings = {"seed": 1, "replicates": 99, "level": 0.9, "interval": "percentile"}
    about = {"metric": core_description(scorer), "rows": rows, "settings": json.dumps(settings)}
    tables = [
        {**about, "places": places, "units": units}
        for places, units in (([1, 2], [0, 0]), ([0, 1], [0, 1]), ([1, 2], [0, 1]))
    ]
    compared = [answer["compared"] for answer in answered(module, tables)]
    assert [result is None for result in compared] == [True, True, False]
