"""Choosing rows equals building from fewer people."""

import datetime as dt

import numpy as np
import pytest

from trailprint.evaluation.truth import Truth
from trailprint.features.sequences import build_sequences
from trailprint.features.trails import trails_of
from trailprint.studies.people import hide_ids, restrict_truth


@pytest.fixture
def rows():
    return np.array([7, 0, 31])


def test_trails_keep_their_locations(population, rows):
    trails = trails_of(population[0])
    chosen = trails.select(rows)
    assert (chosen.to_matrix().toarray() == trails.to_matrix().toarray()[rows]).all()
    assert chosen.users.to_pylist() == ["u007", "u000", "u031"]


def test_histograms_are_rows_of_the_matrix(population, rows):
    chosen = population[0].select(rows)
    assert (chosen.matrix.toarray() == population[0].matrix.toarray()[rows]).all()


def test_sequences_keep_whole_days(make_events):
    random = np.random.default_rng(0)
    day = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    visits = [
        (f"u{user}", f"p{random.integers(4)}", day + dt.timedelta(hours=int(hour)))
        for user in range(4)
        for hour in random.choice(72, 9, replace=False)
    ]
    sequences = build_sequences(make_events(visits, "user", "location", "start"))
    chosen = sequences.select(np.array([3, 1]))
    alone = build_sequences(
        make_events([v for v in visits if v[0] in ("u1", "u3")], "user", "location", "start")
    )
    assert chosen.users.to_pylist() == ["u3", "u1"]
    assert (np.diff(chosen.user) >= 0).all()
    for name in ("day", "slot", "duration_s"):
        for own, other in ((0, 1), (1, 0)):
            expected = getattr(alone, name)[alone.user == other]
            assert (getattr(chosen, name)[chosen.user == own] == expected).all()


def test_hidden_ids_say_nothing(population):
    hidden = hide_ids(population[1])
    assert hidden.users.to_pylist() == [str(i) for i in range(60)]
    assert hidden.matrix is population[1].matrix


def test_a_truth_follows_its_rows():
    truth = Truth.from_partner(np.array([2, -1, 0, 1]), "file")
    found = restrict_truth(truth, np.array([3, 0, 1]), np.array([1, 2]))
    assert list(zip(found.released, found.auxiliary, strict=True)) == [(1, 1), (0, 0)]
