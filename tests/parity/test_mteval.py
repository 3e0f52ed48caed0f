"""NIST, BLEU and tokens against mteval-v13a and -v14, NLTK's NIST and multi-bleu.perl."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.parity.cases import case_id, lines_of, texts, tool_cases
from truebleu import BLEU, NIST
from truebleu.metrics import BLEUScore, NISTScore
from truebleu.tokenizers import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric

    Case = dict[str, Any]
    Rows = NDArray[np.float64]

GOLDEN = "nist-multeval"
MTEVAL = [*tool_cases(GOLDEN, "mteval-v13a"), *tool_cases(GOLDEN, "mteval-v14")]
NLTK = tool_cases(GOLDEN, "nltk-3.10.4 corpus_nist")
TEXTBOOK = tool_cases(GOLDEN, "own-nist")
MULTI_BLEU = tool_cases(GOLDEN, "multi-bleu.perl")
RIEZLER_MAXWELL = tool_cases(GOLDEN, "riezler-maxwell-2005 plain numpy")
ZHANG_VOGEL = tool_cases(GOLDEN, "zhang-vogel-2004 plain numpy")

TOKENIZERS = {
    "mteval-default": "mteval",
    "mteval-international": "mteval-intl",
    "13a": "13a",
    "whitespace": "none",
}
SMOOTHINGS = {"mteval default (halving)": "mteval", "none": "none"}
# mteval counts orders up to 9 and reports NIST at 5 and BLEU at 4.
ORDERS = 9


def about(cases: list[Case], *metrics: str) -> list[Case]:
    return [case for case in cases if case["metric"] in metrics]


def tokenizer_of(case: Case) -> str:
    apart = "-e" if case["params"].get("split_non_ascii") else ""
    return TOKENIZERS[case["params"]["tokenizer"]] + apart


def nist_of(case: Case, **settings: Any) -> NIST:
    lowercase = not case["params"]["case_sensitive"]
    return NIST(tokenize=tokenizer_of(case), lowercase=lowercase, **settings)


def bleu_of(case: Case, **settings: Any) -> BLEU:
    params = case["params"]
    return BLEU(
        tokenize=tokenizer_of(case),
        lowercase=not params["case_sensitive"],
        smooth=SMOOTHINGS[params["smoothing"]],  # type: ignore[arg-type]
        reference_length=params["brevity_penalty"],
        **settings,
    )


def texts_of(case: Case) -> tuple[list[str], list[list[str]]]:
    if not case["data"]:
        return case["params"]["hypothesis"], case["params"]["references"]
    (outputs,), references = texts(case)
    return outputs, references


def up_to(order: int, sums: Rows) -> Rows:
    """What the sums up to order 9 would be if only so many orders had been counted."""
    lengths, first, second = np.split(sums, [2, 2 + ORDERS], axis=-1)
    return np.concatenate([lengths, first[..., :order], second[..., :order]], axis=-1)


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-13)


def segment_scores(metric: NIST | BLEU, rows: Rows) -> list[float]:
    # Without smoothing, mteval scores a segment that lacks an order 0: it has no effective order.
    plain = isinstance(metric, BLEU) and metric.smooth == "none"
    scores: list[float] = (metric if plain else metric.sentence_level()).score(rows).tolist()
    return scores


@pytest.mark.parametrize("case", about(MTEVAL, "NIST+BLEU"), ids=case_id)
def test_nist_of_a_test_set_agrees_with_all_its_parts(case: Case) -> None:
    outputs, references = texts_of(case)
    expected = dict(case["expect"])
    rows = nist_of(case, max_order=ORDERS).statistics(outputs, references)
    sums = rows.sum(axis=0)
    score = nist_of(case).corpus(outputs, references)
    assert score.score == close(expected["nist"])
    assert sums[2 : 2 + ORDERS].tolist() == close(expected["info_sums"])
    assert sums[2 + ORDERS :].tolist() == expected["totals"]
    if "nist_segments" in expected:
        assert segment_scores(nist_of(case), up_to(5, rows)) == close(expected["nist_segments"])
    if "ref_totals" in expected:
        of_references = sum(nist_of(case, max_order=ORDERS).statistics(r, r) for r in references)
        totals = np.asarray(of_references).sum(axis=0)[2 + ORDERS :]
        assert totals.tolist() == expected["ref_totals"]
    if "nist_individual" in expected:
        described = nist_of(case, max_order=ORDERS).describe(sums.tolist(), len(references))
        assert isinstance(described, NISTScore)
        alone = [described.length_penalty * bits for bits in described.information]
        assert alone == close(expected["nist_individual"])
        cumulative = [
            float(nist_of(case, max_order=order).score(up_to(order, sums)))
            for order in range(1, ORDERS + 1)
        ]
        assert cumulative == close(expected["nist_cumulative"])
        assert described.output_length == expected["hyp_len"]
        assert described.reference_length * len(references) == close(expected["ref_words_all"])


@pytest.mark.parametrize("case", about(MTEVAL, "NIST+BLEU"), ids=case_id)
def test_bleu_of_a_test_set_agrees_with_all_its_parts(case: Case) -> None:
    outputs, references = texts_of(case)
    expected = case["expect"]
    metric = bleu_of(case, max_order=ORDERS)
    rows = metric.statistics(outputs, references)
    sums = rows.sum(axis=0)
    assert bleu_of(case).corpus(outputs, references).score == close(100 * expected["bleu"])
    assert sums[1] == expected["bleu_ref_len"]
    assert sums[2 : 2 + ORDERS].tolist() == expected["matches"]
    assert sums[2 + ORDERS :].tolist() == expected["totals"]
    if "bleu_segments" in expected:
        scores = segment_scores(bleu_of(case), up_to(4, rows))
        assert scores == close([100 * score for score in expected["bleu_segments"]])
    if "bleu_individual" in expected:
        described = metric.describe(sums.tolist(), len(references))
        assert isinstance(described, BLEUScore)
        assert described.precisions == close([100 * part for part in expected["bleu_individual"]])
        cumulative = [
            float(bleu_of(case, max_order=order).score(up_to(order, sums)))
            for order in range(1, ORDERS + 1)
        ]
        assert cumulative == close([100 * part for part in expected["bleu_cumulative"]])


def documents_of(case: Case, segments: int) -> list[str]:
    if case["params"]["documents"] == "docs.tsv":
        header, *lines = (line.split("\t") for line in lines_of(f"{case['data']}/docs.tsv"))
        return [line[header.index("doc")] for line in lines]
    assert case["params"]["documents"] == "blocks of 100 consecutive lines"
    return [f"doc{segment // 100 + 1:03}" for segment in range(segments)]


@pytest.mark.parametrize("case", about(MTEVAL, "NIST+BLEU document level"), ids=case_id)
def test_documents_agree(case: Case) -> None:
    outputs, references = texts_of(case)
    documents = np.array(documents_of(case, len(outputs)))
    metrics: dict[str, tuple[Metric, float]] = {
        "nist": (nist_of(case), 1.0),
        "bleu": (bleu_of(case), 100.0),
    }
    for name, (metric, scale) in metrics.items():
        rows = metric.statistics(outputs, references)
        expected = case["expect"][name]
        assert set(expected) == set(documents.tolist())
        found = {
            document: float(metric.score(rows[documents == document].sum(axis=0)))
            for document in expected
        }
        assert found == close({document: scale * score for document, score in expected.items()})


@pytest.mark.parametrize("case", about(MTEVAL, "NIST+BLEU segment level"), ids=case_id)
def test_segments_agree(case: Case) -> None:
    assert case["params"]["lines"] == "first 300"
    outputs, references = texts_of(case)
    nist, bleu = nist_of(case), bleu_of(case)
    # The weights are those of the whole set, whichever segments are looked at.
    scores = segment_scores(nist, nist.statistics(outputs, references))
    assert scores[:300] == close(case["expect"]["nist"])
    scores = segment_scores(bleu, bleu.statistics(outputs, references))
    assert scores[:300] == close([100 * score for score in case["expect"]["bleu"]])


@pytest.mark.parametrize("case", about(MTEVAL, "tokenization"), ids=case_id)
def test_tokens_agree(case: Case) -> None:
    params = case["params"]
    lines, expected = params.get("inputs"), case["expect"]
    if lines is None:
        assert params["lines"] == "first 40"
        lines = lines_of(f"{case['data']}/{case['systems'][0]}")[:40]
    found = [
        tokenize(line, tokenizer_of(case), lowercase=not params["case_sensitive"]) for line in lines
    ]
    if isinstance(expected[0], str):
        assert [" ".join(tokens) for tokens in found] == expected
    else:
        assert found == expected


@pytest.mark.parametrize("case", [*NLTK, *TEXTBOOK], ids=case_id)
def test_textbook_nist_agrees(case: Case) -> None:
    outputs, references = texts_of(case)
    metric = nist_of(case, max_order=case["params"]["N"], zero_history=False)
    assert metric.corpus(outputs, references).score == close(case["expect"])


@pytest.mark.parametrize("case", about(RIEZLER_MAXWELL + ZHANG_VOGEL, "NIST"), ids=case_id)
def test_nist_in_the_papers_experiments_agrees(case: Case) -> None:
    systems, references = texts(case)
    metric = nist_of(case)
    scores = [metric.corpus(outputs, references).score for outputs in systems]
    keys = ("score",) if "score" in case["expect"] else ("score_x", "score_y")
    assert scores == close([case["expect"][key] for key in keys])


def ascii_words(line: str, *, lowercase: bool) -> str:
    """A line whose words are those between ASCII white space, whatever else they contain."""
    if lowercase:
        line = re.sub("[A-Z]+", lambda letters: letters[0].lower(), line)
    words = re.split("[ \t\n\v\f\r]+", line)
    # Other white space becomes letters that no text has, so that nothing more is split.
    return " ".join(re.sub(r"\s", lambda space: f"\ue000{ord(space[0]):x}", word) for word in words)


@pytest.mark.parametrize("case", MULTI_BLEU, ids=case_id)
def test_multi_bleu_agrees(case: Case) -> None:
    lowercase = not case["params"]["case_sensitive"]
    systems, references = texts(case)
    outputs, *rest = (
        [ascii_words(line, lowercase=lowercase) for line in text]
        for text in [*systems, *references]
    )
    metric = BLEU(tokenize="none", smooth="none")
    sums = metric.statistics(outputs, rest).sum(axis=0)
    score = metric.describe(sums.tolist(), len(rest))
    assert isinstance(score, BLEUScore)
    expected = case["expect"]
    assert score.score == close(100 * expected["bleu"])
    assert score.precisions == close([100 * precision for precision in expected["precisions"]])
    assert score.brevity_penalty == close(expected["bp"])
    assert score.output_length == expected["hyp_len"]
    assert score.reference_length == expected["ref_len"]


@pytest.mark.usefixtures("shared")
def test_the_golden_file_is_the_whole_one() -> None:
    assert (len(MTEVAL), len(NLTK), len(TEXTBOOK), len(MULTI_BLEU)) == (224, 26, 11, 24)
