"""Charts of results: names and labels stay inside the picture, whatever the font."""

from __future__ import annotations

import re

import pytest

from trailprint.display.plots import Plot, draw_bars, draw_heat, draw_line

#: Average width of a letter in the widest of the usual fonts, DejaVu Sans, in pixels.
LETTER = 5.9
NAMES = ["linked correctly", "by chance"]


def draw_names(kind: str) -> Plot:
    rows = [{"name": name, "time": "1 h", "share": 0.5} for name in NAMES]
    if kind == "bars":
        return draw_bars(rows, "name", "share")
    return draw_heat(rows, "time", "name", "share")


@pytest.mark.parametrize("kind", ["bars", "heat"])
def test_names_have_room_in_any_font(kind):
    svg = draw_names(kind).to_svg()
    frame = re.search(r'transform="translate\((\d+),\d+\)"><g class="mark-group role-frame', svg)
    assert frame is not None
    assert int(frame[1]) > LETTER * len(NAMES[0])
    assert "rotate" not in svg


def test_labels_of_a_line_run_inwards():
    rows = [{"loss": 0.0, "linked": 0.9, "at": "first"}, {"loss": 0.9, "linked": 0.1, "at": "last"}]
    svg = draw_line(rows, "loss", "linked", label="at").to_svg()
    assert re.search(r'text-anchor="start"[^>]*>first<', svg)
    assert re.search(r'text-anchor="end"[^>]*>last<', svg)
