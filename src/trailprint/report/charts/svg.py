"""
From a Vega-Lite description to static SVG that obeys the page's style sheet.

What comes back is parsed and written again, never trusted as text: names of the data that went in
can only come out as text.
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
"""Controls of the direction of writing, and what no XML may hold."""
_SPACES = str.maketrans("\t\n\r", "   ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One rendered variant of a chart: what stands inside ``<svg>``, and its size in pixels."""

    variant: str
    width: float
    height: float
    inside: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A chart in every width the page may need."""

    pictures: tuple[Picture, ...]


def draw(describe: Callable[[str], dict[str, Any]], size: Size) -> Drawing:
    """Render what ``describe`` says for each variant that a figure of ``size`` needs."""
    variants = ("wide", "narrow") if size == "full" else ("half",)
    return Drawing(pictures=tuple(_render(describe(variant), variant) for variant in variants))


def load_drawing() -> None:
    """Load what draws while other work goes on: that takes a second, and the first chart half."""
    # Not a daemon: a program that ends waits for it, rather than tear it away from its engine.
    threading.Thread(target=_draw_something, name="load_drawing").start()


def _draw_something() -> None:
    point: dict[str, Any] = {"mark": "point", "data": {"values": [{}]}}
    # Whatever is wrong is said where a chart of the report is drawn.
    with contextlib.suppress(Exception):
        draw(lambda variant: point, "half")


def clean(name: str) -> str:
    """A name without characters that would steer the text around it or break the file."""
    return "".join(
        "\ufffd" if _steers(character) else character for character in _on_one_line(name)
    )


def isolate(name: str) -> str:
    """A cleaned name whose direction of writing does not reach the text around it."""
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
    """A picture, remembered: a page that is written again while work goes on draws what is new."""
    text = to_svg(json.loads(spec), vl_version="5.20", allowed_base_urls=[])
    root = ElementTree.fromstring(text)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    inside = "".join(_write(child) for child in root)
    return Picture(variant=variant, width=width, height=height, inside=Markup(inside))


def _write(element: ElementTree.Element) -> str:
    """An element and what it holds, bare of what only a script would need."""
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
        kept["paint-order"] = "stroke"  # an outline lies below its letters and sets them off
    return "".join(f' {name}="{Markup.escape(value)}"' for name, value in kept.items())
