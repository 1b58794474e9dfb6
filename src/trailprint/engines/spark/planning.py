"""
Plan where a query runs: on Spark if all of it can, else in this process's DuckDB.

Row-wise steps without an equivalent on Spark run in each worker's DuckDB. For other steps without
an equivalent, their inputs are collected. Tables of this process that a query on Spark uses are
sent there.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Protocol

import pyarrow as pa
from sqlglot import expressions as exp

from trailprint.engines.spark.parts import is_row_wise, replace_parts, runs_here, runs_there
from trailprint.engines.spark.rows import ROWS
from trailprint.engines.spark.tables import SparkTables
from trailprint.engines.spark.translation import needs_duckdb, parse, to_duckdb, to_spark

_NUMBERS = itertools.count()


class Here(Protocol):
    """DuckDB in this process."""

    def arrow(self, sql: str) -> pa.Table:
        """Return the rows of a query."""

    def registered(self, table: pa.Table, stem: str) -> contextlib.AbstractContextManager[str]:
        """Register a table within the context, and yield its name."""


@contextlib.contextmanager
def planned(sql: str, there: SparkTables, here: Here) -> Iterator[tuple[str, bool]]:
    """
    Yield a query over tables on Spark, ready to run, and whether it runs on Spark.

    Temporary tables made for it are dropped afterwards.
    """
    with contextlib.ExitStack() as stack:
        plan = _Plan(there, here, stack)
        tree = parse(sql)
        if needs_duckdb(tree):
            tree = plan.on_workers(tree)
        if needs_duckdb(tree):
            yield to_duckdb(plan.collected(tree)), False
        else:
            yield to_spark(plan.sent(tree)), True


class _Plan:
    """The plan of one query: each part is placed where it can run."""

    def __init__(self, there: SparkTables, here: Here, stack: contextlib.ExitStack) -> None:
        self._there, self._here, self._stack = there, here, stack

    def on_workers(self, tree: exp.Expr) -> exp.Expr:
        """Run row-wise parts in the DuckDB of workers, innermost first."""
        while True:
            n_before = self._n_mapped
            tree = self._replace(tree, is_row_wise, self._map_rows)
            if self._n_mapped == n_before:
                return tree

    def collected(self, tree: exp.Expr) -> exp.Expr:
        """Run the parts that Spark can run there, and collect their rows."""
        return self._replace(tree, runs_there, self._fetch)

    def sent(self, tree: exp.Expr) -> exp.Expr:
        """Send the tables of this process to Spark."""
        return self._replace(tree, runs_here, self._send)

    _n_mapped = 0

    def _replace(
        self,
        tree: exp.Expr,
        fits: Callable[[exp.Expr, Callable[[str], bool]], bool],
        name_of: Callable[[exp.Expr], str | None],
    ) -> exp.Expr:
        return replace_parts(tree, lambda part: fits(part, self._there.__contains__), name_of)

    def _map_rows(self, part: exp.Expr) -> str | None:
        name = self._new_name("mapped")
        source = part.args["from_"].this
        rows = exp.select("*").from_(source.copy())
        part.args["from_"].set("this", exp.to_table(ROWS))
        if not self._there.map(name, to_spark(self.sent(rows)), to_duckdb(part)):
            return None
        self._stack.callback(self._there.drop, name)
        self._n_mapped += 1
        return name

    def _fetch(self, part: exp.Expr) -> str:
        found = self._there.collect(to_spark(self.sent(part)))
        return self._stack.enter_context(self._here.registered(found, "collected"))

    def _send(self, part: exp.Expr) -> str:
        name = self._new_name("sent")
        self._there.upload(name, self._here.arrow(to_duckdb(part)))
        self._stack.callback(self._there.drop, name)
        return name

    def _new_name(self, stem: str) -> str:
        return f"{stem}_{next(_NUMBERS)}"
