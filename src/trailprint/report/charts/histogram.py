"""Histogram: vertical bars over the intervals they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.frame import N_TICKS, Layer, Rows, frame
from trailprint.report.charts.rows import HistogramRow
from trailprint.report.charts.style import Size, light
from trailprint.report.charts.svg import Drawing, draw

_ROOM = 1.08
"""Ratio of the axis to its highest bar, to leave room for the text above it."""
_MOST_TEXTS = {"wide": 24, "narrow": 10, "half": 10}
"""Number of bars above which their texts would overlap."""


def draw_histogram(
    rows: Sequence[HistogramRow], x: Axis, y: Axis, *, size: Size = "full"
) -> Drawing:
    """
    Draw vertical bars over the intervals they count.

    Reads ``low`` and ``high`` (the interval), ``value`` and ``text`` (what to write above the bar).
    """
    bars = [_bar({"text": "", **row}) for row in rows]
    y = replace(y, high=_ROOM * max((bar["y"] for bar in bars), default=0) or 1.0)
    y = y.fit((), n_ticks=5)

    def describe(variant: str) -> dict[str, Any]:
        ends = [bar[end] for bar in bars for end in ("x", "high")]
        texts = [_texts(bars)] if len(bars) <= _MOST_TEXTS[variant] else []
        layers = [_columns(bars), *texts]
        return frame(layers, x.fit(ends, n_ticks=N_TICKS[variant]), y, variant)

    return draw(describe, size)


def _bar(row: dict[str, Any]) -> dict[str, Any]:
    middle = (row["low"] + row["high"]) / 2
    return {**row, "x": row["low"], "y": row["value"], "middle": middle}


def _columns(bars: Rows) -> Layer:
    return {
        "data": {"values": [dict(bar) for bar in bars]},
        "mark": {"type": "bar", "binSpacing": 3, "color": light("a")},
        "encoding": {"x": {"field": "x", "bin": "binned"}, "x2": {"field": "high"}},
    }


def _texts(bars: Rows) -> Layer:
    return {
        "data": {"values": [dict(bar) for bar in bars]},
        "mark": {"type": "text", "baseline": "bottom", "dy": -3, "color": light("muted")},
        "encoding": {"x": {"field": "middle"}, "text": {"field": "text"}},
    }
