"""Settings of metrics: as arguments, as text, in signatures, and refused where impossible."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER
from truebleu.errors import SettingError
from truebleu.metrics import (
    MBLEU,
    PER,
    FunctionMetric,
    LengthRatio,
    Metric,
    SentenceBLEU,
    Signature,
    parse_metric,
)
from truebleu.metrics.base import GivenMean
from truebleu.metrics.registry import (
    METRICS,
    as_metrics,
    as_requested,
    format_metric,
    metric_labels,
)
from truebleu.scores import GivenScores


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("bleu", BLEU()),
        ("BLEU", BLEU()),
        ("bleu:tokenize=zh,smooth=floor,smooth_value=0.01", None),
        ("bleu:lowercase", BLEU(lowercase=True)),
        ("bleu:lowercase=no,max_order=2", BLEU(max_order=2)),
        ("bleu:tokenize=spm:/models/a.model", BLEU(tokenize="spm:/models/a.model")),
        ("chrf:word_order=2,beta=3", CHRF(word_order=2, beta=3)),
        ("ter:normalized=yes,case_sensitive=true", TER(normalized=True, case_sensitive=True)),
        ("chrF++", CHRF(word_order=2)),
        ("chrf2", CHRF()),
        ("CHRF2++", CHRF(word_order=2)),
        ("chrF3+:lowercase", CHRF(beta=3, word_order=1, lowercase=True)),
        ("M-BLEU", MBLEU()),
        ("sentBLEU:smoothing=4", SentenceBLEU(smoothing=4)),
    ],
)
def test_a_metric_is_written_as_a_name_and_settings(text: str, metric: Metric | None) -> None:
    expected = metric or BLEU(tokenize="zh", smooth="floor", smooth_value=0.01)
    assert parse_metric(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "unknown metric 'blue'; did you mean 'bleu'?"),
        ("bleu:tokenise=zh", "unknown setting of bleu 'tokenise'; did you mean 'tokenize'?"),
        ("bleu:tokenize=13b", "unknown tokenizer '13b'; did you mean '13a'?"),
        ("bleu:smooth=expo", "unknown smooth 'expo'; did you mean 'exp'?"),
        ("bleu:max_order=four", "bleu: max_order: 'four'; expected a whole number"),
        ("bleu:max_order=0", "max_order: 0; expected a whole number from 1 to 100"),
        ("bleu:lowercase=perhaps", "bleu: lowercase: 'perhaps'; expected yes or no"),
        ("bleu:smooth=floor,smooth_value=nan", "smooth_value: nan"),
        ("bleu:smooth=floor,smooth_value=-1", "smooth_value: -1.0"),
        ("bleu:smooth_value=1", "smooth_value: 1.0; expected no value with smooth=exp"),
        ("bleu:max_order=2,max_order=3", "each setting once"),
        ("chrf:char_order=0", "at least 1 if word_order is 0"),
        ("chrf:beta=x", "chrf: beta: 'x'; expected a whole number"),
        ("", "unknown metric ''"),
        ("bleu,", "unknown metric ''"),
        ("bleu,chrf", "metric: 'bleu,chrf'; expected one metric"),
        ("chrf++:word_order=1", "each setting once"),
        ("spBLEU", "bleu:tokenize=spm:PATH"),
        ("bleu:lowercase,chr", "unknown setting of bleu 'chr'"),
    ],
)
def test_impossible_metrics_are_rejected(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refusal:
        parse_metric(text)
    assert message in str(refusal.value)


def test_signatures_tell_the_settings() -> None:
    assert str(BLEU(smooth="add-k").signature.with_references(2)).startswith(
        "BLEU|nrefs:2|case:mixed|eff:no|tok:auto|smooth:add-k[1.00]|n:4|version:truebleu-"
    )
    assert str(CHRF(lowercase=True).signature.with_references(None)).startswith(
        "chrF2|nrefs:var|case:lc|eff:yes|nc:6|nw:0|space:no|version:truebleu-"
    )
    assert str(TER(no_punct=True).signature).startswith(
        "TER|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:truebleu-"
    )


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("bleu,chrf", [BLEU(), CHRF()]),
        ("bleu, chrF++,TER", [BLEU(), CHRF(word_order=2), TER()]),
        ("bleu:tokenize=zh,lowercase,chrf", [BLEU(tokenize="zh", lowercase=True), CHRF()]),
        ("bleu:tokenize=spm:a.model,ter:normalized,no_punct=yes",
         [BLEU(tokenize="spm:a.model"), TER(normalized=True, no_punct=True)]),
        ("length,bleu:reference_length=shortest",
         [LengthRatio(), BLEU(reference_length="shortest")]),
    ],
)  # fmt: skip
def test_commas_separate_metrics_and_settings(text: str, metrics: list[Metric]) -> None:
    assert as_metrics(text) == metrics
    assert as_metrics([text, "per"]) == [*metrics, PER()]


def test_a_lone_text_is_one_metric() -> None:
    assert as_metrics("chrf:word_order=2") == as_metrics(["chrf:word_order=2"])


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [(None, "names such as"), ([], "at least one"), ([BLEU], r"such as BLEU\(\)")],
)
def test_metrics_must_be_names_or_objects(metrics: Any, expected: str) -> None:
    with pytest.raises(SettingError, match=f"metrics: .*{expected}"):
        as_metrics(metrics)


# Scores of other programs, which are requested like metrics and are none.


def test_scores_of_other_programs_are_requested_with_metrics() -> None:
    scores = GivenScores.of({"a": [1]})
    requested = as_requested(["bleu,scores:path=x.tsv,missing=omit", scores])
    assert requested == [BLEU(), GivenScores(path="x.tsv", missing="omit"), scores]


@pytest.mark.parametrize("metrics", ["bleu,scores", [GivenScores.of({"a": [1]})]], ids=repr)
def test_scores_of_other_programs_count_no_texts(metrics: Any) -> None:
    with pytest.raises(SettingError, match="scores of another program"):
        as_metrics(metrics)
    with pytest.raises(SettingError, match="scores of another program"):
        parse_metric("scores:path=x.tsv")


def test_a_scorer_is_not_requested() -> None:
    with pytest.raises(SettingError, match="names such as 'bleu', or objects such as BLEU"):
        as_requested(GivenMean(name="m", signature=Signature.of("m")))  # type: ignore[arg-type]


# Metrics as people write them.

NEED_SETTINGS = ("command", "depf", "scores", "spans")
WRITTEN = [
    *(name for name in METRICS if name not in NEED_SETTINGS),
    *("bleu:lowercase=yes", "bleu:max_order=2,smooth=floor,smooth_value=0.01,tokenize=zh"),
    *("chrf:word_order=2", "chrf:beta=3,lowercase=yes", "ter:normalized=yes", "gtm:exponent=2.5"),
    *("sentbleu:smoothing=4", "wer:tokenize=char", "bleu:tokenize=spm:/models/a.model"),
    *('bleu:tokenize="spm:a,b.model"', "comet:model=a/b,precision=half", "metricx:references=no"),
    'command:name=judge,run="python s.py --fields a,b"',
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_written_metric_is_parsed_as_it_was(text: str) -> None:
    metric = parse_metric(text)
    written = format_metric(metric)
    assert written is not None
    assert parse_metric(written) == metric
    assert format_metric(parse_metric(written)) == written


@pytest.mark.parametrize("name", [name for name in METRICS if name not in NEED_SETTINGS])
def test_a_metric_with_defaults_is_written_as_its_name(name: str) -> None:
    assert format_metric(parse_metric(name)) == name


def test_settings_that_are_no_default_are_written() -> None:
    assert format_metric(BLEU(lowercase=True, max_order=2)) == "bleu:max_order=2,lowercase=yes"


class OwnBLEU(BLEU):
    """A metric of another package."""


@pytest.mark.parametrize(
    "metric",
    [
        FunctionMetric(function=lambda output, _: float(output), name="value"),
        OwnBLEU(),
        # Quotes end a value that has commas.
        BLEU(tokenize='spm:a,"b.model'),
    ],
    ids=lambda metric: metric.name,
)
def test_a_metric_that_text_cannot_name_is_not_written(metric: Metric) -> None:
    assert format_metric(metric) is None


def test_labels_tell_scores_of_one_name_apart() -> None:
    first, second = (
        GivenMean(name="m", signature=Signature.of("m", scores=digest)) for digest in ("x", "y")
    )
    assert metric_labels([BLEU(), first, second]) == ["BLEU", "m[scores:x]", "m[scores:y]"]
