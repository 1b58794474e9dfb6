"""Known research layouts, each on a small synthetic sample."""

from __future__ import annotations

import datetime as dt

import pytest

from trailprint import ReadOptions, inspect, read
from trailprint.errors import InputError, OptionError, SourceError
from trailprint.events.events import Column
from trailprint.events.options import Window
from trailprint.events.reading.layouts import LAYOUTS

PLT_HEADER = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My\n0\n"


def at(hour, minute=0, day=4):
    return dt.datetime(2024, 3, day, hour, minute)


def epoch(moment):
    return int(moment.replace(tzinfo=dt.UTC).timestamp())


@pytest.mark.parametrize("layout", [None, "geolife"])
def test_geolife(write, engine, rows_of, tmp_path, layout):
    points = "40.1,116.2,0,100,45355.5,2024-03-04,12:00:00\n"
    write("Data/000/Trajectory/20240304120000.plt", PLT_HEADER + points + points)
    write("Data/012/Trajectory/20240304120000.plt", PLT_HEADER + points.replace("40.1", "41.5"))
    write("Data/012/labels.txt", "Start Time\tEnd Time\tMode\n2024/03/04\t2024/03/05\twalk\n")
    events = read(tmp_path / "Data", ReadOptions(layout=layout), engine=engine)
    assert rows_of(events, "user", "lat", "lon", "start") == [
        ("000", 40.1, 116.2, at(12)),
        ("000", 40.1, 116.2, at(12)),
        ("012", 41.5, 116.2, at(12)),
    ]
    assert events.notes[0].startswith("GeoLife")


def test_geolife_times_are_utc_whatever_the_zone_of_days(write, engine, rows_of):
    points = "40.1,116.2,0,100,45355.5,2024-03-04,12:00:00\n"
    write("Data/000/Trajectory/1.plt", PLT_HEADER + points)
    path = write("Data/000/Trajectory/2.plt", PLT_HEADER + points)
    options = ReadOptions(layout="geolife", timezone="Asia/Shanghai")
    assert rows_of(read(path, options, engine=engine), "start") == [(at(12),)]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_rebuilt_stays_keep_their_instants(write, engine, rows_of, zone):
    path = ap_starts(write, ("d", "hall", at(8)), ("d", "lab", at(9)))
    events = read(path, ReadOptions(layout="ap-starts", timezone=zone), engine=engine)
    assert rows_of(events, "start", "end") == [(at(8), at(9)), (at(9), None)]


def test_geolife_points_of_two_users_are_no_duplicates(write, engine, tmp_path):
    from trailprint.events.places.grid import GridOptions, to_cells

    points = "40.1,116.2,0,100,45355.5,2024-03-04,12:00:00\n"
    for user in ("000", "001"):
        write(f"Data/{user}/Trajectory/1.plt", PLT_HEADER + points)
    events = read(tmp_path / "Data", engine=engine)
    assert inspect(to_cells(events, GridOptions())).duplicates == 0


def test_geolife_without_trajectories(write, engine):
    with pytest.raises(SourceError, match="none was found"):
        read(write("v.csv", "user,location\na,x\n"), ReadOptions(layout="geolife"), engine=engine)


@pytest.mark.parametrize("layout", [None, "wlan"])
@pytest.mark.parametrize("blank", ["", " ", "   "])
def test_wlan(write, engine, rows_of, layout, blank):
    line = f",{blank}".join(("dev1", "2.1.7", str(epoch(at(9))), str(epoch(at(10)))))
    path = write("wlan.log", f"{line}\n{line.replace('dev1', 'dev2')}\n")
    events = read(path, ReadOptions(layout=layout), engine=engine)
    assert rows_of(events, "user", "location", "start", "end") == [
        ("dev1", "2.1.7", at(9), at(10)),
        ("dev2", "2.1.7", at(9), at(10)),
    ]
    assert events.notes[0].startswith("Association log")


def ap_starts(write, *records):
    return write("starts.csv", "".join(f"{who},{ap},{epoch(t)}\n" for who, ap, t in records))


@pytest.mark.parametrize("layout", [None, "ap-starts"])
def test_ap_starts_last_until_the_next_record(write, engine, rows_of, layout):
    path = ap_starts(
        write,
        ("d1", "hall", at(8)),
        ("d2", "hall", at(8, 30)),
        ("d1", "lab", at(11)),
        ("d1", "hall", at(9, day=5)),
    )
    events = read(path, ReadOptions(layout=layout), engine=engine)
    assert rows_of(events, "user", "location", "start", "end") == [
        ("d1", "hall", at(8), at(11)),
        ("d1", "hall", at(9, day=5), None),
        ("d1", "lab", at(11), at(9, day=5)),
        ("d2", "hall", at(8, 30), None),
    ]


RECORDS = [
    ("early", "hall", at(7)),
    ("early", "lab", at(8)),
    ("early", "cafe", at(12)),
    ("early", "gate", at(18)),
    ("late", "hall", at(10)),
    ("late", "lab", at(16)),
    ("evening", "gate", at(20)),
]


def test_window_carries_the_stay_in_and_closes_the_last(write, engine, rows_of):
    """`lab` at 08:00 is carried to 09:00; 17:00 closes the last; 07:00 and 18:00 lie outside."""
    options = ReadOptions(layout="ap-starts", window=Window.parse("09:00-17:00"))
    events = read(ap_starts(write, *RECORDS), options, engine=engine)
    assert rows_of(events, "user", "location", "start", "end") == [
        ("early", "cafe", at(12), at(17)),
        ("early", "lab", at(9), at(12)),
        ("late", "hall", at(10), at(16)),
        ("late", "lab", at(16), at(17)),
    ]


def test_window_with_present_throughout_leaves_late_users_out(write, engine, rows_of):
    options = ReadOptions(window=Window.parse("09:00-17:00"), present_throughout=True)
    events = read(ap_starts(write, *RECORDS), options, engine=engine)
    assert rows_of(events, "user", "location", "start", "end") == [
        ("early", "cafe", at(12), at(17)),
        ("early", "lab", at(9), at(12)),
    ]


def test_window_is_local_time(write, engine, rows_of):
    """09:00 in Zurich in March is 08:00 UTC."""
    options = ReadOptions(window=Window.parse("09:00-17:00"), timezone="Europe/Zurich")
    path = ap_starts(write, ("d", "hall", at(7)), ("d", "lab", at(15)))
    events = read(path, options, engine=engine)
    assert rows_of(events, "location", "start", "end") == [
        ("hall", at(8), at(15)),
        ("lab", at(15), at(16)),
    ]


def test_window_starts_afresh_each_day(write, engine, rows_of):
    options = ReadOptions(window=Window.parse("09:00-17:00"))
    path = ap_starts(write, ("d", "hall", at(15)), ("d", "lab", at(10, day=6)))
    assert rows_of(read(path, options, engine=engine), "start", "end") == [
        (at(15), at(17)),
        (at(10, day=6), at(17, day=6)),
    ]


def test_ap_starts_with_header_and_odd_names(write, engine, rows_of):
    path = write("s.csv", f'"mac (hash)","ap""; --",time\nd,hall,{epoch(at(8))}\n')
    names: dict[Column, str] = {"user": "mac (hash)", "location": 'ap"; --'}
    events = read(path, ReadOptions(layout="ap-starts", column_names=names), engine=engine)
    assert rows_of(events, "user", "location", "start") == [("d", "hall", at(8))]


def test_ap_starts_counts_what_it_cannot_read(write, engine):
    path = write(
        "s.csv", f"d,hall,{epoch(at(8))}\nd,,{epoch(at(9))}\n,lab,{epoch(at(9))}\nd,lab,x\n"
    )
    options = ReadOptions(layout="ap-starts", allow_bad_rows=True)
    assert read(path, options, engine=engine).tally.bad == {
        "missing user": 1,
        "missing location": 1,
        "unreadable time": 1,
    }


@pytest.mark.parametrize("layout", [None, "web"])
@pytest.mark.parametrize("header", ["user,url,favicon,time\n", ""])
def test_web(write, engine, rows_of, layout, header):
    if layout is None and not header:
        pytest.skip("without header and name a web history cannot be recognised")
    lines = [f"a,http://x/{i},icon{i % 2},{epoch(at(9))}" for i in range(4)]
    lines += [f"a,http://y,,{epoch(at(9))}", f"b,http://y, ,{epoch(at(9))}"]
    path = write("web.csv", header + "\n".join(lines) + "\n")
    events = read(path, ReadOptions(layout=layout), engine=engine)
    assert {place for (place,) in rows_of(events, "location")} == {"icon0", "icon1"}
    assert events.tally.left_out == {"no favicon": 2}
    assert events.tally.bad == {}
    assert (events.tally.rows, events.count()) == (6, 4)


def test_web_with_another_location_named(write, engine, rows_of):
    path = write(
        "web.csv", f"user,url,favicon,time\na,u1,f,{epoch(at(9))}\na,u2,f,{epoch(at(9))}\n"
    )
    events = read(path, ReadOptions(column_names={"location": "url"}), engine=engine)
    assert rows_of(events, "location") == [("u1",), ("u2",)]


def test_web_needs_a_favicon(write, engine):
    path = write("web.csv", "user,url,time\na,u,2024-01-01\n")
    with pytest.raises(InputError, match="favicon"):
        read(path, ReadOptions(layout="web"), engine=engine)


@pytest.mark.parametrize("layout", [None, "ap-movement"])
def test_ap_movement(write, engine, rows_of, tmp_path, layout):
    lines = [(at(9), "hall"), (at(10), "OFF"), (at(12), "lab"), (at(13), "OFF")]
    write("mv/dev-a.mv", "".join(f"{epoch(t)}\t{ap}\n" for t, ap in lines))
    write("mv/dev-b.mv", f"{epoch(at(9))}\thall\n")
    events = read(tmp_path / "mv", ReadOptions(layout=layout), engine=engine)
    assert rows_of(events, "user", "location", "start", "end") == [
        ("dev-a", "hall", at(9), at(10)),
        ("dev-a", "lab", at(12), at(13)),
        ("dev-b", "hall", at(9), None),
    ]
    assert events.tally.left_out == {"off the network": 2}


@pytest.mark.parametrize("layout", [None, "per-location"])
def test_per_location(write, engine, rows_of, tmp_path, layout):
    write("tables/north.clinic.csv", "user\nalice\nbob\n")
    write("tables/south.csv", "user\nalice\n")
    events = read(tmp_path / "tables", ReadOptions(layout=layout), engine=engine)
    assert rows_of(events, "user", "location") == [
        ("alice", "north.clinic"),
        ("alice", "south"),
        ("bob", "north.clinic"),
    ]
    assert inspect(events).duplicates == 0


def test_files_with_an_unknown_place_are_not_taken_for_per_location(write, engine, tmp_path):
    for month in ("jan", "feb"):
        write(f"months/{month}.csv", "user,shelf,start\na,x,2024-01-01\n")
    with pytest.raises(InputError, match="column_names"):
        read(tmp_path / "months", engine=engine)


def test_a_location_named_by_the_user_is_not_the_file_name(write, engine, rows_of, tmp_path):
    for month in ("jan", "feb"):
        write(f"months/{month}.csv", "user,place,start\na,x,2024-01-01\n")
    options = ReadOptions(column_names={"location": "place"})
    assert rows_of(read(tmp_path / "months", options, engine=engine), "location") == [("x",)] * 2


@pytest.mark.parametrize("layout", ["wlan", "ap-starts", "ap-movement"])
def test_layouts_of_text_refuse_other_formats(write, engine, layout):
    path = write("v.jsonl", '{"user": "a", "location": "x", "start": 1}\n')
    with pytest.raises(SourceError, match="delimited text, but the data is json"):
        read(path, ReadOptions(layout=layout), engine=engine)


def test_present_throughout_needs_a_window():
    with pytest.raises(OptionError, match="needs window"):
        ReadOptions(present_throughout=True)


@pytest.mark.parametrize("text", ["25:00-26:00", "17:00-09:00", "9-17", "", "09:00-24:30"])
def test_windows_that_are_none(text):
    with pytest.raises(OptionError, match="must look like 09:00-17:00"):
        Window.parse(text)


def test_windows_print_as_they_are_written():
    assert str(Window.parse("9:05–24:00")) == "09:05-24:00"


def test_every_layout_says_what_it_is():
    assert all(layout.description for layout in LAYOUTS.values())
