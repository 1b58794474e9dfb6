"""Tables of Delta and Iceberg, in a session that can read them: what counts, and nothing else.

Their own packages come as jars. A data source written in Python stands for them here, which reads
a table's log as they do: which files count, and which were replaced.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.random_events import make_events

import trailprint as tp
from trailprint.engines.spark.sessions import find_session
from trailprint.workflows.engines import run_on

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install trailprint[spark]")

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType


def read_delta(folder: str) -> list[str]:
    """Files that a Delta table consists of, by its log."""
    files: dict[str, None] = {}
    for log in sorted(Path(folder, "_delta_log").glob("*.json")):
        for action in map(json.loads, log.read_text().splitlines()):
            if "add" in action:
                files[action["add"]["path"]] = None
            if "remove" in action:
                del files[action["remove"]["path"]]
    return [f"{folder}/{name}" for name in files]


def read_iceberg(folder: str) -> list[str]:
    """Files of the current snapshot; manifests, which Iceberg keeps as Avro, are JSON here."""
    metadata = json.loads(max(Path(folder, "metadata").glob("*.metadata.json")).read_text())
    current = metadata["current-snapshot-id"]
    snapshots = {one["snapshot-id"]: one["manifest-list"] for one in metadata["snapshots"]}
    names: list[str] = json.loads(Path(folder, snapshots[current]).read_text())
    return [f"{folder}/{name}" for name in names]


def write_delta(folder: Path, files: Sequence[str], replaced: str) -> None:
    log = folder / "_delta_log"
    log.mkdir()
    added = [{"add": {"path": name, "dataChange": True}} for name in (*files, replaced)]
    removed = [{"remove": {"path": replaced, "dataChange": True}}]
    for number, actions in enumerate((added, removed)):
        (log / f"{number:020}.json").write_text("\n".join(map(json.dumps, actions)))


def write_iceberg(folder: Path, files: Sequence[str], replaced: str) -> None:
    (folder / "metadata").mkdir()
    snapshots = []
    for number, names in enumerate(([*files, replaced], files), 1):
        manifest = f"metadata/snap-{number}.json"
        (folder / manifest).write_text(json.dumps(list(names)))
        snapshots.append({"snapshot-id": number, "manifest-list": manifest})
        metadata = {"current-snapshot-id": number, "snapshots": snapshots}
        (folder / "metadata" / f"v{number}.metadata.json").write_text(json.dumps(metadata))


def make_source(kind: str, list_files: Callable[[str], list[str]]) -> type[DataSource]:
    """A data source of this name."""

    class Reader(DataSourceReader):
        def __init__(self, folder: str) -> None:
            self.folder = folder.removeprefix("file:")

        def partitions(self) -> Sequence[InputPartition]:
            return [InputPartition(name) for name in list_files(self.folder)]

        def read(self, partition: Any) -> Any:
            import pyarrow.parquet as pq

            yield from pq.ParquetFile(partition.value).iter_batches()

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return kind

        def schema(self) -> StructType | str:
            return "user int, location string, start timestamp_ntz"

        def reader(self, schema: StructType) -> DataSourceReader:
            return Reader(self.options["path"])

    return Source


@pytest.fixture(scope="module")
def with_packages(spark: Any) -> None:
    """A session that can read tables of both kinds."""
    # Workers cannot import tests.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    # Other tests may have made a session of their own, which is the active one then.
    active = find_session() or spark
    for kind, list_files in (("delta", read_delta), ("iceberg", read_iceberg)):
        active.dataSource.register(make_source(kind, list_files))


@pytest.mark.parametrize("write", [write_delta, write_iceberg], ids=["Delta", "Iceberg"])
def test_what_a_table_has_replaced_is_not_read(with_packages, rows_of, tmp_path, write):
    parts = [make_events(seed).select(["user", "location", "start"]) for seed in (3, 4, 5)]
    for number, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{number}.parquet")
    write(tmp_path, ["0.parquet", "2.parquet"], replaced="1.parquet")
    here = tp.read(pa.concat_tables([parts[0], parts[2]]))
    for source in (tmp_path, f"file://{tmp_path}"):
        with run_on("spark"):
            there = tp.read(source)
            assert there.engine.is_on_spark
            assert rows_of(there) == rows_of(here)
