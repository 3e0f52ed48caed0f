"""The documentation site: the pages of docs/ and a reference of the Python API from its docstrings.

`make docs` builds it. Pages stay plain Markdown that can be read where they lie; what only a site
needs is made here, in a copy of the pages.
"""

from __future__ import annotations

import re
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import truebleu
from tools.python_reference import description, public_packages

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPOSITORY = "https://github.com/truebleu/truebleu/blob/main/"
SECTIONS = ("tutorial", "how-to", "reference", "reference/metrics", "explanation", "evidence")

project = "truebleu"
author = "The truebleu developers"
copyright = author  # noqa: A001
version = release = truebleu.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"truebleu {release}"
html_static_path: list[str] = []
root_doc = "index"
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# Words that Pygments cannot cut are code all the same.
suppress_warnings = ["misc.highlighting_failure"]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
# The annotations of attributes would be read as markup: np.bool_ as a link.
napoleon_attr_annotations = False
autodoc_member_order = "groupwise"


def copied_pages(folder: Path) -> None:
    """Copy the pages, with links to files outside of docs/ led to the repository."""
    for path in (ROOT / "docs").rglob("*"):
        target = folder / path.relative_to(ROOT / "docs")
        if path.is_dir() or HERE in path.parents:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(path, target)
            continue
        target.write_text(with_links(path), encoding="utf-8")


def with_links(page: Path) -> str:
    """Return a page with its links to files outside the site turned into links to GitHub."""

    def link(match: re.Match[str]) -> str:
        place = match[1].partition("#")[0]
        target = (page.parent / place).resolve()
        inside = target.is_relative_to(ROOT / "docs") and target.suffix in (".md", ".svg", ".png")
        if not place or "://" in place or inside or not target.exists():
            return match[0]
        return f"]({REPOSITORY}{target.relative_to(ROOT)})"

    return re.sub(r"\]\(([^)\s]+)\)", link, page.read_text(encoding="utf-8"))


def api_pages(folder: Path) -> None:
    """Write a page for the names of truebleu and one for each namespace."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in public_packages():
        (folder / f"{package}.md").write_text(api_page(package), encoding="utf-8")


def api_page(module: str) -> str:
    """Return a page with the docstrings of a module's public names."""
    home = import_module(module)
    lines = [f"# `{module}`", "", "```{eval-rst}", f".. automodule:: {module}", "   :no-index:", ""]
    others = []
    for name in sorted(home.__all__):
        value = getattr(home, name)
        if isinstance(value, ModuleType):
            continue
        if isinstance(value, type):
            lines += [f".. autoclass:: {module}.{name}", "   :members:", "   :no-index:", ""]
        elif callable(value):
            lines += [f".. autofunction:: {module}.{name}", "   :no-index:", ""]
        else:
            others.append(f"- `{name}`: {description(home, name)}")
    return "\n".join([*lines, "```", "", *others, ""])


def index(folder: Path) -> str:
    """Return the first page: docs/README.md with the table of contents."""
    parts = [(folder / "README.md").read_text(encoding="utf-8")]
    for section in SECTIONS:
        pages = sorted(path for path in (folder / section).glob("*.md"))
        caption = section.rpartition("/")[2].capitalize().replace("-", "-")
        listed = "\n".join(str(page.relative_to(folder).with_suffix("")) for page in pages)
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```")
    parts.append("```{toctree}\n:hidden:\n:caption: Python\n:glob:\n\napi/*\n```")
    return "\n\n".join(parts) + "\n"


def make_source(folder: Path) -> None:
    """Write everything that Sphinx reads into `folder`, deleting what it held."""
    shutil.rmtree(folder, ignore_errors=True)
    copied_pages(folder)
    api_pages(folder / "api")
    (folder / "index.md").write_text(index(folder), encoding="utf-8")
    (folder / "README.md").unlink()
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        up = "../" * (len(page.relative_to(folder).parts) - 1)
        page.write_text(text.replace(f"]({up}README.md", f"]({up}index.md"), encoding="utf-8")


if __name__ == "__main__":
    make_source(ROOT / "dist" / "docs-source")
