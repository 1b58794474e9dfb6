"""Trade-offs: shared work, two accuracies, and the search for a target."""

import datetime as dt
from types import SimpleNamespace

import numpy as np
import pytest
from tests.presence import present

from trailprint.attacks.options import MatchOptions
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.events.events import Events
from trailprint.protections.chain import build_sides
from trailprint.protections.coarsen import CoarsenNames
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.noise import Noise
from trailprint.protections.suppress import ActiveUsers
from trailprint.studies import protection_trial
from trailprint.studies.frontier import sweep
from trailprint.studies.options import SweepOptions

UTC = dt.UTC
Sides = tuple[Events, Events]
N_USERS = 60


@pytest.fixture(scope="module")
def sides(make_events) -> Sides:
    random = np.random.default_rng(5)
    habits = random.dirichlet(np.full(30, 0.2), N_USERS)

    def period(day):
        rows = []
        for user, habit in enumerate(habits):
            for minute, place in enumerate(random.choice(30, 25 + user % 7, p=habit)):
                when = dt.datetime(2024, 1, day, tzinfo=UTC) + dt.timedelta(minutes=minute)
                rows.append((f"u{user:02}", f"b{place % 5}.r{place}", when))
        return make_events(rows, "user", "location", "start")

    return period(1), period(10)


def test_points_of_micro_aggregation(sides: Sides):
    found = sweep(*sides, [Microaggregate()], SweepOptions(parameter="k", values=(1, 2, 5, 60)))
    assert found.n_people == N_USERS
    assert [point.parameters["k"] for point in found.points] == [1, 2, 5, 60]
    first, *_, last = found.points
    assert first.loss.information_loss == 0
    assert last.loss.information_loss == pytest.approx(1.0)
    assert first.strongest.user_accuracy == first.strongest.cluster_accuracy > 0.8
    assert last.strongest.cluster_accuracy == 1.0
    assert last.strongest.expected_user_accuracy == pytest.approx(1 / N_USERS)
    for point in found.points:
        low, high = point.strongest.accuracy_interval
        assert low <= point.strongest.user_accuracy <= high
        assert point.strongest.user_accuracy <= point.strongest.cluster_accuracy
        assert point.facts["smallest_group"] >= point.parameters["k"]


def test_the_strongest_attack_counts(sides: Sides):
    options = SweepOptions(parameter="k", values=(2,))
    (point,) = sweep(*sides, [Microaggregate()], options).points
    assert len(point.attacks) == 3
    best = max(done.expected_user_accuracy for done in point.attacks)
    assert point.strongest.expected_user_accuracy == best


def test_features_are_built_once_where_histograms_are_protected(sides: Sides, monkeypatch):
    built = []

    def count(*given):
        built.append(1)
        return build_sides(*given)

    monkeypatch.setattr(protection_trial, "build_sides", count)
    sweep(*sides, [CoarsenNames(), Microaggregate()], SweepOptions(parameter="k", values=(1, 2, 3)))
    assert len(built) == 1
    sweep(*sides, [CoarsenNames()], SweepOptions(parameter="levels", values=(1, 2)))
    assert len(built) == 3


def test_bisection_finds_the_smallest_k_that_suffices(sides: Sides):
    options = SweepOptions(
        parameter="k", values=(1, 30), target_risk=0.2, attacks=(MatchOptions(),)
    )
    found = sweep(*sides, [Microaggregate()], options)
    assert found.target is not None
    assert found.target.strongest.user_accuracy <= 0.2
    assert 0 < len(found.searched) <= 5
    chosen = found.target.parameters["k"]
    tried = [p.parameters["k"] for p in (*found.points, *found.searched)]
    assert max(k for k in tried if k < chosen) == chosen - 1


def test_a_real_parameter_is_searched_too(sides: Sides):
    options = SweepOptions(
        parameter="epsilon", values=(500.0, 0.5), target_risk=0.3, attacks=(MatchOptions(),)
    )
    found = sweep(*sides, [Noise(max_events=40)], options)
    assert found.target is not None
    assert found.target.strongest.user_accuracy <= 0.3
    assert 0.5 < found.target.parameters["epsilon"] < 500
    assert found.target.loss.information_loss < found.points[1].loss.information_loss


@pytest.fixture
def risk_of_k(monkeypatch):
    """Points without protecting anything: a larger k loses more, and a table says its risk."""

    def use(find_risk):
        def measure(context, chain, parameters):
            k = parameters["k"]
            loss = SimpleNamespace(information_loss=k)
            return SimpleNamespace(parameters=parameters, loss=loss, at_risk=find_risk(k))

        monkeypatch.setattr(protection_trial.TrialContext, "measure", measure)

    return use


def test_the_search_is_above_the_strongest_value_that_is_too_weak(sides: Sides, risk_of_k):
    risk_of_k(lambda k: 0.1 if k == 4 or k >= 12 else 0.5)
    options = SweepOptions(parameter="k", values=(2, 4, 5, 30, 60), target_risk=0.1)
    found = sweep(*sides, [Microaggregate()], options)
    searched = [point.parameters["k"] for point in found.searched]
    assert all(5 < k < 30 for k in searched)
    assert {11, 12} <= set(searched)
    assert present(found.target).parameters["k"] == 4


def test_nothing_is_searched_where_every_value_suffices(sides: Sides, risk_of_k):
    risk_of_k(lambda k: 0.1)
    options = SweepOptions(parameter="k", values=(30, 60), target_risk=0.1)
    found = sweep(*sides, [Microaggregate()], options)
    assert found.searched == ()
    assert present(found.target).parameters["k"] == 30


def test_a_target_out_of_reach_is_none(sides: Sides):
    options = SweepOptions(parameter="k", values=(1, 2), target_risk=0.0)
    found = sweep(*sides, [Microaggregate()], options)
    assert found.target is None
    assert found.searched == ()


def test_people_left_out_lower_the_rate_but_make_nobody_else_safer(sides: Sides):
    options = SweepOptions(parameter="min_events", values=(1, 31), target_risk=0.5)
    found = sweep(*sides, [ActiveUsers()], options)
    few_kept = found.points[1]
    assert few_kept.loss.users_kept < 0.2
    assert few_kept.strongest.user_accuracy <= few_kept.loss.users_kept
    assert found.searched == ()  # not monotone: chosen among the values asked for
    left = few_kept.strongest.left
    assert left <= 60 * few_kept.loss.users_kept
    n_linked = round(few_kept.strongest.user_accuracy * 60)
    assert few_kept.at_risk >= present(wilson(n_linked, left))[1]
    assert few_kept.at_risk > 0.5
    assert found.target is None


def test_values_the_data_does_not_allow_are_left_out_and_said(sides: Sides):
    options = SweepOptions(parameter="k", values=(2, 61, 30), target_risk=0.2)
    found = sweep(*sides, [Microaggregate()], options)
    assert [point.parameters["k"] for point in found.points] == [2, 30]
    (refused,) = found.left_out
    assert refused.parameters["k"] == 61
    assert "at most the number of users" in refused.why
    assert found.target is not None


def test_a_sweep_of_nothing_but_impossible_values_is_an_error(sides: Sides):
    with pytest.raises(OptionError, match="at most the number of users"):
        sweep(*sides, [Microaggregate()], SweepOptions(parameter="k", values=(61, 99)))
    with pytest.raises(InputError, match="leaves none"):
        sweep(*sides, [ActiveUsers()], SweepOptions(parameter="min_events", values=(999,)))


def test_a_wrong_value_is_refused_before_any_work(sides: Sides, monkeypatch):
    monkeypatch.setattr(protection_trial, "start", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(OptionError, match="k must be at least 1"):
        sweep(*sides, [Microaggregate()], SweepOptions(parameter="k", values=(5, 0)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameter": "k", "values": ()}, "needs values of k"),
        ({"parameter": "k", "values": (2, 2)}, "each value of k once"),
        ({"parameter": "k", "values": (2,), "target_risk": 5}, "a share from 0 to 1"),
        ({"parameter": "k", "values": (2,), "attacks": ()}, "At least one attack"),
    ],
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(OptionError, match=message):
        SweepOptions(**options)


@pytest.mark.parametrize("chain", [[Noise()], [Microaggregate(), Microaggregate()]])
def test_exactly_one_protection_must_have_the_parameter(sides: Sides, chain):
    with pytest.raises(OptionError, match="exactly one protection"):
        sweep(*sides, chain, SweepOptions(parameter="k", values=(2,)))


def test_nobody_on_both_sides(sides: Sides):
    nobody = sides[1].having("\"user\" = 'nobody'")
    with pytest.raises(OptionError, match="no user id is on both"):
        sweep(sides[0], nobody, [Microaggregate()], SweepOptions(parameter="k", values=(2,)))
