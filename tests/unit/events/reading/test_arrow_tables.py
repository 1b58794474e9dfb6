"""Tables of other libraries become Arrow that is ours alone."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from trailprint import Engine, read

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
    def refuse(_):
        pytest.fail("a column of Arrow was copied")

    monkeypatch.setattr("trailprint.events.reading.arrow_tables._copy", refuse)
    read(pa.table({"user": USERS, "location": PLACES}), engine=engine)
    read({"user": pa.array(USERS), "location": pa.array(PLACES)}, engine=engine)
    read(pd.DataFrame({"user": USERS, "location": PLACES}, dtype="int64[pyarrow]"), engine=engine)


def test_memory_of_a_frame_is_freed_with_its_events():
    engine = Engine(threads=1)
    n_bytes = pa.total_allocated_bytes()
    frame = pd.DataFrame({"user": np.arange(1_000_000), "location": 1})
    events = read(frame, engine=engine)
    some = events.having("location = 1")
    del events
    gc.collect()
    assert some.count() == 1_000_000
    assert pa.total_allocated_bytes() >= n_bytes + 16_000_000
    del some
    gc.collect()
    engine.row("SELECT 1")
    assert pa.total_allocated_bytes() < n_bytes + 1_000_000
