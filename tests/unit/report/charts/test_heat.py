"""Shares as shades: every cell is drawn, darker for more, with its words."""

from __future__ import annotations

import re

import pytest
import vl_convert

from trailprint.report.charts.heat import draw_heat
from trailprint.report.charts.rows import HeatRow

ROWS: list[HeatRow] = [
    {"x": x, "y": y, "share": share, "text": f"{share:.0%}"}
    for y, shares in (("500 m", (1.0, 0.5)), ("1 km", (0.25, 0.0)))
    for x, share in zip(("1 h", "1 d"), shares, strict=True)
]


@pytest.fixture
def described(monkeypatch):
    """What was handed to the renderer."""
    specs = []
    render = vl_convert.vegalite_to_svg

    def keep(spec, **named):
        specs.append(spec)
        return render(spec, **named)

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", keep)
    return specs


def shades(spec):
    return [row["shade"] for row in spec["data"]["values"]]


def test_a_larger_share_is_darker_and_nobody_is_still_a_cell(described):
    draw_heat(ROWS, "Time", "Place")
    found = shades(described[0])
    assert found == sorted(found, reverse=True)
    assert 0 < found[-1] < found[0] < 1


def test_the_words_of_every_cell_and_both_titles_are_on_the_chart():
    inside = str(draw_heat(ROWS, "Time", "Place").pictures[0].inside)
    texts = [text.strip("\u2068\u2069") for text in re.findall(r"<text[^>]*>([^<]*)<", inside)]
    assert {row["text"] for row in ROWS} | {"Time", "Place", "1 h", "1 d"} <= set(texts)


def test_the_height_follows_the_number_of_rows():
    one = draw_heat([row for row in ROWS if row["y"] == "1 km"], "Time", "Place")
    assert draw_heat(ROWS, "Time", "Place").pictures[0].height > one.pictures[0].height


def test_names_are_no_markup():
    hostile: list[HeatRow] = [{**ROWS[0], "x": "<script>", "text": "<b>"}]
    inside = str(draw_heat(hostile, "Time", "Place").pictures[0].inside)
    assert "<script" not in inside
    assert "&lt;script&gt;" in inside
