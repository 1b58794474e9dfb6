"""Sources that Spark reads: the same events, the same commands, and errors without a value."""

from __future__ import annotations

import logging

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.random_events import make_events, to_spark

import trailprint as tp
from trailprint.engines.opening import session_to_read_in
from trailprint.engines.spark.loading import list_address, load_address
from trailprint.engines.spark.planning import planned
from trailprint.errors import BadRowsError, ColumnError, EngineError, SourceError
from trailprint.events.fingerprints import fingerprint
from trailprint.events.reading.on_spark import find_on_spark, is_at_address, is_frame_of_spark
from trailprint.events.spark_engine import SparkEngine, engine_on_spark
from trailprint.workflows.engines import run_on

SECRET = "Aurelia-77"


def _tables():
    times = ["2024-05-01T09:00:00Z", "2024-05-02 10:00:00+02:00", "no time", "2024-05-03T08:30:00Z"]
    texts = {"user": list("abab"), "location": list("xxyy"), "start": times}
    odd = {"user": [1.0, 2.5, 1e-5, float("nan")], "location": [1, 2, 3, 4], "count": list("1234")}
    seconds = {
        "user": list("abab"),
        "location": list("xyxy"),
        "time": [1.7e9, 1.8e9 + 0.1234567, 1.75e9 + 2e-6 / 3, 0],
    }
    return {"texts": texts, "odd ids": odd, "seconds": seconds}


@pytest.mark.parametrize("name", _tables())
def test_values_are_converted_alike(spark, rows_of, name):
    table, options = pa.table(_tables()[name]), tp.ReadOptions(allow_bad_rows=True)
    here, there = tp.read(table, options), tp.read(spark.createDataFrame(table), options)
    assert rows_of(there) == rows_of(here)
    assert there.tally == here.tally


def test_a_folder_of_parquet_is_read_on_spark_when_it_is_asked_for(spark, tmp_path, rows_of):
    table = make_events(seed=3).drop_columns(["user"])
    for user in ("007", "8"):
        folder = tmp_path / f"user={user}"
        folder.mkdir()
        pq.write_table(table, folder / "part.parquet")
    here = tp.read(tmp_path)
    with run_on("spark"):
        there = tp.read(tmp_path)
        assert there.engine.is_on_spark
        assert (rows_of(there), there.notes) == (rows_of(here), here.notes)
    assert session_to_read_in() is None
    assert not tp.read(tmp_path).engine.is_on_spark


def test_text_is_read_here_and_that_is_said(spark, tmp_path, caplog):
    path = tmp_path / "visits.csv"
    path.write_text("user,location\na,x\nb,y\n")
    with run_on("spark"), caplog.at_level(logging.INFO, logger="trailprint"):
        assert find_on_spark(path, tp.Engine(threads=1)) is None
        assert not tp.read(path).engine.is_on_spark
    assert "read on this machine" in caplog.text


def test_addresses_are_for_spark_alone(spark):
    with pytest.raises(SourceError, match="engine spark"):
        tp.read("s3a://bucket/visits")
    assert not is_at_address("s3a://bucket/visits")
    with run_on("spark"):
        assert is_at_address("s3a://bucket/visits")
        assert not is_at_address("file:///visits")
        with pytest.raises(SourceError, match="give the DataFrame"):
            tp.read("s3a://bucket/visits.csv")


def test_what_lies_at_an_address_is_recognised(spark, tmp_path, monkeypatch):
    folder, table = tmp_path / "visits", tmp_path / "table"
    spark.createDataFrame(make_events(seed=3)).write.orc(str(folder) + ".orc")
    spark.createDataFrame(make_events(seed=3)).write.parquet(str(folder))
    for path in (f"file://{folder}", f"file://{folder}.orc"):
        assert load_address(spark, path).count() == 155
    (table / "_delta_log").mkdir(parents=True)
    with pytest.raises(EngineError, match=r"spark\.jars\.packages"):
        load_address(spark, f"file://{table}")
    names = [name for name, _, _ in list_address(spark, f"file://{folder}")]
    assert any(name.endswith(".parquet") for name in names)
    monkeypatch.setattr("trailprint.events.fingerprints.is_at_address", lambda _: True)
    with run_on("spark"):
        assert fingerprint(f"file://{folder}").bytes > 0


def test_errors_hold_no_value_of_the_data(spark):
    frame = spark.createDataFrame(pa.table({"user": [SECRET], "location": ["x"]}))
    broken = frame.selectExpr("raise_error(concat('bad ', user)) AS user", "location")
    with pytest.raises(EngineError) as found:
        tp.read(broken)
    assert SECRET not in str(found.value)
    assert found.value.__cause__ is None
    with pytest.raises(ColumnError, match="column for the user"):
        tp.read(frame.drop("user"))
    with pytest.raises(BadRowsError, match="it has none"):
        tp.read(frame.limit(0))


def test_frames_of_a_session_share_an_engine(spark):
    frame = to_spark(spark, make_events(seed=3))
    first, second = tp.read(frame), tp.read(frame.limit(10))
    assert is_frame_of_spark(frame)
    assert isinstance(first.engine, SparkEngine)
    assert first.engine is second.engine
    assert engine_on_spark(first.engine, spark) is first.engine


def test_what_is_kept_on_spark_goes_when_nobody_needs_it(spark):
    events = tp.read(to_spark(spark, make_events(seed=3)))
    kept = events.materialise()
    name = kept.query.removeprefix("FROM ")
    assert name in events.engine._there  # type: ignore[attr-defined]
    assert kept.count() == events.count() == 155
    del kept
    assert events.count() == 155
    assert name not in events.engine._there  # type: ignore[attr-defined]


def test_draws_collect_what_they_start_from(spark):
    engine = engine_on_spark(tp.Engine(threads=1), spark)
    name = engine.adopt(spark.createDataFrame(pa.table({"x": [3, 1, 2, 1]})))
    sql = f"SELECT x FROM (SELECT DISTINCT x FROM {name}) ORDER BY hash(x)"
    with planned(sql, engine._there, engine.here) as (query, is_there):
        assert not is_there
        assert "hash" in query.lower()
        assert name not in query
    local = tp.Engine(threads=1).rows("SELECT x FROM range(1, 4) t(x) ORDER BY hash(x::BIGINT)")
    assert engine.rows(sql) == local


@pytest.mark.parametrize(
    "command",
    [
        ("match", "--at", "median", "--active-both", "--margins"),
        ("match", "--busiest-weeks", "--views", "visits,hours,moves", "--min-active-days", "2"),
        ("points", "--knowledge", "place-time"),
    ],
    ids=["match", "views", "points"],
)
def test_commands_say_the_same(spark, run, tmp_path, command, without_clocks):
    path = _write_campus(tmp_path)
    found = run(command[0], path, *command[1:], "--json", "--engine", "spark")
    expected = run(command[0], path, *command[1:], "--json")
    assert found.code == 0
    assert found.err == "" or found.err.startswith("To match: ")
    assert without_clocks(found.json) == without_clocks(expected.json)


def test_an_audit_says_the_same(spark, tmp_path, without_clocks):
    path = _write_campus(tmp_path)
    options = tp.AuditOptions(attacks="histogram", protections="top-locations:n=5", users=25)
    found = [tp.audit(path, options=options, engine=name).to_dict() for name in ("local", "spark")]
    assert without_clocks(found[0]) == without_clocks(found[1])


def _write_campus(folder):
    from trailprint.simulate import CampusOptions, simulate_campus

    path = folder / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=30, n_days=14)), path)
    return path
