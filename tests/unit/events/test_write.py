"""Results on disk: whole or not at all, and readable again."""

from __future__ import annotations

import datetime as dt
import os
import stat

import pyarrow as pa
import pytest

from trailprint import Engine, ReadOptions, read
from trailprint.errors import InputError, OptionError, OutputError
from trailprint.events.write import check_outputs, replacing, write_events, write_table

ROWS = [
    ('al\'ice, "x"', "pla\nce", dt.datetime(2024, 5, 17, 9, 30, 0, 123456), None),
    ("007", "😀", dt.datetime(2024, 5, 17, 9, 30), dt.datetime(2024, 5, 18)),
]


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".tsv"])
@pytest.mark.parametrize("timezone", ["UTC", "Asia/Tokyo"])
def test_what_is_written_reads_the_same(make_events, engine, rows_of, tmp_path, ending, timezone):
    events = make_events(ROWS, "user", "location", "start", "end", timezone=timezone)
    path = tmp_path / f"out{ending}"
    write_events([(events, path)])
    again = read(path, ReadOptions(timezone=timezone), engine=engine)
    assert rows_of(again) == rows_of(events)


def test_counts_and_positions_are_written_too(make_events, engine, rows_of, tmp_path):
    events = make_events([("a", "x", 2.5, 47.0, 8.0)], "user", "location", "count", "lat", "lon")
    write_events([(events, tmp_path / "out.csv")])
    assert rows_of(read(tmp_path / "out.csv", engine=engine)) == rows_of(events)


def test_existing_files_are_replaced(make_events, engine, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    write_events([(make_events([("a", "x")], "user", "location"), path)])
    assert path.read_text() == "user,location\na,x\n"


@pytest.mark.parametrize(
    ("names", "error"),
    [
        (["out.xlsx"], OptionError),
        (["out"], OptionError),
        (["a.csv", "./a.csv"], OptionError),
        (["nowhere/a.csv"], OutputError),
        (["folder.csv"], OutputError),
        ([os.fsdecode(b"\xff.csv")], OptionError),
    ],
)
def test_outputs_that_cannot_be(tmp_path, monkeypatch, names, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(error):
        check_outputs(names)


def test_an_output_is_not_the_input(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("user,location\na,x\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data" / "a.csv")
    for source in ("data/a.csv", "data", "data/*.csv", "link.csv"):
        with pytest.raises(OptionError, match="must not overwrite"):
            check_outputs([tmp_path / "data" / "a.csv"], sources=[str(tmp_path / source)])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written"):
        check_outputs([tmp_path / "a.csv"])


def test_all_parts_appear_or_none(make_events, tmp_path):
    good = make_events([("a", "x")], "user", "location")
    broken = good.derive(
        "SELECT \"user\", error('SECRET') AS location FROM (SELECT 'a' AS \"user\")"
    )
    with pytest.raises(InputError) as caught:
        write_events([(good, tmp_path / "one.csv"), (broken, tmp_path / "two.csv")])
    assert "SECRET" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_run_leaves_the_old_file(make_events, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("old")
    good = make_events([("a", "x")], "user", "location")
    broken = good.derive("SELECT \"user\", error('x') AS location FROM (SELECT 'a' AS \"user\")")
    with pytest.raises(InputError):
        write_events([(broken, path)])
    assert path.read_text() == "old"


def test_private_files_are_private_from_the_first_byte(tmp_path, engine):
    path = tmp_path / "links.csv"
    with replacing([path], private=True) as (temporary,):
        assert stat.S_IMODE(os.stat(temporary).st_mode) == 0o600
    write_table(pa.table({"released": ["a"]}), path, engine, private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_ordinary_files_follow_the_umask(tmp_path, engine):
    before = os.umask(0o027)
    try:
        write_table(pa.table({"user": ["a"]}), tmp_path / "a.csv", engine)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o640


@pytest.mark.parametrize("memory", ["banana", "2", "-1GB", "2GB; drop", "", "99999999TB"])
def test_sizes_of_memory_that_are_none(memory):
    with pytest.raises(OptionError, match="memory must be a size"):
        Engine(memory=memory)


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_numbers_of_threads_that_are_none(threads):
    with pytest.raises(OptionError, match="threads must be"):
        Engine(threads=threads)


def test_the_scratch_folder_is_private_and_goes_with_the_engine():
    engine = Engine()
    scratch = engine.scratch
    assert stat.S_IMODE(os.stat(scratch).st_mode) == 0o700
    del engine
    assert not os.path.exists(scratch)
