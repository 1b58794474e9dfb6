"""Rank, frequency and Zipf's law."""

import numpy as np
import pyarrow as pa
import pytest

from trailprint.features.trails import Trails
from trailprint.studies.popularity import fit_zipf, rank_frequency
from trailprint.studies.trail_sensitivity import _draw_named, withhold


def trails_with_visitors(visitors) -> Trails:
    """As many users as the most visited location has; the k-th location gets the first ones."""
    n_users = max(visitors)
    sets = [[k for k, n in enumerate(visitors) if i < n] for i in range(n_users)]
    return Trails(
        indptr=np.concatenate([[0], np.cumsum([len(s) for s in sets])]).astype(np.int64),
        indices=np.array([k for s in sets for k in s], dtype=np.int32),
        users=pa.array([f"u{i}" for i in range(n_users)]),
        locations=pa.array([f"l{k}" for k in range(len(visitors))]),
    )


@pytest.mark.parametrize("exponent", [0.3, 0.6, 1.0])
def test_the_exponent_of_a_zipf_law_is_found(exponent) -> None:
    visitors = np.round(5000 * np.arange(1, 101) ** -exponent).astype(int)
    fit = fit_zipf(trails_with_visitors(list(visitors)))
    assert fit.exponent == pytest.approx(exponent, abs=0.01)
    assert fit.scale == pytest.approx(5000, rel=0.02)
    assert fit.correlation == pytest.approx(1, abs=1e-3)
    assert fit.n_locations == 100


def test_only_the_most_visited_are_fitted() -> None:
    visitors = [*np.round(1000 * np.arange(1, 11) ** -0.5).astype(int), *[1] * 50]
    assert fit_zipf(trails_with_visitors(visitors), n_top=10).exponent == pytest.approx(
        0.5, abs=0.01
    )


@pytest.mark.parametrize("visitors", [[3], [3, 2], [2, 2, 2, 2]])
def test_nothing_is_fitted_to_nothing(visitors) -> None:
    assert fit_zipf(trails_with_visitors(visitors)).exponent is None


def test_ranks_come_most_visited_first() -> None:
    table = rank_frequency(trails_with_visitors([1, 5, 3]))
    assert table.to_pydict() == {"rank": [1, 2, 3], "visitors": [5, 3, 1]}


def random_trails() -> Trails:
    random = np.random.default_rng(0)
    seen = random.random((40, 30)) < 0.3
    seen[:, 0] = True
    return Trails(
        indptr=np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int64),
        indices=np.nonzero(seen)[1].astype(np.int32),
        users=pa.array([f"u{i}" for i in range(40)]),
        locations=pa.array([f"l{k}" for k in range(30)]),
    )


def test_a_person_withholds_everywhere_and_a_place_for_everybody() -> None:
    trails = random_trails()
    ends = {
        by: withhold(trails, 0.5, by=by, n_runs=10, n_points=4).to_pylist()[-1]
        for by in ("visit", "person", "place")
    }
    # People who withhold are gone; places that withhold leave everybody the others.
    assert ends["person"]["auxiliary"] < 30 < ends["place"]["auxiliary"]
    # Names that are left whole are found, unless they lie within another trail.
    assert ends["person"]["reidentified"] > ends["person"]["auxiliary"] - 1
    assert ends["place"]["reidentified"] > ends["visit"]["reidentified"] - 10


@pytest.mark.parametrize("by", ["visit", "person", "place"])
def test_as_many_names_are_left_as_the_definition_says(by) -> None:
    """A name is left where one of its lots keeps it: as many lots as visits, or one."""
    trails, probability, n_runs = random_trails(), 0.8, 300
    n_lots = np.ones(trails.n_users) if by == "person" else trails.lengths
    expected = np.sum(1 - probability**n_lots)
    found = withhold(trails, probability, by=by, n_runs=n_runs, n_points=2).to_pylist()[-1]
    # All places share their lots, so that runs differ more than with lots of one's own.
    half = 1.5 * (found["auxiliary_high"] - found["auxiliary_low"]) / 2
    assert found["auxiliary"] == pytest.approx(expected, abs=half)


@pytest.mark.parametrize("by", ["visit", "person", "place"])
def test_lots_are_drawn_for_visits_people_or_places(by) -> None:
    trails = random_trails()
    named = _draw_named(trails, 0.5, by, np.random.default_rng(3))
    user = np.repeat(np.arange(trails.n_users), trails.lengths)
    for group, is_one in ((user, by == "person"), (trails.indices, by == "place")):
        shares = np.bincount(group, named) / np.bincount(group)
        assert set(shares.tolist()) <= {0.0, 1.0} if is_one else len(set(shares.tolist())) > 2


def test_more_withholding_leaves_fewer_names_and_links() -> None:
    trails = random_trails()
    ends = [withhold(trails, p, n_runs=10, n_points=4).to_pylist()[-1] for p in (0.1, 0.5, 0.9)]
    assert [row["released"] for row in ends] == [40, 40, 40]
    for name in ("auxiliary", "reidentified"):
        values = [row[name] for row in ends]
        assert values == sorted(values, reverse=True)
    assert ends[0]["reidentified"] > 30 > ends[2]["reidentified"]
    again = withhold(trails, 0.5, n_runs=10, n_points=4).to_pylist()[-1]
    assert again == ends[1]
