"""The axes of a panel: headings, numbers or labels, and what belongs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.reports.charts.style import (
    AXIS_TITLE_SIZE,
    LABEL_SIZE,
    literal,
    text_width,
    wrapped,
)

if TYPE_CHECKING:
    from truebleu.exhibits import Field
    from truebleu.reports.charts.data import Drawing
    from truebleu.reports.charts.panels import Panel

# Percentages as tables write them; d3's own format leaves no space before the sign.
PERCENT_LABEL = "format(100 * datum.value, ',.6~g') + ' %'"
# A logarithmic axis names its values where they are so few, such as sizes that double.
MOST_NAMED_VALUES = 10
# Room between the outermost points and the frame, in pixels.
MARGIN = 16
# Panels share an axis where each of them would use at least this share of it.
SMALLEST_USE = 0.5
# A share this near to 0 or 1 has that on its axis.
NEAR_THE_END = 0.1
# Labels along the horizontal axis have at most so many lines.
MOST_LINES = 3


def x_axis(panel: Panel) -> dict[str, Any]:
    """The horizontal encoding of every mark of a panel."""
    field, title = panel.drawing.fields["x"], None
    if panel.x_title:
        title = wrapped(field.heading, panel.width, AXIS_TITLE_SIZE)
    if panel.drawing.categories is not None:
        return _categories(panel, title)
    numbers = panel.drawing.numbers("x")
    axis = {
        "labelOverlap": "greedy",
        "labelSeparation": LABEL_SIZE / 2,
        "tickCount": round(panel.width / 60),
    }
    axis |= _number_format(field, numbers)
    if panel.drawing.plot.log_x:
        # A step between ticks is of no use where they multiply.
        axis.pop("tickMinStep", None)
        values = sorted(set(numbers))
        if len(values) <= MOST_NAMED_VALUES:
            # Vega would thin out the values to the count.
            del axis["tickCount"]
            axis["values"] = values
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": _x_scale(panel),
        "axis": axis,
    }


def y_axis(panel: Panel, part: str = "y") -> dict[str, Any]:
    """The vertical encoding of a part: y itself, the ends of error bars, or a reference."""
    field = panel.drawing.fields["y"]
    title = wrapped(field.heading, panel.height, AXIS_TITLE_SIZE) if panel.y_title else None
    return {
        "field": part,
        "type": "quantitative",
        "title": title,
        "scale": _y_scale(panel),
        "axis": {
            "tickCount": round(panel.height / 40),
            **_number_format(field, panel.drawing.numbers("y")),
        },
    }


def is_shared(drawn: Drawing, axis: str) -> bool:
    """Whether panels share an axis: then they compare at a glance, unless some become flat."""
    if axis == "y" and drawn.plot.shared_y is not None:
        return drawn.plot.shared_y
    if axis == "x" and drawn.categories is not None:
        return False
    if drawn.fields[axis].percent:
        return True
    ends = [_ends(_shown(drawn, axis, panel)) for panel in drawn.panels]
    whole = max((high for _, high in ends), default=0) - min((low for low, _ in ends), default=0)
    return all(high - low >= SMALLEST_USE * whole for low, high in ends if high > low)


def _shown(drawn: Drawing, axis: str, panel: str | None) -> list[float]:
    """All numbers that an axis shows, in one panel or in all."""
    parts = ("x",) if axis == "x" else ("y", "low", "high", "reference")
    shown = [number for part in parts for number in drawn.numbers(part, panel)]
    if axis == "y" and drawn.plot.reference is not None:
        shown.append(drawn.plot.reference)
    return shown


def _ends(numbers: list[float]) -> tuple[float, float]:
    return min(numbers), max(numbers)


def _on_axis(panel: Panel, axis: str) -> list[float]:
    """The numbers on an axis of a panel: those of all panels, if they share it."""
    return _shown(panel.drawing, axis, None if axis in panel.shared else panel.name)


def _x_scale(panel: Panel) -> dict[str, Any]:
    numbers = _on_axis(panel, "x")
    scale: dict[str, Any] = {"nice": False, "padding": MARGIN}
    scale |= {"type": "log"} if panel.drawing.plot.log_x else {"zero": False}
    if len(set(numbers)) == 1:
        (only,) = set(numbers)
        scale["domain"] = [only / 2, only * 2] if panel.drawing.plot.log_x else _around(only)
    return scale


def _y_scale(panel: Panel) -> dict[str, Any]:
    plot, numbers = panel.drawing.plot, _on_axis(panel, "y")
    # A bar's length says its value, so that bars begin at 0 whatever the plot says.
    zero = plot.zero_y or plot.mark == "bar"
    if not numbers:
        return {"zero": zero}
    low, high = _ends(numbers)
    if panel.drawing.fields["y"].percent and low >= 0 and high <= 1:
        # A share is never outside 0 and 1, and where it comes near, it is measured against them.
        ends = {"domainMax": 1} if high > 1 - NEAR_THE_END else {}
        return {"zero": zero or low < NEAR_THE_END, "nice": True, **ends}
    if zero:
        return {"zero": True, "nice": True}
    if low == high:
        return {"domain": _around(low), "zero": False}
    return {"zero": False, "nice": True, "padding": MARGIN / 3}


def _around(number: float) -> list[float]:
    """An axis for one number: Vega would give it a tick of its own, and round that."""
    return [number - (abs(number) / 10 or 1), number + (abs(number) / 10 or 1)]


def _categories(panel: Panel, title: list[str] | None) -> dict[str, Any]:
    labels = panel.categories or ()
    room = panel.width / max(1, len(labels)) - 6
    lines = {label: wrapped(label, room, LABEL_SIZE) for label in labels}
    level = all(
        len(parts) <= MOST_LINES and all(text_width(part, LABEL_SIZE) <= room for part in parts)
        for parts in lines.values()
    )
    axis: dict[str, Any] = {"grid": False, "labelAngle": 0, "labelOverlap": False}
    if not level:
        # Steep enough that neighbours do not touch.
        angle = -40 if room > 2 * LABEL_SIZE else -65
        axis |= {"labelAngle": angle, "labelAlign": "right", "labelBaseline": "top"}
    elif any(len(parts) > 1 for parts in lines.values()):
        axis["labelExpr"] = f"{literal(lines)}[datum.value]"
    return {
        "field": "x",
        "type": "ordinal",
        "title": title,
        "scale": {"domain": list(labels), "paddingInner": 0.2, "paddingOuter": 0.15},
        "axis": axis,
    }


def _number_format(field: Field, numbers: list[float]) -> dict[str, Any]:
    if field.percent:
        return {"labelExpr": PERCENT_LABEL}
    # Half a reference or half a sample would be no value that there could be.
    whole = all(isinstance(number, int) for number in numbers)
    return {"tickMinStep": 1, "format": ",d"} if whole else {}
