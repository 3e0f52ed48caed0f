"""``truebleu mbr`` as people call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.n_best_lists import run, write_short_lists


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_short_lists()


def test_mbr_writes_the_choice_and_a_report() -> None:
    result = run("mbr", "lists", "-o", "best.txt", "-r", "ref")
    assert Path("best.txt").read_text() == "the cat sat\nyes\n"
    assert "All candidates have the same text for 1 of 2 segments." in result.stdout
    assert "By BLEU the chosen candidates and the first ones can't be told apart" in result.stdout
    again = run("mbr", "lists", "-o", "best.txt")
    assert "--force" in str(again.exception)
    assert run("mbr", "lists", "-o", "best.txt", "--force").exit_code == 0


def test_mbr_writes_lines_to_standard_output() -> None:
    assert run("mbr", "lists", "-o", "-", "--best", "2").stdout.splitlines() == [
        "the cat sat",
        "the cat ran",
        "yes",
    ]


def test_mbr_gives_a_row_for_each_choice() -> None:
    lines = run(
        "mbr", "lists", "-f", "tsv", "--weigh-by", "probability", "--temperature", "9"
    ).stdout.splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert rows[0][:4] == ["segment", "rank", "index", "utility"]
    assert [row[-1] for row in rows[1:]] == ["the cat sat", "yes"]


def test_a_line_break_inside_a_sample_becomes_a_blank() -> None:
    Path("samples").write_text('{"candidates": ["a\\nb", "a\\nb"]}\n')
    assert run("mbr", "samples", "-o", "-").stdout == "a b\n"


def test_other_lists_may_be_the_pseudo_references() -> None:
    Path("others").write_text("0 ||| the cat ran ||| LM0= 1\n1 ||| no ||| LM0= 1\n")
    result = run("mbr", "lists", "--pseudo-references", "others", "-o", "-", "-m", "ter")
    assert result.stdout == "the cat ran\nyes\n"


def test_an_approximation_can_be_checked() -> None:
    result = run("mbr", "lists", "--method", "aggregate", "--check")
    assert "Compared with the exact result, aggregate chose" in result.stdout
    assert "no check with method exact" in str(run("mbr", "lists", "--check").exception)


def test_a_bad_line_far_down_leaves_no_half_file() -> None:
    with Path("lists").open("a") as file:
        file.write("2 ||| no ||| LM0= x ||| -1\n")
    for output in ("best.txt", "-"):
        failed = run("mbr", "lists", "-o", output)
        assert "lists: line 5" in str(failed.exception)
        assert failed.stdout == ""
    assert not Path("best.txt").exists()


def test_samples_in_any_order_are_read_whole() -> None:
    rows = [f'{{"id": "{n % 2}", "text": "{text}"}}\n' for n, text in enumerate("aabbab")]
    Path("samples").write_text("".join(rows))
    assert run("mbr", "samples", "-o", "-").stdout == "a\nb\n"


def test_lists_without_company_are_refused() -> None:
    Path("others").write_text("0 ||| the cat ran ||| LM0= 1\n")
    short = run("mbr", "lists", "--pseudo-references", "others")
    assert "others: 1 segments, but lists has 2" in str(short.exception)
    long = run("mbr", "others", "--pseudo-references", "lists")
    assert "lists: 2 segments, but others has 1" in str(long.exception)


@pytest.mark.slow
def test_no_byte_depends_on_where_segments_are_scored() -> None:
    here = run("mbr", "lists", "-r", "ref", "-f", "json", "-o", "here.txt")
    there = run("mbr", "lists", "-r", "ref", "-f", "json", "-o", "there.txt", "--processes", "2")
    assert (there.exit_code, there.stdout) == (0, here.stdout)
    assert Path("there.txt").read_bytes() == Path("here.txt").read_bytes()
