"""Charts of results: Vega-Lite, which notebooks draw, and SVG for everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trailprint.display.discreet import Discreet

Rows = Sequence[Mapping[str, Any]]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_MIME = "application/vnd.vegalite.v5+json"
_INK, _MUTED = "#2366a8", "#8a929c"
_SHARE = {"format": "~%"}
_LETTER_PX, _LIMIT_PX = 6, 216
"""Largest average width of a letter, and of a label, in any sans-serif font, in pixels."""


class Plot(Discreet):
    """
    A chart that notebooks show.

    Examples
    --------
    >>> from trailprint.display.plots import draw_bars
    >>> draw_bars([{"name": "linked", "share": 0.6}], "name", "share").to_dict()["mark"]["type"]
    'bar'
    """

    __slots__ = ("_spec",)

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = {"$schema": _SCHEMA, "width": 420, "height": 220, **spec}

    def to_dict(self) -> dict[str, Any]:
        """Return the Vega-Lite specification, which ``altair.Chart.from_dict`` also accepts."""
        found: dict[str, Any] = json.loads(json.dumps(self._spec))
        return found

    def to_svg(self) -> str:
        """Return the chart as SVG."""
        import vl_convert

        text: str = vl_convert.vegalite_to_svg(self._spec, vl_version="5.20", allowed_base_urls=[])
        return text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {_MIME: self.to_dict(), "image/svg+xml": self.to_svg(), "text/plain": repr(self)}


def draw_bars(rows: Rows, name: str, share: str) -> Plot:
    """Return horizontal bars of shares; ``low`` and ``high`` of a row are its interval."""
    across = {"field": share, "type": "quantitative", "axis": _SHARE, "scale": {"domain": [0, 1]}}
    down = {"field": name, "type": "nominal", **_names_down(rows, name)}
    bars = {
        "mark": {"type": "bar", "color": _INK},
        "encoding": {"x": {**across, "title": None}, "y": down},
    }
    known = [row for row in rows if row.get("low") is not None]
    spec = {"data": {"values": [dict(row) for row in rows]}, "height": 40 * max(len(rows), 1)}
    if not known:
        return Plot({**spec, **bars})
    whiskers = {
        "data": {"values": [dict(row) for row in known]},
        "mark": {"type": "rule", "color": "#1a1e24"},
        "encoding": {
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "y": down,
        },
    }
    return Plot({**spec, "layer": [bars, whiskers]})


def draw_line(rows: Rows, x: str, y: str, *, label: str | None = None) -> Plot:
    """Return a line through points that are pairs of shares, in the order of the rows."""
    shares = {"type": "quantitative", "axis": _SHARE, "scale": {"domain": [0, 1]}}
    encoding = {
        "x": {"field": x, "title": x.replace("_", " "), **shares},
        "y": {"field": y, "title": y.replace("_", " "), **shares},
    }
    line = {"mark": {"type": "line", "point": True, "color": _INK}, "encoding": encoding}
    spec = {"data": {"values": [{**row, "order": n} for n, row in enumerate(rows)]}}
    encoding["order"] = {"field": "order"}
    if label is None:
        return Plot({**spec, **line})
    inwards = f"datum['{x}'] < 0.65 ? 'left' : 'right'"
    texts = {
        "mark": {"type": "text", "dy": -10, "color": _MUTED, "align": {"expr": inwards}},
        "encoding": {**encoding, "text": {"field": label}},
    }
    return Plot({**spec, "layer": [line, texts]})


def draw_curve(rows: Rows, x: str, y: str) -> Plot:
    """Return a curve of shares against integers, with a band from ``low`` to ``high``."""
    across = {
        "field": x,
        "type": "ordinal",
        "title": x.replace("_", " "),
        "axis": {"labelAngle": 0},
    }
    scale = {"type": "quantitative", "axis": _SHARE, "scale": {"domain": [0, 1]}, "title": None}
    band = {
        "mark": {"type": "area", "opacity": 0.2, "color": _INK},
        "encoding": {"x": across, "y": {"field": "low", **scale}, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "point": True, "color": _INK},
        "encoding": {"x": across, "y": {"field": y, **scale}},
    }
    return Plot({"data": {"values": [dict(row) for row in rows]}, "layer": [band, line]})


def draw_heat(rows: Rows, x: str, y: str, share: str) -> Plot:
    """Return a heat map of shares over two axes of names, in the order of the rows."""
    level = {"labelAngle": 0}
    across = {"field": x, "type": "ordinal", "sort": None, "title": None, "axis": level}
    down = {"field": y, "type": "ordinal", **_names_down(rows, y)}
    colour = {
        "field": share,
        "type": "quantitative",
        "scale": {"domain": [0, 1], "scheme": "blues"},
        "legend": {"format": "~%", "title": None},
    }
    cells = {"mark": "rect", "encoding": {"x": across, "y": down, "color": colour}}
    dark = {"condition": {"test": f"datum['{share}'] > 0.5", "value": "white"}, "value": "black"}
    text = {"field": share, "type": "quantitative", "format": ".0%"}
    labels = {"mark": "text", "encoding": {"x": across, "y": down, "text": text, "color": dark}}
    return Plot({"data": {"values": [dict(row) for row in rows]}, "layer": [cells, labels]})


def _names_down(rows: Rows, name: str) -> dict[str, Any]:
    """Return a vertical axis of names; the renderer measures them in a font of its own."""
    longest = max((len(str(row[name])) for row in rows), default=0)
    room = min(_LETTER_PX * longest, _LIMIT_PX)
    return {"sort": None, "title": None, "axis": {"minExtent": room}}
