"""What each view adds: a table, charts of what may be shown, and words where nothing may."""

from dataclasses import replace

import pytest

from trailprint.audit.results.attacks import ViewFinding, ViewLeftOut, ViewsFinding
from trailprint.audit.results.findings import Findings
from trailprint.report.audit_tables import TABLES
from trailprint.report.blocks import Figure, Prose, Row, Table
from trailprint.report.chapters.views import write_views

pytestmark = pytest.mark.usefixtures("blank_charts")


def view(name, weight, alone, change, at_most=None):
    return ViewFinding(
        name=name,
        title=f"places by {name}",
        weight=weight,
        keys=9,
        accuracy_alone=alone,
        leave_one_out=change,
        at_most=at_most,
    )


VIEWS = ViewsFinding(
    weights_from="learnt",
    note="",
    learnt_from=200,
    people=250,
    accuracy=0.7,
    views=(
        view("visits", 0.2, 0.6, -0.05),
        view("days", 0.5, 0.66, -0.12),
        view("hours", 0.3, None, "<10", at_most=0.036),
        view("moves", 0.0, 0.4, None),
    ),
    left_out=(ViewLeftOut(name="cells-1km", title="cells of 1 km", why="needs lat and lon"),),
)


def figures(blocks) -> dict[str, Figure]:
    rows = [block for block in blocks if isinstance(block, Row)]
    return {figure.title: figure for row in rows for figure in row.figures}


def words(blocks) -> str:
    return " ".join(block.text for block in blocks if isinstance(block, Prose))


def test_views_stand_in_the_order_of_their_weights():
    table = next(block for block in write_views(VIEWS) if isinstance(block, Table))
    assert [row[0] for row in table.rows] == [
        "Places by days",
        "Places by hours",
        "Places by visits",
        "Places by moves",
    ]
    assert table.rows[1][2:] == ("at most 3.6\u00a0%", "fewer than 10 people")
    assert table.rows[3][3] == "not counted"


def test_what_each_view_adds_is_drawn_largest_first():
    drawn = figures(write_views(VIEWS))
    assert list(drawn) == ["What each view adds", "What each view finds alone"]
    assert drawn["What each view adds"].table.rows == [
        ("Places by days", "−12.0\u00a0points"),
        ("Places by visits", "−5.0\u00a0points"),
        ("Places by hours", "fewer than 10 people"),
    ]


def test_where_no_change_may_be_shown_words_say_so():
    few = replace(VIEWS, views=tuple(replace(own, leave_one_out="<10") for own in VIEWS.views[:3]))
    blocks = write_views(few)
    assert list(figures(blocks)) == ["What each view finds alone"]
    assert "Leaving out any one of them changes the number of people linked by" in words(blocks)
    hidden = replace(few, views=(*few.views[:2], replace(few.views[2], leave_one_out="hidden")))
    assert "Leaving out any one of them" not in words(write_views(hidden))


def test_one_view_that_counts_needs_no_chart():
    blocks = write_views(replace(VIEWS, views=(VIEWS.views[0], VIEWS.views[3])))
    assert not figures(blocks)
    assert "does not support: cells of 1 km." in words(blocks)


def test_views_are_a_table_of_their_own(result):
    found = Findings.from_dict(result)
    first = replace(found.attacks[0], views=VIEWS)
    rows = list(TABLES["views"](replace(found, attacks=(first, *found.attacks[1:]))))
    assert [row["name"] for row in rows] == ["visits", "days", "hours", "moves"]
    assert rows[2]["at_most"] == 0.036
    assert len({tuple(row) for row in rows}) == 1
    assert not list(TABLES["views"](found))
