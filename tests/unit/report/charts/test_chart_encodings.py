"""What a chart hands to the renderer: which marks stand for which values, at which width."""

from __future__ import annotations

from typing import Any

import pytest
import vl_convert

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.bars import draw_bars
from trailprint.report.charts.frame import HEIGHTS, Mark, fit_height, layer_marks
from trailprint.report.charts.histogram import draw_histogram
from trailprint.report.charts.lines import draw_lines
from trailprint.report.charts.people import draw_people
from trailprint.report.charts.scatter import draw_scatter
from trailprint.report.charts.style import GUESS_DASH

BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5"><path d="M0,0"/></svg>'
SHARE = Axis("People linked", unit="percent")


@pytest.fixture
def specs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The descriptions that were to be rendered."""
    kept: list[dict[str, Any]] = []

    def render(spec: dict[str, Any], **named: Any) -> str:
        kept.append(spec)
        return BLANK

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", render)
    return kept


def marks(spec: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def values(layer: dict[str, Any], name: str) -> list[Any]:
    return [row[name] for row in layer["data"]["values"]]


def test_a_full_chart_is_drawn_for_wide_and_narrow_pages_and_half_of_one_once(specs):
    rows: list[Any] = [{"x": 1, "y": 0.2}]
    assert [p.variant for p in draw_lines(rows, Axis("k"), SHARE).pictures] == ["wide", "narrow"]
    assert [spec["height"] for spec in specs] == [HEIGHTS["wide"], HEIGHTS["narrow"]]
    assert [p.variant for p in draw_lines(rows, Axis("k"), SHARE, size="half").pictures] == ["half"]


def test_a_frame_holds_points_intervals_and_marks():
    points: list[Any] = [{"x": 1, "y": 0.2, "low": 0.1, "high": 0.45}]
    assert fit_height(SHARE, points, ()).high == 0.5
    assert fit_height(SHARE, points, [Mark(0.9, "Target")]).high == 1.0


@pytest.mark.parametrize(("ends", "side"), [((0.9, 0.1), "left"), ((0.1, 0.9), "right")])
def test_a_mark_is_named_where_the_points_keep_away(ends, side):
    points: list[Any] = [{"x": x, "y": y} for x, y in enumerate(ends)]
    _, text = layer_marks([Mark(0.5, "Target")], points)
    assert text["mark"]["align"] == side
    assert layer_marks([], points) == []


def test_lines_dash_what_was_not_measured_and_join_it_to_what_was(specs):
    measured: list[Any] = [{"x": x, "y": 0.5, "low": 0.4, "high": 0.6} for x in (2, 1)]
    draw_lines([*measured, {"x": 9, "y": 0.3, "guess": True}], Axis("n"), SHARE, size="half")
    solid, dashed = sorted(marks(specs[0], "line"), key=lambda line: values(line, "x"))
    assert values(solid, "x") == [1, 2]
    assert values(dashed, "x") == [2, 9]
    assert dashed["mark"]["strokeDash"] == GUESS_DASH != solid["mark"]["strokeDash"]
    (dots,) = marks(specs[0], "point")
    assert values(dots, "x") == [1, 2]
    bands = marks(specs[0], "area")
    assert [values(band, "x") for band in bands] == [[1, 2], [2]]
    assert bands[1]["mark"]["opacity"] < bands[0]["mark"]["opacity"]


def test_bars_keep_their_order_and_their_ends_hold_text_intervals_and_marks(specs):
    rows: list[Any] = [
        {"label": "b", "value": 0.2, "text": "20 %", "low": 0.1, "high": 0.4, "mark": 0.05},
        {"label": "a", "value": 0.6, "text": "60 %"},
    ]
    draw_bars(rows, SHARE, size="half")
    bars = specs[0]["data"]["values"]
    assert [bar["value"] for bar in bars] == [0.2, 0.6]
    assert [bar["end"] for bar in bars] == [0.4, 0.6]
    ticks = marks(specs[0], "tick")
    assert [values(tick, "label") for tick in ticks] == [["\u2068b\u2069"]] * 3
    assert specs[0]["encoding"]["x"]["scale"]["domain"][1] > 0.6


def test_a_histogram_stands_on_its_intervals_and_many_bars_have_no_text(specs):
    rows: list[Any] = [
        {"low": n / 12, "high": (n + 1) / 12, "value": n, "text": str(n)} for n in range(12)
    ]
    draw_histogram(rows, Axis("Risk", unit="percent"), Axis("People"))
    wide, narrow = specs
    (columns,) = marks(wide, "bar")
    assert columns["encoding"]["x2"] == {"field": "high"}
    assert values(columns, "x") == [row["low"] for row in rows]
    assert wide["encoding"]["y"]["scale"]["domain"] == [0.0, pytest.approx(11.88)]
    assert len(marks(wide, "text")) == 1
    assert marks(narrow, "text") == []


def test_a_scatter_joins_the_frontier_by_cost_and_marks_the_others(specs):
    rows: list[Any] = [
        {"x": 0.7, "y": 0.1, "label": "2", "on_line": True, "stressed": True},
        {"x": 0.0, "y": 0.5, "label": "1", "on_line": True, "low": 0.4, "high": 0.6},
        {"x": 0.9, "y": 0.5, "label": "4", "others": [0.2, None, 0.3]},
        {"x": 0.8, "y": 0.4, "label": "3"},
    ]
    draw_scatter(rows, Axis("Loss", unit="percent"), SHARE, size="half")
    (line,) = marks(specs[0], "line")
    assert values(line, "x") == [0.0, 0.7]
    others, beaten, best, ringed = marks(specs[0], "point")
    assert values(others, "y") == [0.2, 0.3]
    assert (values(beaten, "x"), values(best, "x"), values(ringed, "x")) == (
        [0.9, 0.8],
        [0.7, 0.0],
        [0.7],
    )
    assert ringed["mark"]["fill"] is None
    (interval,) = marks(specs[0], "rule")
    assert values(interval, "low") == [0.4]


def test_a_hundred_people_stand_in_twenty_columns_or_ten():
    wide, narrow = draw_people([{"label": "Now", "text": "7 in 100", "share": 0.07}]).pictures
    assert wide.height == pytest.approx(40 + 5 * 11.5)
    assert narrow.height == pytest.approx(40 + 10 * 10.5)
