"""Data in stores that only Hadoop reads (webhdfs, hdfs, s3a): the same as of local files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.random_events import make_events
from tests.spark.web_store import WebStore, serve_folder

import trailprint as tp
from trailprint.errors import EngineError, SourceError
from trailprint.events.fingerprints import fingerprint
from trailprint.simulate import CampusOptions, simulate_campus
from trailprint.workflows.engines import run_on

_MOUNTED = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"


@pytest.fixture(scope="module")
def store(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebStore]:
    """Files behind HTTP; hdfs://cluster and s3a://shelf lead there as well."""
    # Whatever session is active, of those that other tests have made: all share one context.
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    with serve_folder(tmp_path_factory.mktemp("store")) as found:
        for scheme, name in (("hdfs", "cluster"), ("s3a", "shelf")):
            hadoop.set(f"fs.{scheme}.impl", _MOUNTED)
            hadoop.set(f"fs.viewfs.mounttable.{name}.link./data", found.address(""))
        yield found
        for scheme in ("hdfs", "s3a"):
            hadoop.unset(f"fs.{scheme}.impl")


@pytest.fixture(scope="module")
def campus(store: WebStore) -> Path:
    """A folder as Spark leaves one: parts, a mark that it is whole, what another job left."""
    folder = store.folder / "campus"
    rows = simulate_campus(CampusOptions(n_users=30, n_days=14))
    middle = rows.num_rows // 2
    _write(rows.slice(0, middle), folder / "part-00000.snappy.parquet")
    _write(rows.slice(middle), folder / "part-00001.snappy.parquet")
    _write(rows, folder / "_temporary" / "0" / "part-00000.parquet")
    _write(rows, folder / ".spark-staging-1" / "part-00000.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.snappy.parquet.crc").write_bytes(b"crc")
    (folder / "README.md").write_text("How this was made.")
    return folder


def _write(rows: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path)


@pytest.mark.parametrize("address", ["webhdfs", "hdfs://cluster/data", "s3a://shelf/data"])
def test_what_lies_in_a_store_is_read_alike(store, campus, rows_of, address):
    here = tp.read(campus)
    store.opened.clear()
    with run_on("spark"):
        there = tp.read(store.address("campus") if "/" not in address else f"{address}/campus")
        assert there.engine.is_on_spark
        assert rows_of(there) == rows_of(here)
    assert (there.tally, there.notes) == (here.tally, here.notes)
    assert {Path(name).name for name in store.opened} == {
        "part-00000.snappy.parquet",
        "part-00001.snappy.parquet",
    }


def test_times_without_a_zone_stay_such_whatever_the_session_says(spark, store, rows_of):
    _write(make_events(seed=5), store.folder / "naive" / "part.parquet")
    options = tp.ReadOptions(timezone="Europe/Zurich")
    here = tp.read(store.folder / "naive", options)
    setting = "spark.sql.parquet.inferTimestampNTZ.enabled"
    spark.conf.set(setting, "false")
    try:
        with run_on("spark"):
            assert rows_of(tp.read("hdfs://cluster/data/naive", options)) == rows_of(here)
        assert spark.conf.get(setting) == "false"
    finally:
        spark.conf.unset(setting)


def _make_layouts(folder: Path) -> None:
    """Folders as people and programs arrange them."""
    rows = make_events(seed=3, n_rows=60)
    ours, visits = rows.drop_columns(["user"]), rows.drop_columns(["location"])
    for user in ("007", "8", "a%3Ab", "x+y z", "__HIVE_DEFAULT_PARTITION__"):
        _write(ours, folder / "users" / f"user={user}" / "part.parquet")
    for place in ("home", "work"):
        _write(visits, folder / "two" / "year=2024" / f"Location={place}" / "part.parquet")
    # Not in every path, and a column of the files already.
    _write(rows, folder / "uneven" / "day=1" / "part.parquet")
    _write(rows, folder / "uneven" / "part.parquet")
    _write(rows, folder / "own" / "user=somebody" / "part.parquet")
    _write(rows, folder / "deep" / "2024" / "03" / "part.parquet")
    _write(rows.slice(0, 9), folder / "deep" / "2024" / "04" / "part.pq")
    _write(rows.rename_columns([*rows.column_names[:-1], "n"]), folder / "deep" / "other.parquet")


@pytest.fixture(scope="module")
def layouts(store: WebStore) -> Path:
    """A folder of folders."""
    _make_layouts(store.folder / "layouts")
    return store.folder / "layouts"


@pytest.mark.parametrize(
    "name",
    [
        "users",
        "users/user=0*/*.parquet",
        "two/year=202[45]/Location=home/*",
        "two/year=2024/Location=home/part.parquet",
        "uneven",
        "own",
        "deep",
    ],
)
def test_folders_and_patterns_mean_the_same(store, layouts, rows_of, name):
    def read(source):
        found = tp.read(source, tp.ReadOptions(allow_bad_rows=True))
        return rows_of(found), found.tally, found.notes

    here = read(str(layouts / name))
    with run_on("spark"):
        assert read(f"hdfs://cluster/data/layouts/{name}") == here
        assert read(str(layouts / name)) == here


def test_a_pattern_of_folders_keeps_what_their_names_say(store, layouts, rows_of):
    here = tp.read(str(layouts / "users" / "*" / "*.parquet"), tp.ReadOptions(allow_bad_rows=True))
    with run_on("spark"):
        there = tp.read(
            "hdfs://cluster/data/layouts/{users,nobody}/user=*",
            tp.ReadOptions(allow_bad_rows=True),
        )
        assert rows_of(there) == rows_of(here)


@pytest.mark.parametrize(
    "command",
    [
        ("inspect",),
        ("match", "--at", "median", "--active-both", "--margins"),
        ("points", "--points", "1,2", "--draws", "1"),
    ],
    ids=["inspect", "match", "points"],
)
def test_commands_say_the_same_of_a_store(store, campus, run, command, without_clocks):
    name, *rest = command
    found = run(name, "s3a://shelf/data/campus", *rest, "--json", "--engine", "spark")
    expected = run(name, campus, *rest, "--json")
    assert found.code == 0, found.err
    assert without_clocks(found.json) == without_clocks(expected.json)


def test_an_audit_of_a_store_says_the_same_and_is_kept(
    store, campus, run, tmp_path, without_clocks
):
    asked = ("--attacks", "histogram", "--users", 20, "--protect", "microaggregate:k=3", "--json")
    place = ("--keep-prepared", "--out", tmp_path / "there", "--engine", "spark")
    there = ("audit", "hdfs://cluster/data/campus", *asked, *place)
    found = run(*there)
    expected = run("audit", campus, *asked, "--out", tmp_path / "here")
    assert (found.code, expected.code) == (0, 0), found.err
    results = [_read(tmp_path / side / "result.json") for side in ("here", "there")]
    assert without_clocks(results[0]) == without_clocks(results[1])
    sources = [_read(tmp_path / side / "manifest.json")["inputs"][0] for side in ("here", "there")]
    assert [source["files"] for source in sources] == [2, 2]
    assert sources[0]["bytes"] == sources[1]["bytes"]
    store.opened.clear()
    again = run(*there)
    assert without_clocks(again.json) == without_clocks(found.json)
    assert store.opened == []


def _read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_what_was_changed_in_a_store_is_noticed(store, campus, tmp_path):
    shutil.copytree(campus, store.folder / "changing")
    with run_on("spark"):
        before = fingerprint("s3a://shelf/data/changing")
        assert before == fingerprint("s3a://shelf/data/changing")
        _write(make_events(seed=4), store.folder / "changing" / "part-00002.parquet")
        after = fingerprint("s3a://shelf/data/changing")
    assert (len(before.paths), len(after.paths)) == (2, 3)
    assert before.sha256 != after.sha256


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("nothing", EngineError, "there are none"),
        ("nothing/*", EngineError, "there are none"),
        ("empty", SourceError, "none was found"),
        ("texts", SourceError, "give the DataFrame"),
        ("broken", EngineError, "damaged"),
        ("unlike", EngineError, "do not go together"),
    ],
)
def test_what_a_store_lacks_is_said_without_a_name(store, name, error, said):
    (store.folder / "empty").mkdir(exist_ok=True)
    _put(store.folder / "texts" / "aurelia.csv", b"user,location\n")
    _put(store.folder / "broken" / "aurelia.parquet", b"no Parquet at all")
    for kind in (pa.int64(), pa.timestamp("us")):
        rows = pa.table({"user": pa.array([1, 2]).cast(kind), "location": ["x", "y"]})
        _write(rows, store.folder / "unlike" / f"aurelia-{kind.bit_width}{kind.id}.parquet")
    with run_on("spark"), pytest.raises(error, match=said) as found:
        tp.read(f"s3a://shelf/data/{name}")
    assert "aurelia" not in str(found.value)
    assert "shelf" not in str(found.value)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
