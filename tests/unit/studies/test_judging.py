"""The risk that counts against a target, and which attack is the strongest."""

import pytest
from tests.presence import present

from trailprint.evaluation.intervals import wilson
from trailprint.studies.judging import Success, find_by_family, find_strongest, measure_at_risk


def success(drawn, expected=0.0, *, left=50, is_whole=True, family="histogram"):
    """What an attack on 100 people achieves, of whom some are left."""
    return Success(
        attack=f"{family} {drawn} {expected}",
        family=family,
        people=100,
        left=left,
        is_whole=is_whole,
        user_accuracy=drawn,
        cluster_accuracy=drawn,
        expected_user_accuracy=expected,
        accuracy_interval=(0.0, 1.0),
        cluster_interval=(0.0, 1.0),
        chance=0.01,
    )


@pytest.mark.parametrize(("drawn", "expected"), [(0.2, 0.1), (0.1, 0.2)])
def test_the_risk_is_the_upper_bound_among_people_left_however_ties_are_drawn(drawn, expected):
    assert success(drawn, expected).at_risk == present(wilson(20, 50))[1]


def test_no_more_people_are_at_risk_than_are_left():
    assert success(0.6, left=50).at_risk == 1.0
    assert success(0.0, left=0).at_risk == 1.0  # unknown


def test_of_some_people_the_rate_itself_counts():
    assert success(0.2, is_whole=False).at_risk == pytest.approx(20 / 50)


def test_attacks_on_people_who_are_all_gone_neither_count_nor_promise_safety():
    gone = success(0.0, left=0, is_whole=False)
    assert gone.at_risk == 1.0  # unknown
    assert measure_at_risk([gone, success(0.3)]) == success(0.3).at_risk
    assert measure_at_risk([gone]) == 1.0


def test_the_strongest_attack_on_everyone_counts_before_those_on_some():
    weak, strong = success(0.5, 0.1), success(0.2, 0.3)
    part = success(0.9, 0.9, is_whole=False)
    assert find_strongest([weak, strong, part]) is strong
    assert find_strongest([part]) is part


def test_every_family_is_represented_by_its_strongest_attack():
    trail = success(0.1, 0.1, family="trail")
    weak, strong, as_strong = success(0.5, 0.1), success(0.2, 0.3), success(0.4, 0.3)
    best = find_by_family([weak, strong, trail, as_strong])
    assert best == {"histogram": strong, "trail": trail}


def test_a_release_is_as_risky_as_its_worst_attack():
    found = [success(0.1), success(0.3), success(0.2)]
    assert measure_at_risk(found) == found[1].at_risk
