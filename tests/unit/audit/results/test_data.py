"""What a result says of the data: written without what is not known, read as it was written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trailprint.audit.results.data import DataFacts, Has, Outside, SideFacts
from trailprint.plain import ShapeError, from_plain, to_plain

SIDE = SideFacts(
    users=4, locations=3, events=12, first=None, last=None, days=None, active_days_median=None
)
FACTS = DataFacts(
    sides="two",
    split=None,
    released=SIDE,
    auxiliary=replace(SIDE, users=5),
    common_users=4,
    locations=3,
    sampled=None,
    has=Has(times=False, durations=False, positions=False),
    rows_skipped=0,
    rows_left_out={"duplicate": 2},
    periods_overlap=None,
    truth="same-ids",
)


def test_what_is_not_known_is_left_out_of_the_plain_values():
    assert not {"knows", "columns", "timezone", "outside"} & set(to_plain(FACTS))
    reported = replace(FACTS, outside=Outside(people=12, of=40, why="they are on one side only"))
    assert to_plain(reported)["outside"]["people"] == 12


@pytest.mark.parametrize("facts", [FACTS, replace(FACTS, columns=("user",), timezone="UTC")])
def test_facts_are_read_as_they_were_written(facts):
    assert from_plain(DataFacts, to_plain(facts)) == facts


@pytest.mark.parametrize(
    "change", [{"sides": "three"}, {"truth": "guessed"}, {"common_users": "many"}, {"has": None}]
)
def test_facts_of_another_shape_are_refused(change):
    with pytest.raises(ShapeError):
        from_plain(DataFacts, {**to_plain(FACTS), **change})
