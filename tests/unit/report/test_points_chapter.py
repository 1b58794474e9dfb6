"""The chapter on singling out, and the chart of what is known of each person."""

from typing import Any

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.report.about import About
from trailprint.report.audit_tables import TABLES
from trailprint.report.blocks import Facts, Figure, Note, Prose, Table
from trailprint.report.chapters.meaning import write_regulators
from trailprint.report.chapters.opening import write_lead
from trailprint.report.chapters.points import write_points
from trailprint.report.chapters.protections import write_protections
from trailprint.report.charts import draw_heat


def facts(found, term):
    (section,) = [block for block in write_regulators(found).blocks if isinstance(block, Facts)]
    return dict(section.items)[term]


@pytest.mark.usefixtures("blank_charts")
def test_the_chapter_shows_curve_worst_case_and_grid(result):
    blocks = write_points(Findings.from_dict(result)).blocks
    drawn = [block for block in blocks if isinstance(block, Figure)]
    titles = [figure.title for figure in drawn]
    assert len(titles) == 3
    assert "at the coarsest (4,000 m, 1 day), 76.9" in drawn[2].summary
    assert titles[2].startswith("What 4 points reveal where places")
    (note,) = [block for block in blocks if isinstance(block, Note)]
    assert "Nothing is linked across two periods" in note.text
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert [row[0] for row in table.rows][:2] == ["Whole trace", "Set of places"]


@pytest.mark.usefixtures("blank_charts")
def test_a_share_of_a_few_people_is_the_most_it_can_be(result):
    first = result["points"]["unicity"][0]
    first |= {"share": None, "interval": None, "at_most": 0.008}
    figure = next(
        block
        for block in write_points(Findings.from_dict(result)).blocks
        if isinstance(block, Figure)
    )
    assert figure.table.rows[0][1:3] == ("at most 0.8\u00a0%", "not shown")
    assert "fewer than ten people are singled out" in figure.reading


@pytest.mark.usefixtures("blank_charts")
@pytest.mark.parametrize("share", [0.5, 0.51])
def test_the_grid_says_that_it_has_fewer_draws_only_where_it_differs_from_the_curve(result, share):
    points = result["points"]
    (on_curve,) = [one for one in points["unicity"] if one["points"] == points["grid"][0]["points"]]
    on_curve["share"], points["grid"][0]["share"] = 0.5, share
    *_, grid = [
        block
        for block in write_points(Findings.from_dict(result)).blocks
        if isinstance(block, Figure)
    ]
    assert ("drawn fewer times" in grid.reading) == (share != 0.5)


def test_what_was_not_measured_says_why(sparse):
    blocks = write_points(Findings.from_dict(sparse)).blocks
    assert [block.text for block in blocks if isinstance(block, Note)] == [
        "It was not requested (--attacks)."
    ]
    sparse.pop("points")
    assert write_points(Findings.from_dict(sparse)).blocks == [Prose("This was not measured.")]


def test_regulators_words_keep_singling_out_apart_from_linking(result):
    found = Findings.from_dict(result)
    alone = facts(found, "Singling out")
    assert result["points"]["sentence"] in alone
    assert "not re-identification in a second period" in alone
    assert result["points"]["sentence"] not in facts(found, "Linkability")


@pytest.mark.usefixtures("blank_charts")
def test_the_first_screen_has_a_sentence_of_its_own(result):
    reported = [
        b.text for b in write_lead(Findings.from_dict(result), About()) if isinstance(b, Prose)
    ]
    assert reported[1].startswith(
        "Singling out is a different question from linking. Four known points"
    )


@pytest.mark.usefixtures("blank_charts")
def test_protections_say_who_is_left_alone(result):
    blocks = write_protections(Findings.from_dict(result)).blocks
    tables = [block for block in blocks if isinstance(block, Table)]
    (table,) = [t for t in tables if "nobody shares" in t.caption]
    assert table.columns[1:3] == ("Whole trace", "Set of places")


def test_a_heat_map_writes_its_shares_in_ink():
    rows: list[Any] = [
        {"x": "1 h", "y": "1 km", "share": s, "text": f"{s:.0%}"} for s in (0.1, 0.9)
    ]
    rows[1]["x"] = "1 d"
    inside = draw_heat(rows, "Times", "Places").pictures[0].inside
    assert all(text in inside for text in ("10%", "90%", "f-ink"))


def test_tables_have_the_same_columns_in_every_row(result):
    found = Findings.from_dict(result)
    for name in ("points_unicity", "points_worst_case", "points_singling_out", "points_grid"):
        rows = list(TABLES[name](found))
        assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert {row["protection"] for row in TABLES["protections_singling_out"](found)} == {
        "No protection",
        "Averages of groups of 5",
    }
