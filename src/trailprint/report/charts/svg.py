"""
Rendering of Vega-Lite descriptions as static SVG that follows the page's style sheet.

The rendered SVG is parsed and written again, never trusted as it is: names from the data can only
appear in it as text.
"""

from __future__ import annotations

import contextlib
import json
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import vl_convert
from markupsafe import Markup

from trailprint.report.charts.style import COLOURS, WIDTHS, Size, configure

_SVG = "{http://www.w3.org/2000/svg}"
_PARTS = {colour.light: part for part, colour in COLOURS.items()}
# fmt: off
_KEPT = frozenset((
    "d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "cx", "cy", "r",
    "dx", "dy", "fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "text-anchor",
    "font-size", "font-weight", "font-style",
))
# fmt: on
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_FORBIDDEN = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff"
)
"""Controls of text direction, and characters that XML does not allow."""
_SPACES = str.maketrans("\t\n\r", "   ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One rendered variant of a chart: the content of ``<svg>``, and its size in pixels."""

    variant: str
    width: float
    height: float
    inside: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A chart in every width that the page may need."""

    pictures: tuple[Picture, ...]


def draw(describe: Callable[[str], dict[str, Any]], size: Size) -> Drawing:
    """Render the result of ``describe`` for each variant that a figure of ``size`` needs."""
    variants = ("wide", "narrow") if size == "full" else ("half",)
    return Drawing(pictures=tuple(_render(describe(variant), variant) for variant in variants))


def load_drawing() -> None:
    """Load the chart renderer in the background: loading takes 1 s, the first chart 0.5 s."""
    # Not a daemon: the program waits for it on exit instead of killing it inside the engine.
    threading.Thread(target=_draw_something, name="load_drawing").start()


def _draw_something() -> None:
    point: dict[str, Any] = {"mark": "point", "data": {"values": [{}]}}
    # Any error is reported when a chart of the report is drawn.
    with contextlib.suppress(Exception):
        draw(lambda variant: point, "half")


def clean(name: str) -> str:
    """Replace characters of a name that would redirect the text around it or break the file."""
    return "".join(
        "\ufffd" if _steers(character) else character for character in _on_one_line(name)
    )


def isolate(name: str) -> str:
    """Clean a name and isolate its text direction from the text around it."""
    return f"{_FIRST_STRONG_ISOLATE}{clean(name)}{_POP_ISOLATE}"


def _on_one_line(name: str) -> str:
    return name.translate(_SPACES)


def _steers(character: str) -> bool:
    return character in _FORBIDDEN or unicodedata.category(character) in ("Cc", "Cs")


def _render(description: dict[str, Any], variant: str) -> Picture:
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": WIDTHS[variant],
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 4,
        "config": configure(variant),
        **description,
    }
    return _compile(vl_convert.vegalite_to_svg, json.dumps(spec), variant)


@lru_cache(maxsize=256)
def _compile(to_svg: Callable[..., str], spec: str, variant: str) -> Picture:
    """Render a picture, cached: a page that is rewritten during a run draws only new charts."""
    text = to_svg(json.loads(spec), vl_version="5.20", allowed_base_urls=[])
    root = ElementTree.fromstring(text)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    inside = "".join(_write(child) for child in root)
    return Picture(variant=variant, width=width, height=height, inside=Markup(inside))


def _write(element: ElementTree.Element) -> str:
    """Write an element and its content, without anything that only a script would need."""
    name = element.tag.removeprefix(_SVG)
    if element.get("display") == "none" or element.get("class") == "background":
        return ""
    inside = "".join(_write(child) for child in element)
    if name == "g" and not inside:
        return ""
    text = Markup.escape(element.text) if element.text and name in ("text", "tspan") else ""
    return f"<{name}{_attributes(element)}>{text}{inside}</{name}>"


def _attributes(element: ElementTree.Element) -> str:
    kept = {name: value for name, value in element.attrib.items() if name in _KEPT}
    classes = [
        f"{letter}-{_PARTS[kept[name]]}"
        for name, letter in (("fill", "f"), ("stroke", "s"))
        if kept.get(name) in _PARTS
    ]
    if classes:
        kept["class"] = " ".join(classes)
    if element.tag == f"{_SVG}text" and "stroke" in kept:
        kept["paint-order"] = "stroke"  # draws the outline below the letters
    return "".join(f' {name}="{Markup.escape(value)}"' for name, value in kept.items())
