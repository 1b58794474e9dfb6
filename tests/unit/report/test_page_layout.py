"""The page: self-contained, escaped, in order."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from trailprint.report.blocks import (
    Block,
    Bullets,
    Facts,
    Figure,
    Heading,
    Key,
    Note,
    Prose,
    Row,
    Section,
    Table,
    Tile,
    Tiles,
)
from trailprint.report.charts import Axis, draw_lines
from trailprint.report.charts.style import Size
from trailprint.report.page_layout import render_page

HOSTILE = '<script>alert("x")</script>\u202e'


class Reader(HTMLParser):
    """Every element with its attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def make_figure(title: str = "A chart", size: Size = "half") -> Figure:
    rows: list[Any] = [{"x": 1, "y": 0.5}, {"x": 2, "y": 0.6}]
    return Figure(
        title=title,
        summary="It rises.",
        drawing=draw_lines(rows, Axis("k"), Axis("Share", unit="percent"), size=size),
        reading="Up is more.",
        table=Table(columns=("k", "Share"), rows=[("1", "50 %")]),
        legend=[Key("a", title)],
        size=size,
    )


@pytest.fixture(scope="module")
def page() -> str:
    every: list[Block] = [
        Heading(HOSTILE),
        Prose(HOSTILE),
        Bullets([HOSTILE], title=HOSTILE),
        Facts([(HOSTILE, HOSTILE)]),
        Note(HOSTILE, title=HOSTILE),
        Tiles([Tile(HOSTILE, HOSTILE, HOSTILE)]),
        Table(columns=(HOSTILE, "b"), rows=[(HOSTILE, HOSTILE)], caption=HOSTILE),
        make_figure(HOSTILE, "full"),
        Row([make_figure(), make_figure()]),
    ]
    sections = [Section(HOSTILE, every), Section("Second", [Prose("text")])]
    return render_page(HOSTILE, sections, lead=[Prose(HOSTILE)], eyebrow=HOSTILE, footer=HOSTILE)


def test_names_are_text_in_every_block(page) -> None:
    assert not Reader(page).of("script")
    assert "\u202e" not in page
    assert Reader(page).text.count('<script>alert("x")</script>\ufffd') >= 18


def test_the_policy_lets_nothing_be_loaded(page) -> None:
    policies = [m["content"] for m in Reader(page).of("meta") if "http-equiv" in m]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_nothing_refers_to_another_place(page) -> None:
    links = [a["href"] for tag in ("a", "link") for a in Reader(page).of(tag)]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\(|@import|\bsrc=|https?:", page)


def test_every_link_has_its_place_and_every_id_is_one(page) -> None:
    ids = [attributes["id"] for _, attributes in Reader(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in Reader(page).of("a"):
        assert link["href"].removeprefix("#") in ids


def test_charts_have_a_name_a_description_and_a_table(page) -> None:
    reader = Reader(page)
    charts = [svg for svg in reader.of("svg") if "chart" in svg["class"].split()]
    assert len(charts) == 4, "wide, narrow and two halves"
    ids = {attributes.get("id") for _, attributes in reader.elements}
    for chart in charts:
        assert chart["role"] == "img"
        assert chart["aria-labelledby"] in ids
        assert chart["aria-describedby"] in ids
        assert chart["aria-label"]
    assert len(reader.of("details")) == 3
    assert page.count("How to read this.") == 3


def test_figures_are_numbered_afresh_on_every_page() -> None:
    sections = [Section("One", [make_figure()])]
    assert render_page("t", sections) == render_page("t", sections)


def test_figures_of_a_table_stand_at_the_right() -> None:
    table = Table(columns=("a", "b", "c"), rows=[("x", "y", "1")], text_columns=2)
    cells = Reader(render_page("t", [Section("One", [table])])).of("td")
    assert [cell.get("class") for cell in cells] == [None, "figure-cell"]


def test_a_page_of_one_section_has_no_contents() -> None:
    assert not Reader(render_page("t", [Section("One", [])])).of("nav")


def test_percent_signs_stay_with_their_numbers() -> None:
    assert "95\u00a0% interval" in render_page("t", [Section("One", [Prose("95 % interval")])])
