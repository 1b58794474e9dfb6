"""Which column means what: usual names are found, several of a kind are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trailprint as tp
from trailprint.events.reading.columns import KNOWN_NAMES, USUAL_NAMES, find_columns, fold_name
from trailprint.events.reading.headers import Header

ALL = [
    (column, name)
    for names in (KNOWN_NAMES, USUAL_NAMES)
    for column in names
    for name in names[column]
]
CANARY = "SECRETZQX"


@st.composite
def spellings(draw):
    """A name we know, in some case and with some separators."""
    column, name = draw(st.sampled_from(ALL))
    case = draw(st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))
    separator = draw(st.sampled_from(["_", " ", "-", ".", ""]))
    return column, case(name.replace("_", separator))


@given(spellings())
def test_a_known_name_is_found_however_it_is_written(spelling):
    column, name = spelling
    partners = {"lat": "lon", "lon": "lat", "end": "start"}
    names = (name, partners[column]) if column in partners else (name,)
    found = find_columns(Header(names=names, is_proven=True), {})
    assert found[column] == name


def test_no_name_means_two_things():
    folded = [fold_name(name) for _, name in ALL]
    assert len(set(folded)) == len(folded)


@pytest.mark.parametrize(
    "header",
    [
        "card_id,stop_id,tap_time",
        "Card ID,Stop ID,Tap Time",
        "deviceId,cell-id,eventTime",
        "MSISDN,Antenna,Start Time",
        "customer_id,venue,checkin_time",
        "Card,Stop,Time",
    ],
)
def test_the_usual_names_are_read_and_said(write, header):
    events = tp.read(
        write("v.csv", f"{header}\n{CANARY},x,2024-05-01 08:00\nb,y,2024-05-02 09:00\n")
    )
    assert events.columns == {"user", "location", "start"}
    user = header.split(",")[0]
    assert any(
        note.startswith(f"Columns taken by their names: user from {user}") for note in events.notes
    )
    assert CANARY not in str(events.notes)


@pytest.mark.parametrize(
    ("names", "location"),
    [
        (("user", "stop", "time"), "stop"),
        (("user", "stop", "station", "time"), "station"),
        (("user", "start", "stop"), None),
        (("user", "time", "lat", "lon", "stop"), None),
    ],
)
def test_a_stop_is_a_place_where_nothing_else_says_where_and_it_is_no_end(names, location):
    found = find_columns(Header(names=names, is_proven=True), {})
    assert found.get("location") == location


def test_our_own_names_come_before_usual_ones_and_the_others_are_said(write):
    path = write(
        "v.csv", "user,card_id,location,event date\na,c1,x,2024-05-01\nb,c2,y,2024-05-02\n"
    )
    (unused,) = (note for note in tp.read(path).notes if "not used" in note)
    assert unused.startswith("Columns that may matter and are not used: card_id, event date.")


def test_what_the_user_names_is_not_said_again(write):
    path = write("v.csv", "card_id,location\na,x\nb,y\n")
    options = tp.ReadOptions(column_names={"user": "card_id"})
    assert not any("card_id" in note for note in tp.read(path, options).notes)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (
            "card_id,device_id,location",
            "One column must hold the user, but 2 could: card_id, device_id",
        ),
        ("user,url,domain", "One column must hold the location, but 2 could: url, domain"),
    ],
)
def test_several_of_a_kind_are_refused(write, header, says):
    path = write("v.csv", f"{header}\n{CANARY},1,x\nb,2,y\n")
    with pytest.raises(tp.TrailprintError, match=says) as caught:
        tp.read(path)
    assert CANARY not in str(caught.value)


def test_naming_one_of_several_settles_it(write):
    path = write("v.csv", "card_id,device_id,location\na,1,x\nb,2,y\n")
    assert tp.read(path, tp.ReadOptions(column_names={"user": "device_id"})).count() == 2


@pytest.mark.parametrize("header", ["user,location,end", "uid,venue,ended_at"])
def test_an_end_without_a_start_is_not_used(write, run, header):
    path = write("v.csv", f"{header}\na,x,2024-05-01\nb,y,2024-05-02\n")
    events = tp.read(path)
    assert events.columns == {"user", "location"}
    assert any("not used: end" in note for note in events.notes)
    found = run("match", path, path, "--weight", "duration")
    assert found.code == 2
    assert "needs a column 'end'" in " ".join(found.err.split())


def test_an_end_that_was_named_needs_a_start(write):
    path = write("v.csv", "user,location,until\na,x,2024-05-01\nb,y,2024-05-02\n")
    with pytest.raises(tp.TrailprintError, match="An end needs a start"):
        tp.read(path, tp.ReadOptions(column_names={"end": "until"}))


def test_a_favicon_is_the_location_beside_other_places(write):
    path = write("v.csv", "user,url,domain,favicon,time\na,u,d,f,2024-05-01\nb,u,d,g,2024-05-01\n")
    events = tp.read(path)
    assert events.count() == 2
    assert not any("url" in note and "taken" in note for note in events.notes)
