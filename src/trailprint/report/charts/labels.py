"""Placement of texts beside points so that they overlap neither each other nor a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""

_POINT = 6.0
_FAR = 1e4
_LETTER = 0.62
"""Width of a letter, as a share of the font size."""


class LabelSide(NamedTuple):
    """Offset of a text to the right of and below its point, and its alignment there."""

    dx: float
    dy: float
    align: str


SIDES = (
    LabelSide(9, -8, "left"),
    LabelSide(9, 9, "left"),
    LabelSide(-9, -8, "right"),
    LabelSide(-9, 9, "right"),
    LabelSide(0, -16, "center"),
    LabelSide(0, 17, "center"),
)
"""Sides in the order in which they are tried."""


def place_labels(
    places: Sequence[tuple[float, float]], labels: Sequence[str], font_size: float
) -> list[LabelSide]:
    """
    Choose for each label, in turn, the first side with the least overlap with what is placed.

    The labels of the axis are left of 0 and must not be covered either.
    """
    taken = [(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in places]
    taken.append((-_FAR, -_FAR, 0.0, _FAR))
    chosen = []
    for (x, y), label in zip(places, labels, strict=True):
        size = (_LETTER * font_size * len(label), font_size)
        boxes = [_box(x, y, side, size) for side in SIDES]
        covered = [_covered(box, taken) for box in boxes]
        best = covered.index(min(covered))
        taken.append(boxes[best])
        chosen.append(SIDES[best])
    return chosen


def _box(x: float, y: float, side: LabelSide, size: tuple[float, float]) -> Box:
    width, height = size
    left = {"left": 0.0, "center": -width / 2, "right": -width}[side.align] + x + side.dx
    return left, y + side.dy - height / 2, left + width, y + side.dy + height / 2


def _covered(box: Box, taken: Sequence[Box]) -> float:
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )
