"""A join walked in parts, however small: the same bits as in one piece."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.matching import pair_weights
from tests.oracles.shapes import scaled_csr

from trailprint.kernels.matching.candidates import best_pairs
from trailprint.kernels.matching.certificate import check_matching
from trailprint.kernels.matching.join import build_join
from trailprint.kernels.matching.lookup import choose_columns, dense_gains, rank_pairs
from trailprint.kernels.matching.margins import link_margins
from trailprint.kernels.matching.metrics import METRICS
from trailprint.kernels.matching.parts import cut_join, measure_join
from trailprint.kernels.matching.reduction import reduce_problem
from trailprint.kernels.matching.solve import solve_reduced
from trailprint.kernels.passes import passes_run_by

#: Every metric on all locations, and those of the combined attack with two that everybody shares.
KINDS = [*product(sorted(METRICS), [None]), ("jensen-shannon", 4), ("l1", 4)]
N_LOCATIONS = 6


@st.composite
def sides(draw):
    """Two sides with ties, people who are alike, and places that few or many share."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    counts = [rng.poisson(0.5, (n, N_LOCATIONS)) for n in shape]
    for side in counts:
        side[np.arange(len(side)), rng.integers(0, 4, len(side))] += 1
    return counts


def _join(counts, kind):
    metric = METRICS[kind[0]]
    first, second = (scaled_csr(side, metric) for side in counts)
    return build_join(first, second, N_LOCATIONS, metric, kind[1])


def _match(counts, kind, size):
    metric = METRICS[kind[0]]
    first, second = (scaled_csr(side, metric) for side in counts)
    reduced = reduce_problem(first, second, N_LOCATIONS, metric, 0, kind[1])
    solution = solve_reduced(reduced, size=size)
    prices = solution.u, solution.v
    margins = link_margins(reduced, solution.column, *prices, multiplier=solution.multiplier)
    join = _join(counts, kind)
    proof = check_matching(join, solution.column, *prices, solution.multiplier)
    assert proof.gap <= 1e-9 * max(1.0, proof.total_gain)
    return [*solution[:9], *margins, *proof]


def _look_up(counts, kind):
    join = _join(counts, kind)
    rows, cols = (grid.ravel() for grid in np.indices((join.n_rows, join.n_cols)))
    v = np.arange(join.n_cols) % 3 / 10
    some = np.arange(join.n_rows)[::2]
    pairs = [best_pairs(join, some, k, v=v, every=every) for k in (1, 3) for every in (False, True)]
    drawn = [choose_columns(join, seed) for seed in (0, 1)]
    ranked = rank_pairs(join, rows, cols)
    # What is behind the pairs that were found is not looked at.
    lists = [
        np.where(np.arange(one.column.shape[1]) < one.kept[:, None], one.column, -1)
        for one in pairs
    ]
    return [
        *lists,
        *(a for one in pairs for a in one[2:]),
        *(a for one in drawn for a in one),
        *ranked,
    ]


def _check_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=15, deadline=None)
@given(counts=sides(), most_bytes=st.sampled_from([1, 300, 900]), data=st.data())
def test_a_matching_in_parts_has_the_same_bits(kind, counts, most_bytes, data):
    size = data.draw(st.sampled_from([None, 1, 3]))
    expected = _match(counts, kind, size)
    with passes_run_by(None, most_bytes):
        _check_same(_match(counts, kind, size), expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=25, deadline=None)
@given(counts=sides(), most_bytes=st.sampled_from([1, 300, 900]))
def test_choices_and_ranks_in_parts_have_the_same_bits(kind, counts, most_bytes):
    expected = _look_up(counts, kind)
    with passes_run_by(None, most_bytes):
        _check_same(_look_up(counts, kind), expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=25, deadline=None)
@given(counts=sides(), share=st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_every_pair_is_whole_in_one_part(kind, counts, share):
    join = _join(counts, kind)
    most = int(share * sum(measure_join(join)))
    cut = cut_join(join, most)
    assert cut.n_parts == 1 or share < 1.0
    assert cut.n_parts > 1 or share > 0.0 or min(join.n_rows, join.n_cols) < 3
    gains = np.full((join.n_rows, join.n_cols), np.nan)
    for part in cut.parts():
        here = tuple(
            slice(first, first + n)
            for first, n in zip(part.first, (part.join.n_rows, part.join.n_cols), strict=True)
        )
        assert np.isnan(gains[here]).all()
        gains[here] = dense_gains(part.join)
    np.testing.assert_array_equal(gains, dense_gains(join))
    if kind[1] is None:
        constant = join.constant or METRICS[kind[0]].constant
        np.testing.assert_allclose(constant - gains, pair_weights(kind[0], *counts), atol=1e-8)


def test_parts_hold_no_more_than_they_may():
    rng = np.random.default_rng(0)
    join = _join([rng.poisson(1.0, (300, N_LOCATIONS)) + 1 for _ in range(2)], ("l1", None))
    whole = sum(measure_join(join))
    for most in (whole // 2, whole // 7):
        sizes = [sum(measure_join(part.join)) for part in cut_join(join, most).parts()]
        # Cuts fall between people, so that a part may be one person larger than its share.
        assert max(sizes) <= most + 2 * whole // 300


@settings(max_examples=60, deadline=None)
@given(counts=sides(), n_more=st.integers(1, 40), kind=st.sampled_from(KINDS))
def test_places_that_nobody_visits_make_no_components(counts, n_more, kind):
    metric = METRICS[kind[0]]
    first, second = (scaled_csr(side, metric) for side in counts)
    n_visited = (
        N_LOCATIONS if kind[1] is not None else int(max(s[1].max() for s in (first, second))) + 1
    )
    few, many = (
        reduce_problem(first, second, n, metric, 0, kind[1])
        for n in (n_visited, N_LOCATIONS + n_more)
    )
    np.testing.assert_array_equal(few.row_start, many.row_start)
    np.testing.assert_array_equal(few.col_start, many.col_start)
    filled = np.diff(many.row_start) + np.diff(many.col_start)
    assert filled.size == 1 or np.all(filled > 0)
