"""Canaries in users, places, names of files and folders, and headers: no command lets one out."""

from __future__ import annotations

import logging
import os
import traceback
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint import TrailprintError, read
from trailprint.events.reading.files import find_files
from trailprint.events.reading.headers import Header
from trailprint.events.reading.sources import open_truth

CANARY = "ZQ" + "canary"  # In two parts: a traceback shows lines of this file.
HEADER = "user,location,start\n"
N_DAYS = 20


def rows(n=160, user=None):
    for i in range(n):
        day, hour = 1 + i % N_DAYS, i % 9
        who = user or f"{CANARY}U{i % 6}"
        yield f"{who},{CANARY}P{i * 7 % 11 % 4},2024-01-{day:02}T0{hour}:00:00\n"


def csv(**options):
    return HEADER + "".join(rows(**options))


def parquet():
    cells = [line.rstrip("\n").split(",") for line in rows()]
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table(dict(zip(HEADER.strip().split(","), zip(*cells, strict=True), strict=True))), sink
    )
    return sink.getvalue().to_pybytes()


def movement(seed):
    rng = np.random.default_rng(seed)
    return "".join(f"{1704067200 + i * 5400}\t{CANARY}{rng.integers(4)}\n" for i in range(120))


def trajectory(seed):
    rng = np.random.default_rng(seed)
    points = [
        f"{47 + rng.integers(9) / 100},{8 + rng.integers(9) / 100},0,1,1,"
        f"2024-01-{1 + i % N_DAYS:02},0{i % 9}:00:00\n"
        for i in range(60)
    ]
    return "x\n" * 6 + "".join(points)


#: Every layout whose files or folders are named after a person or a place: file, content.
LAYOUTS = {
    "folder": {f"{CANARY}{i}/{CANARY}{i}.csv": csv() for i in range(2)},
    "parquet": {f"{CANARY}{i}.parquet": parquet() for i in range(2)},
    "movement": {f"{CANARY}{i}.mv": movement(i) for i in range(4)},
    "geolife": {f"{CANARY}{i}/Trajectory/{CANARY}.plt": trajectory(i) for i in range(4)},
    "partitions": {f"user={CANARY}{i}/x.csv": csv()[:4000].replace("user", "x") for i in range(2)},
    "places": {
        f"{CANARY}{i}.csv": "user,start\n"
        + "".join(f"{CANARY}{(i * k) % 7},2024-01-{1 + k % N_DAYS:02}\n" for k in range(60))
        for i in range(3)
    },
}

COMMANDS = {
    "inspect": (),
    "split": ("--at", "median", "--released", "OUT/r.csv", "--auxiliary", "OUT/a.csv"),
    "match": ("--at", "median", "--margins"),
    "trails": ("--at", "median"),
    "points": ("--points", "1", "--draws", "1", "--knowledge", "place"),
    "correlate": ("--at", "median", "--model", "markov"),
    "protect": ("--apply", "microaggregate:k=2", "--out", "OUT/p.csv"),
    "audit": ("--out", "OUT/audit", "--time-limit", "1s"),
}


@pytest.fixture
def lay_out(write, tmp_path):
    def lay_out(layout, **changes):
        for name, content in {**LAYOUTS[layout], **changes}.items():
            write(f"data/{name}", content)
        return tmp_path / "data"

    return lay_out


@pytest.fixture
def run_silently(run, tmp_path, caplog):
    """Run a command; nothing it says anywhere may hold a canary."""

    def run_silently(command, source, *more):
        (tmp_path / "out").mkdir(exist_ok=True)
        options = [option.replace("OUT", str(tmp_path / "out")) for option in COMMANDS[command]]
        with caplog.at_level(logging.DEBUG):
            finished = run(command, source, *options, *more)
        assert finished.code in (0, 2), finished.err
        for said in (finished.out, finished.err, caplog.text):
            assert CANARY not in said
        return finished

    return run_silently


def assert_no_names(folder):
    """The reports and results of an audit; what was asked for by name is another matter."""
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                assert CANARY.encode() not in file.read(), name


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_shown_of_each_layout(lay_out, run_silently, layout, form):
    assert run_silently("inspect", lay_out(layout), *form).code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_what_each_command_tells(lay_out, run_silently, tmp_path, command):
    source = lay_out("folder")
    finished = run_silently(command, source, "--json")
    assert finished.code == 0, finished.err
    if command == "audit":
        assert_no_names(tmp_path / "out")


#: What happens to a file of a folder: by its ending, the content and what must be said of it.
BROKEN = {
    "empty": ("folder", "csv", b"", "is empty"),
    "binary": ("folder", "csv", b"a\0\0", "binary data"),
    "not UTF-8": ("folder", "csv", csv().encode() + b"\x81,x,2024-01-01\n", "--encoding"),
    "open quote": ("folder", "csv", csv().replace("U1", '"U1"x', 1) + '"a"b,c,d\n', "Quotes"),
    "no header": ("places", "csv", f"{CANARY}A,{CANARY}B\n{CANARY}C,{CANARY}D\n", "first row"),
    "a known word": ("places", "csv", f"{CANARY},end\n{CANARY},end\n{CANARY}U,end\n", "first row"),
    "a broken header": ("folder", "csv", 'x,"y\n' + "".join(rows()), ""),
    "half a gzip": ("folder", "csv.gz", b"\x1f\x8b\x08\0\0", "one format"),
    "half a Parquet file": ("parquet", "parquet", b"PAR1" + parquet()[:-200], ""),
    "bytes of a movement": ("movement", "mv", b"1704067200\t\x81\n", "--encoding"),
    "bytes of a trajectory": (
        "geolife",
        "plt",
        trajectory(1).encode() + b"1,\x81,0,1,1,2024-01-01,0\n",
        "--encoding",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", BROKEN)
def test_what_is_said_of_a_broken_file(lay_out, run_silently, case, command):
    layout, ending, content, says = BROKEN[case]
    name = f"{CANARY}0/Trajectory/0{CANARY}.plt" if ending == "plt" else f"0{CANARY}.{ending}"
    source = lay_out(layout, **{name: content})
    finished = run_silently(command, source)
    assert finished.code == 2
    assert says in finished.err
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize("case", BROKEN)
def test_what_the_library_says(lay_out, engine, case):
    """In an exception, its repr and the traceback Python prints, causes and contexts included."""
    layout, ending, content, _ = BROKEN[case]
    name = f"{CANARY}0/Trajectory/0{CANARY}.plt" if ending == "plt" else f"0{CANARY}.{ending}"
    source = str(lay_out(layout, **{name: content}))
    for pattern in (source, f"{source}/**/*.{ending}"):
        with pytest.raises(TrailprintError) as caught:
            read(pattern, engine=engine)
        error = caught.value
        assert error.__cause__ is None
        for text in (str(error), repr(error), "".join(traceback.format_exception(error))):
            assert CANARY not in text


@pytest.mark.parametrize("error", [PermissionError, FileNotFoundError, OSError, pa.ArrowInvalid])
@pytest.mark.parametrize("layout", ["folder", "parquet", "places"])
def test_what_other_libraries_say_of_a_file_is_not_passed_on(
    lay_out, run_silently, monkeypatch, layout, error
):
    source = lay_out(layout)

    def refuse(path, **_):
        raise (
            error(13, f"Failed to open local file '{path}'")
            if error is not OSError
            else error(f"Cannot open {path}")
        )

    monkeypatch.setattr(pa, "input_stream", refuse)
    monkeypatch.setattr(pq, "read_schema", refuse)
    assert "file 1 of" in run_silently("inspect", source).err


@pytest.mark.parametrize("command", COMMANDS)
def test_names_that_a_shell_made_of_a_pattern_are_not_repeated(lay_out, run_silently, command):
    files = sorted(str(path) for path in lay_out("movement").iterdir())
    finished = run_silently(command, files[0], *files[1:])
    assert finished.code == 2
    assert "in quotes" in finished.err


def test_a_file_that_cannot_be_hashed(lay_out, run_silently, monkeypatch):
    """An audit hashes its inputs before it reads them."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied", CANARY)

    monkeypatch.setattr("hashlib.file_digest", refuse)
    finished = run_silently("audit", lay_out("folder"))
    assert "file 1 of 2 could not be read: Permission denied" in finished.err


SIDE_FILES = {
    "on one line": f"released,{CANARY}A,{CANARY}B\n",
    "without header": f"{CANARY}A,{CANARY}B\n{CANARY}C,{CANARY}D\n",
    "not UTF-8": b"released,auxiliary\n" + CANARY.encode() + b"\xff,x\n",
    "in JSON": f'{{"{CANARY}A": "{CANARY}B"}}\n',
    "of nobody": f"released,auxiliary\n{CANARY}A,{CANARY}B\n",
    "ambiguous": "released,auxiliary\n" + f"{CANARY}U0,{CANARY}U0\n{CANARY}U0,{CANARY}U1\n",
}


@pytest.mark.parametrize("case", SIDE_FILES)
@pytest.mark.parametrize("command", ["match", "trails", "correlate", "audit"])
def test_what_is_said_of_a_truth(lay_out, write, run_silently, case, command):
    ending = "jsonl" if case == "in JSON" else "csv"
    truth = write(f"truth.{ending}", SIDE_FILES[case])
    finished = run_silently(command, lay_out("folder"), "--truth", truth)
    assert finished.code == 2 or (case == "ambiguous" and command == "trails")


def test_objects_that_hold_names_do_not_show_them(lay_out):
    files = find_files(lay_out("folder"))
    header = Header(names=(CANARY,), given=(CANARY,))
    for holder in (files, files.listing, header):
        assert CANARY not in repr(holder)


def fail(*_):
    raise RuntimeError(CANARY)


def stop_reading():
    yield pa.record_batch({"user": [CANARY], "location": [CANARY]})
    fail()


#: Rows of people and places, and pairs of a truth.
NAMED = pd.DataFrame(dict.fromkeys(["user", "location", "released", "auxiliary"], [CANARY] * 2))


def name_by(ids):
    return NAMED.assign(user=ids, released=ids)


LAZY = pl.from_pandas(NAMED).lazy()
SCHEMA = pa.schema({"user": pa.string(), "location": pa.string()})

#: Tables whose libraries name values, columns or files in errors of their own.
FAILING = {
    "a cast of polars": lambda: LAZY.with_columns(pl.col("user").cast(pl.Int64)),
    "a column that polars misses": lambda: LAZY.select(f"{CANARY}?"),
    "a file that polars misses": lambda: pl.scan_parquet(f"/{CANARY}"),
    "a frame of Spark": lambda: SimpleNamespace(toArrow=fail, sparkSession=None),
    "a stream": lambda: pa.RecordBatchReader.from_batches(SCHEMA, stop_reading()),
    "a frame of mixed ids": lambda: name_by([CANARY, 1]),
    "half characters": lambda: name_by(pd.Series([CANARY + "\ud800"] * 2, dtype=object)),
    "categories": lambda: name_by(pd.Categorical([CANARY, 1])),
    "an object of its own": lambda: (
        dict(NAMED) | dict.fromkeys(["user", "released"], SimpleNamespace(__arrow_array__=fail))
    ),
    "a cast of DuckDB": lambda: duckdb.from_arrow(pa.table(dict(NAMED))).project(
        "user::INTEGER AS user, location"
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_what_other_libraries_say_of_a_table_is_not_passed_on(engine, case):
    """Also not by the errors before it that a traceback shows."""
    with pytest.raises(TrailprintError) as caught:
        read(FAILING[case](), engine=engine)
    assert_no_canary(caught.value)
    with pytest.raises(TrailprintError) as caught:
        open_truth(FAILING[case]())
    assert_no_canary(caught.value)


def assert_no_canary(error):
    """Neither in an exception nor in the chain of those that Python prints with it."""
    assert CANARY not in "".join(traceback.format_exception(error))
    shown = error
    while shown is not None:
        assert CANARY not in str(shown) + repr(shown)
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
