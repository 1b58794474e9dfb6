"""Laws of grouping, noise, order and loss."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import grouping as oracle
from tests.oracles.distances import row_distance
from tests.oracles.times import clip_times

from trailprint.features.histograms import Histograms
from trailprint.kernels.distances.sparse_rows import (
    L1,
    L2,
    build_rows,
    distances_to_mean,
    distortion,
    group_distortions,
    mean_rows,
    nearest_rows,
)
from trailprint.kernels.grouping.refinement import refine_groups
from trailprint.kernels.grouping.selection import group_by_mdav, select_groups
from trailprint.kernels.time_noise import normal_above, shift_times
from trailprint.protections.loss import measure_loss
from trailprint.protections.microaggregate import (
    Microaggregate,
    equal_rows,
    find_groups,
    grouping_loss,
    total_distortion,
)


@st.composite
def counts(draw, least_users=2, most_users=24):
    n_users = draw(st.integers(least_users, most_users))
    n_locations = draw(st.integers(1, 8))
    values = draw(
        st.lists(
            st.lists(
                st.sampled_from([0, 0, 0, 1, 2, 5]), min_size=n_locations, max_size=n_locations
            ),
            min_size=n_users,
            max_size=n_users,
        )
    )
    matrix = np.array(values, dtype=float)
    matrix[matrix.sum(axis=1) == 0, 0] = 1.0
    return matrix


def histograms_of(matrix):
    return Histograms(
        matrix=sparse.csr_array(matrix),
        users=pa.array([f"u{i:03}" for i in range(matrix.shape[0])]),
        locations=pa.array([f"l{i:03}" for i in range(matrix.shape[1])]),
    )


def rows_of(matrix, norm=L1):
    csr = sparse.csr_array(matrix)
    return build_rows(csr.indptr, csr.indices, csr.data, csr.shape[1], norm)


def shares_of(matrix):
    return matrix / matrix.sum(axis=1, keepdims=True)


def as_sets(group):
    return {frozenset(np.flatnonzero(group == g).tolist()) for g in np.unique(group)}


@pytest.mark.parametrize("norm", [L1, L2])
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(4, 60))
@settings(max_examples=60, deadline=None)
def test_mdav_equals_a_literal_transcription(norm, seed, k, n_rows):
    random = np.random.default_rng(seed)
    # Real numbers without ties, some of them zero.
    matrix = random.random((n_rows, 6)) * (random.random((n_rows, 6)) < 0.7)
    matrix[:, 0] += 0.1 * random.random(n_rows)
    assert as_sets(group_by_mdav(rows_of(matrix, norm), k)) == oracle.group_by_mdav(
        matrix, k, squared=norm == L2
    )


@pytest.mark.parametrize("norm", [L1, L2])
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(6, 40))
# Rows that propose one group at costs that only rounding distinguishes.
@example(485, 3, 18)
@settings(max_examples=80, deadline=None)
def test_selected_groups_equal_the_naive_selection(norm, seed, k, n_rows):
    random = np.random.default_rng(seed)
    matrix = random.random((n_rows, 8)) * (random.random((n_rows, 8)) < 0.4)
    # Real numbers, not shares: no two groups cost the same, also of rows with a single column.
    matrix[np.arange(n_rows), random.integers(0, 8, n_rows)] += 0.5 * random.random(n_rows) + 0.1
    groups, left = oracle.select_groups(matrix, k, squared=norm == L2)
    found = as_sets(select_groups(rows_of(matrix, norm), k, 1))
    if len(left) >= k:  # the rest is grouped on its own
        assert groups <= found
    else:  # a few left over join the nearest
        assert len(groups) == len(found)
        assert all(any(group <= other for other in found) for group in groups)


@pytest.mark.parametrize("norm", [L1, L2])
@given(counts())
@settings(max_examples=40, deadline=None)
def test_nearest_rows_equal_the_definition(norm, matrix):
    shares = shares_of(matrix)
    rows = rows_of(shares, norm)
    n, k = rows.n_rows, min(3, rows.n_rows - 1)
    for row in range(n):
        heap = (np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64))
        shared = np.zeros(n)
        size = nearest_rows(
            (rows.indptr, rows.indices, rows.data),
            rows.size[row],
            row,
            (rows.column_start, rows.column_row, rows.column_data),
            rows.column_start[1:],
            rows.size,
            norm,
            np.zeros(n, dtype=bool),
            row,
            shared,
            heap,
        )
        overlapping = [i for i in range(n) if i != row and (shares[i] * shares[row]).any()]
        expected = sorted(row_distance(shares[overlapping], shares[row], squared=norm == L2))[:k]
        np.testing.assert_allclose(sorted(heap[0][:size]), expected, atol=1e-12)
        assert not shared.any()


@pytest.mark.parametrize("norm", [L1, L2])
@given(counts(), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_distortion_and_means_equal_the_definition(norm, matrix, seed):
    shares = shares_of(matrix)
    rows = rows_of(shares, norm)
    group = np.unique(np.random.default_rng(seed).integers(0, 3, len(shares)), return_inverse=True)[
        1
    ]
    means = mean_rows(rows, group)
    dense = np.zeros((means.n_rows, rows.n_columns))
    dense[np.repeat(np.arange(means.n_rows), np.diff(means.indptr)), means.indices] = means.data
    costs = []
    for g in range(means.n_rows):
        own = shares[group == g]
        np.testing.assert_allclose(dense[g], own.mean(axis=0), atol=1e-12)
        costs.append(row_distance(own, own.mean(axis=0), squared=norm == L2).sum())
        scratch = np.zeros(rows.n_columns)
        members = np.flatnonzero(group == g)
        distortion(rows.indptr, rows.indices, rows.data, members, norm, scratch)
        assert not scratch.any()
    np.testing.assert_allclose(group_distortions(rows, group), costs, atol=1e-12)
    assert total_distortion(rows, group) == pytest.approx(sum(costs), abs=1e-12)
    to_mean = row_distance(shares, shares.mean(axis=0), squared=norm == L2)
    np.testing.assert_allclose(distances_to_mean(rows), to_mean, atol=1e-12)


@pytest.mark.parametrize("norm", [L1, L2])
@given(counts(), st.integers(2, 6))
@settings(max_examples=80, deadline=None)
def test_groups_have_k_rows_and_refinement_never_costs(norm, matrix, k):
    rows = rows_of(shares_of(matrix), norm)
    assume(k <= rows.n_rows)
    for start in (select_groups(rows, k, 1), group_by_mdav(rows, k)):
        refined = refine_groups(rows, start, k, 1)
        assert np.bincount(start).min() >= k
        assert np.bincount(refined).min() >= k
        assert total_distortion(rows, refined) <= total_distortion(rows, start) + 1e-9
    best = find_groups(rows, k, "group-selection", 1)
    assert total_distortion(rows, best) <= total_distortion(rows, group_by_mdav(rows, k)) + 1e-9


@pytest.mark.parametrize("norm", [L1, L2])
@given(st.integers(0, 10_000), st.integers(2, 3), st.integers(6, 24))
@settings(max_examples=25, deadline=None)
def test_refined_groups_equal_the_naive_search(norm, seed, k, n_rows):
    random = np.random.default_rng(seed)
    # Real numbers in many columns: no two steps cost the same, not even under l1. At most eight
    # groups, which share all columns: each is among those that the kernel tries for every row.
    n_rows = min(n_rows, 8 * k)
    matrix = random.random((n_rows, 24))
    start = random.permutation(np.arange(n_rows) % random.integers(1, n_rows // k + 1))
    found = refine_groups(rows_of(matrix, norm), start, k, 1)
    assert as_sets(found) == oracle.refine_groups(matrix, start, k, squared=norm == L2)


@pytest.mark.parametrize("method", ["group-selection", "mdav"])
@given(counts(), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_micro_aggregation_is_k_anonymous_keeps_the_mean_and_says_its_loss(method, matrix, k):
    assume(k <= len(matrix))
    before = histograms_of(matrix)
    done = Microaggregate(k=k, method=method).change(before, (0, 0))
    after = done.histograms.matrix.toarray()
    _, sizes = np.unique(after, axis=0, return_counts=True)
    assert sizes.min() >= k
    assert done.facts["smallest_group"] == sizes.min()
    np.testing.assert_allclose(after.mean(axis=0), shares_of(matrix).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(after.sum(axis=1), 1.0, atol=1e-12)
    loss = measure_loss(before, done.histograms)
    assert loss.information_loss >= 0
    assert loss.popularity_error < 1e-12
    assert loss.information_loss == pytest.approx(done.facts["grouping_loss"], abs=1e-9)


@given(counts())
@settings(max_examples=60, deadline=None)
def test_loss_is_zero_ungrouped_and_one_in_one_group(matrix):
    before = histograms_of(matrix)
    n = len(matrix)
    alone = Microaggregate(k=1).change(before, (0, 0))
    assert measure_loss(before, alone.histograms).information_loss == 0
    together = Microaggregate(k=n).change(before, (0, 0))
    alike = len(np.unique(shares_of(matrix).round(12), axis=0)) == 1
    expected = 0.0 if alike else 1.0
    assert together.facts["groups"] == 1
    assert measure_loss(before, together.histograms).information_loss == pytest.approx(expected)


def test_loss_of_the_paper_can_exceed_one():
    """Under l1 with means L may exceed 1 between its two ends."""
    values = np.array([0.5, 0.5, 0.5, 0.5, 0.8, 0.2])
    matrix = np.column_stack([values, 1 - values])
    group = np.array([0, 0, 1, 1, 0, 1])
    found = grouping_loss(rows_of(matrix), group)
    assert found == pytest.approx(oracle.grouping_loss(matrix, group))
    assert found > 1


@given(counts(), st.integers(2, 5), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_another_order_of_users_keeps_the_guarantee_and_the_mean(matrix, k, random):
    assume(k <= len(matrix))
    order = list(range(len(matrix)))
    random.shuffle(order)
    first = Microaggregate(k=k).change(histograms_of(matrix), (0, 0))
    second = Microaggregate(k=k).change(histograms_of(matrix[order]), (0, 0))
    for done in (first, second):
        assert np.bincount(equal_rows(done.histograms.matrix)).min() >= k
    mean, again = (done.histograms.matrix.toarray().mean(axis=0) for done in (first, second))
    np.testing.assert_allclose(again, mean, atol=1e-12)


def test_threads_change_nothing():
    random = np.random.default_rng(3)
    matrix = random.poisson(0.3, (400, 40)).astype(float)
    matrix[matrix.sum(axis=1) == 0, 0] = 1
    rows = rows_of(shares_of(matrix))
    one, two = (find_groups(rows, 4, "group-selection", n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("redraw", [True, False])
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 10**10), st.integers(0, 10**9), st.booleans()),
        min_size=1,
        max_size=60,
    ),
    st.integers(0, 1000),
    st.sampled_from([1.0, 1e6, 3.6e9]),
)
@settings(max_examples=100, deadline=None)
def test_shifted_records_neither_overlap_nor_end_before_they_start(redraw, records, seed, sigma):
    records = sorted(records)
    user, start, length, has_end = (np.array(column) for column in zip(*records, strict=True))
    is_first = np.append(True, user[1:] != user[:-1])
    new_start, new_end = shift_times(
        np.random.default_rng(seed), is_first, start, start + length, has_end, sigma, redraw
    )
    assert (new_end >= new_start).all()
    follows = ~is_first[1:]
    assert (new_start[1:][follows] > new_end[:-1][follows]).all()
    np.testing.assert_array_equal(new_end[~has_end], new_start[~has_end])
    if not redraw:
        again = np.random.default_rng(seed)
        expected = clip_times(again, is_first, start, start + length, has_end, sigma)
        assert (new_start.tolist(), new_end.tolist()) == expected


@pytest.mark.parametrize("least", [-3.0, 0.0, 0.4, 0.6, 2.0, 8.0])
def test_normal_above_has_the_distribution_of_drawing_again(least):
    from scipy import stats

    random = np.random.default_rng(5)
    drawn = np.array([normal_above(random, least) for _ in range(4000)])
    assert drawn.min() >= least
    law = stats.truncnorm(least, np.inf)
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
