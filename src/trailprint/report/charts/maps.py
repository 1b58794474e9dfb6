"""Map of places as shaded squares or dots, with a scale bar; no tiles, no network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from trailprint.report.charts.frame import Layer, Rows
from trailprint.report.charts.style import WIDTHS, Size, light
from trailprint.report.charts.svg import Drawing, draw

_HEIGHTS = {"wide": 520, "narrow": 350, "half": 390}
_KM_PER_DEGREE = 111.195
_PALEST, _DARKEST = 0.15, 0.9
_LEAST_PIXELS = 5.0
"""Minimum width of a mark: cells of a large region would otherwise be invisible."""


class Frame(NamedTuple):
    """Area shown: its centre in kilometres, and the kilometres per pixel."""

    east: float
    north: float
    km_per_pixel: float
    width: int
    height: int

    def domain(self, axis: str) -> list[float]:
        """Both ends of an axis."""
        middle, pixels = (self.east, self.width) if axis == "x" else (self.north, self.height)
        half = pixels * self.km_per_pixel / 2
        return [middle - half, middle + half]


def draw_map(rows: Rows, *, cell_m: float | None = None, size: Size = "full") -> Drawing:
    """
    Draw places on a map, north up, darker for a larger share.

    Reads ``lat`` and ``lon`` in degrees, ``share`` from 0 to 1, and optionally ``series`` for the
    colour. With ``cell_m``, places are squares as large as the cells, but large enough to be seen;
    without, small dots. East-west lengths are true at the latitude of the first row.
    """
    places = _project(rows)

    def describe(variant: str) -> dict[str, Any]:
        frame = _fit(places, WIDTHS[variant], _HEIGHTS[variant], (cell_m or 0.0) / 1_000)
        return {
            "height": frame.height,
            "layer": [_layer_places(places, frame, cell_m), *_layer_scale(frame)],
            "encoding": {
                axis: {
                    "field": axis,
                    "type": "quantitative",
                    "axis": None,
                    "scale": {"domain": frame.domain(axis), "nice": False, "zero": False},
                }
                for axis in "xy"
            },
        }

    return draw(describe, size)


def _project(rows: Rows) -> list[dict[str, Any]]:
    """Project to kilometres from the first place; paler places come first, below darker ones."""
    first = rows[0]
    shrink = math.cos(math.radians(float(first["lat"])))
    return [
        {
            "x": _turn(float(row["lon"]) - float(first["lon"])) * shrink * _KM_PER_DEGREE,
            "y": (float(row["lat"]) - float(first["lat"])) * _KM_PER_DEGREE,
            "shade": _PALEST + (_DARKEST - _PALEST) * float(row["share"]),
            "colour": light(row.get("series", "a")),
        }
        for row in sorted(rows, key=lambda row: float(row["share"]))
    ]


def _turn(degrees: float) -> float:
    """Wrap a difference of longitudes to the range from -180 to 180."""
    return (degrees + 180) % 360 - 180


def _fit(places: Sequence[dict[str, Any]], width: int, height: int, cell_km: float) -> Frame:
    """Return the smallest frame that fits everything, with a margin and room for the scale."""
    ends = {
        axis: (min(place[axis] for place in places), max(place[axis] for place in places))
        for axis in "xy"
    }
    (west, east), (south, north) = ends["x"], ends["y"]
    wide, high = east - west + cell_km, north - south + cell_km
    km = max(wide / (0.94 * width), high / (0.86 * height), 1e-4)
    # The centre is shifted down: the scale is drawn below the places.
    return Frame((west + east) / 2, (south + north) / 2 - 0.05 * height * km, km, width, height)


def _layer_places(places: Sequence[dict[str, Any]], frame: Frame, cell_m: float | None) -> Layer:
    pixels = _LEAST_PIXELS if cell_m is None else cell_m / 1_000 / frame.km_per_pixel
    pixels = max(pixels, _LEAST_PIXELS)
    shape = "circle" if cell_m is None else "square"
    return {
        "data": {"values": list(places)},
        "mark": {
            "type": "point",
            "shape": shape,
            "size": pixels**2,
            "filled": True,
        },
        "encoding": {
            "opacity": {"field": "shade", "type": "quantitative", "scale": None},
            "color": {"field": "colour", "type": "nominal", "scale": None},
        },
    }


def _layer_scale(frame: Frame) -> list[Layer]:
    """Scale bar of a round length, with its length as text."""
    length = round_length(0.25 * frame.width * frame.km_per_pixel)
    (west, _), (south, _) = frame.domain("x"), frame.domain("y")
    start = west + 0.03 * frame.width * frame.km_per_pixel
    y = south + 0.04 * frame.height * frame.km_per_pixel
    text = f"{length:,g} km" if length >= 1 else f"{length * 1_000:,g} m"
    ends = [{"x": start, "x2": start + length, "y": y}]
    words = [{"x": start + length, "y": y, "text": text}]
    return [
        {
            "data": {"values": ends},
            "mark": {"type": "rule", "color": light("ink"), "strokeWidth": 3},
            "encoding": {"x2": {"field": "x2"}},
        },
        {
            "data": {"values": words},
            "mark": {"type": "text", "align": "left", "dx": 8, "color": light("ink")},
            "encoding": {"text": {"field": "text"}},
        },
    ]


def round_length(km: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most ``km``."""
    power = 10.0 ** math.floor(math.log10(km))
    return max(step * power for step in (1, 2, 5) if step * power <= km * (1 + 1e-9))
