"""A figure as one picture: title, key and chart, and nothing from elsewhere."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from trailprint.report.blocks import Figure, Key, Table
from trailprint.report.charts import Axis, draw_lines
from trailprint.report.charts.style import light
from trailprint.report.papers_figure import write_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def figure() -> Figure:
    rows: list[Any] = [{"x": x, "y": 0.1 * x, "series": s} for x in (1, 2, 3) for s in "ab"]
    return Figure(
        title="Risk & <crowd>",
        summary="It falls.",
        drawing=draw_lines(rows, Axis("k"), Axis("People linked", unit="percent")),
        reading="It falls.",
        table=Table(columns=("k",), rows=[("1",)]),
        legend=[Key("a", "jointly"), Key("b", "one <by> one", shape="tick")],
    )


def test_it_is_a_picture_of_its_own_with_title_and_key(figure):
    root = ElementTree.fromstring(write_svg(figure))
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == "Risk & <crowd>"
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert texts == ["Risk & <crowd>", "jointly", "one <by> one"]
    assert root.find(f"{SVG}rect").attrib["fill"] == light("paper")  # type: ignore[union-attr]


def test_the_chart_lies_below_the_key_and_within_the_picture(figure):
    root = ElementTree.fromstring(write_svg(figure))
    drawn = figure.drawing.pictures[0]
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    moved = root.find(f"{SVG}g").attrib["transform"]  # type: ignore[union-attr]
    left, top = (float(part) for part in moved[len("translate(") : -1].split(","))
    keys = [float(text.attrib["y"]) for text in root.findall(f"{SVG}text")]
    assert max(keys) < top
    assert left + drawn.width <= width
    assert top + drawn.height <= height


def test_every_series_has_its_stroke(figure):
    root = ElementTree.fromstring(write_svg(figure))
    strokes = [path.attrib["stroke"] for path in root.findall(f"{SVG}path")]
    assert strokes == [light("a"), light("b")]
    assert "href" not in write_svg(figure)
