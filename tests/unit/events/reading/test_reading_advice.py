"""Reading meets people half-way: formats are proposed, commas read, swapped positions noticed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.errors import InputError
from trailprint.events.engine import Engine
from trailprint.events.oddities import describe_oddities
from trailprint.events.reading.time_forms import propose_formats

CANARY = "SECRETZQX"
FORMS = [
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%d-%b-%Y %H:%M:%S",
    "%Y/%m/%d",
    "%a %b %d %H:%M:%S %Y",
    "%Y%m%dT%H%M%S",
]
TIMES = [datetime(2024, 1, 1) + timedelta(hours=37 * i, minutes=11 * i) for i in range(200)]


def text_of(times, form):
    return ",".join(f"('{time.strftime(form)}')" for time in times)


@settings(max_examples=6, deadline=None)
@given(st.sampled_from(FORMS), st.lists(st.sampled_from(TIMES), min_size=60, unique=True))
def test_the_format_that_reads_all_is_proposed(form, times):
    proposed = propose_formats(Engine(threads=1), f"(VALUES {text_of(times, form)}) v(t)", "t")
    assert form in proposed.formats
    assert proposed.share == 1.0
    for other in proposed.formats:
        assert all(datetime.strptime(time.strftime(form), other) for time in times)


def test_a_proposal_reads_the_file(write, run):
    rows = "".join(f"{CANARY}{i},x,{time:%d.%m.%Y %H:%M}\n" for i, time in enumerate(TIMES))
    path = write("v.csv", "user,location,start\n" + rows)
    refused = " ".join(run("inspect", path).err.split())
    assert "need --time-format. '%d.%m.%Y %H:%M' reads 100% of a sample." in refused
    assert CANARY not in refused
    assert "2024" not in refused
    assert run("inspect", path, "--time-format", "%d.%m.%Y %H:%M").code == 0
    wrong = " ".join(run("inspect", path, "--time-format", "%m/%d/%Y").err.split())
    assert "does not fit these times: compare it with the data. '%d.%m.%Y %H:%M' reads" in wrong


def test_days_and_months_that_cannot_be_distinguished_are_not_guessed(write):
    path = write("v.csv", "user,location,start\na,x,03/04/2024\nb,y,05/06/2024\n")
    with pytest.raises(InputError, match="'%d/%m/%Y', '%m/%d/%Y' each read 100% of a sample"):
        tp.read(path)


def test_times_of_day_need_their_date(write):
    path = write("v.csv", "user,location,time,date\na,x,08:10,2024-05-01\nb,y,09:10,2024-05-02\n")
    with pytest.raises(InputError, match="times of day without a date"):
        tp.read(path)


@pytest.mark.parametrize("form", ["%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S"])
def test_numbers_that_are_dates_do_not_count_from_1970(write, form):
    rows = "".join(f"u,x,{time.strftime(form)}\n" for time in TIMES)
    path = write("v.csv", "user,location,start\n" + rows)
    with pytest.raises(InputError, match="these read as dates"):
        tp.read(path)
    events = tp.read(path, tp.ReadOptions(time_format=form))
    assert tp.inspect(events).first == "2024-01-01"


def test_numbers_of_a_table_can_be_dates_too():
    import pyarrow as pa

    table = pa.table({"user": ["a", "b"], "location": ["x", "y"], "start": [20240513, 20240514]})
    with pytest.raises(InputError, match="these read as dates"):
        tp.read(table)
    assert tp.inspect(tp.read(table, tp.ReadOptions(time_format="%Y%m%d"))).last == "2024-05-14"


def test_seconds_that_look_nothing_like_dates_still_count(write):
    path = write("v.csv", "user,location,start\na,x,20249999\nb,y,20240513\n")
    assert tp.inspect(tp.read(path)).first == "1970-08-23"


def test_decimal_commas_are_read(write, rows_of):
    path = write("v.csv", "user;lat;lon\na;46,52;6,57\nb;-0,5;1.234\n")
    assert sorted(rows_of(tp.read(path), "lat")) == [(-0.5,), (46.52,)]


def test_counts_with_a_comma_are_read_only_where_it_is_clear(write, rows_of):
    path = write("v.csv", "user;location;count\na;x;0,125\nb;y;2,5\nc;z;1,234\n")
    events = tp.read(path, tp.ReadOptions(allow_bad_rows=True))
    assert sorted(rows_of(events, "weight")) == [(0.125,), (2.5,)]
    assert events.tally.bad == {"count is not a number of events": 1}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("a,116.3,39.9\nb,116.4,39.8\n", "look swapped"),
        ("a,2600000,1200000\nb,2600100,1200100\n", "look like metres of a map"),
        ("a,46.5,200\nb,46.6,300\n", "longitudes from -180 to 180"),
        ("a,46°31',6°34'\nb,46°30',6°30'\n", "must be decimal degrees"),
    ],
)
def test_positions_that_cannot_be_used_are_distinguished(write, rows, says):
    with pytest.raises(InputError, match=says) as caught:
        tp.read(write("v.csv", "user,lat,lon\n" + rows))
    assert not any(value in str(caught.value) for value in ("116", "2600", "200", "31"))


def test_a_few_crowded_ids_are_not_counted_where_others_read_it():
    users = ["bot"] * 5000 + [f"u{i}" for i in range(30)]
    events = tp.read(pa.table({"user": users, "location": ["x"] * len(users)}))
    (exact,) = describe_oddities(events)
    (masked,) = describe_oddities(events, fewest=10)
    assert exact.startswith("1 id has 1,000 times")
    assert masked.startswith("Fewer than 10 ids have 1,000 times")
