"""Scatter plot: points with short labels; the best of them are joined to a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.frame import (
    HEIGHTS,
    N_TICKS,
    Layer,
    Mark,
    Rows,
    fit_height,
    frame,
    layer_marks,
)
from trailprint.report.charts.labels import LabelSide, place_labels
from trailprint.report.charts.rows import ScatterRow
from trailprint.report.charts.style import FONT_SIZES, WIDTHS, Size, light
from trailprint.report.charts.svg import Drawing, draw, isolate

_MARGIN = 70
"""Approximate space the axes take of a chart's width and height, in pixels."""


def draw_scatter(
    rows: Sequence[ScatterRow], x: Axis, y: Axis, *, marks: Sequence[Mark] = (), size: Size = "full"
) -> Drawing:
    """
    Draw points with short labels; those on the frontier are joined.

    Reads ``x``, ``y``, ``low`` and ``high`` (an interval of y), ``label`` (keep it short: a
    number), ``on_line`` (true on the frontier), ``stressed`` (true to ring the point) and
    ``others`` (more values of y at the same x, drawn small).
    """
    points: list[dict[str, Any]] = [
        {**row, "label": isolate(str(row.get("label", ""))), "on_line": bool(row.get("on_line"))}
        for row in rows
    ]
    y = fit_height(y, points, marks)

    def describe(variant: str) -> dict[str, Any]:
        fitted = x.fit((point["x"] for point in points), n_ticks=N_TICKS[variant])
        layers = [
            *layer_marks(marks, points),
            _intervals(points),
            _frontier(points),
            _others(points),
            *_layer_texts(points, _sides(points, fitted, y, variant)),
            *_layer_points(points),
        ]
        return frame(layers, fitted, y, variant)

    return draw(describe, size)


def _intervals(points: Rows) -> Layer:
    return {
        "data": {"values": [dict(p) for p in points if p.get("low") is not None]},
        "mark": {"type": "rule", "color": light("line"), "strokeWidth": 2},
        "encoding": {"y": {"field": "low"}, "y2": {"field": "high"}},
    }


def _frontier(points: Rows) -> Layer:
    joined = sorted((dict(p) for p in points if p["on_line"]), key=lambda point: point["x"])
    return {
        "data": {"values": joined},
        "mark": {"type": "line", "color": light("a"), "strokeWidth": 1.75, "opacity": 0.75},
    }


def _others(points: Rows) -> Layer:
    small = [
        {"x": point["x"], "y": value}
        for point in points
        for value in point.get("others") or ()
        if value is not None
    ]
    look = {"filled": True, "color": light("f"), "size": 14, "opacity": 0.8}
    return {"data": {"values": small}, "mark": {"type": "point", **look}}


def _layer_points(points: Rows) -> list[Layer]:
    """Points off the frontier hollow, on it filled; a ring around stressed ones."""

    def layer(chosen: list[dict[str, Any]], **mark: Any) -> Layer:
        return {"data": {"values": chosen}, "mark": {"type": "point", "opacity": 1, **mark}}

    on = [dict(p) for p in points if p["on_line"]]
    off = [dict(p) for p in points if not p["on_line"]]
    stressed = [dict(p) for p in points if p.get("stressed")]
    hollow = {"fill": light("paper"), "stroke": light("f"), "strokeWidth": 1.75, "size": 70}
    ring = {"fill": None, "stroke": light("b"), "strokeWidth": 2.5, "size": 260}
    return [
        layer(off, **hollow),
        layer(on, filled=True, color=light("a"), size=85),
        layer(stressed, **ring),
    ]


def _sides(points: Rows, x: Axis, y: Axis, variant: str) -> list[LabelSide]:
    width, height = WIDTHS[variant] - _MARGIN, HEIGHTS[variant] - _MARGIN
    places = [
        (x.locate(point["x"]) * width, (1 - y.locate(point["y"])) * height) for point in points
    ]
    return place_labels(places, [point["label"][1:-1] for point in points], FONT_SIZES[variant])


def _layer_texts(points: Rows, sides: Sequence[LabelSide]) -> list[Layer]:
    """One layer of labels for each side of a point in use."""
    look = {"fontWeight": "bold", "stroke": light("paper"), "strokeWidth": 3}
    return [
        {
            "data": {
                "values": [dict(p) for p, own in zip(points, sides, strict=True) if own == side]
            },
            "mark": {"type": "text", **look, **side._asdict()},
            "encoding": {"text": {"field": "label"}},
        }
        for side in dict.fromkeys(sides)
    ]
