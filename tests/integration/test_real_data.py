"""The real datasets, counted exactly as the text that comes with them counts them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trailprint import Engine, SplitOptions, inspect, read, split

FOLDER = Path(os.environ.get("TRAILPRINT_DATA") or "nowhere")

#: file: rows, users, locations, first day, last day
COUNTS = {
    "foursquare_nyc_checkins": (147_938, 1_083, 5_135, "2012-04-03", "2013-02-16"),
    "wikipedia_edits": (157_474, 8_227, 1_000, "1970-01-01", "1970-01-31"),
    "nccu_campus_visits": (115_817, 114, 164, "2014-12-16", "2014-12-31"),
}


def path_of(name):
    path = FOLDER / f"{name}.parquet"
    if not path.is_file():
        pytest.skip("TRAILPRINT_DATA names no folder with this file")
    return path


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    summary = inspect(read(path_of(name)))
    n_rows, n_users, n_locations, first, last = COUNTS[name]
    assert (summary.rows, summary.events) == (n_rows, n_rows)
    assert (summary.users, summary.locations) == (n_users, n_locations)
    assert summary.bad_rows == {}
    assert summary.first is not None
    assert summary.last is not None
    assert (summary.first, summary.last) == (first, last)


def test_duplicates_of_check_ins():
    path = path_of("foursquare_nyc_checkins")
    assert inspect(read(path)).duplicates == 458


def test_users_on_both_sides_of_the_median():
    events = read(path_of("foursquare_nyc_checkins"), engine=Engine())
    sides = split(events, SplitOptions(at="median", active_both=True))
    for side in (sides.released, sides.auxiliary):
        query = f'SELECT count(DISTINCT "user") FROM ({side.query})'
        assert side.engine.row(query) == (966,)


def test_editors_with_twenty_edits():
    from trailprint import FilterOptions
    from trailprint.workflows import apply_filters

    events = apply_filters(read(path_of("wikipedia_edits")), FilterOptions(min_events=20))
    assert inspect(events).users == 1_306
