"""Settings that verbs share have the same help and limits in every command."""

from __future__ import annotations

import click
import pytest

from truebleu.cli.main import truebleu


@pytest.mark.parametrize("name", ["level", "seed"])
def test_commands_describe_a_shared_setting_alike(name: str) -> None:
    options = []
    for command in ("compare", "gate", "panel", "score", "explain"):
        with click.Context(truebleu) as context:
            found = truebleu.get_command(context, command)
        assert found is not None
        options += [option for option in found.params if option.name == name]
    assert len(options) == 5
    assert len({option.help for option in options if isinstance(option, click.Option)}) == 1
