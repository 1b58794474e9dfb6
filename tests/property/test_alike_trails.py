"""k-anonymous trails: what is released fits k people, and equal trails withstand REIDIT."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import trails as oracle

from trailprint.kernels.trails.alike import extend_within, group_alike

N_PLACES = 7
Trails = list[frozenset[int]]

trail_sets = st.lists(st.frozensets(st.integers(0, N_PLACES - 1)), min_size=1, max_size=12)
small_sets = st.lists(
    st.frozensets(st.integers(0, N_PLACES - 1), min_size=1), min_size=2, max_size=7
)
ks = st.integers(1, 4)


def pattern_of(trails: Trails) -> tuple[np.ndarray, np.ndarray]:
    ptr = np.concatenate([[0], np.cumsum([len(trail) for trail in trails])]).astype(np.int64)
    return ptr, np.array([place for trail in trails for place in sorted(trail)], dtype=np.int32)


def trails_of(trails: Trails, kept: np.ndarray) -> Trails:
    ptr, loc = pattern_of(trails)
    rows = range(len(trails))
    return [frozenset(loc[ptr[i] : ptr[i + 1]][kept[ptr[i] : ptr[i + 1]]].tolist()) for i in rows]


def equal(trails: Trails, k: int) -> Trails:
    kept, _ = group_alike(*pattern_of(trails), N_PLACES, k)
    return trails_of(trails, kept)


def within(trails: Trails, k: int, n_threads: int | None = None) -> Trails:
    pattern = pattern_of(trails)
    kept, _ = group_alike(*pattern, N_PLACES, k)
    return trails_of(trails, extend_within(*pattern, N_PLACES, k, kept, n_threads))


@settings(deadline=None)
@given(trail_sets, ks)
def test_groups_are_those_of_the_definition(trails: Trails, k: int) -> None:
    assert equal(trails, k) == oracle.group_alike(trails, k)


@settings(deadline=None)
@given(trail_sets, ks)
def test_every_trail_left_is_that_of_k_people(trails: Trails, k: int) -> None:
    left = Counter(trail for trail in equal(trails, k) if trail)
    assert all(n >= k for n in left.values())


@settings(deadline=None)
@given(trail_sets, ks)
def test_a_group_is_all_who_share_a_trail_and_was_not_split(trails: Trails, k: int) -> None:
    _, group = group_alike(*pattern_of(trails), N_PLACES, k)
    left = equal(trails, k)
    for number in range(-1, group.max(initial=-1) + 1):
        members = np.flatnonzero(group == number)
        assert len({left[i] for i in members}) <= 1
        assert number < 0 or len(members) >= k
    assert all((group[i] < 0) == (not left[i]) for i in range(len(trails)))


@settings(deadline=None)
@given(small_sets, st.integers(2, 3))
def test_no_grouping_keeps_more_than_the_best(trails: Trails, k: int) -> None:
    best = oracle.most_visits_kept(trails, k)
    assert sum(map(len, equal(trails, k))) <= best
    # Everybody who could be in a group is offered one: something is kept wherever anything can be.
    assert bool(best) == any(equal(trails, k))


@settings(deadline=None)
@given(trail_sets, st.integers(2, 4))
def test_equal_trails_withstand_removal(trails: Trails, k: int) -> None:
    released = [trail for trail in equal(trails, k) if trail]
    assert not oracle.reidit_i(released, [trail for trail in trails if trail])


@settings(deadline=None)
@given(trail_sets, ks)
def test_a_trail_within_was_that_of_k_people(trails: Trails, k: int) -> None:
    for trail in within(trails, k):
        assert not trail or len(oracle.supertrails(trail, trails)) >= k


@settings(deadline=None)
@given(trail_sets, ks)
def test_within_keeps_all_that_equal_keeps_and_nothing_more_would_fit(
    trails: Trails, k: int
) -> None:
    for less, more, whole in zip(equal(trails, k), within(trails, k), trails, strict=True):
        assert less <= more <= whole
        for place in whole - more:
            assert len(oracle.supertrails(more | {place}, trails)) < k


@settings(deadline=None)
@given(trail_sets, ks)
def test_threads_change_nothing(trails: Trails, k: int) -> None:
    assert within(trails, k, 1) == within(trails, k, 4)


@settings(deadline=None)
@given(trail_sets)
def test_one_person_is_enough_for_k_of_one(trails: Trails) -> None:
    assert equal(trails, 1) == trails
