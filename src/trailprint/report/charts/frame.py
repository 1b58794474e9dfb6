"""Parts that all charts share: the frame with its axes, and reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.style import light
from trailprint.report.charts.svg import isolate

Rows = Sequence[Mapping[str, Any]]
Layer = dict[str, Any]

HEIGHTS = {"wide": 330, "narrow": 290, "half": 280}
"""Height of a chart with its axes, in pixels."""
N_TICKS = {"wide": 7, "narrow": 5, "half": 5}
"""Approximate number of ticks that fit a horizontal axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A reference value, drawn as a dashed line across the chart."""

    value: float
    label: str


def frame(layers: Sequence[Layer], x: Axis, y: Axis, variant: str) -> dict[str, Any]:
    """Combine layers of ``x`` and ``y``; the title of y is written horizontally above its axis."""
    above = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleBaseline": "bottom"}
    y_channel = y.channel("y", "y")
    y_channel["axis"] |= {**above, "titleX": 0, "titleY": -10, "grid": True}
    return {
        "height": HEIGHTS[variant],
        "padding": {"left": 4, "right": 14, "top": 4, "bottom": 4},
        "params": [*x.parameters("x"), *y.parameters("y")],
        "layer": list(layers),
        "encoding": {"x": x.channel("x", "x"), "y": y_channel},
    }


def fit_height(y: Axis, points: Rows, marks: Sequence[Mark]) -> Axis:
    """Fit the axis to all points, their intervals and the marks."""
    reached = [point.get(end) for point in points for end in ("y", "low", "high")]
    return y.fit([*reached, *(mark.value for mark in marks)], n_ticks=6)


def layer_marks(marks: Sequence[Mark], points: Rows) -> list[Layer]:
    """Reference lines, labelled at the left if the points fall, otherwise at the right."""
    values = [{"y": mark.value, "text": isolate(mark.label)} for mark in marks]
    if not values:
        return []
    side, edge, dx = ("left", 0, 4) if _falls(points) else ("right", "width", -4)
    placed = {"x": {"value": edge}, "text": {"field": "text"}}
    text = {"type": "text", "align": side, "baseline": "bottom", "dy": -4, "dx": dx}
    look = {"color": light("muted"), "stroke": light("paper"), "strokeWidth": 4}
    rule = {"type": "rule", "color": light("muted"), "strokeDash": [5, 4], "strokeWidth": 1.25}
    return [
        {"data": {"values": values}, "mark": rule, "encoding": {"x": None}},
        {"data": {"values": values}, "mark": {**text, **look}, "encoding": placed},
    ]


def _falls(points: Rows) -> bool:
    ordered = sorted(points, key=lambda point: float(point["x"]))
    return bool(ordered) and ordered[0]["y"] > ordered[-1]["y"]
