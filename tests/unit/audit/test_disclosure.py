"""What is masked of an audit's exact results: here, of 200 people, 2 % are four."""

from dataclasses import replace

import pytest

from trailprint.audit.disclosure import mask_attack, mask_bins, mask_protection
from trailprint.audit.results.attacks import (
    Baseline,
    CoverageFinding,
    MeasuredAttack,
    RankPoint,
    RanksFinding,
    ViewFinding,
    ViewsFinding,
)
from trailprint.audit.results.protections import (
    MeasuredAlone,
    MeasuredGroups,
    MeasuredJudgement,
    MeasuredProtection,
)
from trailprint.evaluation.per_user import RiskBin

N_PEOPLE = 200
SPAN = (0.01, 0.99)
AT_MOST = 9 / N_PEOPLE


def attack(n_right=100, **changes):
    found = MeasuredAttack(
        name="histogram",
        people=N_PEOPLE,
        matched=N_PEOPLE,
        correct=n_right,
        accuracy=n_right / N_PEOPLE,
        interval=SPAN,
        chance=0.005,
        precision=n_right / N_PEOPLE,
        variant="",
        baseline=None,
        ranks=None,
    )
    return mask_attack(replace(found, **changes))


def protection(accuracy=0.5, **changes):
    found = MeasuredProtection(
        label="Fair",
        name="microaggregate",
        parameters={"k": 5},
        loss=0.1,
        accuracy=accuracy,
        interval=SPAN,
        cluster_accuracy=0.5,
        chance=0.005,
        attack="l1",
    )
    return mask_protection(replace(found, **changes), N_PEOPLE)


@pytest.mark.parametrize(
    ("n_right", "shown"),
    [(4, ("<10", None, None, None, AT_MOST)), (10, (10, 0.05, SPAN, 0.05, None))],
)
def test_an_attack_that_links_a_few_people_has_a_bound_and_no_rates(n_right, shown):
    found = attack(n_right)
    rates = (found.correct, found.accuracy, found.interval, found.precision, found.at_most)
    assert rates == shown


@pytest.mark.parametrize(
    ("accuracy", "shown"), [(0.02, (None, None, AT_MOST)), (0.05, (0.05, SPAN, None))]
)
def test_the_other_method_is_masked_by_what_it_links_itself(accuracy, shown):
    found = attack(
        baseline=Baseline(title="One by one", accuracy=accuracy, interval=SPAN, chance=0.005)
    ).baseline
    assert found is not None
    assert (found.accuracy, found.interval, found.at_most) == shown


@pytest.mark.parametrize(
    ("n_right", "n_second", "kept"),
    [
        pytest.param(115, 120, [1, 2, 5], id="only the second is close"),
        pytest.param(105, 120, [2, 5], id="the first is close to what the attack links"),
        pytest.param(100, 104, [1, 5], id="four between two points"),
    ],
)
def test_a_curve_of_ranks_keeps_points_with_no_few_people_between_them(n_right, n_second, kept):
    counts = {1: 100, 2: n_second, 5: N_PEOPLE}
    curve = tuple(RankPoint(k=k, share=n / N_PEOPLE) for k, n in counts.items())
    found = attack(n_right, ranks=RanksFinding(median=1.0, curve=curve)).ranks
    assert found is not None
    assert [place.k for place in found.curve] == kept


def test_the_first_rank_may_be_close_to_what_the_other_method_links_too():
    curve = tuple(RankPoint(k=k, share=share) for k, share in ((1, 0.4), (2, 0.8), (5, 1.0)))
    other = Baseline(title="One by one", accuracy=0.42, interval=SPAN, chance=0.005)
    found = attack(ranks=RanksFinding(median=1.0, curve=curve), baseline=other).ranks
    assert found is not None
    assert [place.k for place in found.curve] == [2, 5]


def test_a_curve_of_precision_keeps_points_with_no_few_wrong_links_between_them():
    counts = [(20, 20), (45, 50), (80, 100)]
    points = tuple(
        CoverageFinding(coverage=n / 100, precision=right / n, links=n) for right, n in counts
    )
    assert [point.links for point in attack(coverage=points).coverage] == [20, 100]


def test_of_views_neither_a_few_people_nor_a_change_of_a_few_is_shown():
    def view(alone, change):
        return ViewFinding(
            name="places",
            title="Places",
            weight=0.5,
            keys=3,
            accuracy_alone=alone,
            leave_one_out=change,
        )

    views = ViewsFinding(
        weights_from="learnt",
        note="",
        learnt_from=50,
        people=N_PEOPLE,
        accuracy=0.5,
        views=(view(0.02, -0.02), view(0.2, -0.1), view(None, None)),
        left_out=(),
    )
    found = attack(views=views).views
    assert found is not None
    assert found.accuracy == 0.5
    shown = [(one.accuracy_alone, one.at_most, one.leave_one_out) for one in found.views]
    assert shown == [(None, AT_MOST, "<10"), (0.2, None, -0.1), (None, None, None)]
    few = attack(views=replace(views, accuracy=0.02)).views
    assert few is not None
    assert few.accuracy is None


def test_a_protection_is_masked_by_each_of_its_rates():
    few = protection(0.02)
    assert (few.accuracy, few.interval, few.at_most) == (None, None, AT_MOST)
    assert few.cluster_accuracy == 0.5
    other = protection(cluster_accuracy=0.02)
    assert (other.accuracy, other.interval, other.at_most) == (0.5, SPAN, None)
    assert other.cluster_accuracy is None


def test_a_rate_of_fewer_people_is_masked_by_their_number():
    assert protection(0.1).accuracy == 0.1
    assert protection(0.1, people=50).at_most == 9 / 50


def test_every_family_that_judges_is_masked_by_the_people_it_was_tried_on():
    def judged(accuracy, cluster, people):
        return MeasuredJudgement(
            attack="trail",
            variant="",
            people=people,
            accuracy=accuracy,
            interval=SPAN,
            cluster_accuracy=cluster,
            chance=0.01,
        )

    found = protection(judged=(judged(0.1, 0.5, 50), judged(0.5, 0.1, 50), judged(0.1, 0.1, 100)))
    shown = [
        (one.accuracy, one.interval, one.cluster_accuracy, one.at_most) for one in found.judged
    ]
    assert shown == [(None, None, 0.5, 9 / 50), (0.5, SPAN, None, None), (0.1, SPAN, 0.1, None)]


@pytest.mark.parametrize(
    ("accuracy", "shown"), [(0.1, (None, None, 9 / 50)), (0.5, (0.5, SPAN, None))]
)
def test_the_release_alone_is_masked_by_its_own_people(accuracy, shown):
    alone = MeasuredAlone(people=50, attack="trail", accuracy=accuracy, interval=SPAN, at_risk=0.9)
    found = protection(alone=alone).alone
    assert found is not None
    assert (found.accuracy, found.interval, found.at_most) == shown


@pytest.mark.parametrize(
    ("n_few", "shown"), [(4, ("<10", None)), (50, (50, 0.25)), (196, (">190", None))]
)
def test_groups_are_masked_where_a_few_people_are_in_small_ones_or_are_not(n_few, shown):
    groups = MeasuredGroups(smallest=1, people=N_PEOPLE, in_small=n_few)
    found = protection(groups=groups).groups
    assert found is not None
    assert (found.people_under_k, found.share_under_k) == shown


def test_bins_of_risk_are_joined_until_they_hold_no_few_people():
    bins = [RiskBin(low=k / 5, high=(k + 1) / 5, people=n) for k, n in enumerate((30, 4, 3, 20, 0))]
    assert [(one.low, one.high, one.people) for one in mask_bins(bins)] == [
        (0.0, 0.2, 30),
        (0.2, 0.8, 27),
        (0.8, 1.0, 0),
    ]
