"""SQL of DuckDB as SQL of Spark: what has a rule of ours, and which parts run where."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlglot", reason="sqlglot is not installed: pip install trailprint[spark]")

from trailprint.engines.spark.parts import is_row_wise, replace_parts, runs_here, runs_there
from trailprint.engines.spark.translation import needs_duckdb, parse, to_duckdb, to_spark

RULES = {
    "isodow(x)": "(WEEKDAY(x) + 1)",
    "epoch_us(x)": "UNIX_MICROS(CAST(x AS TIMESTAMP))",
    "make_timestamp(x)": "CAST(TIMESTAMP_MICROS(x) AS TIMESTAMP_NTZ)",
    "date_trunc('week', x)": "CAST(DATE_TRUNC('WEEK', x) AS TIMESTAMP_NTZ)",
    "timezone('Asia/Tokyo', timezone('UTC', x))": "CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', x)",
    "CAST(x * 1e6 AS BIGINT)": "CAST(RINT(x * 1e6) AS BIGINT)",
    "hour(x) // 4": "HOUR(x) DIV 4",
    "lat - 6.6322734567890123": "lat - DOUBLE('6.6322734567890125')",
    "len(string_split(x, '/'))": "SIZE(SPLIT(x, CONCAT('\\\\Q', '/', '\\\\E')))",
}


@pytest.mark.parametrize("ours", RULES)
def test_expressions_mean_the_same(ours):
    assert to_spark(parse(f"SELECT {ours} FROM t")) == f"SELECT {RULES[ours]} FROM t"


def test_sums_keep_their_order():
    found = to_spark(parse("SELECT sum(n ORDER BY n) AS n FROM t"))
    assert "ARRAY_SORT(COLLECT_LIST(CAST(n AS DOUBLE)))" in found


def test_equal_rows_have_equal_hashes_and_other_hashes_stay_with_duckdb():
    rows = parse("SELECT hash(a, b) AS row_hash FROM t")
    assert not needs_duckdb(rows)
    assert to_spark(rows) == "SELECT XXHASH64(a, b, a IS NULL, b IS NULL) AS row_hash FROM t"
    assert needs_duckdb(parse("SELECT hash(a) FROM t"))


@pytest.mark.parametrize("text", ["sin(x)", "TRY_CAST(x AS TIMESTAMP)", "CAST(lat AS VARCHAR)"])
def test_what_another_library_may_do_otherwise_stays_with_duckdb(text):
    assert needs_duckdb(parse(f"SELECT {text} AS y FROM t"))


def _is_there(name: str) -> bool:
    return name.startswith("spark_")


def _parts(sql, fits):
    found = []

    def name(part):
        found.append(to_duckdb(part))
        return "part"

    tree = replace_parts(parse(sql), lambda part: fits(part, _is_there), name)
    return to_duckdb(tree), found


def test_the_largest_parts_that_can_are_run_on_spark():
    sql = "WITH a AS (SELECT x FROM spark_1 GROUP BY x) SELECT hash(x) FROM a ORDER BY x"
    left, found = _parts(sql, runs_there)
    assert found == ["SELECT x FROM spark_1 GROUP BY x"]
    assert left == "WITH a AS (SELECT * FROM part) SELECT HASH(x) FROM a ORDER BY x"


def test_tables_of_this_process_are_sent_under_the_name_they_go_by():
    left, found = _parts("SELECT m.y FROM spark_1 AS e JOIN names_2 AS m USING (x)", runs_here)
    assert found == ["SELECT * FROM names_2"]
    assert left == "SELECT m.y FROM spark_1 AS e JOIN part AS m USING (x)"
    left, _ = _parts("SELECT y FROM spark_1 WHERE x IN (FROM names_2)", runs_here)
    assert left == "SELECT y FROM spark_1 WHERE x IN (SELECT * FROM part)"


@pytest.mark.parametrize(
    ("sql", "can"),
    [
        ("SELECT x, sin(y) AS z FROM spark_1 WHERE y > 0", True),
        ("SELECT *, hash(x) AS z FROM (SELECT x FROM spark_1 GROUP BY x)", True),
        ("SELECT x, max(sin(y)) AS z FROM spark_1 GROUP BY x", False),
        ("SELECT sin(y) AS z FROM spark_1 JOIN spark_2 USING (y)", False),
        ("SELECT sin(y) AS z FROM names_1", False),
        ("SELECT x FROM spark_1", False),
    ],
)
def test_workers_do_what_looks_at_one_row(sql, can):
    assert is_row_wise(parse(sql), _is_there) is can
