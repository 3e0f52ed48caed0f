"""Files of scores in place of texts, on the command line."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run

if TYPE_CHECKING:
    from collections.abc import Iterable

ALWAYS = ("--replicates", "200")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty items in clusters of four: new gets every other right, old every third."""
    monkeypatch.chdir(tmp_path)
    for name, every in (("old", 3), ("new", 2)):
        rows = [f"q{n},{int(n % every == 0)},p{n // 4}" for n in range(60)]
        text = "\n".join(["id,score,passage", *(rows[::-1] if name == "new" else rows)])
        (tmp_path / f"{name}.csv").write_text(text + "\n")


def test_compare_needs_no_texts() -> None:
    done = run("compare", "a=new.csv", "b=old.csv", "-m", "scores", "-f", "json", *ALWAYS)
    assert (done.code, done.err) == (0, "")
    (pair,) = json.loads(done.out)["comparisons"]
    assert (pair["a"], pair["b"], pair["metric"]) == ("a", "b", "score")
    assert pair["difference"] == pytest.approx(1 / 6)


def test_a_field_is_the_document_and_another_the_group() -> None:
    done = run(
        *("compare", "new.csv", "old.csv", "-m", "scores", "--documents", "passage"),
        *("--by", "passage", "-f", "json", *ALWAYS),
    )
    result = json.loads(done.out)
    assert result["settings"]["unit"] == "document"
    assert len(result["groups"]) == 15


def test_a_table_of_all_systems_needs_no_system(tmp_path: Path) -> None:
    (tmp_path / "all.tsv").write_text("old\tnew\n" + "0\t1\n1\t1\n" * 10)
    done = run("compare", "-m", "scores:path=all.tsv", "-f", "json", *ALWAYS)
    assert json.loads(done.out)["comparisons"][0]["difference"] == -0.5


def test_a_gate_decides_by_scores() -> None:
    by_scores = ("-m", "scores", *ALWAYS)
    assert run("gate", "new.csv", "--baseline", "old.csv", *by_scores).code == 0
    strict = run("gate", "old.csv", "--baseline", "new.csv", "-m", "scores", "--margin", "0.01")
    assert (strict.code, strict.err) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "new.csv#id", "old.csv#id"), "no reference given"),
        (("compare", "-m", "scores"), "path: ''; expected a file of scores"),
        (("compare", "new.csv", "old.csv", "-m", "scores", "--strict"), "strict needs texts"),
        (("compare", "new.csv", "old.csv", "-m", "scores,bleu"), "which BLEU needs"),
        (("compare", "new.csv#x", "old.csv", "-m", "scores"), "new.csv: no filter 'x'"),
        (
            ("compare", "new.csv", "old.csv", "-m", "scores", "--documents", "topic"),
            "documents: 'topic'; expected a file, or a field of the items",
        ),
        (("compare", "new.csv", "old.csv", "-m", "scores", "--by", "topic"), "--by: 'topic'"),
    ],
)
def test_incomparable_files_are_rejected(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_files_of_scores_need_no_metric() -> None:
    """And a direction that nobody says is reported, and can be turned."""
    done = run("compare", "new.csv", "old.csv", *ALWAYS)
    assert done.out == run("compare", "new.csv", "old.csv", "-m", "scores", *ALWAYS).out
    assert "score: higher is better (assumed; if not, use --lower-is-better)" in done.out
    turned = run("compare", "new.csv", "old.csv", "--lower-is-better", *ALWAYS).out
    assert "↓ lower is better" in " ".join(turned.split())
    assert "assumed" not in turned
    Path("a.txt").write_text("a text\nof two lines\n")
    assert "no reference given" in run("compare", "a.txt", "a.txt").err
    refused = run("compare", "a.txt", "a.txt", "-r", "a.txt", "--lower-is-better")
    assert (refused.code, "are for scores of other programs: -m scores" in refused.err) == (2, True)


def test_explain_and_score_call_items_by_their_names() -> None:
    explained = run("explain", "new.csv", "old.csv", "-m", "scores", "-f", "json", *ALWAYS)
    result = json.loads(explained.out)
    assert result["segment_names"][:2] == ["q59", "q58"]
    rows = run("score", "new.csv", "-m", "scores", "--per-segment", "-f", "tsv").out.splitlines()
    assert rows[1] == "# score: higher is better (assumed; if not, use --lower-is-better)"
    assert rows[2:5] == ["system\tsegment\tscore", "new\tq59\t0.0", "new\tq58\t1.0"]
    by_system = json.loads(
        run("score", "new.csv", "-m", "scores", "--per-segment", "-f", "json").out
    )
    assert by_system["segment_names"][0] == "q59"


def test_a_report_calls_items_by_their_names(tmp_path: Path) -> None:
    done = run("report", "new.csv", "old.csv", "-m", "scores", "-o", "page.html", *ALWAYS)
    assert done.code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    (block,) = re.findall(r'id="data-description">([^<]+)<', page)
    assert json.loads(gzip.decompress(base64.b64decode(block)))["names"][0] == "q59"


def judged(tmp_path: Path, *rows: str) -> None:
    (tmp_path / "human.csv").write_text("\n".join(["model,id,rater,score", *rows]) + "\n")


def test_agree_pairs_judgments_with_items_by_their_names(tmp_path: Path) -> None:
    answers = [(name, n) for name, every in (("old", 3), ("new", 2)) for n in range(0, 60, every)]
    judged(tmp_path, *(f"{name},q{n},{who},{n}" for name, n in answers for who in "ab"))
    done = run(
        *("agree", "new.csv", "old.csv", "-m", "scores", "--human", "human.csv"),
        *("-c", "pearson:level=segment,grouping=none", "-f", "json", *ALWAYS),
    )
    assert (done.code, done.err) == (0, "")
    human = json.loads(done.out)["human"]
    assert "match:names" in human["signature"]
    assert human["raters"] == 2


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (["new,q0,a,1", "old,x9,a,1"], (), "human.csv: line 3: item x9"),
        (
            ["new,q0,a,1", "old,q0,a,1", "old,q1,a,good"],
            (),
            "line 4: score 'good'",
        ),
        (["new,q0,a,1", "new,q0,a,1"], (), "line 3: item q0 (a) of new again"),
        (["new,q0,a,1", "mid,q0,a,1"], (), "line 3: a judgment of 'mid'"),
        (["new,q0,a,1", "old,q0,a,1"], ("--first-segment", "0"), "--first-segment: 0"),
        (["new,q0,a,1", "old,q0,a,1"], ("--human-column", "x"), "human.csv: no score 'x'"),
    ],
)
def test_judgments_that_do_not_fit_the_items_are_refused(
    tmp_path: Path, rows: list[str], options: tuple[str, ...], message: str
) -> None:
    judged(tmp_path, *rows)
    systems = ("new.csv", "old.csv", "-m", "scores")
    done = run("agree", *systems, "--human", "human.csv", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_names_need_files_of_scores(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    judged(tmp_path, "new,q0,a,1")
    texts = ("x=a.txt", "y=a.txt", "-r", "a.txt")
    done = run("agree", *texts, "--human", "human.csv", "--match", "names")
    assert "match: 'names'; expected systems that are files of scores" in done.err


def test_panel_compares_over_benchmarks(tmp_path: Path) -> None:
    for name in ("old", "new"):
        text = (tmp_path / f"{name}.csv").read_text()
        for benchmark in ("arc", "sums", "quiz"):
            (tmp_path / "benchmarks" / benchmark).mkdir(parents=True, exist_ok=True)
            (tmp_path / "benchmarks" / benchmark / f"{name}.csv").write_text(text)
    options = ("-m", "scores", "--baseline", "old", "-f", "json", *ALWAYS)
    done = run("panel", "benchmarks", *options, "--documents", "passage")
    assert (done.code, done.err) == (0, "")
    result = json.loads(done.out)
    assert result["comparisons"][0]["difference"] == pytest.approx(1 / 6)
    assert [(one["name"], one["unit"]) for one in result["test_sets"]] == [
        ("arc", "document"),
        ("quiz", "document"),
        ("sums", "document"),
    ]
    assert run("panel", "benchmarks", "--documents", "passage").code == 0


# Each format in each command.

ITEMS = 30
SCORES = {
    "new": [round(0.5 + (7 * n % 11) / 20, 4) for n in range(ITEMS)],
    "old": [round(0.4 + (5 * n % 13) / 24, 4) for n in range(ITEMS)],
}
ALL = [(name, n, score) for name, scores in SCORES.items() for n, score in enumerate(scores)]


def lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def harness(n: int, score: float) -> dict[str, object]:
    outputs = {"target": "t", "resps": [["o"]], "filtered_resps": ["o"], "filter": "none"}
    return {"doc_id": n, "doc": {}, **outputs, "metrics": ["acc"], "doc_hash": f"{n}", "acc": score}


def inspect(name: str, scores: list[float]) -> str:
    samples = [
        {"id": n, "epoch": 1, "target": "t", "scores": {"match": {"value": score}}}
        for n, score in enumerate(scores)
    ]
    return json.dumps({"eval": {"model": name, "task": "quiz"}, "samples": samples})


#: By what a format is called: the files, by their names.
FORMATS: dict[str, dict[str, str]] = {
    "comet-score": {
        "comet.out": lines(f"{s}.txt\tSegment {n}\tscore: {score}" for s, n, score in ALL)
    },
    "comet-score --to_json": {
        "comet.json": json.dumps(
            {f"{s}.txt": [{"mt": "m", "COMET": one} for one in SCORES[s]] for s in SCORES}
        )
    },
    "comet-compare": {
        "compared.json": json.dumps(
            {
                "model": "lab/comet",
                "statistical_results": [],
                "translations": [{"name": f"{s}.txt", "scores": SCORES[s]} for s in SCORES],
            }
        )
    },
    "MetricX": {
        "metricx.jsonl": lines(
            json.dumps(
                {"hypothesis": "h", "prediction": 25 - score, "system_id": s, "segment_id": n}
            )
            for s, n, score in ALL
        )
    },
    "numbers": {f"{s}.txt": lines(map(str, scores)) for s, scores in SCORES.items()},
    "WMT": {
        "M.seg.score": lines(
            f"M\ten-de\twmt23\tnews\td\trefA\t{s}\t{n + 1}\t{score}" for s, n, score in ALL
        )
    },
    "mt-metrics-eval": {"M-refA.seg.score": lines(f"{s}\t{score}" for s, _, score in ALL)},
    "lm-eval": {
        f"{s}/samples_quiz_2026-01-01T00-00-00.jsonl": lines(
            json.dumps(harness(n, score)) for n, score in enumerate(scores)
        )
        for s, scores in SCORES.items()
    },
    "Inspect": {f"{s}.json": inspect(s, scores) for s, scores in SCORES.items()},
    "table": {
        f"{s}.csv": lines(["id,score", *(f"{n},{score}" for n, score in enumerate(scores))])
        for s, scores in SCORES.items()
    },
}
#: Formats of scores that are called score or M, of which nobody knows whether higher is better.
UNKNOWN_DIRECTION = ("numbers", "WMT", "mt-metrics-eval", "table")
BY_NAME = ("lm-eval", "Inspect", "table")


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_works_in_each_command(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "quiz"
    for path, text in FORMATS[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    files = [str(folder / path) for path in FORMATS[name]]
    options = ("-m", "scores", "-f", "json", "-q", *ALWAYS)
    (pair,) = json.loads(run("compare", *files, *options).out)["comparisons"]
    sign = -1 if name == "MetricX" else 1
    difference = sum(SCORES["new"]) / ITEMS - sum(SCORES["old"]) / ITEMS
    assert sign * pair["difference"] == pytest.approx(difference)
    (explained,) = json.loads(run("explain", *files, *options).out)["explanations"]
    assert explained["comparison"]["p"] == pair["p"]
    panel = json.loads(run("panel", str(folder), *options).out)
    assert panel["comparisons"][0]["difference"] == pytest.approx(pair["difference"])
    assert [one["name"] for one in panel["test_sets"]] == ["quiz"]
    systems = files if len(files) > 1 else [f"{files[0]}#new", f"{files[0]}#old"]
    new, old = systems
    command = ["gate", new, "--baseline", old, "-m", "scores", "-f", "json", *ALWAYS]
    if name in UNKNOWN_DIRECTION:
        refused = run(*command)
        assert (refused.code, refused.out) == (2, "")
        assert "its name does not tell whether higher is better" in refused.err
        command.append("--higher-is-better")
    gate = run(*command)
    assert (gate.code, gate.err) == (0, "")
    # Judgments find items by their names where these have any, else by their numbers.
    rows = [(s, n if name in BY_NAME else n + 1, n % 3 + 10 * score) for s, n, score in ALL]
    heading = "system,id,score" if name in BY_NAME else "system,segment,score"
    (tmp_path / "judged.csv").write_text(lines([heading, *(f"{s},{n},{x}" for s, n, x in rows)]))
    question = ("-c", "pearson:level=segment,grouping=none", "--permutations", "50")
    agreed = run("agree", *files, "--human", "judged.csv", *question, *options)
    (answer,) = json.loads(agreed.out)["answers"]
    assert answer["metrics"][0]["value"] > 0.5


ITEM_COMMANDS = (
    "compare old.csv new.csv --details",
    "score old.csv new.csv --confidence",
    "gate new.csv --baseline old.csv --margin 0.5",
    "explain old.csv new.csv",
    "plan old.csv new.csv --difference 0.1",
)


@pytest.mark.parametrize("command", ITEM_COMMANDS)
def test_scores_are_about_items_instead_of_segments(command: str) -> None:
    few = () if command.startswith("gate") else ALWAYS
    done = run(*command.split(), "-m", "scores", *few)
    assert done.code in (0, 1), done.err
    assert "item" in done.out
    assert "egment" not in done.out
    assert "ystem" not in done.out


def test_a_model_keeps_its_name_even_if_it_is_such_a_word(tmp_path: Path) -> None:
    (tmp_path / "segments.csv").write_bytes((tmp_path / "new.csv").read_bytes())
    done = run("compare", "old.csv", "segments.csv", "-m", "scores", *ALWAYS)
    assert done.code == 0
    assert "segments is" in done.out or "segments can't be told apart" in done.out
