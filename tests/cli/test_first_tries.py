"""What a person types first on a new kind of input works, or gets an answer that helps."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import truebleu
from tests.cli.shell import run
from truebleu.errors import TruebleuError

#: Tasks of a harness: the filters of its answers, and its metrics, the main one first.
TASKS = {
    "gsm8k": (("strict-match", "flexible-extract"), ("exact_match",)),
    "arc": (("none",), ("acc", "acc_norm")),
}
FEW = ("--replicates", "200")


def save(folder: Path) -> None:
    """Save files as tools write them."""
    draw = np.random.default_rng(1)

    def right(rate: float) -> bool:
        return bool(draw.random() < rate)

    for model, rate in (("base", 0.5), ("tuned", 0.7)):
        samples = folder / "out" / f"org__{model}"
        samples.mkdir(parents=True)
        for task, (filters, metrics) in TASKS.items():
            rows = [
                {
                    "doc_id": item,
                    "doc": {"question": f"{task} {item}"},
                    "filtered_resps": ["x"],
                    "filter": name,
                    "metrics": metrics,
                    **{metric: float(right(rate)) for metric in metrics},
                }
                for item, name in product(range(80), filters)
            ]
            path = samples / f"samples_{task}_2026-02-03T10-11-12.000001.jsonl"
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        rows = [
            {"id": item, "passed": right(rate), "time": draw.random(), "subject": "abc"[item % 3]}
            for item in range(90)
        ]
        path = folder / f"{model}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    rows = [
        {"model": model, "id": item, "correct": right(0.6)}
        for model, item in product(("a", "b", "c"), range(40))
    ]
    (folder / "all.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["the", "a", "cat", "dog", "sat", "on", "mat", "house", "went", "to"]
    texts = {name: [" ".join(draw.choice(words, 8)) for _ in range(40)] for name in "ab"}
    references = [
        " ".join((*a.split()[:5], *b.split()[:3])) for a, b in zip(*texts.values(), strict=True)
    ]
    for name, lines in {**texts, "ref": references, "ref2": references}.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    comet = {
        f"{name}.txt": [
            {"mt": mt, "ref": ref, "COMET": round(float(draw.random()), 3)}
            for mt, ref in zip(lines, references, strict=True)
        ]
        for name, lines in texts.items()
    }
    (folder / "comet.json").write_text(json.dumps(comet))
    answers = [
        {
            "custom_id": f"request-{item}",
            "response": {"body": {"choices": [{"message": {"content": t}} for t in of_item]}},
        }
        for item, of_item in enumerate(zip(*texts.values(), strict=True))
    ]
    (folder / "batch.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in answers))


pytestmark = pytest.mark.usefixtures("texts_folder")


@pytest.mark.parametrize(
    ("command", "claim"),
    [
        ("compare a.txt b.txt -r ref.txt -m bleu chrf++ TER", "chrF2++"),
        ("score a.txt -r ref.txt -m BLEU -m ChrF++ -m ter", "chrF2++"),
        ("compare base.jsonl tuned.jsonl", "passed"),
        ("compare base.jsonl tuned.jsonl -m passed", "passed"),
        ("compare base.jsonl#passed tuned.jsonl#passed", "passed"),
        ("compare base.jsonl tuned.jsonl -m time", "time"),
        ("compare all.jsonl", "correct"),
        ("score all.jsonl", "correct"),
        ("panel out", "2 test sets"),
        ("panel out -m acc/exact_match", "2 test sets"),
        ("panel out/org__base out/org__tuned", "2 test sets"),
        ("compare out/org__base/samples_arc* out/org__tuned/samples_arc*", "acc"),
        (
            "compare out/org__base/samples_gsm8k* out/org__tuned/samples_gsm8k*",
            "exact_match (strict-match)",
        ),
        (
            "compare out/org__base/samples_gsm8k* out/org__tuned/samples_gsm8k* "
            "-m exact_match,flexible-extract",
            "exact_match (flexible-extract)",
        ),
        ("score a.txt b.txt -r ref.txt -m comet.json", "COMET"),
        ("compare a.txt b.txt -r ref.txt -m comet.json", "COMET"),
        ("compare a.txt b.txt -r ref.txt -m bleu scores:comet.json", "COMET"),
        ("compare a.txt b.txt -m comet.json", "COMET"),
        ("compare -m comet.json", "COMET"),
        ("compare comet.json", "COMET"),
        ("gate tuned.jsonl --baseline base.jsonl --by subject", "pass"),
        ("compare base.jsonl tuned.jsonl --by subject", "By subject"),
        ("explain base.jsonl tuned.jsonl", "1 way of slicing"),
        ("mbr batch.jsonl", "40 segments"),
    ],
)
def test_the_first_try_works(command: str, claim: str) -> None:
    resampled = command.split()[0] in ("compare", "panel", "gate", "explain")
    result = run(*command.split(), *(FEW if resampled else ()))
    assert result.code == 0, result.err
    assert claim in " ".join(result.out.split())


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("compare out", "one benchmark, as in FILE#NAME; truebleu panel compares over several"),
        ("panel out -m acc", "-m acc/exact_match"),
        ("compare base.jsonl tuned.jsonl -m accuracy", "no score 'accuracy'; it has passed"),
        ("compare a.txt b.txt -r ref.txt -m blue", "unknown metric 'blue'; did you mean 'bleu'?"),
        ("compare a.txt b.txt -r ref.txt -m comet.jsonl", "comet.jsonl: no such file"),
        ("compare a.txt b.txt -r ref.txt --scores comet.json", "Here it is -m FILE"),
        ("rerank batch.jsonl", "(-r FILE)"),
        ("compare a.txt x=b.txt -m comet.json", "unknown system 'x'"),
        ("compare all.jsonl -b a", "Here it is --baseline NAME"),
        ("compare all.jsonl --plot all.png", "Here it is --chart FILE"),
        ("score -r ref.txt", "Missing argument 'SYSTEM...'"),
    ],
)
def test_a_first_try_that_fails_gets_an_answer(command: str, answer: str) -> None:
    result = run(*command.split())
    assert result.code == 2
    assert answer in " ".join(result.err.split())


def test_a_reference_among_the_systems_gets_a_hint() -> None:
    result = run("score", "-r", "ref.txt", "ref2.txt", "a.txt")
    assert result.code == 0
    assert "hint: ref2.txt is scored as a system; if it is a reference, write" in result.err
    assert "-r ref.txt -r ref2.txt" in result.err
    assert run("score", "-r", "ref.txt", "a.txt").err == ""


@pytest.mark.slow
def test_a_piped_system_needs_no_argument() -> None:
    command = [sys.executable, "-m", "truebleu", "score", "-r", "ref.txt"]
    piped = subprocess.run(
        command, input=Path("a.txt").read_bytes(), capture_output=True, check=True
    )
    with Path("a.txt").open("rb") as file:
        redirected = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert piped.stdout == redirected.stdout
    assert b"stdin" in piped.stdout
    nothing = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert nothing.returncode == 2
    assert b"Missing argument" in nothing.stderr


def test_mbr_says_where_the_translations_went(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.txt"
    assert f"wrote the chosen texts to {chosen}" in run("mbr", "batch.jsonl", "-o", str(chosen)).err
    assert len(chosen.read_text().splitlines()) == 40


# Python.


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]


def wide() -> Any:
    return pandas.DataFrame(rows()).pivot(index="id", columns="model", values="correct")


#: Scores of items of three models, in all forms that people have them in.
FORMS: dict[str, Any] = {
    "rows": rows,
    "a path": lambda: "all.jsonl",
    "a path object": lambda: Path("all.jsonl"),
    "a long data frame": lambda: pandas.DataFrame(rows()),
    "a long data frame of polars": lambda: polars.DataFrame(rows()),
    "a wide data frame": wide,
    "a wide data frame with ids": lambda: wide().reset_index(),
    "arrays": lambda: {name: wide()[name].to_numpy() for name in "abc"},
}


@pytest.mark.parametrize("form", FORMS)
def test_compare_takes_scores_of_items_as(form: str) -> None:
    result = truebleu.compare(FORMS[form](), replicates=200)
    for pair in result.comparisons:
        expected = wide()[pair.a].mean() - wide()[pair.b].mean()
        assert pair.difference == pytest.approx(expected)
    assert list(result.systems) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "paths",
    [["base.jsonl", "tuned.jsonl"], {"base": "base.jsonl", "tuned": Path("tuned.jsonl")}],
    ids=["a list", "a mapping"],
)
def test_compare_takes_paths(paths: Any) -> None:
    result = truebleu.compare(paths, metrics="passed", replicates=200)
    assert list(result.systems) == ["base", "tuned"]


def test_verbs_take_paths_of_texts() -> None:
    paths, references = ["a.txt", "b.txt"], ["ref.txt", "ref2.txt"]
    texts = [Path(path).read_text().splitlines() for path in (*paths, *references)]
    in_memory = truebleu.score(dict(zip("ab", texts[:2], strict=True)), texts[2:])
    assert truebleu.score(paths, references)["a"]["BLEU"].score == in_memory["a"]["BLEU"].score
    assert truebleu.score("a.txt", "ref.txt")["a"]["BLEU"].score > 0


def test_panel_takes_a_folder_of_a_harness() -> None:
    assert [s.name for s in truebleu.panel("out", replicates=200).test_sets] == ["arc", "gsm8k"]
    by_task: Any = {
        "x": {"a": [0, 1, 1, 0] * 5, "b": [1, 1, 1, 0] * 5},
        "y": {"a": [1, 0], "b": [0, 0]},
    }
    assert truebleu.panel(by_task, replicates=200).comparisons[0].a == "a"


def test_mbr_takes_rows() -> None:
    expected = truebleu.mbr([["a b c", "a b", "a c"]]).texts
    candidates = [{"id": 0, "text": text} for text in ("a b c", "a b", "a c")]
    assert truebleu.mbr(candidates).texts == expected
    assert truebleu.mbr(pandas.DataFrame(candidates)).texts == expected
    assert truebleu.mbr([{"candidates": ["a b c", "a b", "a c"]}]).texts == expected
    batch = [json.loads(line) for line in Path("batch.jsonl").read_text().splitlines()]
    assert truebleu.mbr(batch).texts == truebleu.mbr("batch.jsonl").texts
    with pytest.raises(TruebleuError, match="expected a text"):
        truebleu.mbr([{"other": 1}])


@pytest.mark.parametrize("scores", [[[0, 1], [1, 1]], np.eye(4), [1, 0, 1]])
def test_scores_without_names_get_an_answer(scores: Any) -> None:
    with pytest.raises(TruebleuError, match=r'compare\(\{"a": scores_a, "b": scores_b\}\)'):
        truebleu.compare(scores)


def test_lower_is_better_is_an_argument() -> None:
    scores = {"a": [0.5, 0.25, 0.75] * 5, "b": [0.5, 0.5, 0.75] * 5}
    for lower in (True, False):
        result = truebleu.compare(scores, lower_is_better=lower, replicates=200)
        assert result.metrics["score"].higher_is_better is not lower
        gated = truebleu.gate(scores, baseline="a", lower_is_better=lower, margin=0.0)
        assert gated.passed is not lower
    with pytest.raises(TruebleuError, match="for scores of other programs"):
        truebleu.compare(["a.txt", "b.txt"], "ref.txt", lower_is_better=True)


def test_python_names_arguments() -> None:
    result = truebleu.compare({"a": [0, 1] * 8, "b": [1, 1] * 8}, replicates=200)
    for text in (str(result), result.to_markdown(), result.to_latex(), result._repr_html_()):
        assert "--lower-is-better" not in text
    assert "lower_is_better=True" in str(result)
