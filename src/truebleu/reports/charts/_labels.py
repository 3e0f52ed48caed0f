"""Names beside points: where each has room, so that none covers another or a point."""

from __future__ import annotations

from math import ceil, hypot
from typing import TYPE_CHECKING

from truebleu.reports.charts._style import text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SIZE = 10
# Half the side of a point, and how far its name is from its middle, in pixels.
POINT, GAP = 4.0, 7.0
# Where a name may stand beside its point, the best place first: how it is set, right, and down.
PLACES = (
    ("left", GAP, 0.0),
    ("right", -GAP, 0.0),
    ("center", 0.0, -GAP - SIZE / 2),
    ("center", 0.0, GAP + SIZE / 2),
    ("left", GAP - 2, -GAP),
    ("left", GAP - 2, GAP),
    ("right", 2 - GAP, -GAP),
    ("right", 2 - GAP, GAP),
)

#: From the left and from the top.
Place = tuple[float, float]
#: Left, top, right and bottom of a rectangle.
Box = tuple[float, float, float, float]
Placed = tuple[str, float, float]


def place_labels(
    points: Sequence[tuple[float, float, str]],
    width: float,
    height: float,
    lines: Iterable[tuple[Place, Place]] = (),
) -> list[Placed | None]:
    """For each point how its name is set and how far off it stands; None where it has no room.

    >>> place_labels([(50.0, 50.0, "a"), (50.0, 52.0, "a name that is far too long")], 100, 100)
    [('left', 7.0, 0.0), None]

    Args:
        points: from the left and from the top in pixels, each with its name.
        width: of the panel.
        height: of the panel.
        lines: from one place to another, which names should not cross either.
    """
    taken = [_around(x, y, POINT, POINT) for x, y, _ in points]
    taken += [box for line in lines for box in _along(*line)]
    placed: list[Placed | None] = []
    for number, (x, y, name) in enumerate(points):
        chosen = None
        others = [*taken[:number], *taken[number + 1 :]]
        for place in PLACES if name else ():
            box = _box(x, y, name, place)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if inside and not _overlaps(box, others):
                chosen = place
                taken.append(box)
                break
        placed.append(chosen)
    return placed


def _along(start: Place, end: Place) -> Iterator[Box]:
    """Small boxes on the line between two points, but not close to them."""
    (left, top), (right, bottom) = start, end
    length = hypot(right - left, bottom - top)
    for place in range(ceil(GAP), int(length - GAP), 3):
        share = place / length
        yield _around(left + share * (right - left), top + share * (bottom - top), 1.0, 1.0)


def _around(x: float, y: float, half_width: float, half_height: float) -> Box:
    return x - half_width, y - half_height, x + half_width, y + half_height


def _box(x: float, y: float, name: str, place: Placed) -> Box:
    align, right, down = place
    half = text_width(name, SIZE) / 2
    middle = x + right + {"left": half, "right": -half, "center": 0.0}[align]
    return _around(middle, y + down, half, SIZE / 2)


def _overlaps(box: Box, others: Iterable[Box]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
        for other in others
    )
