"""Risk by how much is known: a line for each kind, everything as a mark, small counts masked."""

from __future__ import annotations

from dataclasses import replace

import pytest
import vl_convert

from trailprint.report.chapters.amount_known import draw_amount
from trailprint.studies.growth.findings import AmountGrowth, AmountPoint

POINT = AmountPoint(
    x=1.0,
    accuracy=0.2,
    low=0.1,
    high=0.3,
    kind="points",
    amount=1,
    label="1 event",
    people_with_less=0,
)
STUDY = AmountGrowth(
    title="Risk by how much is known of each person",
    points=(
        POINT,
        replace(POINT, x=4.0, accuracy=0.5, amount=4, label="4 events", people_with_less="<10"),
        replace(POINT, kind="home-work", amount=None, label="home and work", x=2.0),
        replace(POINT, kind="everything", amount=None, label="everything", x=40.5, accuracy=0.8),
    ),
    reading="An adversary who knows one event of each person links 20% of the people.",
)


@pytest.fixture
def described(monkeypatch):
    specs = []

    def render(spec, **named):
        specs.append(spec)
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5"><path d="M0,0"/></svg>'

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", render)
    return specs


def test_each_kind_that_was_tried_has_a_key_and_everything_is_a_mark(described):
    figure = draw_amount(STUDY)
    assert [key.label for key in figure.legend] == ["Events drawn at random", "Home and work"]
    assert "Everything: 80" in str(described[0]).replace("\\xa0", " ")


def test_the_table_has_a_row_for_each_level_and_hides_a_few_people(described):
    rows = [
        tuple(cell.replace("\xa0", " ") for cell in row) for row in draw_amount(STUDY).table.rows
    ]
    assert [row[0] for row in rows] == ["1 event", "4 events", "Home and work", "Everything"]
    assert rows[3][1] == "40.5"
    assert "10" in rows[1][4]
    assert rows[1][4] != "10"


def test_a_rate_of_a_few_people_is_the_most_it_can_be(described):
    masked = replace(POINT, accuracy=None, low=None, high=None, at_most=0.09)
    figure = draw_amount(replace(STUDY, points=(masked, *STUDY.points[1:])))
    cells = " ".join(figure.table.rows[0]).replace("\xa0", " ")
    assert "9" in cells
    assert "20" not in cells
    assert figure.summary.startswith("From 1 event (")
