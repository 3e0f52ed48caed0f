"""Habits of other tools are answered with what a command has."""

from __future__ import annotations

import re

import click
import pytest

from tests.cli.shell import run
from tools.man_pages import commands
from truebleu.cli._habits import HABITS, Habit, hint_for
from truebleu.cli.main import truebleu

COMMANDS = {
    context.command_path: context.command
    for context in commands(
        truebleu,
        click.Context(truebleu, info_name="truebleu", help_option_names=["-h", "--help"]),
    )
    if not isinstance(context.command, click.Group) and context.command.name != "sacrebleu"
}
#: Flags that commands have themselves, such as -b of compare.
FLAGS = [flag for habit in HABITS for flag in habit.flags.split()]
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


@pytest.mark.parametrize("flag", dict.fromkeys(FLAGS))
def test_some_command_answers_every_habit(flag: str) -> None:
    assert any(hint_for(flag, command) for command in COMMANDS.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_hint_names_options_of_its_command(name: str) -> None:
    command = COMMANDS[name]
    for flag in FLAGS:
        hint = hint_for(flag, command)
        # What follows "truebleu compare" or "truebleu score" is about another command.
        of_command, _, _ = (hint or "").partition("truebleu ")
        known = {name for parameter in command.params for name in parameter.opts}
        assert set(OPTION.findall(of_command)) <= known, (flag, hint)


@pytest.mark.parametrize("habit", [habit for habit in HABITS if "truebleu " in habit.hint])
def test_a_hint_about_another_command_names_its_options(habit: Habit) -> None:
    _, _, command = habit.hint.partition("truebleu ")
    name = command.split()[0].strip(",")
    known = {name for parameter in COMMANDS[f"truebleu {name}"].params for name in parameter.opts}
    assert set(OPTION.findall(command)) <= known


@pytest.mark.parametrize("habit", HABITS)
def test_a_hint_is_about_commands_and_parameters_that_exist(habit: Habit) -> None:
    names = {name.rpartition(" ")[2] for name in COMMANDS}
    parameters = {parameter.name for command in COMMANDS.values() for parameter in command.params}
    assert set(habit.commands.split()) <= names
    assert set(habit.parameters.split()) <= parameters


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("compare -r r a b --confidence", "Here it is always on: every comparison has intervals."),
        ("plan -r r a b --confidence", ""),
        ("compare -r r a b --alpha=0.01", "Here it is --level: intervals of 0.95 go with tests"),
        ("tune lists --alpha 0.01", ""),
        ("compare -r r a b --bootstrap", "Here it is --test bootstrap."),
        ("score -r r a --bootstrap", "Here it is --confidence."),
    ],
)
def test_only_commands_that_a_hint_applies_to_give_it(command: str, hint: str) -> None:
    result = run(*command.split())
    message = " ".join(result.err.split())
    assert result.code == 2
    assert "No such option" in message
    assert hint in message
    assert ("Here it is" in message) == bool(hint)
