"""Unicity in larger populations: the linear bound by hand, and when the model is not checked."""

import numpy as np
import pytest
from tests.presence import present

from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.larger_populations import bound_below, check_model


def test_the_bound_falls_with_the_share_of_people_who_have_one_other_candidate():
    """Of 11 people, 6 are unique and 4 have one other candidate, whom more people may join."""
    tally = np.array([0, 6, 4, 1])
    slope = present(wilson(4, 11))[1] / 10
    assert bound_below(tally, 11, 11) == pytest.approx(6 / 11)
    assert bound_below(tally, 11, 13) == pytest.approx(6 / 11 - 2 * slope)
    assert bound_below(tally, 11, 1000) == 0.0


def test_draws_are_no_further_people():
    """With two draws of each person the interval is still over eleven people."""
    tally = np.array([0, 6, 4, 1])
    assert bound_below(2 * tally, 11, 13) == bound_below(tally, 11, 13)


def test_one_person_says_nothing_of_more():
    assert bound_below(np.array([0, 1, 0]), 1, 10) == 0.0


@pytest.mark.parametrize(("n_users", "is_checked"), [(999, False), (1000, True)])
def test_the_model_is_checked_with_a_tenth_of_at_least_1000_people(n_users, is_checked):
    tally = np.array([0, n_users // 2, 300, n_users - 300 - n_users // 2])
    checked = check_model(3, tally, n_users)
    assert (checked is not None) == is_checked
    if checked is not None:
        assert (checked.fitted_to, checked.measured) == (100, 0.5)
