"""
Style of charts: one palette for light and dark, one typography, one shape per series.

Charts are rendered in the light colours. Each colour also gets a class named after its part, so
that the page's style sheet can replace it by the dark one; a chart copied out of the page keeps
its light colours.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Size = Literal["full", "half"]
SERIES = ("a", "b", "c", "d", "e", "f")
"""Names of series, in the order in which they get colours, dashes and shapes."""


class Colour(NamedTuple):
    """The colour of one part, on a light and on a dark page."""

    light: str
    dark: str


COLOURS = {
    "paper": Colour("#ffffff", "#15181d"),
    "soft": Colour("#f4f5f7", "#1e2329"),
    "line": Colour("#d5d9df", "#3a414b"),
    "grid": Colour("#e4e7eb", "#2c323a"),
    "muted": Colour("#565e69", "#a9b2bd"),
    "ink": Colour("#1a1e24", "#e9ecf0"),
    "accent": Colour("#1b578f", "#86b9f0"),
    "caution": Colour("#8f4a00", "#f2b266"),
    "a": Colour("#2366a8", "#7fb4ec"),
    "b": Colour("#b8560f", "#f0a561"),
    "c": Colour("#0e7a6d", "#5bc8b6"),
    "d": Colour("#7c4a9e", "#c6a3e6"),
    "e": Colour("#806600", "#d8bd54"),
    "f": Colour("#6b7480", "#98a2ae"),
}
"""Text and series keep a contrast of at least 4.5 to 1 with ``paper``, in light and in dark."""

DASHES: dict[str, list[int]] = {
    "a": [1, 0],
    "b": [7, 3],
    "c": [2, 3],
    "d": [9, 3, 2, 3],
    "e": [4, 2],
    "f": [1, 2],
}
SHAPES = {
    "a": "circle",
    "b": "square",
    "c": "triangle-up",
    "d": "diamond",
    "e": "cross",
    "f": "triangle-down",
}
GUESS_DASH = [3, 4]
"""Dash pattern of extrapolated lines."""

FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
WIDTHS = {"wide": 760, "narrow": 350, "half": 390}
FONT_SIZES = {"wide": 12.5, "narrow": 13.0, "half": 13.0}


def light(part: str) -> str:
    """Return the light colour of a part, in which charts are rendered."""
    return COLOURS[part].light


def variables(mode: Literal["light", "dark"]) -> str:
    """Return the palette as CSS custom properties."""
    return "".join(f"--{part}:{getattr(colour, mode)};" for part, colour in COLOURS.items())


def chart_classes() -> str:
    """Return CSS rules by which the page's colours replace those of a rendered chart."""
    return "".join(
        f".f-{part}{{fill:var(--{part})}}.s-{part}{{stroke:var(--{part})}}" for part in COLOURS
    )


def configure(variant: str) -> dict[str, Any]:
    """Return the Vega-Lite configuration for one variant of a chart."""
    size = FONT_SIZES[variant]
    axis = {
        "domainColor": light("line"),
        "tickColor": light("line"),
        "gridColor": light("grid"),
        "labelColor": light("muted"),
        "titleColor": light("muted"),
        "labelFontSize": size,
        "titleFontSize": size,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelPadding": 5,
        "labelLimit": 240,
        "titleLimit": 0,
    }
    return {
        "font": FONT,
        "background": None,
        "view": {"stroke": None},
        "axis": axis,
        "axisX": {"grid": False, "labelFlush": False},
        "axisY": {"domain": False, "ticks": False},
        "text": {"fontSize": size, "color": light("ink")},
    }
