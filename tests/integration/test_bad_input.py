"""Bad input of every kind: one sentence, exit code 2, nothing written, nothing of the data said."""

from __future__ import annotations

import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HEADER = "user,location,start\n"
ROWS = "".join(
    f"SECRETU{i % 7},SECRETL{i % 5},2024-01-{1 + i % 20:02}T0{i % 9}:00:00\n" for i in range(200)
)


def table(**columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


PARQUET = table(user=["SECRETU1"] * 500, location=["SECRETL1"] * 500, start=list(range(500)))
ZIPPED = gzip.compress((HEADER + ROWS * 50).encode())

#: name of the file, its content, options, what the message must say
CASES = {
    "empty": ("v.csv", "", (), "is empty"),
    "blank": ("v.csv", "\n \n\n", (), "is empty"),
    "byte order mark only": ("v.csv", b"\xef\xbb\xbf\n", (), "is empty"),
    "empty json": ("v.jsonl", "", (), "is empty"),
    "empty gzip": ("v.csv.gz", gzip.compress(b""), (), "is empty"),
    "binary": ("v.csv", bytes(range(256)) * 4, (), "holds binary data"),
    "half a character": ("v.csv", (HEADER + ROWS).encode("utf-16")[:-1], (), "is not utf-16"),
    "no such encoding": ("v.csv", HEADER + ROWS, ("--encoding", "x"), "encoding of text"),
    "no encoding of text": ("v.csv", HEADER + ROWS, ("--encoding", "rot13"), "encoding of text"),
    "wrong encoding": (
        "v.csv",
        HEADER + ROWS.replace("SECRETL", "SECRETé"),
        ("--encoding", "ascii"),
        "line 2 of 'v.csv' is not ascii",
    ),
    "parquet called csv": ("v.csv", PARQUET, (), "holds binary data"),
    "text called parquet": ("v.parquet", HEADER + ROWS, (), "is damaged"),
    "half a parquet": ("v.parquet", PARQUET[: len(PARQUET) // 2], (), "is damaged"),
    "half a gzip": ("v.csv.gz", ZIPPED[: len(ZIPPED) // 2], (), "it is damaged"),
    "half a gzip of json": (
        "v.jsonl.gz",
        gzip.compress(b'{"user": "SECRETU", "location": "x", "start": 1}\n' * 9999)[:-20],
        (),
        "it is damaged",
    ),
    "text called gzip": ("v.csv.gz", HEADER + ROWS, (), "it is damaged"),
    "wrong delimiter": ("v.csv", (HEADER + ROWS).replace(",", "~"), (), "--delimiter"),
    "delimiter of two": ("v.csv", HEADER + ROWS, ("--delimiter", "::"), "one character"),
    "delimiter is a quote": ("v.csv", HEADER + ROWS, ("--delimiter", '"'), "one character"),
    "no such column": ("v.csv", HEADER + ROWS, ("--user-column", "usr"), "Nearest: user"),
    "no user": ("v.csv", (HEADER + ROWS).replace("user", "usr"), (), "Nearest: usr"),
    "user twice": ("v.csv", "user," + HEADER + "SECRETX,a,b,2024-01-01\n", (), "2 times"),
    "no header": ("v.csv", ROWS.replace("T0", "x"), (), "may be data, so they are not shown"),
    "header only": ("v.csv", HEADER, (), "it has none"),
    "all rows bad": ("v.csv", HEADER + ",SECRETL,\n" * 9, (), "none of its 9"),
    "too many bad rows": (
        "v.csv",
        HEADER + ROWS + ",SECRETL,\n" * 5,
        (),
        "5 of 205 are (missing user: 5)",
    ),
    "rows of other lengths": (
        "v.csv",
        HEADER + ROWS + "SECRETU\n" * 9,
        (),
        "wrong number of fields: 9",
    ),
    "end before start": (
        "v.csv",
        "user,location,start,end\nSECRETU,SECRETL,2024-01-02,2024-01-01\n",
        (),
        "its only row cannot be used (end before start: 1). A visit must not end before it starts",
    ),
    "mixed times": (
        "v.csv",
        HEADER + ROWS + "SECRETU,SECRETL,1704067200\n",
        (),
        "mixes 1 numbers and 200 times without a zone",
    ),
    "mixed units": ("v.csv", HEADER + "a,x,1704067200\nb,x,1704067200000\n", (), "in one unit"),
    "mixed line ends": (
        "v.csv",
        HEADER + ROWS.replace("\n", "\r\n"),
        (),
        "All lines must have the same ending",
    ),
    "no encoding": (
        "v.csv",
        HEADER.encode() + ROWS.encode() + b"SECRET\x81,x,2024-01-01\n",
        (),
        "line 202",
    ),
    "no encoding late": (
        "v.csv",
        (HEADER + ROWS * 200).encode() + b"SECRET\x81,x,2024-01-01\n",
        (),
        "line 40002",
    ),
    "no encoding in json": (
        "v.jsonl",
        b'{"user": "a", "location": "x"}\n{"user": "SECRET\x81", "location": "x"}\n',
        (),
        "line 2",
    ),
    "broken json": (
        "v.jsonl",
        '{"user": "SECRETU", "location": "x"}\n{"user": SECRET,\n',
        (),
        "line",
    ),
    "one line of 10 MB": ("v.csv", "SECRET" * 1_700_000, (), "at least two columns"),
    "a line of 10 MB": (
        "v.csv",
        HEADER + ROWS + "SECRET" * 1_700_000 + ",x,2024-01-01\n",
        (),
        "line 202",
    ),
    "open quote": (
        "v.csv",
        HEADER + ROWS + '"SECRETU,x,2024-01-01\n' + ROWS,
        (),
        "Quotes must be closed",
    ),
    "nan positions": ("v.csv", "user,lat,lon\nSECRETU,nan,inf\n", (), "unreadable position: 1"),
    "infinite counts": (
        "v.csv",
        "user,location,count\nSECRETU,x,inf\n",
        (),
        "not a number of events: 1",
    ),
    "counts beyond all sums": (
        "v.csv",
        "user,location,count\na,x,1e308\n",
        (),
        "not a number of events",
    ),
    "negative counts": (
        "v.csv",
        "user,location,count\nSECRETU,x,-1\n",
        (),
        "not a number of events: 1",
    ),
    "times of a wrong type": (
        "v.parquet",
        table(user=["a"], location=["x"], start=[[1]]),
        (),
        "hold times",
    ),
    "unknown zone": ("v.csv", HEADER + ROWS, ("--timezone", "Mars/Base"), "Europe/Zurich"),
    "unknown layout": ("v.csv", HEADER + ROWS, ("--layout", "moon"), "--layout must be one of"),
    "wrong layout": ("v.csv", HEADER + ROWS, ("--layout", "geolife"), "none was found"),
    "wrong format of times": (
        "v.csv",
        HEADER + ROWS,
        ("--time-format", "%Q"),
        "--time-format must be",
    ),
    "no memory": ("v.csv", HEADER + ROWS, ("--memory", "banana"), "Try 2GB"),
    "little memory": ("v.csv", HEADER + ROWS, ("--memory", "1KB"), "Raise --memory"),
    "no threads": ("v.csv", HEADER + ROWS, ("--threads", "0"), "threads must be"),
    "too many threads": ("v.csv", HEADER + ROWS, ("--threads", "100000"), "threads must be"),
    "threads are no number": ("v.csv", HEADER + ROWS, ("--threads", "x"), "--threads"),
    "negative seed": ("v.csv", HEADER + ROWS, ("--seed", "-1"), "--seed must be from 0 to"),
    "no cells": ("v.csv", "user,lat,lon\na,1,1\n", ("--cell", "0"), "--cell must be"),
    "cells of nan": ("v.csv", "user,lat,lon\na,1,1\n", ("--cell", "nan"), "--cell must be"),
    "cells without positions": ("v.csv", HEADER + ROWS, ("--cell", "100"), "needs a column 'lat'"),
    "no box": ("v.csv", "user,lat,lon\na,1,1\n", ("--box", "x"), "--box must be"),
    "empty box": ("v.csv", "user,lat,lon\na,1,1\n", ("--box", "5,5,6,6"), "lie in the box"),
    "cells and h3": ("v.csv", "user,lat,lon\na,1,1\n", ("--cell", "9", "--h3", "5"), "Only one of"),
    "no such regions": ("v.csv", HEADER + ROWS, ("--regions", "nowhere.csv"), "No such file"),
    "nothing left": ("v.csv", HEADER + ROWS, ("--min-events", "9999"), "the filters leave none"),
    "no weekday": ("v.csv", HEADER + ROWS, ("--weekdays", "xyz"), "--weekdays must be among"),
    "no hours": ("v.csv", HEADER + ROWS, ("--hours", "22:00-06:00"), "09:00-17:00"),
    "no range": ("v.csv", HEADER + ROWS, ("--between", "2024"), "A range must look like"),
    "no such option": ("v.csv", HEADER + ROWS, ("--frobnicate",), "No such option"),
    "an odd option": ("v.csv", HEADER + ROWS, ("--frob\nnicate",), "No such option"),
}


def check(finished, says):
    assert finished.code == 2, finished.err
    assert finished.out == ""
    assert finished.err.startswith("trailprint: ")
    assert finished.err.count("\n") == 1
    assert finished.err.endswith("\n")
    assert says in finished.err
    assert "SECRET" not in finished.err
    assert "Error" not in finished.err


@pytest.mark.parametrize("case", CASES)
def test_inspect_says_what_is_wrong(run, write, tmp_path, case):
    name, content, options, says = CASES[case]
    path = write(name, content)
    check(run("inspect", path, *options), says)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(
    "case", ["empty", "half a gzip", "no encoding late", "all rows bad", "nothing left"]
)
def test_split_leaves_nothing_behind(run, write, tmp_path, case):
    name, content, options, says = CASES[case]
    path = write(name, content)
    outputs = ("--released", tmp_path / "r.parquet", "--auxiliary", tmp_path / "a.csv")
    given = [option.replace("--min-events", "--min-active-days") for option in options]
    check(run("split", path, "--at", "median", *outputs, *given), says)
    assert os.listdir(tmp_path) == [name]


SPLITS = {
    "no split": ((), "exactly one of"),
    "two splits": (("--at", "median", "--busiest-weeks"), "exactly one of"),
    "no time": (("--at", "'; DROP TABLE x"), "A time must look like"),
    "a time beyond the calendar": (("--at", "12000-01-01"), "A time must look like"),
    "before all": (("--at", "1999-01-01"), "the released side is empty"),
    "after all": (("--at", "2099-01-01"), "the auxiliary side is empty"),
    "fold 0/0": (("--fold", "0/0"), "--fold must be"),
    "fold of very many": (("--fold", "1/99999999999999999999"), "--fold must be"),
    "one range": (("--ranges", "2024-01-01..2024-01-02"), "two ranges"),
    "ranges that overlap": (
        ("--ranges", "2024-01-01..2024-01-09,2024-01-05..2024-01-20"),
        "must not share",
    ),
    "infinitely many users": (
        ("--at", "median", "--released-users", "inf"),
        "whole number of users or a share",
    ),
    "too many users": (
        ("--at", "median", "--released-users", "99"),
        "--released-users must be at most",
    ),
    "common users alone": (("--at", "median", "--common-users", "2"), "needs --released-users"),
}


@pytest.mark.parametrize("case", SPLITS)
def test_splits_that_cannot_be(run, write, tmp_path, case):
    options, says = SPLITS[case]
    path = write("v.csv", HEADER + ROWS)
    outputs = ("--released", tmp_path / "r.parquet", "--auxiliary", tmp_path / "a.csv")
    check(run("split", path, *options, *outputs), says)
    assert os.listdir(tmp_path) == ["v.csv"]


@pytest.mark.parametrize(
    ("released", "auxiliary", "says"),
    [
        ("r.xlsx", "a.csv", "must end in one of"),
        ("same.csv", "same.csv", "different files"),
        ("nowhere/r.csv", "a.csv", "must exist"),
        ("v.csv", "a.csv", "must not overwrite"),
        ("r.csv", "v.csv", "must not overwrite"),
        ("folder.csv", "a.csv", "cannot be written"),
    ],
)
def test_outputs_that_cannot_be(run, write, tmp_path, released, auxiliary, says):
    path = write("v.csv", HEADER + ROWS)
    (tmp_path / "folder.csv").mkdir()
    outputs = ("--released", tmp_path / released, "--auxiliary", tmp_path / auxiliary)
    check(run("split", path, "--at", "median", *outputs), says)
    assert sorted(os.listdir(tmp_path)) == ["folder.csv", "v.csv"]
    assert (tmp_path / "v.csv").read_text() == HEADER + ROWS


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nowhere.csv", "No such file"),
        ("*.nothing", "No such file"),
        ("", "an empty name"),
        ("-", "No such file"),
        ("https://example.com/v.csv", "starts with https: instead"),
        ("empty-folder", "none was found"),
        ("dead-link.csv", "No such file"),
        ("pipe.csv", "is neither"),
        (os.fsdecode(b"caf\xe9.csv"), "must be UTF-8"),
    ],
)
def test_sources_that_are_none(run, tmp_path, monkeypatch, source, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty-folder").mkdir()
    (tmp_path / "dead-link.csv").symlink_to("gone")
    os.mkfifo(tmp_path / "pipe.csv")
    with open(os.fsencode(tmp_path) + b"/caf\xe9.csv", "w") as file:
        file.write(HEADER + ROWS)
    check(run("inspect", source), says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("inspect",), "Missing argument"),
        (("frobnicate",), "No such command"),
        (("split", "v.csv"), "Missing option"),
        (("simulate", "moon", "--out", "x.csv"), "KIND must be one of"),
        (("simulate", "campus", "--users", "0", "--out", "x.csv"), "--users must be at least 1"),
        (("simulate", "campus", "--users", "1000000000000", "--out", "x.csv"), "more memory"),
        (("simulate", "campus", "--out", "x.txt"), "must end in one of"),
        (("demo", "--out", "file"), "must be one that can be written to"),
        (("demo", "--users", "1"), "--users must be at least 2 people"),
    ],
)
def test_commands_that_cannot_be(run, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    check(run(*arguments), says)
    assert os.listdir(tmp_path) == ["file"]


def test_a_damaged_file_of_a_folder_is_numbered_not_named(run, write, tmp_path):
    """The name of a file in a folder may be a person's or a place's."""
    write("data/SECRETa.csv", HEADER + ROWS)
    write("data/SECRETb.csv", b"")
    check(run("inspect", tmp_path / "data"), "file 2 of 2 is empty")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_ctrl_c_is_answered_in_a_word(run, write, monkeypatch, error):
    def interrupted(*_):
        raise error

    path = write("v.csv", "user,location\na,b\n")
    with monkeypatch.context() as patch:
        patch.setattr("trailprint.events.engine.Engine.run", _through_our_words(interrupted))
        finished = run("inspect", path)
    assert (finished.code, finished.out) == (130, "")
    assert finished.err == "trailprint: Stopped.\n"


def _through_our_words(function):
    from trailprint.events import engine

    def run(*arguments):
        with engine._our_words():
            return function(*arguments)

    return run


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999"])
def test_a_number_of_locations_that_cannot_be(run, write, number):
    data = write("data.csv", "user,location\na,b\nc,d\n")
    finished = run("inspect", data, "--top-locations", number)
    assert finished.code == 2
    assert finished.err.startswith("trailprint: --top-locations must be at least 1 and below")
