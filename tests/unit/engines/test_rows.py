"""DuckDB's own expressions on batches of rows."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from trailprint.engines.h3_cells import define_cells, name_cells
from trailprint.engines.spark.rows import OTHER_DUCKDB, ROWS, describe_rows, map_rows

QUERY = f"SELECT sin(x) AS y, CAST(x AS VARCHAR) AS z FROM {ROWS} WHERE x > 0"
ROWS_OF_X = pa.table({"x": [0.0, 1.5, 2.5e-5]})


def test_batches_are_mapped_as_duckdb_maps_a_table():
    schema = describe_rows(QUERY, ROWS_OF_X.schema)
    batches = ROWS_OF_X.to_batches(max_chunksize=1)
    found = pa.Table.from_batches(map_rows(batches, QUERY, schema, duckdb.__version__), schema)
    connection = duckdb.connect(":memory:")
    connection.register(ROWS, ROWS_OF_X)
    assert found.to_pydict() == connection.sql(QUERY).to_arrow_table().to_pydict()


def test_another_duckdb_is_refused():
    with pytest.raises(RuntimeError, match=OTHER_DUCKDB):
        list(map_rows(ROWS_OF_X.to_batches(), QUERY, ROWS_OF_X.schema, "0.0"))


def test_cells_may_be_defined_twice():
    pytest.importorskip("h3")
    connection = duckdb.connect(":memory:")
    query = f"SELECT {name_cells(7)}(46.5, 6.6)"
    for _ in range(2):
        define_cells(connection, query)
    assert len(connection.execute(query).fetchall()[0][0]) == 15
