"""Which protections none beats, and which one reaches a target."""

from trailprint.audit.frontier import find_target, has_effect, is_whole, mark_frontier
from trailprint.audit.results.protections import NONE, MeasuredProtection, NotJudgedBy


def point(loss, accuracy, name="x", **more):
    return MeasuredProtection(
        label="",
        name=name,
        parameters={},
        loss=loss,
        accuracy=accuracy,
        interval=(accuracy - 0.05, accuracy + 0.05),
        cluster_accuracy=accuracy,
        chance=0.1,
        attack="l1",
        **more,
    )


def marks(points):
    return [marked.on_frontier for marked in mark_frontier(points)]


def test_points_that_cost_less_or_protect_better_are_on_the_frontier():
    points = [point(0, 0.9), point(0.2, 0.5), point(0.3, 0.5), point(0.4, 0.1), point(0.1, 0.95)]
    assert marks(points) == [True, True, False, True, False]


def test_a_point_that_not_every_family_judged_is_not_compared():
    points = [point(0, 0.9), point(0.05, 0.01, judged_by_all=False), point(0.02, 0.01, people=5)]
    assert marks(points) == [True, False, False]


def test_a_point_without_an_effect_is_never_on_the_frontier():
    assert marks([point(0, 0.9, NONE), point(0, 0.88), point(0, 0.9)]) == [True, False, False]


def test_only_the_data_as_it_is_counts_as_unprotected():
    assert point(0, 0.9, NONE).is_unprotected
    assert not point(0, 0.9).is_unprotected


def test_equal_points_are_both_on_the_frontier():
    assert marks([point(0.1, 0.1), point(0.1, 0.1)]) == [True, True]


def test_the_target_is_reached_by_the_least_loss_that_every_family_judged():
    plain = point(0, 0.9, NONE, at_risk=0.95)
    cheap = point(0.1, 0.2, at_risk=0.25, judged_by_all=False)
    enough = point(0.3, 0.2, at_risk=0.25)
    more = point(0.5, 0.1, at_risk=0.15)
    assert find_target([plain, cheap, more, enough], 0.3) == enough
    assert find_target([plain, cheap, more, enough], 0.1) is None
    assert not is_whole(cheap)
    assert has_effect(enough, plain)


def test_no_target_is_reached_where_an_attack_judges_nothing():
    refused = (NotJudgedBy(attack="other", why="It is not made for that."),)
    plain = point(0, 0.2, NONE, at_risk=0.25, not_judged=refused)
    enough = point(0.3, 0.1, at_risk=0.15, not_judged=refused)
    assert find_target([plain, enough], 0.3) is None
    # One that judges the data as it is, but not what is left of it, has lost what it needs.
    judged = point(0, 0.5, NONE, at_risk=0.55)
    assert find_target([judged, enough], 0.3) == enough
