"""Small routines for sparse matrices against Python's own loops and dense matrices."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.oracles.shapes import are_equal, to_csr

from trailprint.kernels.csr import (
    gather_rows,
    invert,
    label_equal_rows,
    list_groups,
    list_ranges,
    main_locations,
    row_starts,
    sum_rows,
    transpose_csr,
)

SIZES = st.lists(st.integers(0, 4), max_size=6)


@st.composite
def matrices(draw):
    shape = draw(st.integers(0, 6)), draw(st.integers(1, 5))
    return draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 2)))


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@given(sizes=SIZES)
def test_rows_start_where_the_previous_one_ends(sizes):
    assert row_starts(np.array(sizes, np.int64)).tolist() == [*accumulate(sizes, initial=0)]


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@given(sizes=SIZES, data=st.data())
def test_rows_are_summed(kind, sizes, data):
    rows = [data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)) for n in sizes]
    values = np.array([value for row in rows for value in row], kind)
    found = sum_rows(row_starts(np.array(sizes, np.int64)), values)
    assert found.dtype == kind
    assert found.tolist() == [sum(row) for row in rows]


@given(ranges=st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 4)), max_size=6))
def test_ranges_are_listed_one_after_the_other(ranges):
    first, sizes = np.array(ranges, np.int64).reshape(-1, 2).T
    expected = [k for start, n in ranges for k in range(start, start + n)]
    assert list_ranges(first, sizes).tolist() == expected


@given(group=st.lists(st.integers(0, 5), max_size=12), more=st.integers(0, 8))
def test_groups_list_their_members(group, more):
    ptr, member = list_groups(np.array(group, np.int32), more)
    assert ptr.size == max([more, *(g + 1 for g in group)]) + 1
    for g in range(ptr.size - 1):
        assert member[ptr[g] : ptr[g + 1]].tolist() == [i for i, h in enumerate(group) if h == g]


@settings(max_examples=60, deadline=None)
@given(dense=matrices(), data=st.data())
def test_chosen_rows_are_those_of_the_dense_matrix(dense, data):
    rows = data.draw(
        st.lists(st.integers(0, len(dense) - 1), max_size=8) if len(dense) else st.just([])
    )
    chosen = np.array(rows, np.int64)
    assert_same(gather_rows(to_csr(dense), chosen), to_csr(dense[chosen]))


@settings(max_examples=60, deadline=None)
@given(dense=matrices())
def test_the_transpose_is_that_of_the_dense_matrix(dense):
    ptr, loc, val = to_csr(dense)
    expected = to_csr(dense.T)
    assert_same(transpose_csr(ptr, loc, val, dense.shape[1]), expected)
    assert_same(invert(ptr, loc, dense.shape[1]), expected[:2])


@settings(max_examples=60, deadline=None)
@given(dense=matrices(), data=st.data())
def test_main_locations_are_the_first_largest_ones(dense, data):
    end = data.draw(st.integers(0, dense.shape[1]))
    found = main_locations(*to_csr(dense), end)
    expected = [int(np.argmax(row[:end])) if row[:end].any() else -1 for row in dense]
    assert found.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(dense=matrices())
def test_rows_share_a_label_if_they_are_equal(dense):
    label = label_equal_rows(*to_csr(dense))
    is_empty = ~dense.any(1)
    np.testing.assert_array_equal(label < 0, is_empty)
    same = are_equal(dense)
    np.testing.assert_array_equal((label[:, None] == label[None])[~is_empty], same[~is_empty])
    assert set(label[~is_empty]) == set(range(len({*label[~is_empty]})))
