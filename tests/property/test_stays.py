"""Stays: the kernel equals the definition, however the fixes are cut and shuffled."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.stays import haversine_m, stays_of_one

import trailprint as tp
from trailprint.errors import InputError, OptionError
from trailprint.events.places.stay_finding import write_stays
from trailprint.kernels.stays import (
    StayRule,
    distance_m,
    end_run,
    find_stays,
    no_run,
    room_for_stays,
)
from trailprint.places import PlaceOptions, StayOptions, to_stays

#: Steps of 0.001 degrees are 111 m: some neighbours are within 200 m and others are not.
DEGREES = st.integers(-3, 3).map(lambda n: n / 1000)


@st.composite
def people(draw):
    """Fixes of a few people as (user, time, lat, lon), sorted; times in microseconds."""
    middle = draw(st.sampled_from([0.0, 6.6, 180.0]))
    rows = []
    for user in range(draw(st.integers(1, 3))):
        times = sorted(draw(st.lists(st.integers(0, 60), min_size=1, max_size=15)))
        for time in times:
            lon = (middle + draw(DEGREES) + 180) % 360 - 180
            rows.append((f"u{user}", time * 60_000_000, 46.5 + draw(DEGREES), lon))
    return sorted(rows)


def expected(rows, radius_m, least, gap, longest):
    found = []
    for user in dict.fromkeys(row[0] for row in rows):
        own = [row[1:] for row in rows if row[0] == user]
        found += [(user, *stay) for stay in stays_of_one(own, radius_m, least, gap, longest)]
    return found


def write_fixes(rows, path):
    names = ("user", "time", "lat", "lon")
    columns = list(zip(*rows, strict=True))
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path)


@settings(max_examples=150, deadline=None)
@given(
    people(),
    st.sampled_from([50.0, 200.0, 500.0]),
    st.integers(1, 30),
    st.integers(1, 60),
    st.integers(20, 60),
    st.integers(1, 20),
)
def test_stays_equal_the_definition(
    tmp_path_factory, rows, radius_m, least, gap, longest, batch_rows
):
    folder = tmp_path_factory.mktemp("stays")
    write_fixes(rows, folder / "fixes.parquet")
    rule = (radius_m, *(minutes * 60_000_000 for minutes in (least, gap, longest)))
    n_fixes, n_stays = write_stays(
        str(folder / "fixes.parquet"), str(folder / "stays.parquet"), rule, batch_rows
    )
    wanted = expected(rows, *rule)
    assert (n_fixes, n_stays) == (len(rows), len(wanted))
    found = pq.read_table(folder / "stays.parquet")
    assert found["user"].to_pylist() == [stay[0] for stay in wanted]
    for name, k in (("start", 1), ("end", 2)):
        assert found[name].cast(pa.int64()).to_pylist() == [stay[k] for stay in wanted]
    for name, k in (("lat", 3), ("lon", 4)):
        np.testing.assert_allclose(found[name].to_numpy(), [stay[k] for stay in wanted], atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    people(),
    st.sampled_from([50.0, 200.0, 500.0]),
    st.integers(1, 30),
    st.integers(1, 60),
    st.integers(20, 60),
)
def test_found_stays_equal_the_definition(rows, radius_m, least, gap, longest):
    rule = StayRule(radius_m, *(minutes * 60_000_000 for minutes in (least, gap, longest)))
    user, time, lat, lon = (np.array(column) for column in zip(*rows, strict=True))
    is_first = np.append(True, user[1:] != user[:-1])
    run, out = no_run(), room_for_stays(len(rows) + 1)
    n = find_stays(is_first, time, lat, lon, rule, run, out)
    n = end_run(run, run.clock[1], len(rows) - 1, rule, out, n)
    wanted = expected(rows, *rule)
    assert list(zip(user[out.row[:n]], out.start[:n], out.end[:n], strict=True)) == [
        stay[:3] for stay in wanted
    ]
    places = np.array([stay[3:] for stay in wanted]).reshape(-1, 2)
    np.testing.assert_allclose(np.column_stack([out.lat[:n], out.lon[:n]]), places, atol=1e-9)


@given(st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180))
def test_distances_equal_the_definition(lat, lon, other_lat, other_lon):
    wanted = haversine_m((lat, lon), (other_lat, other_lon))
    assert distance_m(lat, lon, other_lat, other_lon) == pytest.approx(wanted, abs=1e-3)


def read_fixes(rows):
    names = ("user", "start", "lat", "lon")
    return tp.read(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))


def visits(events):
    return sorted(
        events.engine.rows(f'SELECT "user", "start", "end", lat, lon FROM ({events.query})')
    )


@settings(max_examples=25, deadline=None)
@given(people(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    rows = [(user, time // 1_000_000 + 1_700_000_000, lat, lon) for user, time, lat, lon in rows]
    options = StayOptions(radius_m=300, least_s=300)
    shuffled = random.sample(rows, len(rows))
    try:
        stays = visits(to_stays(read_fixes(rows), options))
    except InputError:
        with pytest.raises(InputError, match="At least one stay"):
            to_stays(read_fixes(shuffled), options)
        return
    assert visits(to_stays(read_fixes(shuffled), options)) == stays


@settings(max_examples=25, deadline=None)
@given(people())
def test_stays_of_one_person_never_overlap(rows):
    rows = [(user, time // 1_000_000 + 1_700_000_000, lat, lon) for user, time, lat, lon in rows]
    try:
        found = visits(to_stays(read_fixes(rows), StayOptions(radius_m=150, least_s=60)))
    except InputError:
        return
    for (user, _, end, *_), (following, start, *_) in itertools.pairwise(found):
        assert user != following or end <= start


def test_the_options_say_what_they_mean():
    assert StayOptions.parse(" 0.5 km , 1 h ") == StayOptions(radius_m=500, least_s=3600)
    assert StayOptions.parse("200m,20min,12h").gap_s == 12 * 3600
    assert PlaceOptions(stays="200m,20min").stays == StayOptions()


@pytest.mark.parametrize(
    "text",
    ["", "200m", "20min,200m", "200,20", "0m,20min", "200m,0s", "-1m,1h", "200m,400d", "1m,1h,"],
)
def test_other_options_are_refused(text):
    with pytest.raises(OptionError, match="such as 200m,20min"):
        StayOptions.parse(text)


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ({"end": ["2024-05-01 09:00"]}, "visits already"),
        ({"count": [3]}, "the data has counts"),
    ],
)
def test_only_fixes_become_stays(extra, says):
    fix = {"user": ["a"], "lat": [46.5], "lon": [6.6], "start": ["2024-05-01 08:00"], **extra}
    with pytest.raises(InputError, match=says):
        to_stays(tp.read(pa.table(fix)))


@pytest.mark.parametrize("missing", ["lat", "start"])
def test_stays_need_positions_and_times(missing):
    fix = {"user": ["a"], "location": ["x"], "lat": [1.0], "lon": [2.0], "start": ["2024-05-01"]}
    del fix[missing]
    with pytest.raises(InputError, match=f"needs a column '{missing}'"):
        to_stays(tp.read(pa.table(fix)))


def test_huge_numbers_stay_different_people():
    users = [2**70, 2**70, 2**70 + 1, 2**70 + 1]
    engine = tp.Engine()
    rows = ", ".join(
        f"({user}::HUGEINT, TIMESTAMP '2024-05-01 0{8 + i % 2}:00', 46.5, 6.6)"
        for i, user in enumerate(users)
    )
    query = f'SELECT * FROM (VALUES {rows}) v("user", "start", lat, lon)'
    events = tp.Events(
        engine=engine, query=query, columns=frozenset({"user", "start", "lat", "lon"})
    )
    found = visits(to_stays(events))
    assert sorted(int(stay[0]) for stay in found) == [2**70, 2**70 + 1]
