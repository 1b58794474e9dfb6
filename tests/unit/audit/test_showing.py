"""How a result shows itself: tables, charts, a page and files; ids only where they are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from trailprint.audit.results.findings import Findings
from trailprint.audit.showing import Shown
from trailprint.errors import OptionError
from trailprint.report.audit_tables import COLUMNS, TABLES

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


#: What an audit has that did only what it must.
EMPTY: dict[str, Any] = {
    "agreement": [],
    "controls": [],
    "why": None,
    "per_user": None,
    "protections": None,
}


class Example(Shown):
    """A result that was read, with one link."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def _shown(self) -> dict[str, object]:
        return {"people": self.findings.headline.people}

    def to_dict(self):
        return self.findings.to_dict()

    def links(self) -> pa.Table:
        return pa.table({"released": ["p1"], "auxiliary": ["ann"]})

    def per_user(self) -> pa.Table:
        return pa.table({"user": ["p1"], "risk": [0.5]})


@pytest.fixture(scope="module")
def shown() -> Example:
    return Example(Findings.from_dict(json.loads(EXAMPLE.read_text())))


def test_every_table_of_the_report_is_there_and_two_with_ids(shown):
    assert set(shown.tables) == {*TABLES, "links", "per_user"}
    attacks = shown.table("attacks").to_arrow()
    assert attacks.num_rows == len(shown.findings.attacks)
    assert shown.table("links").to_arrow().to_pylist() == [{"released": "p1", "auxiliary": "ann"}]
    with pytest.raises(OptionError, match="A table must be one of"):
        shown.table("people")


def test_a_table_without_rows_keeps_its_columns(shown):
    plain = shown.to_dict()
    empty = Example(Findings.from_dict({**plain, **EMPTY}))
    for name, columns in COLUMNS.items():
        full = shown.table(name)
        assert set(columns) <= set(full.columns), name
        assert not set(full.columns) - {*columns, "at_most", "drawn", "variant"}, name
    for name in ("agreement", "controls", "protections", "locations", "risk"):
        assert empty.table(name).columns == COLUMNS[name]
        assert len(empty.table(name)) == 0


def test_the_chart_of_attacks_has_a_bar_for_each_that_was_scored(shown):
    spec = json.dumps(shown.plot("attacks").to_dict())
    for attack in shown.findings.attacks:
        assert (attack.title in spec) == (attack.ran and attack.accuracy is not None)


def test_the_chart_of_protections_holds_the_frontier_by_its_loss(shown):
    spec = json.dumps(shown.plot("protections").to_dict())
    for point in shown.findings.protections.points:
        is_drawn = point.on_frontier and point.accuracy is not None
        assert (json.dumps(point.label) in spec) == is_drawn


def test_what_shows_itself_names_nobody(shown):
    assert "ann" not in repr(shown)
    assert "488" in shown._repr_html_()
