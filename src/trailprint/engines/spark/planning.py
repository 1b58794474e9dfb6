"""
Where a query runs: on Spark where all of it can, else in the DuckDB here.

Steps that look at one row at a time and have no equal on Spark run in a DuckDB of each worker.
Where others have none, what they start from is collected. Tables of this process that a query on
Spark names are sent there.
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
    """The DuckDB of this process."""

    def arrow(self, sql: str) -> pa.Table:
        """The rows of a query."""

    def registered(self, table: pa.Table, stem: str) -> contextlib.AbstractContextManager[str]:
        """The name of a table, for as long as it is needed."""


@contextlib.contextmanager
def planned(sql: str, there: SparkTables, here: Here) -> Iterator[tuple[str, bool]]:
    """
    A query that names tables on Spark, ready to run, and whether it runs there.

    Tables that are made for it are dropped afterwards.
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
    """The parts of one query, each put where it can run."""

    def __init__(self, there: SparkTables, here: Here, stack: contextlib.ExitStack) -> None:
        self._there, self._here, self._stack = there, here, stack

    def on_workers(self, tree: exp.Expr) -> exp.Expr:
        """Rows that DuckDB makes of rows: the innermost first."""
        while True:
            n_before = self._n_mapped
            tree = self._replace(tree, is_row_wise, self._map_rows)
            if self._n_mapped == n_before:
                return tree

    def collected(self, tree: exp.Expr) -> exp.Expr:
        """What Spark can do is done there and collected."""
        return self._replace(tree, runs_there, self._fetch)

    def sent(self, tree: exp.Expr) -> exp.Expr:
        """What is here is sent to Spark."""
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
