"""What a user has becomes events in one place, for every public function."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.errors import OptionError, SourceError
from trailprint.events.events import Column
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.opening import open_sources
from trailprint.events.reading.sources import open_truth
from trailprint.workflows.folds import correlate_folds
from trailprint.workflows.protect import trade_off

N_USERS, N_DAYS = 6, 20


def visits(seed: int = 0) -> pd.DataFrame:
    """Everybody goes to a place of their own, and to the square."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"u{user}", f"p{user}" if rng.random() < 0.7 else "square", f"2024-03-{day + 1:02} 10:00")
        for user in range(N_USERS)
        for day in range(N_DAYS)
    ]
    return pd.DataFrame(rows, columns=["user", "location", "start"])


def positions(seed: int = 0) -> pd.DataFrame:
    """The same people as points, some kilometres apart."""
    rng = np.random.default_rng(seed)
    rows = [
        (user, pd.Timestamp("2024-03-01", tz="UTC") + pd.Timedelta(days=day), 46 + user / 10, 6.5)
        for user in range(N_USERS)
        for day in range(N_DAYS)
    ]
    frame = pd.DataFrame(rows, columns=["uid", "datetime", "lat", "lng"])
    return frame.assign(lat=frame.lat + rng.normal(0, 1e-4, len(frame)))


def as_path(frame: pd.DataFrame, folder) -> str:
    path = folder / f"{id(frame)}.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path)
    return str(path)


KINDS = {
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pl.from_pandas(frame),
    "lazy polars": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame, folder: pa.Table.from_pandas(frame),
    "duckdb": lambda frame, folder: duckdb.sql("SELECT * FROM frame"),
    "path": as_path,
    "events": lambda frame, folder: tp.read(frame),
}


@pytest.fixture(params=KINDS)
def pair(request, tmp_path):
    make = KINDS[request.param]
    return make(visits(1), tmp_path), make(visits(2), tmp_path)


def test_every_kind_of_source_is_matched(pair):
    assert present(tp.match(*pair).risk).n_common == N_USERS
    assert tp.inspect(pair[0]).users == N_USERS


def test_every_function_takes_a_source():
    frame, other = visits(1), visits(2)
    assert tp.trails(frame, other).truth.n_common == N_USERS
    markov = tp.CorrelateOptions(model="markov")
    assert tp.correlate(frame, other, markov).truth.n_common == N_USERS
    assert len(correlate_folds(frame, markov).rounds) > 1
    assert present(tp.protect(frame, "top-locations:n=2").events).count() > 0
    sides = tp.split(frame, tp.SplitOptions(at="median"))
    assert sides.released.count() + sides.auxiliary.count() == len(frame)
    assert (
        tp.workflows.apply_filters(frame, tp.FilterOptions(time_range="..2024-03-05")).count() == 30
    )


def test_a_sweep_takes_sources():
    from trailprint.studies.options import SweepOptions

    options = SweepOptions(parameter="n", values=(2, 6))
    found = trade_off(visits(1), visits(2), "top-locations:n=2", options)
    assert len(found.to_dict()["sweep"]) == 2


def test_an_audit_takes_a_frame():
    options = tp.AuditOptions(attacks=("trail",), time_limit_s=0.001)
    found = tp.audit(visits(), options=options).to_dict()
    assert found["headline"]["sentence"]


def test_how_to_read_is_said_once_for_all_sources():
    names: dict[Column, str] = {"user": "who", "location": "where", "start": "when"}
    frame = visits().rename(columns=names)
    reading = tp.ReadOptions(column_names=names)
    assert present(tp.match(frame, frame, reading=reading).risk).n_common == N_USERS
    assert tp.inspect(frame, reading=reading).users == N_USERS


def test_sources_are_read_in_the_engine_of_events():
    engine = tp.Engine()
    opened = open_sources([visits(), tp.read(visits(), engine=engine)])
    assert all(side.engine is engine for side in opened)


def test_positions_go_on_one_grid():
    frame, other = positions(1), positions(2)
    assert present(tp.match(frame, other).risk).accuracy == 1
    assert tp.inspect(frame).locations == N_USERS
    assert tp.inspect(frame, places=PlaceOptions(cell_m=200_000)).locations == 1


def test_h3_and_regions(tmp_path):
    pytest.importorskip("h3")
    assert tp.inspect(positions(), places=PlaceOptions(h3=6)).locations == N_USERS
    path = tmp_path / "regions.csv"
    names = [*(f"p{user}" for user in range(N_USERS)), "square"]
    path.write_text("location,region\n" + "".join(f"{name},all\n" for name in names))
    assert tp.inspect(visits(), places=PlaceOptions(regions=path)).locations == 1


def test_two_kinds_of_cells_are_refused():
    with pytest.raises(OptionError, match="Only one of"):
        PlaceOptions(cell_m=100, h3=5)


def test_trackintel_staypoints_have_starts_and_ends():
    plain = positions()
    frame = pd.DataFrame(
        {
            "user_id": plain.uid,
            "started_at": plain.datetime,
            "finished_at": plain.datetime + pd.Timedelta(hours=2),
            "location_id": plain.uid,
        }
    )
    assert {"start", "end"} <= set(tp.inspect(frame).columns)


@pytest.mark.parametrize("name", [None, "when", "tracked_at"])
def test_an_index_of_times_is_the_start(name):
    frame = visits()
    frame.index = pd.DatetimeIndex(pd.to_datetime(frame.pop("start")), name=name)
    assert tp.inspect(frame).first == "2024-03-01"


def test_an_index_of_times_can_be_named():
    frame = visits()
    frame.index = pd.DatetimeIndex(pd.to_datetime(frame.pop("start")), name="when")
    frame["time"] = "2023-01-01"
    reading = tp.ReadOptions(column_names={"start": "when"})
    assert tp.inspect(frame, reading=reading).first == "2024-03-01"


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "path"])
def test_a_truth_may_be_any_table(kind, tmp_path):
    other = visits(2).assign(user=lambda frame: "x" + frame.user)
    pairs = pd.DataFrame({"released": [f"u{i}" for i in range(N_USERS)]})
    pairs["auxiliary"] = "x" + pairs.released
    truth = KINDS[kind](pairs, tmp_path)
    assert tp.match(visits(1), other, truth=truth).truth.n_common == N_USERS


def test_what_is_no_truth():
    with pytest.raises(OptionError, match="path or a table"):
        open_truth(3)


def test_a_frame_of_spark_that_cannot_be_collected_says_what_to_do():
    class Frame:
        sparkSession = None  # noqa: N815

        def toArrow(self):
            raise RuntimeError("user-17 is too large")

    with pytest.raises(SourceError, match="could not collect") as failed:
        tp.read(Frame())
    assert "user-17" not in str(failed.value)


@pytest.mark.parametrize(
    ("layout", "says"),
    [("no-such-layout", "must be one of"), ("geolife", "left out for a table, got 'geolife' and")],
)
def test_a_table_has_no_layout(layout, says):
    with pytest.raises(OptionError, match=says):
        tp.read(visits(), tp.ReadOptions(layout=layout))


def test_options_of_reading_are_not_ignored():
    events, reading = tp.read(visits()), tp.ReadOptions(timezone="Europe/Zurich")
    for call in (tp.inspect, lambda source, **named: tp.match(source, source, **named)):
        with pytest.raises(OptionError, match="not yet read, got Events"):
            call(events, reading=reading)
    released, auxiliary = open_sources([events, visits(1)], reading)
    assert (released.timezone, auxiliary.timezone) == ("UTC", "Europe/Zurich")
