"""No command and no error ever says a user id, a location, a coordinate or another value."""

from __future__ import annotations

import os
import re

import pytest

from trailprint import ReadOptions, TrailprintError, read
from trailprint.cli import inspect as inspect_command

#: What must never be seen; the coordinates are as distinctive as the names.
SECRET = re.compile(r"SECRET|12\.3456|98\.7654|987654321")
USERS = [f"SECRETUSER{i}" for i in range(6)]


def rows(n=120):
    for i in range(n):
        yield (
            USERS[i % 6],
            f"SECRETPLACE{i % 4}.SECRETFLOOR",
            f"2024-01-{1 + i % 20:02}T{8 + i % 9:02}:00:00",
            f"12.3456{i % 7}",
            f"98.7654{i % 5}",
        )


def csv(header="user,location,start,lat,lon"):
    return header + "\n" + "".join(",".join(row) + "\n" for row in rows())


@pytest.fixture
def data(write):
    return write("data.csv", csv())


def assert_silent(finished):
    assert not SECRET.search(finished.out), finished.out
    assert not SECRET.search(finished.err), finished.err


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect",),
        ("inspect", "--cell", "500"),
        ("inspect", "--box", "12,98,13,99"),
        ("inspect", "--h3", "8"),
        ("inspect", "--truncate", "1"),
        ("inspect", "--top-locations", "2", "--min-events", "3", "--drop-duplicates"),
        ("match", "--at", "median", "--margins"),
        ("match", "--fold", "2/4", "--method", "one-by-one"),
        ("points", "--points", "1-2"),
        ("points", "--knowledge", "sequence"),
        ("correlate", "--folds", "2"),
        ("correlate", "--at", "median", "--days", "1"),
    ],
)
def test_what_is_printed(run, data, arguments, form):
    finished = run(arguments[0], data, *arguments[1:], *form)
    assert finished.code == 0, finished.err
    assert_silent(finished)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_split_writes_to_files_only(run, data, tmp_path, form):
    released, auxiliary = tmp_path / "r.csv", tmp_path / "a.csv"
    finished = run(
        "split", data, "--at", "median", "--released", released, "--auxiliary", auxiliary, *form
    )
    assert finished.code == 0
    assert_silent(finished)
    assert SECRET.search(released.read_text())


def test_links_are_written_to_a_file_only_when_asked_for(run, data, tmp_path):
    before = set(os.listdir(tmp_path))
    assert_silent(run("match", data, "--at", "median"))
    assert set(os.listdir(tmp_path)) == before
    links = tmp_path / "links.csv"
    assert_silent(run("match", data, "--at", "median", "--links", links))
    assert SECRET.search(links.read_text())
    assert links.stat().st_mode & 0o077 == 0


MANGLED = {
    "no header": csv().split("\n", 1)[1],
    "no header, a known word in it": "SECRETUSER1,time,987654321\nSECRETUSER2,time,987654321\n",
    "unknown header": csv("a1,b1,c1,d1,e1"),
    "mixed times": csv() + "SECRETUSER1,SECRETPLACE,987654321,1,1\n",
    "bad times": csv().replace("2024-", "SECRET-"),
    "bad coordinates": csv().replace("12.3456", "412.3456"),
    "open quote": csv().replace("SECRETUSER1", '"SECRETUSER1', 1),
    "stray quote": csv().replace("SECRETUSER1", 'SECRET"USER1"x', 1)
    + '"a"SECRET,b,2024-01-01,1,1\n',
    "short rows": csv() + "SECRETUSER1\n" * 40,
    "long rows": csv() + "SECRETUSER1,SECRETPLACE,2024-01-01,1,1,SECRET\n" * 40,
    "not UTF-8": csv().encode() + b"SECRET\xff,SECRET,2024-01-01,1,1\n",
    "zero byte": csv().encode() + b"SECRET\0,SECRET,2024-01-01,1,1\n",
    "blank users": csv().replace("SECRETUSER", "").replace("\n1", "\n"),
    "huge numbers": csv("user,location,start,count,lon").replace("12.3456", "1e400"),
}


@pytest.mark.parametrize("command", ["inspect", "split", "match"])
@pytest.mark.parametrize("case", MANGLED)
def test_what_errors_say(run, write, tmp_path, case, command):
    path = write("data.csv", MANGLED[case])
    more = {
        "inspect": (),
        "split": (
            "--at",
            "median",
            "--released",
            tmp_path / "r.csv",
            "--auxiliary",
            tmp_path / "a.csv",
        ),
        "match": ("--at", "median"),
    }[command]
    finished = run(command, path, *more)
    assert finished.code in (0, 2), finished.err
    assert_silent(finished)


@pytest.mark.parametrize(
    "options",
    [
        {"column_names": {"user": "nobody"}},
        {"column_names": {"start": "user"}},
        {"column_names": {"lat": "user", "lon": "location"}},
        {"column_names": {"weight": "location"}},
        {"time_format": "%d"},
        {"layout": "wlan"},
        {"layout": "ap-starts", "delimiter": ";"},
        {"layout": "web"},
        {"layout": "ap-movement"},
        {"header": ("x", "y", "z", "v", "w")},
    ],
)
def test_wrong_options_say_nothing_of_the_data(data, engine, options):
    with pytest.raises(TrailprintError) as caught:
        read(data, ReadOptions(**options), engine=engine)
    assert not SECRET.search(str(caught.value))


def test_names_of_files_in_a_folder_are_not_said(run, write, tmp_path):
    write("tables/SECRETa.csv", "user\n" + "bob\n" * 3)
    write("tables/SECRETb.csv", "user\nbob\n")
    finished = run("inspect", tmp_path / "tables")
    assert finished.code == 0
    assert_silent(finished)
    write("tables/SECRETc.csv", b"user\nb\x81b\n")
    finished = run("inspect", tmp_path / "tables")
    assert finished.code == 2
    assert_silent(finished)


@pytest.fixture
def broken(monkeypatch):
    """A defect of ours whose words hold a value of the data."""

    def fail(*arguments, **options):
        raise ValueError("SECRETUSER1 was at 12.34567")

    monkeypatch.setattr(inspect_command, "open_events", fail)


def test_a_defect_of_ours_says_where_not_what(run, data, broken, monkeypatch):
    monkeypatch.delenv("TRAILPRINT_DEBUG", raising=False)
    finished = run("inspect", data)
    assert finished.code == 1
    assert finished.out == ""
    assert finished.err.startswith("trailprint: A defect of Trailprint (ValueError at ")
    assert finished.err.count("\n") == 1
    assert_silent(finished)


def test_details_of_a_defect_need_to_be_asked_for(run, data, broken, monkeypatch):
    monkeypatch.setenv("TRAILPRINT_DEBUG", "1")
    finished = run("inspect", data)
    assert finished.code == 1
    assert "SECRETUSER1" in finished.err
