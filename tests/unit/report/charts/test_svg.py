"""From a description to SVG that is safe to stand in a page."""

import threading

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from trailprint.report.charts import svg
from trailprint.report.charts.style import light
from trailprint.report.charts.svg import clean, draw, isolate, load_drawing

HOSTILE = "<script>alert(1)</script>\"'&]]>"


def describe_text(text: str):
    def describe(variant: str):
        return {
            "height": 60,
            "data": {"values": [{"text": text, "x": 1}]},
            "mark": {"type": "text", "color": light("a")},
            "encoding": {"text": {"field": "text"}, "x": {"field": "x", "type": "quantitative"}},
        }

    return describe


def test_names_come_out_as_text() -> None:
    (picture,) = draw(describe_text(HOSTILE), "half").pictures
    assert "<script" not in picture.inside
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in picture.inside


def test_colours_become_classes_and_stay_as_attributes() -> None:
    (picture,) = draw(describe_text("a"), "half").pictures
    assert f'fill="{light("a")}"' in picture.inside
    assert "f-a" in picture.inside


@pytest.mark.filterwarnings("error")
def test_drawing_is_loaded_aside_and_says_nothing(monkeypatch) -> None:
    drawn: list[str] = []
    render = svg._render

    def note(spec, variant):
        drawn.append(threading.current_thread().name)
        render(spec, variant)
        raise OSError("no fonts")

    monkeypatch.setattr(svg, "_render", note)
    load_drawing()
    for thread in threading.enumerate():
        if thread.name == "load_drawing":
            thread.join()
    assert drawn == ["load_drawing"]


def test_full_size_charts_have_a_variant_for_phones() -> None:
    pictures = draw(describe_text("a"), "full").pictures
    assert [picture.variant for picture in pictures] == ["wide", "narrow"]
    assert pictures[0].width > pictures[1].width > 0


def test_nothing_remains_that_only_a_script_would_need() -> None:
    (picture,) = draw(describe_text("a"), "half").pictures
    for word in ("aria-", "pointer-events", "xlink", "font-family", "mark-"):
        assert word not in picture.inside


def test_the_same_chart_is_drawn_once(monkeypatch) -> None:
    drawn = []
    to_svg = vl_convert.vegalite_to_svg

    def render(spec, **named):
        drawn.append(spec)
        return to_svg(spec, **named)

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", render)
    first, again, other = (draw(describe_text(text), "half") for text in "aab")
    assert first == again != other
    assert len(drawn) == 2


@given(st.text())
def test_cleaning_never_changes_what_is_clean_and_keeps_the_length(name) -> None:
    assert clean(clean(name)) == clean(name)
    assert len(clean(name)) == len(name)


def test_controls_of_direction_are_shown_and_spaces_stay_spaces() -> None:
    assert clean("a\u202eb\x00c\nd") == "a\ufffdb\ufffdc d"


def test_isolated_names_cannot_end_their_own_isolation() -> None:
    assert isolate("a\u2069b") == "\u2068a\ufffdb\u2069"
