"""Shares of people whom few or no others match, counted by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.attacks.points.drawn import CandidateCounts
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.unicity import measure_sharing, measure_unicity, measure_worst

#: Candidates of four people: one is unique, and 2 and 3 surround the median.
CANDIDATES = np.array([1, 2, 3, 30])
FEWER = {2: 0.25, 5: 0.75, 10: 0.75, 20: 0.75}


def tally(candidates) -> CandidateCounts:
    """One draw of three points from each person, of whom one has fewer."""
    return CandidateCounts(
        points=(3,),
        tallies=(np.bincount(candidates, minlength=2),),
        unique=np.zeros((len(candidates), 1), dtype=np.int64),
        n_users=100,
        n_draws=1,
        n_shorter=(1,),
    )


def test_drawn_points_are_as_revealing_as_few_people_match_them():
    (found,) = measure_unicity(tally(CANDIDATES))
    assert (found.points, found.people, found.shorter) == (3, 4, 1)
    assert (found.share, found.interval) == (0.25, wilson(1, 4))
    assert (found.candidates_mean, found.candidates_median) == (9.0, 2.5)
    assert found.fewer_than == FEWER


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_the_median_is_that_of_the_candidates(candidates):
    (found,) = measure_unicity(tally(candidates))
    assert found.candidates_median == np.median(candidates)


def test_the_most_revealing_points_leave_the_fewest_candidates():
    found = measure_worst(2, CANDIDATES, seconds=1.5)
    assert (found.k, found.seconds) == (2, 1.5)
    assert found.mean_risk == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 30) / 4)
    assert (found.share_at_one, found.interval) == (0.25, wilson(1, 4))
    assert (found.candidates_median, found.fewer_than) == (2.5, FEWER)


def test_sharing_is_unique_where_one_person_has_a_trace():
    found = measure_sharing("trace", CANDIDATES)
    assert (found.what, found.people) == ("trace", 4)
    assert (found.unique_share, found.interval) == (0.25, wilson(1, 4))
    assert (found.sharing_median, found.fewer_than) == (2.5, FEWER)
