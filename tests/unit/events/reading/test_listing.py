"""Files are called by their number in the listing, unless the user typed their very names."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

from trailprint import ReadOptions, TrailprintError, read
from trailprint.errors import OutputError, SourceError
from trailprint.events.reading.files import find_files
from trailprint.events.reading.listing import Listing, list_files
from trailprint.events.write import check_outputs

HEADER = "user,location,start\n"
GOOD = HEADER + "a,x,2024-01-01\nb,y,2024-01-02\n"


def any_file(name):
    return name.endswith(".csv")


@pytest.fixture
def message_of(engine):
    def message_of(source, **options):
        with pytest.raises(TrailprintError) as caught:
            read(source, ReadOptions(**options), engine=engine)
        return str(caught.value)

    return message_of


def test_only_a_file_that_was_typed_is_called_by_its_name(write, tmp_path):
    path = write("data/SECRET.csv", GOOD)
    typed = find_files(path)
    assert typed.describe(path) == "'SECRET.csv'"
    for source in (tmp_path / "data", tmp_path / "*/*.csv", tmp_path / "data/SECRET*"):
        assert find_files(source).describe(path) == "file 1 of 1"


def test_what_programs_leave_in_hidden_folders_is_no_data(write, tmp_path):
    rows = "user,location\na,x\nb,y\n"
    for name in ("part.csv", "_temporary/0/part.csv", ".staging/part.csv", "_day=3/part.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(name, rows)
    found = list_files(tmp_path, lambda name: name.endswith(".csv"))
    assert [os.path.relpath(path, tmp_path) for path in found.paths] == [
        os.path.join("_day=3", "part.csv"),
        "part.csv",
    ]


def test_numbers_are_those_of_the_whole_listing():
    listing = Listing(paths=tuple(f"{i:04}" for i in range(1200)), is_named=False)
    assert listing.call("1100") == "file 1,101 of 1,200"
    assert listing.call("elsewhere") == "one of 1,200 files"


BROKEN = {
    "empty": (b"", "file 2 of 2 is empty"),
    "binary": (b"user,location\n\0\0", "file 2 of 2 holds binary data"),
    "not UTF-8": (HEADER.encode() + b"a,\x81,2024-01-01\n", "line 2 of file 2 of 2"),
    "quotes": (HEADER.encode() + b'"a"b,x,2024-01-01\n', "line 2 of file 2 of 2"),
    "long line": (HEADER.encode() + b"a" * 3_000_000 + b",x,1\n", "line 2 of file 2 of 2"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("pattern", ["data", "data/*.csv"])
def test_a_broken_file_is_numbered(write, tmp_path, message_of, case, pattern):
    content, says = BROKEN[case]
    write("data/SECRETa.csv", GOOD)
    write("data/SECRETb.csv", content)
    said = message_of(tmp_path / pattern)
    assert says in said
    assert "SECRET" not in said


def test_a_movement_file_is_numbered(write, tmp_path, message_of):
    write("moves/SECRET1.mv", "1700000000\tA1\n")
    write("moves/SECRET2.mv", b"1700000000\tA\x81\n")
    assert "line 1 of file 2 of 2" in message_of(tmp_path / "moves")


def test_a_trajectory_is_numbered_among_all_files(write, tmp_path, message_of):
    """Other files of the folder count, because that is how a user finds the one that is meant."""
    write("geo/SECRET1/labels.txt", "x\n")
    head = "a\n" * 6
    write("geo/SECRET1/Trajectory/1.plt", head + "39.9,116.3,0,1,39744,2008-10-23,02:53:04\n")
    write("geo/SECRET2/Trajectory/1.plt", head.encode() + b"39.9,\x81,0,1,39744,2008-10-23,02\n")
    said = message_of(tmp_path / "geo")
    assert "line 7 of file 3 of 3" in said
    assert "SECRET" not in said


def test_a_parquet_file_is_numbered(write, tmp_path, message_of):
    write("tables/SECRET1.parquet", b"PAR1 and no more")
    write("tables/SECRET2.parquet", b"PAR1 and no more")
    assert "file 1 of 2 is damaged" in message_of(tmp_path / "tables")


@pytest.mark.parametrize("name", ["2.csv", "3.parquet", "4.jsonl", "5.csv.gz", "6"])
def test_why_a_file_cannot_be_read_is_said_without_its_name(
    write, tmp_path, monkeypatch, message_of, name
):
    """Other libraries put the path into their messages, with the user's folder in it."""
    write(f"geo/SECRET/Trajectory/{name}", GOOD)

    def refuse(path, **_):
        raise PermissionError(13, f"Failed to open local file '{path}'. Permission denied")

    monkeypatch.setattr(pa, "input_stream", refuse)
    monkeypatch.setattr("pyarrow.parquet.read_schema", refuse)
    said = message_of(str(tmp_path / "geo/SECRET*/Trajectory/*"))
    assert "file 1 of 1 could not be read" in said
    assert "Permission denied" in said
    assert "SECRET" not in said


@pytest.fixture
def closed(monkeypatch, tmp_path):
    """A folder that this user may not enter (the user of the tests may be allowed everything)."""
    inside, look, stat = os.path.join(tmp_path, "data/SECRETclosed"), os.scandir, os.stat

    def scandir(path):
        # Folders that go meanwhile are looked into by their handle.
        if not isinstance(path, int) and os.fspath(path) == inside:
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    def listdir(path):
        return [entry.name for entry in scandir(path)]

    def status(path, *arguments, **options):
        if str(path).startswith(inside + "/"):
            raise PermissionError(13, "Permission denied", path)
        return stat(path, *arguments, **options)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "listdir", listdir)
    monkeypatch.setattr(os, "stat", status)
    monkeypatch.setattr(os, "access", lambda path, mode: os.fspath(path) != inside)


def test_a_folder_that_cannot_be_entered_is_not_left_out_silently(write, tmp_path, closed):
    write("data/open.csv", GOOD)
    write("data/SECRETclosed/v.csv", GOOD)
    for source in ("data", "data/*/*.csv", "data/**/*.csv"):
        with pytest.raises(SourceError, match="but 1 cannot be entered") as caught:
            list_files(tmp_path / source, any_file)
        assert "SECRET" not in str(caught.value)


def test_a_file_below_a_folder_that_cannot_be_entered(write, tmp_path, closed):
    path = write("data/SECRETclosed/v.csv", GOOD)
    with pytest.raises(SourceError, match=r"v.csv' cannot be entered"):
        list_files(path, any_file)


def test_a_name_that_is_too_long_is_that_of_no_file():
    with pytest.raises(SourceError, match="No such file"):
        list_files("x" * 5000, any_file)


LONG = "x" * 300


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (f"{LONG}.csv", "cannot be written there"),
        (f"{LONG}/r.csv", "must exist and be one that can be entered"),
        ("data/SECRETclosed/below/r.csv", "must exist and be one that can be entered"),
        ("data/SECRETclosed/r.csv", "cannot be written there"),
    ],
)
def test_an_output_below_a_folder_that_cannot_be_entered(write, tmp_path, closed, name, says):
    write("data/SECRETclosed/below/v.csv", GOOD)
    with pytest.raises(OutputError, match=says):
        check_outputs([tmp_path / name])


def test_data_of_papers_below_a_folder_that_cannot_be_entered(run, write, tmp_path, closed):
    write("data/SECRETclosed/v.csv", GOOD)
    for name, says in (("SECRETclosed/v.csv", "that exists"), ("SECRETclosed", "can be read")):
        finished = run("reproduce", "2013-table-1", "--data", tmp_path / "data" / name)
        assert finished.code == 2, finished.err
        assert says in finished.err
    assert run("reproduce", "2013-table-1", "--data", LONG).code == 2
