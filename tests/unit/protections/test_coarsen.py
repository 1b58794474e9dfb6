"""Coarsening: what becomes of places and times, on one side and on two."""

import datetime as dt

import pyarrow as pa
import pytest

from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.protections.chain import apply_protections, build_sides, protect_events, start
from trailprint.protections.coarsen import CoarsenGrid, CoarsenNames, CoarsenRegions, CoarsenTime

UTC = dt.UTC
SEED = (0, 0)


def at(hour, minute=0, day=1):
    return dt.datetime(2024, 1, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def visits(make_events):
    rows = [
        ("a", "b1.f1.r1", at(8, 10), at(8, 50)),
        ("a", "b1.f2.r7", at(9, 10), at(9, 20)),
        ("b", "b2.f1.r1", at(8, 59), at(10, 1)),
        ("b", "b2.f1.r1", at(11, 0), None),
    ]
    return make_events(rows, "user", "location", "start", "end")


def apply(events, protection):
    return protection.rule(events, None, SEED)(events)


def mapping(*pairs):
    return pa.table({"location": [a for a, _ in pairs], "region": [b for _, b in pairs]})


def test_names_are_cut(visits, rows_of):
    assert (
        rows_of(apply(visits, CoarsenNames(levels=1)), "location") == [("b1",)] * 2 + [("b2",)] * 2
    )
    cut = rows_of(apply(visits, CoarsenNames(levels=2)), "location")
    assert cut == [("b1.f1",), ("b1.f2",), ("b2.f1",), ("b2.f1",)]


def test_regions_replace_locations(visits, rows_of):
    regions = CoarsenRegions(
        mapping=mapping(("b1.f1.r1", "north"), ("b1.f2.r7", "north"), ("b2.f1.r1", "south"))
    )
    assert rows_of(apply(visits, regions), "location") == [("north",)] * 2 + [("south",)] * 2
    assert regions.parameters() == {"mapped_locations": 3, "regions": 2}


def test_a_location_without_region_is_one_clear_sentence(visits):
    with pytest.raises(InputError, match=r"a region for every location, but 2 have none\."):
        apply(visits, CoarsenRegions(mapping=mapping(("b1.f1.r1", "north"))))


def test_a_location_with_two_regions_is_one_clear_sentence():
    with pytest.raises(InputError, match="one region, but 1 have several"):
        CoarsenRegions(mapping=mapping(("x", "north"), ("x", "south"), ("y", "south")))


def test_times_are_rounded_down(visits, rows_of):
    rounded = rows_of(apply(visits, CoarsenTime(unit_s=3600)), "user", "start", "end")
    starts = sorted((user, start.hour, start.minute) for user, start, _ in rounded)
    assert starts == [("a", 8, 0), ("a", 9, 0), ("b", 8, 0), ("b", 11, 0)]
    assert {end.hour for _, _, end in rounded if end is not None} == {8, 9, 10}


def test_rounding_follows_the_local_day(make_events, rows_of):
    events = make_events(
        [("a", "x", at(18, 31))], "user", "location", "start", timezone="Asia/Kolkata"
    )
    rounded = apply(events, CoarsenTime(unit_s=86_400))
    assert rows_of(rounded, "start") == [(dt.datetime(2024, 1, 1, 18, 30),)]


def test_how_far_rounding_moved_is_said(visits):
    found = apply_protections(visits, [CoarsenTime(unit_s=3600)])
    assert found.facts["time_error_s"] == pytest.approx((10 + 10 + 59 + 0) * 60 / 4)
    assert found.loss.information_loss == 0


@pytest.fixture
def positions(make_events):
    def make(*points):
        rows = [(user, lat, lon, at(8)) for user, lat, lon in points]
        return make_events(rows, "user", "lat", "lon", "start")

    return make


def test_a_grid_drops_the_positions_it_hides(positions):
    cells = apply(positions(("a", 46.0, 7.0), ("b", 46.1, 7.1)), CoarsenGrid(cell_m=500))
    assert "location" in cells.columns
    assert not {"lat", "lon"} & cells.columns


def test_a_grid_lies_the_same_way_over_both_sides(positions, rows_of):
    """The released side reaches further south-west; the same spot must get the same cell."""
    released = positions(("a", 46.0, 7.0), ("b", 46.1, 7.1))
    auxiliary = positions(("b", 46.1, 7.1), ("c", 46.2, 7.2))
    stage = protect_events(start(released, auxiliary), [CoarsenGrid(cell_m=1000)], 0)
    (first,) = {place for user, place in rows_of(stage.released, "user", "location") if user == "b"}
    (second,) = {
        place for user, place in rows_of(stage.auxiliary, "user", "location") if user == "b"
    }
    assert first == second
    assert len(build_sides(stage, None)[0].locations) == 3


def test_a_grid_needs_positions(visits):
    with pytest.raises(ColumnError, match="A grid needs a column 'lat'"):
        apply(visits, CoarsenGrid())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: CoarsenGrid(cell_m=-5), "cell_m must be a number of metres"),
        (lambda: CoarsenNames(levels=0), "levels must be at least 1"),
        (lambda: CoarsenNames(separator=""), "separator must be at least one character"),
        (lambda: CoarsenTime(unit_s=0), "unit_s must be a positive number of seconds"),
        (lambda: CoarsenTime(unit_s=float("nan")), "unit_s must be a positive number"),
        (lambda: CoarsenTime(unit_s=90_000), "up to a day"),
    ],
)
def test_bad_parameters_get_one_sentence(wrong, message):
    with pytest.raises(OptionError, match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)


def test_coarsening_is_public():
    assert all(kind.is_public for kind in (CoarsenGrid, CoarsenRegions, CoarsenNames, CoarsenTime))
