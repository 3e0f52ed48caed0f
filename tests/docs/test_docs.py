"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from tests.docs.pages import PAGES, ROOT, blocks, commands, pages_in_order, prose
from tools.python_reference import public_packages
from truebleu.cli.main import COMMANDS
from truebleu.cli.study import STUDIES

PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]
PAGES_WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
# These set up the machine or the project itself, and CI runs them in other ways.
NOT_RUN = ("make ", "pip ", "git ")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
BESIDE_THE_DOCS = [
    ROOT / name
    for name in (
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "benchmarks/README.md",
        "tests/parity/golden/README.md",
    )
]
WIDTH = 100
# A file of the project that a page names; in capitals, or of an example, one that a reader makes.
NAMED_PATH = re.compile(r"`((?:src|tests|evidence|benchmarks|tools|crates)/[\w./-]+)`")
MADE_BY_READERS = ("NAME", "/exact.", "/results/")
# This one has sacreBLEU's options, which sacreBLEU documents.
OWN_COMMANDS = sorted(set(COMMANDS) - {"sacrebleu"})


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_commands(page: Path, folder: Path) -> int:
    """How many commands of a page were run in the folder; each prints what the page says."""
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    to_run = [command for command in commands(page) if not command.line.startswith(NOT_RUN)]
    for command in to_run:
        result = subprocess.run(  # noqa: S602  # the pages are ours
            command.line,
            shell=True,
            executable="/bin/bash",
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        pattern = re.escape(command.output.rstrip("\n")).replace(r"\.\.\.", ".*")
        printed = result.stdout.rstrip("\n")
        assert re.fullmatch(pattern, printed, re.DOTALL), f"$ {command.line}\n{printed}"
    return len(to_run)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=page_id)
def test_the_commands_of_a_page_print_what_it_says(page: Path, tmp_path: Path) -> None:
    assert run_commands(page, tmp_path) or page.name == "README.md"


@pytest.mark.slow
def test_a_reader_can_follow_all_pages_in_one_folder(tmp_path: Path) -> None:
    for page in pages_in_order():
        run_commands(page, tmp_path)


@pytest.mark.slow
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


def anchors(page: Path) -> set[str]:
    """What a link may have after ``#``: the headings, as GitHub spells them."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *BESIDE_THE_DOCS], ids=page_id)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        found = page.parent / target if target else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), f"{target}#{anchor}"


@pytest.mark.parametrize("page", [*PAGES, *BESIDE_THE_DOCS], ids=page_id)
def test_the_prose_of_a_page_is_wrapped(page: Path) -> None:
    assert [line for line in prose(page) if len(line) > WIDTH] == []


@pytest.mark.parametrize("page", [*PAGES, *BESIDE_THE_DOCS], ids=page_id)
def test_the_files_that_a_page_names_exist(page: Path) -> None:
    named = NAMED_PATH.findall(page.read_text(encoding="utf-8"))
    ours = [path for path in named if not any(part in path for part in MADE_BY_READERS)]
    assert [path for path in ours if not (ROOT / path).exists()] == []


def test_the_list_of_pages_has_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    listed = {(index.parent / target).resolve() for target, _ in links}
    # The pages of evidence have a list of their own, which is written with them.
    evidence = index.parent / "evidence" / "README.md"
    links = LINK.findall(evidence.read_text(encoding="utf-8"))
    listed |= {(evidence.parent / target).resolve() for target, _ in links}
    assert set(PAGES) - listed == {index, ROOT / "README.md"}


def names_in_the_reference(package: str) -> set[str]:
    """What the package's table lists in its first column."""
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"## `{package}`\n")
    section, _, _ = section.partition("\n## ")
    return set(re.findall(r"^\| `(\w+)", section, re.MULTILINE))


@pytest.mark.parametrize("package", public_packages())
def test_the_reference_lists_exactly_what_is_public(package: str) -> None:
    public = set(import_module(package).__all__)
    assert names_in_the_reference(package) == public, "run: python -m tools.python_reference"


def test_the_reference_has_no_other_packages() -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert re.findall(r"^## `(.*)`$", text, re.MULTILINE) == public_packages()


def options_of(command: click.Command) -> set[str]:
    return {
        spelling
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for spelling in parameter.opts
    }


def told_options(*pages: str) -> set[str]:
    texts = ((ROOT / "docs" / "reference" / page).read_text(encoding="utf-8") for page in pages)
    return {
        option for text in texts for option in re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", text)
    }


def command_at(place: str) -> click.Command:
    """The command of a module, or the one of that name in it."""
    module, _, name = place.partition(":")
    command: click.Command = getattr(import_module(module), name or "command")
    return command


@pytest.mark.parametrize("name", OWN_COMMANDS)
def test_every_option_has_its_place_in_the_reference(name: str) -> None:
    assert (
        options_of(command_at(COMMANDS[name][0]))
        - told_options("command-line.md", "nbest.md", "tuning.md")
        == set()
    )


def test_the_reference_names_no_option_that_is_gone() -> None:
    options = {"--help"}
    for name in OWN_COMMANDS:
        options |= options_of(command_at(COMMANDS[name][0]))
    assert told_options("command-line.md") - options == set()


@pytest.mark.parametrize("name", STUDIES)
def test_every_option_of_a_study_has_its_place_in_the_reference(name: str) -> None:
    assert options_of(command_at(STUDIES[name][0])) - told_options("studies.md") == set()
