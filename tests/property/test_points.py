"""Laws of known points: exact expectations, and what more points, cells and people must do."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.subsets import share_unique

from trailprint.attacks.points.drawn import choose_numbers, draw_candidates, open_coarser
from trailprint.attacks.points.worst import find_worst
from trailprint.errors import OptionError
from trailprint.evaluation.larger_populations import (
    LargerPopulation,
    bound_below,
    check_model,
    extrapolate,
    fit_beta,
    never_less_with_more_points,
    predict,
    thin,
)
from trailprint.evaluation.unicity import measure_unicity
from trailprint.features.points import Points

N_PLACES, N_TIMES = 8, 4
point = st.tuples(st.integers(0, N_PLACES - 1), st.integers(0, N_TIMES - 1))
populations = st.lists(st.frozensets(point, min_size=1, max_size=6), min_size=1, max_size=8)


def make_points(people) -> Points:
    """Every pair of place and time is a key of its own."""
    rows = [sorted(place * N_TIMES + time for place, time in one) for one in people]
    keys = np.arange(N_PLACES * N_TIMES)
    return Points(
        indptr=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        keys=np.array([key for row in rows for key in row], np.int32),
        counts=np.ones(sum(map(len, rows)), np.int64),
        key_place=(keys // N_TIMES).astype(np.int32),
        key_time=(keys % N_TIMES).astype(np.int32),
        users=pa.array([f"u{i}" for i in range(len(people))]),
        locations=pa.array([f"p{k}" for k in range(N_PLACES)]),
    )


@settings(max_examples=25, deadline=None)
@given(people=populations, n_points=st.integers(1, 4), seed=st.integers(0, 9))
def test_unicity_is_that_of_all_choices(people, n_points, seed):
    counts = draw_candidates(make_points(people), (n_points,), n_draws=300, seed=seed)
    (found,) = measure_unicity(counts)
    slack = 5 * math.sqrt(0.25 / (300 * len(people))) + 1e-9
    assert found.share == pytest.approx(share_unique(people, n_points), abs=slack)


@settings(max_examples=80, deadline=None)
@given(people=populations, seed=st.integers(0, 99))
def test_more_points_never_reveal_less(people, seed):
    found = measure_unicity(
        draw_candidates(make_points(people), (1, 2, 3, 5), n_draws=3, seed=seed)
    )
    shares = [one.share for one in found]
    assert shares == sorted(shares)
    means = [one.candidates_mean for one in found]
    assert means == sorted(means, reverse=True)
    for one in found:
        assert one.fewer_than[2] == one.share
        assert list(one.fewer_than.values()) == sorted(one.fewer_than.values())


@settings(max_examples=80, deadline=None)
@given(people=populations, seed=st.integers(0, 99))
def test_coarser_places_and_times_never_reveal_more(people, seed):
    points = make_points(people)
    own = np.arange(N_PLACES, dtype=np.int32)
    shares = {}
    for cell in (1, 2, 4):
        for time in (1, 2, 4):
            release = open_coarser(points, own // cell, time)
            counts = draw_candidates(points, (2,), n_draws=2, seed=seed, release=release)
            shares[cell, time] = measure_unicity(counts)[0].share
    plain = draw_candidates(points, (2,), n_draws=2, seed=seed)
    assert shares[1, 1] == measure_unicity(plain)[0].share
    for (cell, time), share in shares.items():
        assert share <= shares[max(cell // 2, 1), time]
        assert share <= shares[cell, max(time // 2, 1)]


@settings(max_examples=80, deadline=None)
@given(people=populations, seed=st.integers(0, 99), data=st.data())
def test_more_people_never_reveal_more(people, seed, data):
    n_fewer = data.draw(st.integers(1, len(people)))
    points, streams = make_points(people), np.arange(len(people), dtype=np.uint64)
    chosen = np.arange(n_fewer)
    many = draw_candidates(points, (1, 3), n_draws=2, seed=seed, streams=streams, targets=chosen)
    few = draw_candidates(
        points.select(chosen), (1, 3), n_draws=2, seed=seed, streams=streams[:n_fewer]
    )
    assert (few.unique >= many.unique).all()
    for k in (1, 2):
        among_few = find_worst(points.select(chosen), "unique-place", k)
        assert (among_few <= find_worst(points, "unique-place", k)[chosen]).all()


@settings(max_examples=80, deadline=None)
@given(people=populations)
def test_the_worst_case_is_no_better_than_any_draw(people):
    points = make_points(people)
    worst = find_worst(points, "place-time", 2)
    counts = draw_candidates(points, (2,), n_draws=5)
    assert (counts.unique[worst > 1, 0] == 0).all()
    assert (find_worst(points, "place-time", 3) <= worst).all()


@settings(max_examples=60, deadline=None)
@given(people=populations, data=st.data())
def test_names_and_order_of_people_change_nothing(people, data):
    order = np.array(data.draw(st.permutations(range(len(people)))))
    points = make_points(people)
    streams = np.arange(len(people), dtype=np.uint64)
    plain = draw_candidates(points, (1, 2), n_draws=2, streams=streams)
    mixed = draw_candidates(points.select(order), (1, 2), n_draws=2, streams=streams[order])
    assert [t.tolist() for t in plain.tallies] == [t.tolist() for t in mixed.tallies]


def test_the_same_for_every_number_of_threads():
    random = np.random.default_rng(1)
    people = [
        frozenset(zip(random.integers(0, 8, 5), random.integers(0, 4, 5), strict=True))
        for _ in range(300)
    ]
    points = make_points(people)
    one, two = (draw_candidates(points, (1, 4), n_draws=2, n_threads=n) for n in (1, 2))
    assert (one.unique == two.unique).all()
    assert (
        find_worst(points, "place-time", 2, n_threads=1)
        == find_worst(points, "place-time", 2, n_threads=2)
    ).all()


def test_more_points_than_anyone_has_are_refused():
    points = make_points([frozenset({(0, 0)})])
    with pytest.raises(OptionError, match="must not exceed the 1 different points"):
        choose_numbers(points, (1, 2))
    assert choose_numbers(points, None) == (1,)


@settings(max_examples=60, deadline=None)
@given(people=populations, data=st.data())
def test_thinning_is_the_mean_over_all_parts(people, data):
    """What a random part of the people would show, by looking at every part."""
    n_fewer = data.draw(st.integers(1, len(people)))
    agree = [sum(one <= other for other in people) for one in people]
    tally = np.bincount(agree, minlength=len(people) + 1)
    expected = np.zeros(n_fewer + 1)
    parts = list(combinations(range(len(people)), n_fewer))
    for part in parts:
        for i in part:
            expected[sum(people[i] <= people[j] for j in part)] += 1
    expected /= len(parts) * n_fewer / len(people)
    np.testing.assert_allclose(thin(tally, len(people), n_fewer), expected, atol=1e-9)


def test_the_model_recovers_a_population_that_follows_it():
    random = np.random.default_rng(2)
    n_users = 4000
    q = random.beta(0.3, 60.0, 20_000)
    tally = np.bincount(1 + random.binomial(n_users - 1, q), minlength=n_users + 1)
    fitted = fit_beta(tally, n_users)
    assert fitted is not None
    assert fitted == pytest.approx((0.3, 60.0), rel=0.1)
    for population in (10 * n_users, 100 * n_users):
        truth = float(np.mean((1 - q) ** (population - 1)))
        assert predict(fitted, population) == pytest.approx(truth, abs=0.01)
        assert bound_below(tally, n_users, population) <= truth
    check = check_model(1, tally, n_users)
    assert check is not None
    assert check.predicted == pytest.approx(check.measured, abs=0.02)


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.sampled_from([100, 1000]), st.none() | st.floats(0, 1)),
        unique_by=lambda row: row[:2],
    )
)
def test_more_points_are_never_estimated_to_reveal_less(shares):
    rows = never_less_with_more_points(
        LargerPopulation(points=p, population=n, share=share, at_least=0.0)
        for p, n, share in shares
    )
    given_share = {(p, n): share for p, n, share in shares}
    assert {(row.points, row.population) for row in rows} == set(given_share)
    for row in rows:
        fewer = [
            share
            for (p, n), share in given_share.items()
            if n == row.population and p <= row.points and share is not None
        ]
        own = given_share[row.points, row.population]
        assert row.share == (None if own is None else max(fewer))


def test_larger_populations_never_reveal_more_and_nothing_is_invented():
    tally = np.array([0, 900, 60, 40, *[0] * 998])
    rows = extrapolate(4, tally, 1000, (1000, 10_000, 100_000))
    shares = [row.share or 0.0 for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert all(row.at_least <= 0.9 for row in rows)
    assert all(row.at_least <= (row.share or 0) + 1e-9 for row in rows)
    alone = np.array([0, 1000, *[0] * 999])
    (row,) = extrapolate(4, alone, 1000, (10_000,))
    assert row.share is None
    assert 0 < row.at_least < 1
