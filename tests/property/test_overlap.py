"""The sparse passes against the definitions, one dense twin for each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag
from tests.oracles.matching import (
    count_better_and_tied,
    jensen_shannon_gains,
    keep_best,
    pair_weights,
    x_log_x,
)
from tests.oracles.shapes import scale, scaled_csr

from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.join import build_join, swap_sides
from trailprint.kernels.matching.lookup import choose_columns, dense_gains, pair_gains, rank_pairs
from trailprint.kernels.matching.metrics import METRICS, largest_constant, pair_constant
from trailprint.kernels.matching.metrics import x_log_x as kernel_x_log_x
from trailprint.kernels.matching.reduction import reduce_problem, split_largest

NAMES = sorted(METRICS)
N_LOCATIONS = 6


@st.composite
def problems(draw, most=12):
    """Two count matrices in which every row has data, with ties and disjoint supports."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    busy = draw(st.sampled_from([0.0, 0.2, 0.7]))
    top = draw(st.sampled_from([1, 2, 50]))
    sides = []
    for n in (draw(st.integers(1, most)), draw(st.integers(1, most))):
        counts = rng.integers(1, top + 1, (n, N_LOCATIONS))
        counts *= rng.random(counts.shape) < busy
        counts[np.arange(n), rng.integers(0, N_LOCATIONS, n)] += 1
        sides.append(counts)
    return sides[0], sides[1]


def join_of(name, released, auxiliary):
    metric = METRICS[name]
    return build_join(
        scaled_csr(released, metric), scaled_csr(auxiliary, metric), N_LOCATIONS, metric
    )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_constant_minus_gain_is_the_weight_of_the_definition(name, problem):
    released, auxiliary = problem
    join = join_of(name, *problem)
    constant = METRICS[name].constant
    if METRICS[name].uses_totals:
        constant = largest_constant(released.sum(1).astype(float), auxiliary.sum(1).astype(float))
    expected = pair_weights(name, released, auxiliary)
    np.testing.assert_allclose(constant - dense_gains(join), expected, atol=1e-8)
    rows, cols = (grid.ravel() for grid in np.indices(expected.shape))
    np.testing.assert_allclose(constant - pair_gains(join, rows, cols), expected.ravel(), atol=1e-8)
    np.testing.assert_allclose(dense_gains(swap_sides(join)), dense_gains(join).T, atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(problem=problems(), k=st.integers(1, 5), priced=st.booleans(), floored=st.booleans())
def test_best_pairs_keep_the_greatest_and_bound_the_rest(problem, k, priced, floored):
    join = join_of("jensen-shannon", *problem)
    gains = dense_gains(join)
    rng = np.random.default_rng(0)
    v = rng.random(gains.shape[1:]) if priced else np.zeros(gains.shape[1])
    floor = rng.random(gains.shape[:1]) - 0.5 if floored else np.full(gains.shape[0], -np.inf)
    found = best_pairs(join, np.arange(gains.shape[0]), k, v=v, floor=floor)
    for i, (worths, rest, n_pairs) in enumerate(keep_best(gains, v, floor, k)):
        kept = found.column[i, : found.kept[i]]
        assert np.unique(kept).size == kept.size
        np.testing.assert_allclose((gains[i] - v)[kept], worths, atol=1e-12)
        np.testing.assert_allclose(found.gain[i, : found.kept[i]], gains[i, kept], atol=1e-12)
        assert found.bound[i] == pytest.approx(rest, abs=1e-12)
        assert found.overlap[i] == n_pairs


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 99))
def test_one_by_one_takes_a_best_column_and_counts_the_tied(name, problem, seed):
    join = join_of(name, *problem)
    gains = dense_gains(join)
    choice = choose_columns(join, seed)
    best = gains.max(1)
    np.testing.assert_allclose(choice.gain, best, rtol=1e-12)
    picked = gains[np.arange(gains.shape[0]), choice.column]
    np.testing.assert_allclose(picked, best, rtol=1e-11, atol=1e-250)
    expected = [count_better_and_tied(own, one) for own, one in zip(gains, best, strict=True)]
    assert [(0, n) for n in choice.n_tied] == expected


def test_one_by_one_breaks_ties_evenly_and_by_the_seed():
    released, auxiliary = np.ones((1, N_LOCATIONS), int), np.ones((5, N_LOCATIONS), int)
    join = join_of("l1", released, auxiliary)
    picked = [int(choose_columns(join, seed).column[0]) for seed in range(1000)]
    counts = np.bincount(picked, minlength=5)
    assert (abs(counts - 200) < 5 * np.sqrt(200)).all()
    assert picked[:50] == [int(choose_columns(join, seed).column[0]) for seed in range(50)]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_ranks_count_better_and_tied_columns(name, problem):
    join = join_of(name, *problem)
    gains = dense_gains(join)
    rows, cols = (grid.ravel() for grid in np.indices(gains.shape))
    ranks = rank_pairs(join, rows, cols)
    expected = [
        count_better_and_tied(gains[i], gains[i, j]) for i, j in zip(rows, cols, strict=True)
    ]
    assert list(zip(ranks.n_better, ranks.n_tied, strict=True)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_threads_changes_nothing(name):
    rng = np.random.default_rng(1)
    released, auxiliary = rng.integers(0, 4, (2, 80, N_LOCATIONS)) + np.eye(
        80, N_LOCATIONS, dtype=int
    )
    released[released.sum(1) == 0, 0] = auxiliary[auxiliary.sum(1) == 0, 0] = 1
    join = join_of(name, released, auxiliary)
    rows = np.arange(80)
    for one, three in (
        (best_pairs(join, rows, 4, n_threads=1), best_pairs(join, rows, 4, n_threads=3)),
        (choose_columns(join, 7, 1), choose_columns(join, 7, 3)),
        (rank_pairs(join, rows, rows, 1), rank_pairs(join, rows, rows, 3)),
    ):
        for a, b in zip(one, three, strict=True):
            np.testing.assert_array_equal(a, b)


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 9))
def test_the_reduced_problem_has_the_same_gains(problem, seed):
    metric = METRICS["jensen-shannon"]
    sides = scaled_csr(problem[0], metric), scaled_csr(problem[1], metric)
    reduced = reduce_problem(*sides, N_LOCATIONS, metric, seed)
    whole = jensen_shannon_gains(scale(problem[0], metric), scale(problem[1], metric))
    small = dense_gains(reduced.join)
    grouped = small[np.ix_(reduced.row_group, reduced.col_group)]
    np.testing.assert_allclose(grouped, whole, atol=1e-12)
    assert reduced.row_size.sum() == whole.shape[0]
    row_home = np.searchsorted(reduced.row_start, np.arange(small.shape[0]), side="right")
    col_home = np.searchsorted(reduced.col_start, np.arange(small.shape[1]), side="right")
    # Nodes of different components share nothing.
    assert (small[row_home[:, None] != col_home[None, :]] == 0).all()


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 9))
def test_the_largest_component_and_the_rest_are_the_whole(problem, seed):
    metric = METRICS["jensen-shannon"]
    sides = scaled_csr(problem[0], metric), scaled_csr(problem[1], metric)
    reduced = reduce_problem(*sides, N_LOCATIONS, metric, seed)
    parts = split_largest(reduced)
    assert len(parts) == min(2, reduced.row_start.size - 1)
    blocks = block_diag(*[dense_gains(part.join) for part in parts])
    np.testing.assert_array_equal(blocks, dense_gains(reduced.join))
    for name in ("row_size", "col_size"):
        together = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(together, getattr(reduced, name))
    entries = [part.join.row_loc.size + part.join.loc_user.size for part in parts]
    n_components = [part.row_start.size - 1 for part in parts]
    assert n_components[0] == 1
    assert len(parts) == 1 or entries[0] >= entries[1] / n_components[1]


@given(st.lists(st.floats(0, 1e9), max_size=9))
def test_x_log_x_equals_the_definition(values):
    x = np.array(values)
    np.testing.assert_allclose(kernel_x_log_x(x), x_log_x(x), rtol=1e-12)


def test_constants_grow_with_both_totals():
    m, n = np.meshgrid(np.arange(1.0, 20.0), np.arange(1.0, 20.0))
    constant = pair_constant(m, n)
    assert (np.diff(constant, axis=0) > 0).all()
    assert (np.diff(constant, axis=1) > 0).all()
    assert largest_constant(m.ravel(), n.ravel()) == pytest.approx(constant.max())
