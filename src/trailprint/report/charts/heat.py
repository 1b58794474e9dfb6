"""Heat map: shares as shades over two axes of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trailprint.report.charts.frame import Layer
from trailprint.report.charts.rows import HeatRow
from trailprint.report.charts.style import Size, light
from trailprint.report.charts.svg import Drawing, draw, isolate

_ROW_HEIGHTS = {"wide": 44, "narrow": 48, "half": 48}
_FRAME_HEIGHT = 64
"""Height of the axis with its title and of the title above, in pixels."""
_PALEST = 0.06
"""Opacity of a cell with share 0, to distinguish it from a missing cell."""
_DARKEST = 0.54
"""Opacity of a cell with share 1: its text is readable on a light and on a dark page."""


def draw_heat(rows: Sequence[HeatRow], across: str, down: str, *, size: Size = "full") -> Drawing:
    """
    Draw cells in the order of the rows, darker for a larger share.

    Reads ``x`` and ``y`` (names), ``share`` from 0 to 1, and ``text`` (what is written in the
    cell). ``across`` and ``down`` are the titles of the axes.
    """
    cells = [
        {**row, "x": isolate(str(row["x"])), "y": isolate(str(row["y"])), "shade": _shade(row)}
        for row in rows
    ]
    n_rows = len({cell["y"] for cell in cells})

    def describe(variant: str) -> dict[str, Any]:
        return {
            "height": _ROW_HEIGHTS[variant] * n_rows + _FRAME_HEIGHT,
            "data": {"values": cells},
            "layer": [_layer_cells(), _layer_texts()],
            "encoding": {
                "x": {"field": "x", "sort": None, "axis": _axis(across)},
                "y": {"field": "y", "sort": None, "axis": {**_axis(down), **_ABOVE}},
            },
        }

    return draw(describe, size)


_ABOVE = {
    "titleAngle": 0,
    "titleAlign": "left",
    "titleAnchor": "end",
    "titleBaseline": "bottom",
    "titleX": 0,
    "titleY": -10,
}


def _shade(row: HeatRow) -> float:
    return _PALEST + (_DARKEST - _PALEST) * float(row["share"])


def _axis(title: str) -> dict[str, Any]:
    return {"title": title, "labelAngle": 0, "ticks": False, "domain": False}


def _layer_cells() -> Layer:
    return {
        "mark": {"type": "rect", "color": light("a"), "stroke": light("paper"), "strokeWidth": 2},
        "encoding": {"fillOpacity": {"field": "shade", "type": "quantitative", "scale": None}},
    }


def _layer_texts() -> Layer:
    return {
        "mark": {"type": "text", "color": light("ink")},
        "encoding": {"text": {"field": "text"}},
    }
