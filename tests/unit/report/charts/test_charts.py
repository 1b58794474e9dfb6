"""Charts: every row is drawn, and what is missing is not."""

import re
from typing import Any

import pytest
import vl_convert

from trailprint.report.charts import (
    Axis,
    Mark,
    draw_bars,
    draw_histogram,
    draw_lines,
    draw_people,
    draw_scatter,
)

SHARE = Axis("People linked", unit="percent")


def inside(drawing) -> str:
    return str(drawing.pictures[0].inside)


def filled(drawing, part: str) -> int:
    return len(re.findall(rf'<path[^>]*class="[^"]*f-{part}\b', inside(drawing)))


def stroked(drawing, part: str) -> int:
    return len(re.findall(rf'class="[^"]*s-{part}\b', inside(drawing)))


def texts(drawing) -> list[str]:
    found = re.findall(r"<text[^>]*>([^<]*)</text>", inside(drawing))
    return [text.strip("\u2068\u2069") for text in found]


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


def test_lines_have_a_point_for_each_row_and_a_line_for_each_series() -> None:
    rows: list[Any] = [{"x": x, "y": 0.1 * x, "series": s} for x in (1, 2, 3) for s in "ab"]
    drawing = draw_lines(rows, Axis("k"), SHARE, size="half")
    assert (filled(drawing, "a"), filled(drawing, "b")) == (3, 3)
    assert (stroked(drawing, "a"), stroked(drawing, "b")) == (1, 1)


def test_rows_without_a_value_are_left_out() -> None:
    rows: list[Any] = [{"x": 1, "y": 0.5}, {"x": 2, "y": None}]
    assert filled(draw_lines(rows, Axis("k"), SHARE, size="half"), "a") == 1


def test_bands_are_drawn_where_there_is_an_interval() -> None:
    rows: list[Any] = [{"x": x, "y": 0.5, "low": 0.4, "high": 0.6} for x in (1, 2)]
    assert filled(draw_lines(rows, Axis("k"), SHARE, size="half"), "a") == 3


def test_guesses_begin_at_the_last_measurement_and_have_no_points() -> None:
    rows: list[Any] = [{"x": x, "y": 1 / x, "guess": x > 2} for x in (1, 2, 4, 8)]
    drawing = draw_lines(rows, Axis("k", kind="log"), SHARE, size="half")
    assert filled(drawing, "a") == 2
    measured, guessed = re.findall(r'd="(M[^"]*)"[^>]*s-a', inside(drawing))
    assert guessed.count("L") == 2
    assert guessed.split("L")[0].removeprefix("M") == measured.split("L")[-1]


def test_marks_are_named() -> None:
    drawing = draw_lines(
        [{"x": 1, "y": 0.5}, {"x": 2, "y": 0.6}],
        Axis("k"),
        SHARE,
        marks=[Mark(0.05, "Target: 5 %")],
        size="half",
    )
    assert "Target: 5 %" in texts(drawing)


def test_ticks_are_written_in_percent_or_with_thousands() -> None:
    rows: list[Any] = [{"x": 0, "y": 0.0}, {"x": 20000, "y": 1.0}]
    written = texts(draw_lines(rows, Axis("People"), SHARE, size="half"))
    assert "100 %" in written
    assert "20,000" in written


def test_own_labels_replace_the_values_of_ticks() -> None:
    axis = Axis("Size", kind="log", ticks=(250.0, 1000.0), labels=("250 m", "1 km"))
    drawing = draw_lines([{"x": 250, "y": 0.5}, {"x": 1000, "y": 0.4}], axis, SHARE, size="half")
    assert {"250 m", "1 km"} <= set(texts(drawing))


def test_bars_have_their_labels_values_intervals_and_marks() -> None:
    rows: list[Any] = [
        {"label": "One", "value": 0.4, "text": "40 %", "low": 0.3, "high": 0.5, "mark": 0.01},
        {"label": "One", "value": 0.2, "text": "20 %", "series": "f"},
    ]
    drawing = draw_bars(rows, SHARE)
    assert texts(drawing).count("One") == 2, "equal labels keep rows of their own"
    assert {"40 %", "20 %"} <= set(texts(drawing))
    assert (filled(drawing, "a"), filled(drawing, "f")) == (1, 1)


def test_bars_of_nothing_are_still_a_chart() -> None:
    assert "0" in texts(draw_bars([{"label": "None", "value": 0, "text": "0"}], Axis("People")))


def test_long_labels_are_wrapped_and_cut_on_wide_pages() -> None:
    drawing = draw_bars([{"label": "word " * 40, "value": 1, "text": "1"}], Axis("People"))
    wrapped = [text for text in re.findall(r"[^<>]+", inside(drawing)) if "word" in text]
    assert len(wrapped) == 2
    assert wrapped[-1].rstrip("\u2069").endswith("…")


def test_labels_of_bars_are_data_never_code(described) -> None:
    draw_bars([{"label": "'+alert(1)+'", "value": 1, "text": "1"}], Axis("People"))
    for spec in described:
        assert spec["encoding"]["y"]["axis"]["labelExpr"] == "bar_labels[datum.value]"


def test_bars_stand_on_intervals_of_any_width() -> None:
    rows: list[Any] = [
        {"low": 0.0, "high": 0.1, "value": 40, "text": "40"},
        {"low": 0.1, "high": 1.0, "value": 15, "text": "15"},
    ]
    drawing = draw_histogram(rows, Axis("Risk", unit="percent"), Axis("People"))
    assert filled(drawing, "a") == 2
    assert {"40", "15"} <= set(texts(drawing))


def test_scatter_joins_the_frontier_and_rings_the_stressed() -> None:
    rows: list[Any] = [
        {"x": 0.0, "y": 0.5, "label": "1", "on_line": True},
        {"x": 0.5, "y": 0.1, "label": "2", "on_line": True, "stressed": True},
        {"x": 0.6, "y": 0.3, "label": "3"},
    ]
    drawing = draw_scatter(rows, Axis("Loss", unit="percent"), SHARE, size="half")
    assert filled(drawing, "a") == 2
    assert stroked(drawing, "f") == 1
    assert stroked(drawing, "b") == 1
    assert {"1", "2", "3"} <= set(texts(drawing))


@pytest.mark.parametrize(
    ("share", "n_dark"), [(0.0, 0), (0.006, 1), (0.463, 46), (0.999, 100), (1.0, 100)]
)
def test_a_hundred_people_are_always_a_hundred(share, n_dark) -> None:
    for picture in draw_people([{"label": "Now", "text": "so", "share": share}]).pictures:
        dark = "".join(re.findall(r'd="([^"]*)"[^>]*s-a"', str(picture.inside)))
        pale = "".join(re.findall(r'd="([^"]*)"[^>]*s-line"', str(picture.inside)))
        assert (dark.count("h0"), pale.count("h0")) == (n_dark, 100 - n_dark)


def test_less_than_one_in_a_hundred_is_a_speck() -> None:
    (wide, _) = draw_people([{"label": "Now", "text": "so", "share": 0.001}]).pictures
    widths = re.findall(r'stroke-width="([\d.]+)"', str(wide.inside))
    assert len(widths) == 2
    assert float(widths[1]) < float(widths[0]) / 2


def test_names_beside_people_are_text() -> None:
    drawing = draw_people([{"label": "<b>", "text": "</text>", "share": 0.5}])
    assert "&lt;b&gt;" in inside(drawing)
    assert inside(drawing).count("</text>") == 2
