"""Sides of rows in, a linkage out: sizes, numbers of rows and ranks are those of all users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.matching import EXACT, follow, to_arrays
from trailprint.attacks.options import MatchOptions
from trailprint.errors import InputError, OptionError
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.kernels.matching.pricing import Round

Sides = tuple[Histograms, Histograms]


@pytest.fixture
def sides(make_events):
    """Three people who differ by how often they are where, listed in the same order."""
    counts = {"a": (8, 1, 0), "b": (0, 7, 2), "c": (1, 0, 9)}
    rows = [(user, place, n) for user, own in counts.items() for place, n in enumerate(own)]
    events = make_events([row for row in rows if row[2]], "user", "location", "count")
    return build_histogram_pair(events, events)


def test_a_joint_matching_is_proven_and_finds_everybody(sides: Sides):
    linkage = match_histograms(*sides, MatchOptions())
    assert linkage.released.tolist() == linkage.auxiliary.tolist() == [0, 1, 2]
    assert linkage.facts["exact"]
    assert linkage.facts["optimality_gap"] <= EXACT * linkage.facts["total_gain"]
    assert np.allclose(linkage.weight, 0.0, atol=1e-9)


def test_a_size_links_the_surest_and_no_more_than_there_are(sides: Sides):
    assert match_histograms(*sides, MatchOptions(size=2)).n_links == 2
    with pytest.raises(OptionError, match="at most the 3 users of the smaller side, got 4"):
        match_histograms(*sides, MatchOptions(size=4))


def test_one_by_one_may_choose_from_either_side(sides: Sides):
    fewer = sides[1].select(np.array([0, 1]))
    options = MatchOptions(method="one-by-one")
    forward = match_histograms(sides[0], fewer, options)
    back = match_histograms(sides[0], fewer, replace(options, direction="auxiliary"))
    assert forward.released.tolist() == [0, 1, 2]
    assert back.auxiliary.tolist() == [0, 1]
    assert back.released.tolist() == [0, 1]


@pytest.mark.parametrize("method", ["joint", "one-by-one"])
def test_people_without_data_rank_last_and_move_no_one_else(method):
    """Shares of the first of two places are 3/4, none, 1/4; and none, 3/4, 1/4, 1/2."""
    counts = ([[3, 1], [0, 0], [1, 3]], [[0, 0], [3, 1], [1, 3], [2, 2]])
    released, auxiliary = (
        Histograms(
            matrix=sparse.csr_array(np.array(own, dtype=float)),
            users=pa.array([f"u{k}" for k in range(len(own))]),
            locations=pa.array(["x", "y"]),
        )
        for own in counts
    )
    linkage = match_histograms(released, auxiliary, MatchOptions(method=method, metric="l1"))
    assert list(zip(linkage.released, linkage.auxiliary, strict=True)) == [(0, 1), (2, 2)]
    found = linkage.rank(np.array([0, 0, 0, 2, 1, 0]), np.array([1, 3, 2, 3, 1, 0]))
    # Three auxiliary people have data.
    assert found.n_better.tolist() == [0, 1, 2, 1, 3, 3]
    assert found.n_tied.tolist() == [1] * 6
    if linkage.prices is not None:
        assert len(linkage.prices) == 4
        assert linkage.prices[0] == 0


def test_people_rank_by_how_many_are_nearer(sides: Sides):
    linkage = match_histograms(*sides, MatchOptions())
    own = linkage.rank(np.array([0, 1, 2]), np.array([0, 1, 2]))
    assert own.n_better.tolist() == [0, 0, 0]
    assert own.n_tied.tolist() == [1, 1, 1]
    others = linkage.rank(np.array([0]), np.array([1]))
    assert others.n_better[0] >= 1


def test_a_side_without_data_is_refused(sides: Sides):
    with pytest.raises(InputError, match="Both sides must have users with events"):
        match_histograms(sides[0], sides[1].select(np.array([], dtype=np.int64)), MatchOptions())


def test_kernels_get_plain_arrays_of_their_own_types():
    indptr, indices, data = to_arrays(sparse.csr_array(np.eye(2, dtype=np.int32)))
    assert [str(one.dtype) for one in (indptr, indices, data)] == ["int64", "int32", "float64"]


def test_a_gap_below_zero_by_rounding_is_shown_as_none():
    said: list[str] = []
    report = present(follow(lambda what, done: said.append(what)))
    report(Round(number=1, n_violated=0, total_gain=1.0, upper_bound=1.0 - 1e-15))
    assert said == ["Matching, round 1: gap 0"]
