"""Addresses of other machines are neither read nor written: one sentence, and nothing is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trailprint import TrailprintError, read
from trailprint.errors import OutputError, SourceError
from trailprint.system.addresses import check_writable, readable_path

ROWS = "user,location,start\n" + "".join(
    f"u{i % 7},p{i % 5},2024-01-{1 + i % 20:02}T0{i % 9}:00:00\n" for i in range(140)
)
REMOTE = ["s3://key:SECRET@bucket/x", "https://example.com/x.csv", "gs://b/x", "hdfs://n/x"]

#: Whatever a command writes; OUT is the address.
WRITING = {
    "split": ("split", "v.csv", "--at", "median", "--released", "OUT.csv", "--auxiliary", "a.csv"),
    "other side": (
        *("split", "v.csv", "--at", "median"),
        *("--released", "r.csv", "--auxiliary", "OUT.csv"),
    ),
    "links": ("match", "v.csv", "--at", "median", "--links", "OUT.csv"),
    "trail links": ("trails", "v.csv", "--at", "median", "--links", "OUT.csv"),
    "work": ("correlate", "v.csv", "--at", "median", "--work", "OUT"),
    "protected": ("protect", "v.csv", "--apply", "microaggregate:k=2", "--out", "OUT.csv"),
    "audit": ("audit", "v.csv", "--out", "OUT"),
    "audit's links": ("audit", "v.csv", "--out", "audit", "--links", "OUT.csv"),
    "simulated": ("simulate", "campus", "--users", "5", "--out", "OUT.csv"),
    "demo": ("demo", "--out", "OUT"),
    "papers": ("reproduce", "2013-table-1", "--out", "OUT"),
}


def check(finished, says):
    assert finished.code == 2, finished.err
    assert finished.out == ""
    assert finished.err.count("\n") == 1
    assert says in finished.err
    assert "SECRET" not in finished.err


@pytest.fixture(autouse=True)
def folder(write, tmp_path, monkeypatch):
    write("v.csv", ROWS)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", WRITING)
def test_nothing_is_written_to_an_address(run, tmp_path, case):
    arguments = [a.replace("OUT", "s3://bucket/SECRET") for a in WRITING[case]]
    check(run(*arguments), "got an address that starts with s3: instead")
    assert os.listdir(tmp_path) == ["v.csv"]


@pytest.mark.parametrize("address", REMOTE)
@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "ADDRESS"),
        ("match", "v.csv", "ADDRESS"),
        ("match", "v.csv", "--at", "median", "--truth", "ADDRESS"),
        ("inspect", "v.csv", "--regions", "ADDRESS"),
        ("audit", "ADDRESS", "--out", "audit"),
        ("reproduce", "2013-table-1", "--data", "ADDRESS"),
    ],
)
def test_nothing_is_read_from_an_address(run, tmp_path, arguments, address):
    arguments = [a.replace("ADDRESS", address) for a in arguments]
    check(run(*arguments), f"starts with {address.partition(':')[0]}: instead")
    assert os.listdir(tmp_path) == ["v.csv"]


def test_the_address_of_a_local_file_is_read_as_its_path(run, write, tmp_path):
    write("with space.csv", ROWS)
    for address in (f"file://{tmp_path}/with%20space.csv", f"file://localhost{tmp_path}/v.csv"):
        finished = run("inspect", address, "--json")
        assert finished.code == 0, finished.err
        assert finished.json["rows"] == 140


def test_a_file_of_another_machine_is_not():
    with pytest.raises(SourceError, match="starts with file:"):
        readable_path("file://elsewhere/v.csv")


def test_a_path_object_of_an_address_is_one_still():
    with pytest.raises(TrailprintError, match="starts with s3:"):
        read(Path("s3://bucket/v.csv"))
    with pytest.raises(OutputError, match="starts with s3:"):
        check_writable(Path("s3://bucket/v.csv"))


@pytest.mark.parametrize("name", ["C:/data.csv", "a:b.csv", "./s3:/x", "10:30.csv"])
def test_odd_names_of_files_are_paths(name):
    assert readable_path(name) == name
    check_writable(name)


@pytest.mark.parametrize("name", [b"v.csv", 3, None, "v\0.csv"])
def test_what_is_no_text_is_no_path(name):
    with pytest.raises(SourceError, match="must be text"):
        readable_path(name)
    with pytest.raises(OutputError, match="must be text"):
        check_writable(name)
