"""Matching by distances on the map: exact, fair, and right where borders of cells mislead."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.distances import transport_gain
from tests.presence import present

import trailprint as tp
from trailprint.attacks import transport
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.transport import match_transport
from trailprint.errors import InputError, OptionError
from trailprint.events.places.placing import place
from trailprint.features.histograms import build_histogram_pair
from trailprint.features.positions import locate
from trailprint.kernels.distances.transport import Ground, nearness
from trailprint.options import PlaceOptions
from trailprint.workflows.options import ViewOptions

CELLS = PlaceOptions(cell_m=300)
M_PER_LAT, M_PER_LON = 111_000.0, 76_000.0


def people_with_errors(n_users, seed, error_m=250.0):
    """Everybody has three places; each side has its own error of each, beyond a cell's border."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(0, 6_000, (n_users, 3, 2))
    user = np.tile(np.arange(n_users), 60)
    visited = rng.choice(3, len(user), p=[0.5, 0.3, 0.2])
    side = (np.arange(len(user)) >= len(user) // 2).astype(int)
    seen = place + rng.normal(0, error_m, (2, n_users, 3, 2))
    metres = seen[side, user, visited]
    days = np.repeat(np.arange(60), n_users)
    return pa.table(
        {
            "user": user,
            "lat": 47 + metres[:, 1] / M_PER_LAT,
            "lon": 8 + metres[:, 0] / M_PER_LON,
            "start": pa.array(np.datetime64("2024-01-01", "us") + days * np.timedelta64(1, "D")),
        }
    )


def two_sides(n_users, seed=0, **options):
    whole = tp.read(people_with_errors(n_users, seed, **options))
    halves = tp.split(whole, tp.SplitOptions(at="2024-01-31"))
    return halves.released, halves.auxiliary


def accuracy(sides, **options):
    result = tp.match(*sides, places=CELLS, **options)
    assert result.linkage.facts["exact"]
    return present(present(result.risk).accuracy)


def view(name):
    return ViewOptions(names=[name], weights="equal", contributions=False)


def test_the_matching_is_the_best_of_all():
    placed = [tp.read(people_with_errors(5, seed)) for seed in (1, 2)]
    sides = place(placed, CELLS)
    pair = build_histogram_pair(sides[0], sides[1])
    where = locate(sides, pair[0].locations)
    found = match_transport(*pair, where, tp.MatchOptions(metric="transport"))
    n = range(pair[0].n_locations)
    near = np.array([[nearness(Ground(where, 1_000.0), a, b) for b in n] for a in n])
    own, other = (side.probabilities().toarray() for side in pair)
    weight = np.array([[1 - transport_gain(p, q, near) for q in other] for p in own])
    best = min(sum(weight[i, j] for i, j in enumerate(order)) for order in permutations(range(5)))
    assert found.facts["exact"]
    assert found.facts["total_weight"] == pytest.approx(best)
    np.testing.assert_allclose(found.weight, weight[found.released, found.auxiliary], atol=1e-9)


def test_distances_find_people_whom_cells_lose():
    sides = two_sides(40)
    cells = accuracy(sides)
    assert cells < 0.65
    assert accuracy(sides, views=view("cells-1km")) < 0.75
    assert accuracy(sides, views=view("nearby-300m")) > max(0.7, cells + 0.2)
    assert accuracy(sides, options=tp.MatchOptions(metric="transport")) > max(0.9, cells + 0.2)


def test_people_near_to_nobody_are_linked_all_the_same():
    far = two_sides(3)
    away = tp.read(pa.table({"user": [0, 1, 2], "lat": [10.0, 20.0, 30.0], "lon": [1.0, 1.0, 1.0]}))
    result = tp.match(far[0], away, tp.MatchOptions(metric="transport"), places=CELLS)
    assert result.linkage.n_links == 3
    assert result.linkage.weight.tolist() == [1.0] * 3


def test_people_who_look_the_same_are_linked_by_lot():
    same = pa.table({"user": range(4), "lat": [47.0] * 4, "lon": [8.0] * 4})
    drawn = {
        tuple(
            tp.match(
                tp.read(same),
                tp.read(same),
                tp.MatchOptions(metric="transport", seed=seed),
                places=CELLS,
            ).linkage.auxiliary.tolist()
        )
        for seed in range(8)
    }
    assert len(drawn) > 1


def test_one_by_one_takes_the_nearest():
    released, auxiliary = two_sides(10)
    options = tp.MatchOptions(metric="transport", method="one-by-one")
    assert (
        present(present(tp.match(released, auxiliary, options, places=CELLS).risk).accuracy) > 0.8
    )


def test_large_problems_are_refused(monkeypatch):
    monkeypatch.setattr(transport, "MOST_PAIRS", 10)
    released, auxiliary = two_sides(3)
    with pytest.raises(InputError, match="at most 10 pairs of places, got"):
        tp.match(released, auxiliary, tp.MatchOptions(metric="transport"), places=CELLS)


def test_what_it_does_not_go_with_is_said():
    rows = pa.table({"user": [1, 2], "location": ["a", "b"]})
    sides = tp.read(rows), tp.read(rows)
    with pytest.raises(InputError, match="lat"):
        tp.match(*sides, tp.MatchOptions(metric="transport"))
    with pytest.raises(OptionError, match="use match"):
        match_histograms(*build_histogram_pair(*sides), tp.MatchOptions(metric="transport"))
    with pytest.raises(OptionError, match="reach_m goes with metric transport"):
        tp.MatchOptions(reach_m=5.0)
    with pytest.raises(OptionError, match="reach_m must be a positive number of metres"):
        tp.MatchOptions(metric="transport", reach_m=0.0)
