"""A pass gives the same bits on every engine, in any blocks and order, and any number of times."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.shapes import scaled_csr

from trailprint.engines.spark import parcels
from trailprint.engines.spark.tasks import Shape, Task, arrays_of, get_stamp, name_of
from trailprint.kernels.distances.days import Days, DaysByColumn, mean_day_distances
from trailprint.kernels.distances.points import WeightedPoints, nearest_distances
from trailprint.kernels.distances.sparse_rows import build_rows
from trailprint.kernels.grouping.refinement import refine_groups
from trailprint.kernels.grouping.selection import select_groups
from trailprint.kernels.matching.join import build_join, row_work
from trailprint.kernels.matching.lookup import choose_columns, rank_pairs
from trailprint.kernels.matching.margins import link_margins
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import solve_reduced
from trailprint.kernels.passes import (
    Pass,
    _Shares,
    expecting_work,
    passes_reported_to,
    passes_run_by,
)
from trailprint.kernels.stopping import OutOfTimeError, time_limit
from trailprint.kernels.subsets.drawn import count_drawn, count_holders
from trailprint.kernels.subsets.ordered import build_itineraries, find_fewest_in_order
from trailprint.kernels.subsets.postings import build_postings
from trailprint.kernels.subsets.proportions import find_fewest_proportional
from trailprint.kernels.subsets.tolerant import find_fewest_within
from trailprint.kernels.subsets.worst import find_fewest


class _Sent:
    """A broadcast, without a cluster: it has been pickled, and is read by many."""

    def __init__(self, contents: object) -> None:
        self.value = pickle.loads(pickle.dumps(contents, 5))


class Rehearsal:
    """Runs passes as a cluster does that loses workers: in any order, blocks more than once."""

    def __init__(self, seed: int, n_blocks: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._n_blocks = n_blocks
        self.n_passes = 0

    def __call__(self, one) -> bool:
        self.n_passes += 1
        shape = Shape.of(one.out)
        fixed, fresh = _Sent(parcels.Parcel(one.fixed)), _Sent(one.fresh)
        task = pickle.loads(pickle.dumps(Task(name_of(one.kernel), None, None, shape, get_stamp())))
        task = Task(task.kernel, fixed, fresh, task.shape, task.stamp)
        blocks = one.blocks(self._n_blocks) * 2
        for place in self._rng.permutation(len(blocks)):
            low, high = blocks[place]
            for whole, part in zip(arrays_of(one.out), task((low, high)), strict=True):
                whole[low:high] = part
        return True

    def calls(self, prepare, shared):
        raise AssertionError("No pass is made of calls.")

    def stop(self) -> None:
        """Nothing takes long here."""


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("parcels")
        patch.setattr(parcels, "_folder", lambda: folder)
        yield


@st.composite
def populations(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 14))
    counts = rng.poisson(0.6, (2, n, 6))
    counts[:, :, 0] += counts.sum(axis=2) == 0
    return counts


def _match(counts, metric, seed):
    first, second = (scaled_csr(side, METRICS[metric]) for side in counts)
    reduced = reduce_problem(first, second, counts.shape[2], METRICS[metric], seed)
    solution = solve_reduced(reduced, seed=seed)
    margins = link_margins(reduced, solution.column, solution.u, solution.v)
    join = build_join(first, second, counts.shape[2], METRICS[metric])
    own = np.arange(join.n_rows)
    found = choose_columns(join, seed), rank_pairs(join, own, own)
    return [*solution[:9], *margins, *found[0], *found[1]]


@settings(max_examples=25, deadline=None)
@given(
    populations(),
    st.sampled_from(["jensen-shannon", "likelihood"]),
    st.integers(1, 9),
    st.integers(0, 99),
)
def test_the_same_bits(counts, metric, n_blocks, seed):
    expected = _match(counts, metric, seed)
    rehearsal = Rehearsal(seed, n_blocks)
    with passes_run_by(rehearsal):
        found = _match(counts, metric, seed)
    assert rehearsal.n_passes >= 5
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def _csr(counts):
    """Rows of counts as (ptr, columns, values)."""
    rows, columns = np.nonzero(counts)
    ptr = np.searchsorted(rows, np.arange(len(counts) + 1)).astype(np.int64)
    return ptr, columns.astype(np.int32), counts[rows, columns].astype(np.float64)


def _single_out(counts, seed):
    """Every pass of known points."""
    ptr, keys, values = _csr(counts)
    n = counts.shape[1]
    postings = build_postings(ptr, keys, n)
    return [
        count_drawn(ptr, keys, postings, most=3, seed=seed),
        count_holders(ptr, keys, postings),
        find_fewest(ptr, keys, np.ones_like(keys), postings, budget=2),
        find_fewest_within(ptr, keys, values, n, tolerance=0.3, budget=2),
        find_fewest_proportional(ptr, keys, values, n, tolerance=0.3, budget=2),
        find_fewest_in_order(build_itineraries(ptr, keys, n), budget=2),
    ]


def _measure_distances(counts, _):
    """The passes of micro-aggregation and of distances between days and points."""
    ptr, columns, values = _csr(counts)
    rows = build_rows(ptr, columns, values, counts.shape[1], 2)
    people, places = np.arange(len(counts)), WeightedPoints(ptr, values[:, None].copy(), values)
    groups = select_groups(rows, 2)
    days = DaysByColumn(
        rows.column_start,
        rows.column_row,
        rows.column_data,
        np.arange(len(counts) + 1),
        (counts.astype(float) ** 2).sum(axis=1),
    )
    own = Days(ptr, columns, values, np.arange(len(counts) + 1))
    return [
        groups,
        refine_groups(rows, groups, 2),
        nearest_distances(places, people, places),
        mean_day_distances(own, people, days),
    ]


@settings(max_examples=15, deadline=None)
@given(
    populations(),
    st.sampled_from([_single_out, _measure_distances]),
    st.integers(1, 9),
    st.integers(0, 99),
)
def test_the_same_bits_of_other_passes(counts, run, n_blocks, seed):
    expected = run(counts[0], seed)
    rehearsal = Rehearsal(seed, n_blocks)
    with passes_run_by(rehearsal):
        found = run(counts[0], seed)
    assert rehearsal.n_passes >= 4
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_afterwards_threads_run_passes_again():
    rehearsal = Rehearsal(0, 2)
    counts = np.ones((2, 3, 6), np.int64)
    with passes_run_by(rehearsal), pytest.raises(ZeroDivisionError):
        raise ZeroDivisionError
    _match(counts, "l1", 0)
    assert rehearsal.n_passes == 0


class _Endless(Rehearsal):
    """Runs a pass until it is stopped."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def __call__(self, one) -> bool:
        self._stopped.wait()
        raise RuntimeError("the job was cancelled")

    def stop(self) -> None:
        self._stopped.set()


def test_a_pass_that_takes_too_long_is_stopped():
    with passes_run_by(_Endless()), pytest.raises(OutOfTimeError), time_limit(0.05):
        _match(np.ones((2, 3, 6), np.int64), "l1", 0)


@pytest.mark.parametrize("runner", [None, Rehearsal(0, 3)], ids=["threads", "elsewhere"])
def test_a_watcher_gets_the_progress_of_passes(runner):
    shares: list[float] = []
    counts = np.ones((2, 300, 6), np.int64)
    join = build_join(
        scaled_csr(counts[0], METRICS["l1"]), scaled_csr(counts[1], METRICS["l1"]), 6, METRICS["l1"]
    )
    with passes_run_by(runner), passes_reported_to(shares.append):
        choose_columns(join, 0)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    n_reported = len(shares)
    assert n_reported > 10 or runner is not None
    choose_columns(join, 0)
    assert len(shares) == n_reported


def test_passes_are_reported_as_a_share_of_all_the_work_that_is_expected():
    shares: list[float] = []
    counts = np.ones((2, 30, 6), np.int64)
    metric = METRICS["l1"]
    join = build_join(scaled_csr(counts[0], metric), scaled_csr(counts[1], metric), 6, metric)
    work = float(row_work(join).sum()) + join.n_rows
    with passes_reported_to(shares.append):
        with expecting_work(2 * work, 0.2, 0.6):
            choose_columns(join, 0)
            assert max(shares) == pytest.approx(0.4)
            choose_columns(join, 0)
            choose_columns(join, 0)
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(0.2 + 0.4 * 0.99)
        choose_columns(join, 0)
    assert shares[-1] == 1.0


def test_passes_at_once_are_reported_as_one():
    shares: list[float] = []
    work = np.full(2, 4)
    reported = _Shares(shares.append)
    nothing = np.zeros(2)
    first, second = (reported.of_pass(Pass(print, (), (), work * n, nothing)) for n in (1, 3))
    first(0.5)
    second(0.0)
    first(1.0)
    second(1.0)
    assert shares == pytest.approx([0.5, 0.5 * 10 / 36, 10 / 36, 1.0])
