"""Plans and drawn test sets in sentences and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.planning.plan import plan
from truebleu.planning.sample import sample
from truebleu.reports.document import render
from truebleu.reports.planning import plan_sentences, sample_sentences, size_table
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.planning.plan import Plan
    from truebleu.planning.sample import Sample


TEXTS = simulate(segments=60, systems=[0.2, 0.3], seed=1)


def planned(**options: Any) -> Plan:
    return plan(TEXTS, replicates=200, **options)


def test_a_difference_beyond_reach_is_named() -> None:
    result = planned(difference=1e-9)
    told = plan_sentences(result, result.plans[0])
    assert told[0].endswith("no test set is large enough: more than 1e+12 would be needed.")


def test_a_test_set_that_is_too_small_for_any_test_is_named() -> None:
    result = plan(simulate(segments=5, systems=[0.2, 0.3], seed=1), replicates=200)
    told = " ".join(plan_sentences(result, result.plans[0]))
    assert "no difference can be detected: a test needs at least 6 units" in told


def test_small_differences_keep_digits_that_show_them() -> None:
    result = planned()
    pair = replace(result.plans[0], smallest_difference=0.0028, difference=None)
    assert "can detect differences of 0.0028 BLEU or more." in " ".join(
        plan_sentences(result, pair)
    )


@pytest.mark.parametrize("size", [1e-90, 1e90])
def test_numbers_beyond_sense_stay_short(size: float) -> None:
    result = planned()
    (pair,) = result.plans
    sizes = tuple(replace(row, smallest_difference=size) for row in pair.sizes)
    cells = [
        row["smallest_difference"] for row in size_table(result, replace(pair, sizes=sizes)).rows
    ]
    assert set(cells) == {f"{size:.3g}"}


@pytest.mark.parametrize(("power", "written"), [(0.999, "99.9 %"), (0.925, "92.5 %")])
def test_the_power_wanted_is_written_as_it_was_given(power: float, written: str) -> None:
    text = render(planned(difference=2.0, power=power, unit="segment"))
    assert f"with a power of {written}, a test set" in text
    assert f"detects with {written}" in text


def test_no_test_is_sure() -> None:
    text = render(planned(difference=50.0))
    assert "over 99 %" in text
    assert "100 %" not in text


def test_the_correction_and_the_side_are_told() -> None:
    written = render(planned(difference=1.0, comparisons=4, alternative="greater"))
    assert "one-sided paired test at level 0.95, Bonferroni's correction for 4 com" in written


@pytest.mark.parametrize("format_", ["text", "markdown", "latex", "tsv"])
def test_names_are_written_as_the_format_needs(format_: str) -> None:
    channels = {"a_1": Channel.at_rate(0.2), "b|2": Channel.at_rate(0.3)}
    texts = simulate(segments=60, systems=channels, seed=1)
    written = render(plan(texts, difference=1.0), format_)
    if format_ == "tsv":
        rows = [line.split("\t") for line in written.splitlines() if not line.startswith("#")]
        assert len(rows) == 2
        assert len(rows[0]) == len(rows[1])
        assert dict(zip(*rows, strict=True))["b"] == "b|2"
    if format_ == "latex":
        assert "power for 1 BLEU" in written
        assert "80 \\%" in written
    if format_ == "text":
        assert "the pilot's (a_1 and b|2)" in " ".join(written.split())
    if format_ == "markdown":
        assert "the pilot's (a_1 and b|2)" in written


def test_many_pairs_share_one_table_and_one_method() -> None:
    texts = simulate(segments=60, systems=[0.1, 0.2, 0.3], seed=1)
    result = plan(texts, metrics=["bleu", "chrf"], difference=2.0, baseline="system-1")
    written = str(result).splitlines()
    assert written[0].startswith("To detect a difference of 2 BLEU with a power of 80 %")
    assert sum(line.startswith(("BLEU  ", "chrF2  ")) for line in written) == 4
    assert sum("paired test at level" in line for line in written) == 1
    hardest = max(result.of("BLEU"), key=lambda pair: pair.units_needed or 0)
    assert f"This is for {hardest.a} and {hardest.b}, whose difference varies most" in " ".join(
        written
    )


@pytest.fixture(scope="module")
def report() -> Sample:
    pool = simulate(segments=300, systems={"a_b": Channel.at_rate(0.2)}, seed=2)
    return sample(pool, size=70, draw="document")


def test_a_size_that_differs_from_the_request_is_reported(report: Sample) -> None:
    asked = replace(report, settings=replace(report.settings, size=71))
    assert "71 were requested; whole documents come no nearer" in " ".join(sample_sentences(asked))
    reached = replace(report, settings=replace(report.settings, size=len(report.segments)))
    assert "asked for" not in " ".join(sample_sentences(reached))


def test_the_whole_pool_has_no_distance_to_compare_with() -> None:
    pool = simulate(segments=30, systems={"a": Channel.at_rate(0.2)}, seed=2)
    told = sample_sentences(sample(pool, size=30))
    assert told[0] == "Drew 30 of 30 segments, evenly spread, one in 1 (seed 12345)."
    assert not any("Kolmogorov" in line for line in told)


def test_latex_has_a_table_for_each_part(report: Sample) -> None:
    assert render(report, "latex").count("\\begin{tabular}") == 2


def test_tsv_has_every_digit(report: Sample) -> None:
    rows = [line.split("\t") for line in render(report, "tsv").splitlines()]
    (column,) = (index for index, name in enumerate(rows[-3]) if name == "mean")
    means = [float(row[column]) for row in rows[-2:]]
    assert means == [report.lengths.mean, report.pool_lengths.mean]
