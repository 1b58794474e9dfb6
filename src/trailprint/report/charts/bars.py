"""Horizontal bars, one for each row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.frame import N_TICKS, Layer
from trailprint.report.charts.rows import BarRow
from trailprint.report.charts.style import SERIES, WIDTHS, Size, light
from trailprint.report.charts.svg import Drawing, draw, isolate

_ROW_HEIGHTS = {"wide": 38, "narrow": 58, "half": 58}
_FRAME_HEIGHT = 52
"""Height of the axis and its title below the rows, in pixels."""
_LABEL_WIDTH = 30
"""Maximum number of characters in a line of a bar's label."""
_LABEL_LINES = 2
_WIDEST_LETTER = 7.0
"""Largest average width of a letter in any sans-serif font, in pixels."""
_BOLD_LETTER = 9.0
_GAP = 14
"""Pixels between a bar's end and its text, and between the text and the edge."""
_DROP = 12
"""Offset of a bar below the middle of its row if its label is above it, in pixels."""


def draw_bars(rows: Sequence[BarRow], x: Axis, *, size: Size = "full") -> Drawing:
    """
    Draw horizontal bars, one for each row, in the order given.

    Reads ``label``, ``value``, ``text`` (what to write at the bar's end), ``low`` and ``high`` (an
    interval), ``series`` (default "a") and ``mark`` (a value to compare with, drawn as a tick).
    """
    bars = [_bar(index, row) for index, row in enumerate(rows)]
    longest = max((bar["end"] for bar in bars), default=0.0) or 1.0

    def describe(variant: str) -> dict[str, Any]:
        fitted = replace(x, high=x.high or longest).fit((), n_ticks=N_TICKS[variant] - 1)
        return _describe(bars, _make_room(fitted, bars, variant), variant)

    return draw(describe, size)


def _bar(index: int, row: BarRow) -> dict[str, Any]:
    value = row.get("value") or 0.0
    return {
        **row,
        "row": index,
        "value": value,
        "end": max(value, row.get("high") or 0.0, row.get("mark") or 0.0),
        "colour": light(row.get("series", SERIES[0])),
        "text": row.get("text") or "",
        "label": isolate(str(row["label"])),
        "lines": _wrap(str(row["label"])),
    }


def _wrap(label: str) -> list[str]:
    lines = textwrap.wrap(label, _LABEL_WIDTH, max_lines=_LABEL_LINES, placeholder=" …")
    return [isolate(line) for line in lines]


def _make_room(x: Axis, bars: list[dict[str, Any]], variant: str) -> Axis:
    """Extend the axis beyond its last tick to fit the texts at the ends of the bars."""
    plot = WIDTHS[variant] - (_extent(bars) if variant == "wide" else 0)
    text = _GAP + _BOLD_LETTER * max((len(bar["text"]) for bar in bars), default=0)
    share = min(0.45, text / plot)
    return replace(x, high=(x.high or 1.0) / (1 - share))


def _describe(bars: list[dict[str, Any]], x: Axis, variant: str) -> dict[str, Any]:
    labels = [bar["lines"] if variant == "wide" else "" for bar in bars]
    drop = 0 if variant == "wide" else _DROP
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"domain": list(range(len(bars))), "padding": 0},
        "axis": {
            "title": None,
            "labelExpr": "bar_labels[datum.value]",
            "domain": False,
            "minExtent": _extent(bars) if variant == "wide" else 0,
        },
    }
    step = _ROW_HEIGHTS[variant]
    x_channel = x.channel("value", "x")
    x_channel["axis"] |= {"grid": True, "domain": False, "ticks": False}
    layers = _layer_bars(bars, drop)
    if variant != "wide":
        layers.append(_labels_above(bars, drop))
    return {
        "height": step * len(bars) + _FRAME_HEIGHT,
        "params": [{"name": "bar_labels", "value": labels}, *x.parameters("x")],
        "data": {"values": bars},
        "layer": layers,
        "encoding": {"x": x_channel, "y": y},
    }


def _layer_bars(bars: list[dict[str, Any]], drop: int) -> list[Layer]:
    """Layers of the bars, their intervals, reference values and texts."""
    ranged = {"values": [bar for bar in bars if bar.get("low") is not None]}
    marked = {"values": [bar for bar in bars if bar.get("mark") is not None]}
    colour = {"field": "colour", "type": "nominal", "scale": None, "legend": None}
    ends = {"type": "tick", "color": light("ink"), "thickness": 1.5, "size": 9, "yOffset": drop}
    line = {"type": "rule", "color": light("ink"), "strokeWidth": 1.5, "yOffset": drop}
    text = {"type": "text", "align": "left", "dx": 8, "yOffset": drop, "fontWeight": "bold"}
    tick = {"type": "tick", "color": light("ink"), "thickness": 3, "size": 26, "yOffset": drop}
    halo = {**line, "color": light("paper"), "strokeWidth": 4.5}
    span = {"x": {"field": "low"}, "x2": {"field": "high"}}
    return [
        {
            "mark": {"type": "bar", "size": 17, "yOffset": drop, "cornerRadiusEnd": 2},
            "encoding": {"color": colour},
        },
        {"data": ranged, "mark": halo, "encoding": span},
        {"data": ranged, "mark": line, "encoding": span},
        {"data": ranged, "mark": ends, "encoding": {"x": {"field": "low"}}},
        {"data": ranged, "mark": ends, "encoding": {"x": {"field": "high"}}},
        {"data": marked, "mark": tick, "encoding": {"x": {"field": "mark"}}},
        {"mark": text, "encoding": {"x": {"field": "end"}, "text": {"field": "text"}}},
    ]


def _extent(bars: list[dict[str, Any]]) -> float:
    """Width of the labels in pixels, enough for any sans-serif font."""
    return _WIDEST_LETTER * max((len(line) for bar in bars for line in bar["lines"]), default=0)


def _labels_above(bars: list[dict[str, Any]], drop: int) -> Layer:
    """Labels above the bars, where they can use the whole width of a narrow page."""
    text = {"type": "text", "align": "left", "yOffset": drop - 22, "limit": 330}
    return {
        "data": {"values": bars},
        "mark": {**text, "color": light("muted")},
        "encoding": {"x": {"value": 0}, "text": {"field": "label"}},
    }
