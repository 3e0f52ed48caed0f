"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import re
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import DEMO, PAGES, ROOT, Command, blocks, commands, prose, uses_example_files
from tools import command_reference, json_reference, python_reference

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]
PAGES_WITH_EXAMPLE_FILES = [page for page in PAGES if uses_example_files(page)]
PAGES_WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
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
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
OPTIONS_OF_OTHER_TOOLS = {
    "--include",
    "--with",
    "--international-tokenization",
    "--list",
    "--log",
    "--model",
    "--n-best",
    "--n-best-feature",
    "--no-smoothing",
    "--nthreads",
    "--nworkers",
    "--output-type",
    "--paired-ar",
    "--paired-bs",
    "--port",
    "--protocol",
    "--ter-normalized",
    "--to",
}


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example files of the pages, made once."""
    folder = tmp_path_factory.mktemp("demo")
    assert Command(DEMO, "").printed(folder) == ""
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=page_id)
def test_the_commands_of_a_page_print_what_it_says(
    page: Path, tmp_path: Path, demo_files: Path
) -> None:
    to_run = [command for command in commands(page) if command.is_run]
    assert to_run or page.name == "README.md"
    if uses_example_files(page):
        copytree(demo_files, tmp_path, dirs_exist_ok=True)
    for command in to_run:
        if command.line != DEMO:
            printed = command.printed(tmp_path)
            assert command.is_true(printed), f"$ {command.line}\n{printed}"


@pytest.mark.parametrize("page", PAGES_WITH_EXAMPLE_FILES, ids=page_id)
def test_a_page_with_example_files_says_how_to_make_them(page: Path) -> None:
    makes_them = DEMO in [command.line for command in commands(page)]
    assert makes_them or "README.md#example-files)" in page.read_text(encoding="utf-8")


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
    assert set(PAGES) - listed == {index, ROOT / "README.md"}


@pytest.mark.parametrize(
    "words", ["McNemar", "confidence interval", "is my model better", "LaTeX table", "sample size"]
)
def test_readers_find_pages_by_their_own_words(words: str) -> None:
    lines = (ROOT / "docs" / "README.md").read_text(encoding="utf-8").splitlines()
    assert any(words in line and "](" in line for line in lines)


@pytest.mark.parametrize("tool", [command_reference, json_reference, python_reference])
def test_a_reference_is_what_its_tool_writes(tool: ModuleType) -> None:
    module = tool.__name__
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), f"run: python -m {module}"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_a_page_names_no_option_that_is_gone(page: Path) -> None:
    options = {*OPTION.findall(command_reference.reference()), *OPTIONS_OF_OTHER_TOOLS}
    assert set(OPTION.findall(page.read_text(encoding="utf-8"))) - options == set()
