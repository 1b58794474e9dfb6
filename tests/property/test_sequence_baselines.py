"""The sequence baselines against their definitions, and under new names for people and places."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.sequences import chain_likelihood, mean_distance

from trailprint.attacks.sequence.baselines import (
    score_distance,
    score_histogram,
    score_markov,
)
from trailprint.features.sequences import NA, Sequences

N_LOCATIONS = 4
visit = st.tuples(st.integers(0, N_LOCATIONS - 1), st.integers(0, 86_400))
day = st.lists(visit, min_size=1, max_size=4)
people = st.lists(st.lists(day, min_size=1, max_size=3), min_size=1, max_size=5)


def make_sequences(users, n_locations=N_LOCATIONS) -> Sequences:
    """Sequences from users as lists of days as lists of (location, seconds)."""
    rows = [
        (u, d, place, seconds, day[i - 1][0] if i else NA)
        for u, days in enumerate(users)
        for d, day in enumerate(days)
        for i, (place, seconds) in enumerate(day)
    ]
    user, number, location, duration, previous = (
        np.array(column) for column in (zip(*rows, strict=True) if rows else [[]] * 5)
    )
    unused = np.zeros(len(rows), dtype=np.int64)
    return Sequences(
        user=user.astype(np.int64),
        location=location.astype(np.int64),
        day=number.astype(np.int64),
        duration_s=duration.astype(np.float64),
        weekday=unused,
        slot=unused,
        previous=previous.astype(np.int64),
        next_to_previous=unused,
        next=unused,
        users=pa.array([f"u{i}" for i in range(len(users))], pa.string()),
        locations=pa.array([f"l{k}" for k in range(n_locations)]),
    )


def table_of(score, auxiliary, released):
    return np.array([[score(mine, theirs) for theirs in released] for mine in auxiliary])


def all_rows(scores):
    return scores.rows(np.arange(scores.shape[0]))


@settings(deadline=None)
@given(people, people)
def test_distances_equal_the_definition(released, auxiliary):
    found = all_rows(score_distance(make_sequences(released), make_sequences(auxiliary)))
    expected = table_of(
        lambda mine, theirs: mean_distance(mine, theirs, N_LOCATIONS), auxiliary, released
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-3)


@settings(deadline=None)
@given(people, people, st.sampled_from([0.01, 0.5, 1.0, 20.0]))
def test_chains_equal_the_definition(released, auxiliary, smoothing):
    found = all_rows(score_markov(make_sequences(released), make_sequences(auxiliary), smoothing))
    expected = table_of(
        lambda mine, theirs: chain_likelihood(mine, theirs, smoothing, N_LOCATIONS),
        auxiliary,
        released,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(people, people, st.randoms(use_true_random=False))
def test_new_names_change_no_score(released, auxiliary, random):
    people_order = random.sample(range(len(released)), len(released))
    place = random.sample(range(N_LOCATIONS), N_LOCATIONS)

    def renamed(users):
        return [[[(place[k], s) for k, s in day] for day in days] for days in users]

    for score in (score_distance, score_markov, score_histogram):
        before = all_rows(score(make_sequences(released), make_sequences(auxiliary)))
        after = all_rows(
            score(
                make_sequences(renamed([released[i] for i in people_order])),
                make_sequences(renamed(auxiliary)),
            )
        )
        np.testing.assert_allclose(after, before[:, people_order], rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(people, people)
def test_rows_can_be_asked_for_in_any_order(released, auxiliary):
    wanted = np.arange(len(auxiliary))[::-1]
    for score in (score_distance, score_markov, score_histogram):
        scores = score(make_sequences(released), make_sequences(auxiliary))
        np.testing.assert_allclose(scores.rows(wanted), all_rows(scores)[::-1], rtol=1e-12)
