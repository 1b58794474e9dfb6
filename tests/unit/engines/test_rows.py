"""DuckDB's own expressions on batches of rows."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from trailprint.engines.h3_cells import define_cells, name_cells
from trailprint.engines.spark.rows import OTHER_DUCKDB, ROWS, Versions, describe_rows, map_rows
from trailprint.engines.spark.tasks import OTHER_KERNELS, check_stamp, get_stamp

QUERY = f"SELECT sin(x) AS y, CAST(x AS VARCHAR) AS z FROM {ROWS} WHERE x > 0"
ROWS_OF_X = pa.table({"x": [0.0, 1.5, 2.5e-5]})


def test_batches_are_mapped_as_duckdb_maps_a_table():
    schema = describe_rows(QUERY, ROWS_OF_X.schema)
    batches = ROWS_OF_X.to_batches(max_chunksize=1)
    found = pa.Table.from_batches(map_rows(batches, QUERY, schema, Versions.here()), schema)
    connection = duckdb.connect(":memory:")
    connection.register(ROWS, ROWS_OF_X)
    assert found.to_pydict() == connection.sql(QUERY).to_arrow_table().to_pydict()


@pytest.mark.parametrize(
    ("name", "sign"), [("duckdb", OTHER_DUCKDB), ("trailprint", OTHER_KERNELS)]
)
def test_another_version_is_refused(name, sign):
    versions = Versions.here()._replace(**{name: "0.0"})
    with pytest.raises(RuntimeError, match=sign):
        list(map_rows(ROWS_OF_X.to_batches(), QUERY, ROWS_OF_X.schema, versions))


def test_a_worker_with_another_version_works_for_nobody(monkeypatch):
    stamp = get_stamp()
    check_stamp(stamp)
    monkeypatch.setattr("trailprint.__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=OTHER_KERNELS):
        check_stamp(stamp)


def test_cells_may_be_defined_twice():
    pytest.importorskip("h3")
    connection = duckdb.connect(":memory:")
    query = f"SELECT {name_cells(7)}(46.5, 6.6)"
    for _ in range(2):
        define_cells(connection, query)
    assert len(connection.execute(query).fetchall()[0][0]) == 15
