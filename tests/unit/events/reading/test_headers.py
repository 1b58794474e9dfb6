"""Names of columns are shown where they are known to be names; others are counted."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from trailprint import ReadOptions, TrailprintError, read
from trailprint.events.events import Column
from trailprint.events.reading.columns import KNOWN_NAMES, USUAL_NAMES
from trailprint.events.reading.headers import Header, is_worded

DATA = {
    "a number": "4711",
    "a number in a name": "u0047113",
    "a coordinate": "47.3769",
    "a pair of coordinates": "47.3,8.5",
    "a date": "2024-05-17",
    "a date in words": "Mai 17 2024",
    "a MAC address": "aa:bb:cc:dd:ee:ff",
    "a MAC address with dashes": "aa-bb-cc-dd-ee-ff",
    "an IP address": "192.168.0.17",
    "an e-mail address": "ada@example.com",
    "a phone number": "+41 44 123 45 67",
    "a hash": "deadbeefcafefeed",
    "a UUID": "a1b2c3d4-0000-4000-8000-1234567890ab",
    "a stray byte": "us�er",
    "a quote": 'ada "x"',
    "two lines": "location\nada",
    "a control character": "ada\x07",
    "a long text": "a" * 41,
    "a URL": "https://example.com/ada",
    "nothing": "",
}


@pytest.mark.parametrize("case", DATA)
def test_what_looks_like_data_is_counted(case):
    header = Header(names=("user", DATA[case]), is_proven=True)
    assert header.shown() == ["user"]
    assert header.describe(near=["user"]).endswith("user and 1 name that may be data.")


FOUND = {
    name for names in (KNOWN_NAMES, USUAL_NAMES) for column in names.values() for name in column
}


@pytest.mark.parametrize("name", [*sorted(FOUND), "Device_ID", "accessPoint", "Start Time", "MAC"])
def test_names_made_of_words_for_columns_are_always_shown(name):
    assert is_worded(name)
    assert Header(names=(name, "x\ny"), is_proven=False).shown() == [name]


@pytest.mark.parametrize("name", ["ada", "zurich_hb", "Ada Location", "userada"])
def test_other_names_need_a_proof(name):
    assert Header(names=("user", name), is_proven=False).shown() == ["user"]
    assert Header(names=("user", name), is_proven=True).shown() == ["user", name]
    assert Header(names=("user", name), given=(name,), is_proven=False).shown() == ["user", name]


def test_a_header_without_any_known_word_is_not_shown():
    """JSON keyed by person has names enough, and none of them is a name of a column."""
    header = Header(names=("ada", "grace"), is_proven=True)
    assert header.describe(near=["user"]) == "Its 2 names may be data and are not shown."


def test_one_broken_name_casts_doubt_on_all():
    header = Header(names=("user", "ada", "place\ngrace"), is_proven=True)
    assert header.shown() == ["user"]


def test_a_very_wide_table_may_have_a_column_for_each_person():
    people = tuple("p" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(40))
    assert Header(names=("time", *people), is_proven=True).shown() == ["time"]


def test_the_nearest_come_first():
    header = Header(names=("start", "usr", "place"), is_proven=True)
    assert header.describe(near=["user"]) == "Nearest: usr; all there are: usr, start, place."
    assert Header(names=()).describe(near=["user"]) == "It has no columns."


LEAKING = {
    "a known word in data": "SECRETA,user,SECRETB\nSECRETC,user,SECRETD\n",
    "a known word, once": "SECRETA,time,SECRETB\nSECRETC,SECRETE,SECRETD\n",
    "a known word above numbers": "time,SECRETB\n17,SECRETD\n18,SECRETB\n",
    "an open quote": 'usr,"location,start\nSECRETA,SECRETB,2024-01-01\nSECRETC,SECRETD,x\n',
    "a quote around two lines": '"usr,time,location\nSECRETA",SECRETB,time\nSECRETC,SECRETD,x\n',
    "a stray byte": b"usr,SECRET\xff,start\nSECRETA,SECRETB,2024-01-01\n",
    "no end of the first line": "time,location,SECRETA,SECRETB,SECRETC,SECRETD\n",
}


@pytest.mark.parametrize("case", LEAKING)
def test_broken_headers_do_not_reveal_the_first_row(write, engine, case):
    path = write("v.csv", LEAKING[case])
    named: list[Mapping[Column, str]] = [{}, {"user": "nobody"}, {"user": "time"}]
    for options in named:
        with pytest.raises(TrailprintError) as caught:
            read(path, ReadOptions(column_names=options), engine=engine)
        assert "SECRET" not in str(caught.value)


def test_json_keyed_by_person(write, engine):
    path = write("v.json", '{"SECRETADA": {"time": 1}, "SECRETGRACE": {"time": 2}}\n')
    with pytest.raises(TrailprintError, match="2 names may be data") as caught:
        read(path, engine=engine)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    "truth", ["released,SECRETA,SECRETB\n", "released,SECRETA\nSECRETB,SECRETC\n"]
)
def test_a_truth_on_one_line(run, write, truth):
    data = write("v.csv", "user,location\na,x\nb,y\n")
    finished = run("match", data, data, "--truth", write("t.csv", truth))
    assert finished.code == 2
    assert "'auxiliary' is missing" in finished.err
    assert "SECRET" not in finished.err


def test_a_header_that_is_repeated_further_down_is_one(write, engine):
    rows = "user,start,visited\nbob,2024-01-01,home\n" * 3
    with pytest.raises(TrailprintError, match="There are: user, start, visited"):
        read(write("v.csv", rows), engine=engine)


def test_a_row_that_is_repeated_is_data(write, engine):
    with pytest.raises(TrailprintError, match="its 2 fields do not look like names"):
        read(write("v.csv", "bob,end\nbob,end\nada,end\n"), engine=engine)


@pytest.mark.parametrize("name", ["trailprint_path", "Trailprint_path_part"])
def test_names_of_our_own_are_refused(write, engine, name):
    sources = {
        "v.csv": f"user,location,{name}\na,x,1\n",
        "v.jsonl": f'{{"user": "a", "location": "x", "{name}": 1}}\n',
    }
    for file, content in sources.items():
        with pytest.raises(TrailprintError, match="must not be named trailprint_path"):
            read(write(file, content), engine=engine)
