"""Sources that Spark reads: the same events, the same commands, and errors without a value."""

from __future__ import annotations

import gc
import json
import logging
import re
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.random_events import make_events, to_spark

import trailprint as tp
from trailprint.engines.opening import session_to_read_in
from trailprint.engines.spark.loading import list_address
from trailprint.engines.spark.planning import planned
from trailprint.errors import BadRowsError, ColumnError, EngineError, SourceError
from trailprint.events.filters import FilterOptions, apply_filters
from trailprint.events.fingerprints import fingerprint
from trailprint.events.options import Window
from trailprint.events.reading.on_spark import find_on_spark, is_at_address, is_frame_of_spark
from trailprint.events.spark_engine import SparkEngine, engine_on_spark
from trailprint.events.write import check_outputs
from trailprint.workflows.engines import run_on

SECRET = "Aurelia-77"
_NAMES = re.compile(r"\bevents_\d+\b")


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


#: A night in which clocks are set back, by zone.
SET_BACK = {
    "Europe/Zurich": "2024-10-27",
    "America/New_York": "2024-11-03",
    "Australia/Lord_Howe": "2024-04-07",
}


@pytest.mark.parametrize("zone", SET_BACK)
def test_an_hour_that_comes_twice_is_read_alike(spark, rows_of, zone):
    midnight = datetime.fromisoformat(SET_BACK[zone])
    times = [midnight + timedelta(minutes=10 * n) for n in range(30)]
    table = pa.table({"user": ["a"] * 30, "location": ["x"] * 30, "start": times})
    options = tp.ReadOptions(timezone=zone)
    here, there = tp.read(table, options), tp.read(to_spark(spark, table), options)
    assert rows_of(there) == rows_of(here)
    hours = FilterOptions(hours=Window.parse("01:15-02:45"))
    assert rows_of(apply_filters(there, hours)) == rows_of(apply_filters(here, hours))
    assert 0 < apply_filters(here, hours).count() < 30


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


@pytest.fixture(scope="module")
def folders(spark, tmp_path_factory):
    """The same rows as Parquet and as ORC, and what only looks like a table."""
    place = tmp_path_factory.mktemp("folders")
    frame = to_spark(spark, make_events(seed=3)).coalesce(1)
    frame.write.parquet(str(place / "visits"))
    frame.write.orc(str(place / "visits.orc"))
    (place / "visits.orc").rename(place / "rows")
    (place / "visits" / "metadata").mkdir()
    return place


def test_what_lies_at_an_address_is_recognised(spark, folders, tmp_path):
    spark.conf.set("fs.viewfs.mounttable.kinds.link./data", f"file://{folders}")
    with run_on("spark"):
        for name in ("visits", "rows", "rows/*.orc", "visit?"):
            assert tp.read(f"viewfs://kinds/data/{name}").count() == 155
    names = [name for name, _, _ in list_address(spark, f"file://{folders}/visits")]
    assert any(name.endswith(".parquet") for name in names)
    with run_on("spark"):
        # Files of ORC are read by Spark alone, wherever they are.
        assert tp.read(folders / "rows").count() == 155
        assert fingerprint(str(folders / "rows")).bytes > 0
        check_outputs([tmp_path / "links.csv"], sources=[str(folders / "rows")])


def test_another_file_system_of_hadoop_is_read_by_its_address(spark, folders, rows_of):
    # Set for the given session alone, as credentials of an object store may be.
    spark.conf.set("fs.viewfs.mounttable.store.link./bucket", f"file://{folders}")
    here = tp.read(str(folders / "visits"))
    with run_on("spark"):
        there = tp.read("viewfs://store/bucket/visits")
        assert there.engine.is_on_spark
        assert rows_of(there) == rows_of(here)
        with pytest.raises(EngineError, match="there are none"):
            tp.read("viewfs://store/bucket/nothing")
        with pytest.raises(SourceError, match="Give it as text"):
            tp.read(Path("viewfs://store/bucket/visits"))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3a://bucket/visits", "no connector .*hadoop-aws"),
        ("nowhere://bucket/visits", "no connector"),
        ("hdfs://no-such-host.invalid:8020/visits", "could not read the data"),
    ],
)
def test_an_address_reaches_spark_and_what_it_lacks_is_said(spark, address, said):
    with run_on("spark"), pytest.raises(EngineError, match=said) as found:
        tp.read(address)
    assert "bucket" not in str(found.value)


@pytest.mark.parametrize(
    ("kind", "sign"),
    [("Delta", "_delta_log/0.json"), ("Iceberg", "metadata/v1.metadata.json")],
)
def test_a_table_is_for_sessions_that_have_its_package(spark, tmp_path, kind, sign):
    pq.write_table(make_events(seed=3), tmp_path / "deleted.parquet")
    (tmp_path / sign).parent.mkdir()
    (tmp_path / sign).write_text("{}")
    with pytest.raises(SourceError, match=f"a table of {kind}"):
        tp.read(tmp_path)
    for source in (tmp_path, f"file://{tmp_path}"):
        with run_on("spark"), pytest.raises(EngineError, match=r"spark\.jars\.packages"):
            tp.read(source)


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


def test_tables_of_an_engine_that_is_gone_are_dropped_in_another_thread(spark, monkeypatch):
    """Garbage is collected in the middle of calls to Java, whose connections allow no second."""
    engine = engine_on_spark(tp.Engine(threads=1), spark)
    tables = engine._there
    engine.adopt(spark.createDataFrame(pa.table({"x": [1, 2]})))
    threads: list[threading.Thread] = []
    drop = tables.drop

    def watch(name: str) -> None:
        threads.append(threading.current_thread())
        drop(name)

    monkeypatch.setattr(tables, "drop", watch)
    del engine
    gc.collect()
    end = time.monotonic() + 30
    while tables._frames and time.monotonic() < end:
        time.sleep(0.02)
    assert not tables._frames
    assert threads
    assert threading.main_thread() not in threads


def test_what_is_cut_is_read_once_and_kept_until_nobody_needs_it(spark):
    events = tp.read(to_spark(spark, make_events(seed=3)))
    sides = tp.split(events, tp.SplitOptions(at="median", active_both=True))
    kept = {*_NAMES.findall(sides.released.query), *_NAMES.findall(sides.auxiliary.query)}
    assert len(kept) == 1
    assert sides.released.keep_there() is sides.released
    assert kept <= set(events.engine._there._frames)  # type: ignore[attr-defined]
    del sides
    assert events.count() == 155
    assert not kept & set(events.engine._there._frames)  # type: ignore[attr-defined]
    here = tp.read(make_events(seed=3))
    assert here.keep_there() is here
    assert not here.is_empty()
    assert here.having("false").is_empty()


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
        ("correlate", "--folds", "3", "--rounds", "1", "--model", "markov"),
    ],
    ids=["match", "views", "points", "folds"],
)
def test_commands_say_the_same(a_few_passes, run, tmp_path, command, without_clocks):
    path = _write_campus(tmp_path)
    found = run(command[0], path, *command[1:], "--json", "--engine", "spark")
    expected = run(command[0], path, *command[1:], "--json")
    assert found.code == 0
    assert a_few_passes or command[0] == "correlate"
    assert found.err == "" or found.err.startswith(("To match: ", "To measure points: "))
    assert without_clocks(found.json) == without_clocks(expected.json)


def test_an_audit_says_the_same(a_few_passes, every_model, run, tmp_path, without_clocks):
    path = _write_campus(tmp_path)
    said = []
    for name in ("local", "spark"):
        asked = (
            "--attacks",
            "histogram,sequence",
            "--protect",
            "microaggregate:k=3",
            "--users",
            25,
        )
        found = run("audit", path, *asked, "--out", tmp_path / name, "--json", "--engine", name)
        assert found.code == 0
        kept = json.loads((tmp_path / name / "result.json").read_text())
        said.append(without_clocks([_without_folder(found.json), _without_folder(kept)]))
    assert said[0] == said[1]
    assert {"_best_rows", "_find_near"} <= set(a_few_passes)
    assert set(every_model) == {"train_model", "score_queries"}


def _without_folder(result):
    """A result without what its own folder, command and versions say."""
    return {name: value for name, value in result.items() if name not in ("files", "about")}


def _write_campus(folder):
    from trailprint.simulate import CampusOptions, simulate_campus

    path = folder / "campus.parquet"
    pq.write_table(simulate_campus(CampusOptions(n_users=30, n_days=14)), path)
    return path


WHEN = [datetime(2024, 1, 2, 3), datetime(2024, 1, 3, 4)]
OTHER_KINDS = {
    "other": {
        "user": pa.array(["4", "7"]).dictionary_encode(),
        "location": pa.array([8, 9]),
        "start": pa.array([when.date() for when in WHEN]),
        "count": pa.array([1, 2], pa.int32()),
    },
    "broken": {"user": pa.array(["4", "7"]), "location": pa.array([8.0, 9.5])},
    "zoned": {"start": pa.array(WHEN, pa.timestamp("us", "UTC"))},
    "numbers": {"start": pa.array([1_704_164_400, 1_704_250_800])},
}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("other", None),
        ("zoned", "mixes 2 times with a zone and 2 times without a zone"),
        ("numbers", "types that do not go together"),
        ("broken", "types that do not go together"),
    ],
)
def test_columns_of_several_types_are_read_alike(spark, tmp_path, rows_of, kind, said):
    usual = {
        "user": pa.array([3, 4]),
        "location": pa.array(["5", "6"]),
        "start": pa.array(WHEN, pa.timestamp("us")),
        "count": pa.array([1, 2]),
    }
    for number, table in enumerate((usual, usual | OTHER_KINDS[kind])):
        folder = tmp_path / f"part={number}"
        folder.mkdir()
        pq.write_table(pa.table(table), folder / "rows.parquet")
    found = []
    for engine in ("local", "spark"):
        with run_on(engine):
            if said is None:
                found.append(rows_of(tp.read(tmp_path)))
                continue
            with pytest.raises(tp.TrailprintError, match=said) as error:
                tp.read(tmp_path)
            found.append(str(error.value))
    assert found[0] == found[1]
