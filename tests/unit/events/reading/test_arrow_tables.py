"""Tables of other libraries become Arrow that is ours alone."""

from __future__ import annotations

import gc
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from trailprint import Engine, ReadOptions, TrailprintError, inspect, read
from trailprint.events.reading.sources import open_truth

USERS, PLACES = np.arange(6) % 3, np.arange(6)
TIMES = pd.date_range("2024-03-04", periods=6, freq="h")

#: By dtype, a column of pandas that is edited in place, and what is written into it.
EDITED = {
    "int64": (pd.Series(PLACES), 0),
    "float64": (pd.Series(PLACES, dtype=float), 0.0),
    "Int64": (pd.Series(PLACES, dtype="Int64"), 0),
    "category": (pd.Series(list("abcdef"), dtype="category"), "a"),
    "datetime64": (pd.Series(TIMES), TIMES[0]),
    "datetime64 with a zone": (pd.Series(TIMES.tz_localize("UTC")), TIMES[0].tz_localize("UTC")),
    "str": (pd.Series(list("abcdef"), dtype="str"), "a"),
    "object": (pd.Series(list("abcdef"), dtype=object), "a"),
    "bool": (pd.Series(PLACES % 2 == 0), True),
    "arrow": (pd.Series(PLACES, dtype="int64[pyarrow]"), 0),
}


@pytest.mark.parametrize("case", EDITED)
@pytest.mark.parametrize("rows", [slice(None), USERS > 0], ids=["whole", "masked"])
def test_edits_of_a_frame_leave_its_events_alone(engine, rows_of, case, rows):
    column, value = EDITED[case]
    frame = pd.DataFrame({"user": USERS, "location": column.copy()})
    events = read(frame, engine=engine)
    before = rows_of(events)
    frame.loc[rows, "location"] = value
    assert rows_of(events) == before


def test_edits_of_arrays_leave_events_of_them_alone(engine, rows_of):
    places = PLACES.copy()
    events = read({"user": USERS.copy(), "location": places}, engine=engine)
    before = rows_of(events)
    places[:] = 0
    assert rows_of(events) == before


def test_columns_of_arrow_are_not_copied(engine, monkeypatch):
    copied = []

    def copy(column):
        copied.append(column)
        return column

    monkeypatch.setattr("trailprint.events.reading.arrow_tables._copy", copy)
    read(pa.table({"user": USERS, "location": PLACES}), engine=engine)
    read({"user": pa.array(USERS), "location": pa.array(PLACES)}, engine=engine)
    read(pd.DataFrame({"user": USERS, "location": PLACES}, dtype="int64[pyarrow]"), engine=engine)
    assert not copied
    read(pd.DataFrame({"user": USERS, "location": PLACES}), engine=engine)
    assert copied


def test_memory_of_a_frame_is_freed_with_its_events():
    engine = Engine(threads=1)
    gc.collect()  # What earlier tests left is not counted.
    n_bytes = pa.total_allocated_bytes()
    frame = pd.DataFrame({"user": np.arange(1_000_000), "location": 1})
    events = read(frame, engine=engine)
    some = events.having("location = 1")
    del events
    gc.collect()
    assert some.count() == 1_000_000
    assert pa.total_allocated_bytes() >= n_bytes + 15_000_000
    del some
    gc.collect()
    engine.row("SELECT 1")
    assert pa.total_allocated_bytes() < n_bytes + 1_000_000


#: Columns that Arrow cannot hold, and what is said where one is used. Values are never shown.
REFUSED = {
    "mixed values": (["SECRETZQX", 1] * 3, "'{}' mixes several"),
    "complex numbers": ([1j] * 6, "'{}' holds others"),
    "objects": ([object()] * 6, "'{}' holds others"),
    "numbers of many digits": ([2**70] * 6, "'{}' holds others"),
    "categories": (pd.Categorical(["SECRETZQX", 1] * 3), "'{}' mixes several"),
    "sparse": (pd.arrays.SparseArray([7, 0] * 3), "'{}' is sparse"),
    "half characters": (pd.Series(["SECRETZQX\ud800"] * 6, dtype=object), "'{}' holds half char"),
}


def put(case, name):
    """A frame with a column that cannot be read."""
    frame = pd.DataFrame({"user": USERS, "location": PLACES})
    return frame.assign(**{name: REFUSED[case][0]})


@pytest.mark.parametrize("case", REFUSED)
def test_a_column_that_is_not_used_need_not_be_readable(case):
    found = inspect(put(case, "remark"))
    assert found.users == 3
    assert "Columns left out because they cannot be read: remark." in found.notes


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("make", [lambda frame: frame, dict], ids=["frame", "dict"])
def test_a_column_that_is_used_must_be_readable(engine, case, make):
    with pytest.raises(TrailprintError, match=REFUSED[case][1].format("user")) as refused:
        read(make(put(case, "user")), engine=engine)
    assert "SECRETZQX" not in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"drop_duplicates": True},
        {"keep_columns": ("remark",)},
        {"column_names": {"weight": "remark"}},
        {"identity": ("user", "remark")},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_that_use_a_column_need_it(engine, options):
    with pytest.raises(TrailprintError, match="'remark' mixes several"):
        read(put("mixed values", "remark"), ReadOptions(**options), engine=engine)


def test_names_that_may_be_data_are_not_shown(engine):
    frame = put("mixed values", "+41791234567")
    assert "Columns left out because they cannot be read: 1 more." in inspect(frame).notes
    with pytest.raises(TrailprintError, match="but one mixes several"):
        read(frame, ReadOptions(drop_duplicates=True), engine=engine)


def test_a_truth_needs_its_two_columns_only():
    pairs = pd.DataFrame({"released": [1, 2], "auxiliary": [3, 4], "remark": ["a", 1]})
    assert open_truth(pairs) == pa.table({"released": [1, 2], "auxiliary": [3, 4]})
    with pytest.raises(TrailprintError, match="'auxiliary' mixes several"):
        open_truth(pairs.assign(auxiliary=["a", 1]))


def break_text(*texts):
    """An Arrow column of bytes that it takes for text."""
    offsets = pa.array(np.cumsum([0, *map(len, texts)]), pa.int32()).buffers()[1]
    values = pa.py_buffer(b"".join(texts))
    return pa.Array.from_buffers(pa.string(), len(texts), [None, offsets, values])


def in_dictionary(column):
    return pa.DictionaryArray.from_arrays(pa.array(range(len(column)), pa.int32()), column)


@pytest.mark.parametrize("make", [lambda column: column, in_dictionary], ids=["text", "dictionary"])
def test_text_that_is_not_utf8_is_refused_before_duckdb_sees_it(engine, make):
    broken = make(break_text(b"SECRETZQX", b"\xff\xfe"))
    with pytest.raises(TrailprintError, match="'user' holds other bytes") as refused:
        read(pa.table({"user": broken, "location": [1, 2]}), engine=engine)
    assert "SECRETZQX" not in str(refused.value)
    unused = pa.table({"user": [1, 2], "location": [1, 2], "remark": broken})
    assert read(unused, engine=engine).count() == 2


def test_numbers_of_16_bits_are_read(engine, rows_of):
    table = {"user": USERS.astype("float16"), "location": PLACES.astype("float16") / 2}
    for source in (table, pa.table(table)):
        events = read(source, engine=engine)
        assert rows_of(events) == sorted(
            (f"{place / 2:g}", f"{user}") for user, place in zip(USERS, PLACES, strict=True)
        )


#: Types of Arrow that DuckDB does not know.
UNKNOWN = (pa.decimal256(50, 2), pa.list_(pa.float16()), pa.dense_union([pa.field("a", "int8")]))


@pytest.mark.parametrize("kind", UNKNOWN, ids=str)
def test_types_that_duckdb_does_not_know(engine, kind):
    column = pa.nulls(2, kind)
    events = read(pa.table({"user": [1, 2], "location": [1, 2], "remark": column}), engine=engine)
    assert events.count() == 2
    with pytest.raises(TrailprintError, match="'user' holds others"):
        read(pa.table({"user": column, "location": [1, 2]}), engine=engine)


def test_a_damaged_column_is_refused(engine):
    offsets = pa.array([0, 9, 2], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    with pytest.raises(TrailprintError, match="'user' is damaged"):
        read(pa.table({"user": broken, "location": [1, 2]}), engine=engine)


PLAIN = datetime(2024, 3, 4, 12)
ZONED = PLAIN.replace(tzinfo=UTC)
DATE = PLAIN.date()
ELSEWHERE = ZONED.astimezone(ZoneInfo("Asia/Tokyo"))

#: Times of one column, and what is said of them.
TIMES_MIXED = {
    "zone first": ([ZONED, PLAIN, ZONED], "2 times with a zone and 1 times without a zone"),
    "no zone first": ([PLAIN, None, ZONED], "1 times with a zone and 1 times without a zone"),
    "of pandas": ([None, pd.Timestamp(PLAIN), pd.Timestamp(ZONED)], "1 times with a zone and"),
    "date first": ([DATE, PLAIN, PLAIN], "1 dates and 2 times without a zone"),
}


@pytest.mark.parametrize("case", TIMES_MIXED)
@pytest.mark.parametrize("kind", ["frame", "index", "list", "array"])
def test_times_with_and_without_a_zone_do_not_mix(engine, case, kind):
    times, says = TIMES_MIXED[case]
    start = np.array(times, dtype=object) if kind == "array" else times
    columns = {"user": USERS[:3], "location": PLACES[:3], "start": start}
    frame = pd.DataFrame(columns | {"start": pd.Series(times, dtype=object)})
    table = {"frame": frame, "index": frame.set_index("start")}.get(kind, columns)
    options = ReadOptions(timezone="Europe/Zurich", allow_bad_rows=True)
    with pytest.raises(TrailprintError, match=f"'start' mixes {says}"):
        read(table, options, engine=engine)


def test_times_of_several_zones_are_the_same_moments(engine, rows_of):
    start = pd.Series([ZONED, ELSEWHERE, pd.NaT], dtype=object)
    frame = pd.DataFrame({"user": USERS[:3], "location": PLACES[:3], "start": start})
    events = read(frame, ReadOptions(allow_bad_rows=True), engine=engine)
    assert rows_of(events, "start") == [(PLAIN,), (PLAIN,)]


def stop_reading():
    yield pa.record_batch({"user": ["a"], "location": ["x"]})
    raise RuntimeError("SECRETZQX")


#: Tables that cannot be read for another reason than one of their columns.
BROKEN = {
    "a stream": (
        lambda: pa.RecordBatchReader.from_batches(
            pa.schema({"user": pa.string(), "location": pa.string()}), stop_reading()
        ),
        "RecordBatchReader stopped with an error",
    ),
    "two columns of one name": (
        lambda: pd.DataFrame([[1, 2, "a", "b"]], columns=["user", "location", "x", "x"]),
        "a name of its own",
    ),
    "an index": (
        lambda: pd.DataFrame({"user": [1, 2], "location": 1}, index=pd.Index([1j, "a"], name="i")),
        "The index of a frame",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_table_that_cannot_be_read_at_all(engine, case):
    make, says = BROKEN[case]
    with pytest.raises(TrailprintError, match=says) as refused:
        read(make(), engine=engine)
    assert "SECRETZQX" not in str(refused.value)
