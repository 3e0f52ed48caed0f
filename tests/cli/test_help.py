"""Help that people can read: few options at first sight, in groups, on one screen."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from tools.man_pages import commands
from truebleu.cli.main import COMMANDS, truebleu
from truebleu.cli.study import STUDIES

WRITTEN_ELSEWHERE = {"cache", "sacrebleu", "study", "nbest"}
NAMES = [[name] for name in COMMANDS if name not in WRITTEN_ELSEWHERE]
NAMES += [["study", name] for name in STUDIES] + [["nbest", "stats"], ["nbest", "oracle"]]
OPTION = re.compile(r"^  (-\w, )?--", re.MULTILINE)


def help_of(*arguments: str) -> str:
    result = CliRunner().invoke(truebleu, list(arguments))
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_a_command_shows_few_options_on_one_screen(name: list[str]) -> None:
    text = help_of(*name, "--help")
    assert len(OPTION.findall(text)) <= 14
    lines = text.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_all_options_are_a_word_away(name: list[str]) -> None:
    short, long = help_of(*name, "--help"), help_of(*name, "--help-all")
    more = re.search(r"--help-all shows (\d+) more options", short)
    expected = len(OPTION.findall(short)) + (int(more[1]) if more else 0)
    assert len(OPTION.findall(long)) == expected


def test_commands_come_in_groups_with_the_usual_ones_first() -> None:
    text = help_of("--help")
    places = [text.index(f"  {name} ") for name in ("score", "compare", "gate", "tune", "study")]
    assert places == sorted(places)
    assert all(f"  {name}" in text for name in COMMANDS)


#: Options that once meant several things.
ONE_MEANING = ("--runs", "--weights", "--alpha", "--draw", "--size", "--pairs")


@pytest.mark.parametrize("flag", ONE_MEANING)
def test_an_option_means_the_same_in_every_command(flag: str) -> None:
    whole = click.Context(truebleu, info_name="truebleu")
    meanings = {
        option.help
        for context in commands(truebleu, whole)
        for option in context.command.params
        if isinstance(option, click.Option) and flag in option.opts
    }
    assert len(meanings) == 1
