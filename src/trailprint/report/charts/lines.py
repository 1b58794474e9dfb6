"""Lines through points, with bands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.frame import (
    N_TICKS,
    Layer,
    Mark,
    Rows,
    fit_height,
    frame,
    layer_marks,
)
from trailprint.report.charts.rows import LineRow
from trailprint.report.charts.style import DASHES, GUESS_DASH, SHAPES, Size, light
from trailprint.report.charts.svg import Drawing, draw

_BAND = 0.2
_GUESS_BAND = 0.12
_MANY = 16
"""Number of points above which they are drawn small."""


def draw_lines(
    rows: Sequence[LineRow], x: Axis, y: Axis, *, marks: Sequence[Mark] = (), size: Size = "full"
) -> Drawing:
    """
    Draw lines through points, with bands around them.

    Reads ``x``, ``y``, ``low`` and ``high`` (the band), ``series`` (default "a") and ``guess``
    (true if extrapolated: dashed, with a paler band). Rows without ``y`` are left out.
    """
    known: list[dict[str, Any]] = [
        {"series": "a", "guess": False, **row} for row in rows if row["y"] is not None
    ]
    points = _join_guesses(known)
    y = fit_height(y, points, marks)
    layers = [
        *_layer_bands(points),
        *layer_marks(marks, points),
        *(_line(points, series, is_guess) for series, is_guess in _strokes(points)),
        *(_dots(points, series) for series, is_guess in _strokes(points) if not is_guess),
    ]

    def describe(variant: str) -> dict[str, Any]:
        fitted = x.fit((point["x"] for point in points), n_ticks=N_TICKS[variant])
        return frame(layers, fitted, y, variant)

    return draw(describe, size)


def _join_guesses(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Start the extrapolation of each series at its last measured point."""
    joined = list(points)
    for series in {point["series"] for point in points if point["guess"]}:
        measured = [p for p in points if p["series"] == series and not p["guess"]]
        if measured:
            joined.append({**max(measured, key=lambda point: point["x"]), "guess": True})
    return joined


def _strokes(points: Rows) -> list[tuple[str, bool]]:
    return sorted({(point["series"], bool(point["guess"])) for point in points})


def _of(points: Rows, series: str, is_guess: bool) -> list[dict[str, Any]]:
    chosen = [p for p in points if p["series"] == series and bool(p["guess"]) == is_guess]
    return sorted((dict(point) for point in chosen), key=lambda point: point["x"])


def _layer_bands(points: Rows) -> list[Layer]:
    banded = [p for p in points if p.get("low") is not None and p.get("high") is not None]
    return [
        {
            "data": {"values": _of(banded, series, is_guess)},
            "mark": {
                "type": "area",
                "color": light(series),
                "opacity": _GUESS_BAND if is_guess else _BAND,
            },
            "encoding": {"y": {"field": "low"}, "y2": {"field": "high"}},
        }
        for series, is_guess in _strokes(banded)
    ]


def _line(points: Rows, series: str, is_guess: bool) -> Layer:
    dash = GUESS_DASH if is_guess else DASHES[series]
    stroke = {"color": light(series), "strokeWidth": 2, "strokeDash": dash}
    return {
        "data": {"values": _of(points, series, is_guess)},
        "mark": {"type": "line", "strokeCap": "butt", **stroke},
    }


def _dots(points: Rows, series: str) -> Layer:
    values = _of(points, series, False)
    size = 46 if len(values) <= _MANY else 14
    dot = {"shape": SHAPES[series], "size": size, "opacity": 1}
    return {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "color": light(series), **dot},
    }
