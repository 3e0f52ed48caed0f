"""Charts: one Vega-Lite specification, shown by notebooks or written into a file.

Series differ in shape and dash as well as in colours of different lightness, so that a chart says
the same in black and white. Altair and vl-convert are loaded when a chart is made.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from truebleu._settings import checked
from truebleu.corpus._writing import refuse_existing, write_files
from truebleu.errors import MissingExtraError, SettingError, UnreadableFileError
from truebleu.reports.charts._specification import specification
from truebleu.reports.document import CHART_ENDINGS, Chart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from types import ModuleType

    from altair import TopLevelMixin

    from truebleu.reports.document import Document


class Documented(Protocol):
    """A result, or what else has a document."""

    def to_document(self) -> Document:
        """What people read."""


Drawable: TypeAlias = "Chart | Documented"

__all__ = [
    "chart",
    "require_chart_file",
    "require_packages",
    "save_chart",
    "specification",
]

PACKAGES = ("altair", "vl_convert")
# Twice the pixels of a screen, which is about 200 dots per inch at the width of a page.
PNG_SCALE = 2

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<script>{library}</script>
</head>
<body>
<div id="chart"></div>
<script>
vegaEmbed("#chart", {specification}).catch(console.error);
</script>
</body>
</html>
"""


@checked
def chart(drawable: Drawable) -> TopLevelMixin:
    """A chart as Altair's object: a notebook shows it, Altair can change it.

    Args:
        drawable: a result, whose first chart is taken, or a chart.

    >>> from truebleu.reports.document import Chart, Column, Plot, Table
    >>> columns = (Column("n", "Segments"), Column("power", "Power", percent=True))
    >>> rows = ({"n": 100, "power": 0.4}, {"n": 400, "power": 0.9})
    >>> plot = Plot(mark="line", x="n", y="power")
    >>> chart(Chart(title="Power", table=Table(columns, rows), plot=plot)).to_dict()["title"]
    {'text': ['Power']}
    """
    altair, _ = _packages()
    spec = specification(_chart_of(drawable))
    kinds = {"hconcat": "HConcatChart", "vconcat": "VConcatChart", "concat": "ConcatChart"}
    kind = next((kinds[key] for key in kinds if key in spec), "LayerChart")
    picture: TopLevelMixin = getattr(altair, kind).from_dict(spec)
    return picture


@checked
def save_chart(drawable: Drawable, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a chart into a file, whole or not at all.

    Args:
        drawable: a result, whose first chart is taken, or a chart.
        path: where to; its ending says as what: .png, .svg, .pdf, .html or .json
            (Vega-Lite).
        overwrite: whether a file that exists may be replaced.

    Returns:
        The file.
    """
    file = Path(path)
    require_chart_file(file, overwrite=overwrite)
    altair, convert = _packages()
    # What Altair would say of its own object, which takes it long where panels are many.
    spec = {"$schema": altair.SCHEMA_URL, **specification(_chart_of(drawable))}
    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Another release of Altair may speak of a version that this converter does not have.
    known = version if version in convert.get_vegalite_versions() else None
    written = _WRITERS[_ending(file)](convert, spec, known)
    write_files(file.parent, {file.name: [written]}, overwrite=overwrite)
    return file


def _chart_of(drawable: Drawable) -> Chart:
    if isinstance(drawable, Chart):
        return drawable
    charts = drawable.to_document().charts
    if not charts:
        raise SettingError("chart", type(drawable).__name__, "a result that has a chart")
    return charts[0]


def require_chart_file(path: Path, *, overwrite: bool) -> None:
    """Raise an error now where `save_chart` would refuse a file, or lack its packages."""
    from os import W_OK, access

    _ending(path)
    refuse_existing([path], overwrite=overwrite)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and access(folder, W_OK)):
        reason = f"cannot be written: {folder} is not a folder that takes files"
        raise UnreadableFileError(str(path), reason)
    require_packages()


def require_packages() -> None:
    """Raise an error where the packages that draw charts are not installed; nothing is loaded."""
    from importlib.util import find_spec

    if not all(map(find_spec, PACKAGES)):
        raise MissingExtraError("drawing charts", "charts")


def _packages() -> tuple[ModuleType, ModuleType]:
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("drawing charts", "charts") from error
    return altair, vl_convert


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in CHART_ENDINGS:
        *others, last = CHART_ENDINGS
        raise SettingError("chart", str(path), f"a file ending in {', '.join(others)} or {last}")
    return ending


def _png(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
    written: bytes = convert.vegalite_to_png(
        spec, vl_version=version, scale=PNG_SCALE, allowed_base_urls=[]
    )
    return written


def _svg(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
    written: str = convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    return written.encode() + b"\n"


def _pdf(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
    written: bytes = convert.vegalite_to_pdf(spec, vl_version=version, allowed_base_urls=[])
    return written


def _html(convert: ModuleType, spec: Mapping[str, Any], version: str | None) -> bytes:
    from html import escape

    from truebleu.reports.formats.json import dump

    # A name with "</script>" in it must not end the script.
    inline = dump(spec, indent=None).replace("<", "\\u003c")
    return PAGE.format(
        title=escape(" ".join(spec["title"]["text"])),
        library=convert.javascript_bundle(vl_version=version),
        specification=inline,
    ).encode()


def _json(_convert: ModuleType, spec: Mapping[str, Any], _version: str | None) -> bytes:
    from truebleu.reports.formats.json import dump

    return f"{dump(spec)}\n".encode()


_WRITERS: Mapping[str, Callable[[ModuleType, Mapping[str, Any], str | None], bytes]] = {
    ".png": _png,
    ".svg": _svg,
    ".pdf": _pdf,
    ".html": _html,
    ".json": _json,
}
