"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, commands

PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]
PAGES_WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
# These set up the machine or the project itself, and CI runs them in other ways.
NOT_RUN = ("make ", "pip ", "git ")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=page_id)
def test_the_commands_of_a_page_print_what_it_says(page: Path, tmp_path: Path) -> None:
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for command in commands(page):
        if command.line.startswith(NOT_RUN):
            continue
        result = subprocess.run(  # noqa: S602  # the pages are ours
            command.line,
            shell=True,
            executable="/bin/bash",
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        ran += 1
        pattern = re.escape(command.output.rstrip("\n")).replace(r"\.\.\.", ".*")
        found = result.stdout.rstrip("\n")
        assert re.fullmatch(pattern, found, re.DOTALL), f"$ {command.line}\n{found}"
    assert ran or page.name == "README.md"


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=page_id)
def test_the_python_of_a_page_answers_what_it_says(page: Path) -> None:
    names: dict[str, object] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in blocks(page, "python"):
        test = parser.get_doctest(block, names, page.name, str(page), 0)
        assert test.examples, f"a block of {page.name} shows no session"
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
