"""Kernels of known points against enumeration, and drawn points against their definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.subsets import (
    count_drawn_by_definition,
    count_who_have,
    fewest_by_definition,
)

from trailprint.arrays import Floats, Indices, Ints
from trailprint.kernels.subsets.drawn import count_drawn, count_holders
from trailprint.kernels.subsets.ordered import build_itineraries, find_fewest_in_order
from trailprint.kernels.subsets.postings import build_postings
from trailprint.kernels.subsets.proportions import find_fewest_proportional
from trailprint.kernels.subsets.tolerant import find_fewest_within
from trailprint.kernels.subsets.worst import expand_counts, find_fewest

N_PLACES = 5
visits = st.lists(
    st.tuples(st.integers(0, N_PLACES - 1), st.integers(0, 2)), min_size=1, max_size=7
)
populations = st.lists(visits, min_size=1, max_size=8)
budgets = st.integers(1, 4)
#: All lists as bits, some, none: the same answer.
dense_from = st.sampled_from([1, 3, 100])


def rows(records) -> tuple[Ints, Indices]:
    """Lists of numbers as (ptr, numbers)."""
    ptr = np.cumsum([0, *map(len, records)]).astype(np.int64)
    return ptr, np.array([key for one in records for key in one], np.int32)


def counted(people) -> tuple[Ints, Indices, Floats]:
    """Places and how often, as (ptr, places, counts)."""
    tallies = [sorted(Counter(place for place, _ in one).items()) for one in people]
    ptr, places = rows([[place for place, _ in one] for one in tallies])
    return ptr, places, np.array([n for one in tallies for _, n in one], float)


@settings(max_examples=120, deadline=None)
@given(people=populations, k=budgets, dense=dense_from)
def test_the_worst_choice_of_visits_equals_enumeration(people, k, dense):
    ptr, places, counts = counted(people)
    ptr, codes, cost = expand_counts(ptr, places, counts.astype(np.int64), k)
    postings = build_postings(ptr, codes, N_PLACES * k, dense_from=dense)
    found = find_fewest(ptr, codes, cost, postings, budget=k)
    assert found.tolist() == fewest_by_definition("place", people, k)


@settings(max_examples=120, deadline=None)
@given(people=populations, k=budgets, dense=dense_from)
def test_the_worst_choice_of_distinct_places_equals_enumeration(people, k, dense):
    ptr, places, _ = counted(people)
    postings = build_postings(ptr, places, N_PLACES, dense_from=dense)
    found = find_fewest(ptr, places, np.ones_like(places), postings, budget=k)
    assert found.tolist() == fewest_by_definition("unique-place", people, k)


@settings(max_examples=120, deadline=None)
@given(
    people=populations,
    k=budgets,
    dense=dense_from,
    tolerance=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    kind=st.sampled_from(["frequency", "probability"]),
)
def test_the_worst_choice_of_values_equals_enumeration(people, k, dense, tolerance, kind):
    ptr, places, counts = counted(people)
    if kind == "probability":
        counts = counts / np.repeat([len(one) for one in people], np.diff(ptr))
    found = find_fewest_within(
        ptr, places, counts, N_PLACES, tolerance=tolerance, budget=k, dense_from=dense
    )
    assert found.tolist() == fewest_by_definition(kind, people, k, tolerance)


@settings(max_examples=120, deadline=None)
@given(people=populations, k=budgets, tolerance=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_the_worst_choice_of_proportions_equals_enumeration(people, k, tolerance):
    found = find_fewest_proportional(*counted(people), N_PLACES, tolerance=tolerance, budget=k)
    assert found.tolist() == fewest_by_definition("proportion", people, k, tolerance)


@settings(max_examples=120, deadline=None)
@given(people=populations, k=budgets)
def test_the_worst_choice_in_order_equals_enumeration(people, k):
    trips = build_itineraries(*rows([[place for place, _ in one] for one in people]), N_PLACES)
    found = find_fewest_in_order(trips, budget=k)
    assert found.tolist() == fewest_by_definition("sequence", people, k)


@settings(max_examples=30, deadline=None)
@given(people=st.lists(visits, min_size=70, max_size=140), k=st.integers(2, 3))
def test_more_people_than_a_word_has_bits(people, k):
    ptr, places, _ = counted(people)
    postings = build_postings(ptr, places, N_PLACES)
    found = find_fewest(ptr, places, np.ones_like(places), postings, budget=k)
    assert found.tolist() == fewest_by_definition("unique-place", people, k)


keys = st.lists(st.frozensets(st.integers(0, 9), min_size=1), min_size=1, max_size=90)


@settings(max_examples=100, deadline=None)
@given(people=keys, dense=dense_from)
def test_people_who_have_all_keys_are_counted(people, dense):
    ptr, codes = rows([sorted(one) for one in people])
    postings = build_postings(ptr, codes, 10, dense_from=dense)
    expected = [count_who_have(one, people) for one in people]
    assert count_holders(ptr, codes, postings).tolist() == expected


#: Several points of a person may have one key; some people have no points.
points = st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=40)


@settings(max_examples=100, deadline=None)
@given(people=points, dense=dense_from, seed=st.integers(0, 100), most=st.integers(1, 12))
def test_candidates_of_drawn_points_equal_the_definition(people, dense, seed, most):
    distinct = rows([sorted(set(one)) for one in people])
    postings = build_postings(*distinct, 10, dense_from=dense)
    counts = count_drawn(*rows(people), postings, most=most, seed=seed)
    assert counts.tolist() == count_drawn_by_definition(people, most, seed)


def test_every_order_of_points_is_equally_likely():
    """Three points: who is left after one and after two shows the order they were drawn in."""
    n_alike, n_seeds = 300, 20
    people = [{0, 1, 2}] * n_alike + [{0, 1}, {0}]
    ptr, codes = rows([sorted(one) for one in people])
    postings = build_postings(ptr, codes, 3)
    drawn = [count_drawn(ptr, codes, postings, most=2, seed=s)[:n_alike] for s in range(n_seeds)]
    seen = Counter(map(tuple, (np.concatenate(drawn) - n_alike).tolist()))
    # 0 then 1; 0 then 2; 1 then 0; 1 then 2; 2 first.
    expected = {(2, 1): 1 / 6, (2, 0): 1 / 6, (1, 1): 1 / 6, (1, 0): 1 / 6, (0, 0): 1 / 3}
    assert set(seen) == set(expected)
    for order, share in expected.items():
        assert seen[order] / (n_alike * n_seeds) == pytest.approx(share, abs=0.025)
    # Neither the seed nor the person says which comes first.
    first = np.stack(drawn)[:, :, 0] == n_alike + 2
    assert first.mean(axis=1) == pytest.approx(1 / 3, abs=0.13)
    assert first.mean(axis=0) == pytest.approx(1 / 3, abs=0.5)


def test_a_stream_goes_with_its_person():
    people = [{0, 1, 2, 3}, {2, 3, 4}, {0, 4, 5, 6}]
    ptr, codes = rows([sorted(one) for one in people])
    postings = build_postings(ptr, codes, 7)
    streams = np.array([7, 8, 9], np.uint64)
    all_three = count_drawn(ptr, codes, postings, most=3, seed=1, streams=streams)
    ptr, codes = rows([sorted(one) for one in people[1:]])
    fewer = build_postings(ptr, codes, 7)
    two = count_drawn(ptr, codes, fewer, most=3, seed=1, streams=streams[1:])
    assert (two <= all_three[1:]).all()


def test_nobody_and_empty_rows():
    ptr, codes = np.zeros(3, np.int64), np.empty(0, np.int32)
    postings = build_postings(ptr, codes, 0)
    assert count_drawn(ptr, codes, postings, most=2, seed=0).tolist() == [[2, 2], [2, 2]]
    assert find_fewest(ptr, codes, codes, postings, budget=2).tolist() == [2, 2]
