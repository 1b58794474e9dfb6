"""Cut a join that is too large for memory into parts of some rows and some columns.

A pair's gain needs one row and one column only, so every pair lies in exactly one part. Callers
merge the results of the parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from trailprint.arrays import Ints
from trailprint.kernels.csr import row_starts
from trailprint.kernels.matching.join import Join, least_block, row_work
from trailprint.kernels.passes import Pass, run_pass
from trailprint.kernels.threads import split_evenly

COLUMN_BYTES = 28
"""Bytes per column besides its entries: scratch row, list of touched columns, price, size."""
ROW_BYTES = 24
"""Bytes per row besides its entries: where it begins, its number, its floor."""


class JoinPart(NamedTuple):
    """Some rows and some columns of a join; ``first`` is where both begin in the whole join."""

    join: Join
    first: tuple[int, int]
    n_parts: int = 1

    def find_rows(self, rows: Ints) -> Ints:
        """Return the positions, in a list of rows of the whole join, of those in this part."""
        own = (rows >= self.first[0]) & (rows < self.first[0] + self.join.n_rows)
        return np.flatnonzero(own)

    def run(
        self,
        kernel: Callable[..., None],
        rows: Ints,
        inputs: tuple[Any, ...],
        out: Any,
        n_threads: int | None,
    ) -> None:
        """Run a kernel over some rows, numbered within the part; ``out`` has one entry per row."""
        work, least = row_work(self.join)[rows], least_block(self.join)
        run_pass(
            Pass(kernel, (self.join,), inputs, work, out, self.n_parts, least=least), n_threads
        )


class Cut(NamedTuple):
    """A join and the ranges of rows and of columns that it is cut into."""

    join: Join
    rows: list[tuple[int, int]]
    cols: list[tuple[int, int]]

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.rows) * len(self.cols)

    def parts(self) -> Iterator[JoinPart]:
        """Iterate over the parts: all column ranges of the first rows, then of the next."""
        if self.n_parts == 1:
            yield JoinPart(self.join, (0, 0))
            return
        for rows in self.rows:
            some = take_rows(self.join, *rows)
            for cols in self.cols:
                yield JoinPart(take_columns(some, *cols), (rows[0], cols[0]), self.n_parts)


def cut_join(join: Join, most_bytes: int | None) -> Cut:
    """
    Return a join cut so that a pass over a part holds at most ``most_bytes``; None: do not cut.

    Half of that is for rows and half for columns. A part has at least one row and one column, even
    if these exceed the limit.
    """
    whole = [(0, join.n_rows)], [(0, join.n_cols)]
    of_rows, of_cols, of_both = measure_join(join)
    if most_bytes is None or of_rows + of_cols + of_both <= most_bytes:
        return Cut(join, *whole)
    half = max(1.0, (most_bytes - of_both) / 2)
    entries = np.diff(join.row_ptr), np.bincount(join.loc_user, minlength=join.n_cols)
    rows, cols = (
        split_evenly(own, min(own.size, math.ceil(size / half)))
        for own, size in zip(entries, (of_rows, of_cols), strict=True)
    )
    return Cut(join, rows or whole[0], cols or whole[1])


def measure_join(join: Join) -> tuple[int, int, int]:
    """Return the bytes a pass holds for all rows, for all columns, and for every part alike."""
    rows = join.row_loc, join.row_val, join.row_log, join.row_total
    cols = join.loc_user, join.loc_val, join.loc_log, join.col_total, join.gated, join.gated_log
    return (
        sum(array.nbytes for array in rows) + ROW_BYTES * join.n_rows,
        sum(array.nbytes for array in cols) + COLUMN_BYTES * join.n_cols,
        join.loc_ptr.nbytes,
    )


def take_rows(join: Join, low: int, high: int) -> Join:
    """Return the join of rows low:high with all columns."""
    ptr = join.row_ptr[low : high + 1]
    own = slice(ptr[0], ptr[-1])
    return join._replace(
        row_ptr=ptr - ptr[0],
        row_loc=join.row_loc[own],
        row_val=join.row_val[own],
        row_log=join.row_log[own],
        row_total=join.row_total[low:high],
    )


def take_columns(join: Join, low: int, high: int) -> Join:
    """Return the join of all rows with columns low:high, renumbered from zero."""
    here = (join.loc_user >= low) & (join.loc_user < high)
    n_before = row_starts(here)
    return join._replace(
        loc_ptr=n_before[join.loc_ptr],
        loc_user=join.loc_user[here] - np.int32(low),
        loc_val=join.loc_val[here],
        loc_log=join.loc_log[here],
        col_total=join.col_total[low:high],
        n_cols=high - low,
        gated=join.gated[low:high],
        gated_log=join.gated_log[low:high],
    )
