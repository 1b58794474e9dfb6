"""Trials of protections: what was measured of a release is not measured again."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

import trailprint as tp
from trailprint.errors import InputError
from trailprint.events.halving import halve_suitably
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.suppress import CommonLocations
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.studies import protection_trial
from trailprint.studies.judging import Judge
from trailprint.studies.options import TrialOptions
from trailprint.studies.protection_trial import TrialContext


@pytest.fixture(scope="module")
def sides():
    return halve_suitably(tp.read(simulate_campus(CampusOptions(n_users=12, n_days=14))), 0)


@pytest.fixture
def done(monkeypatch):
    """How often protections were applied and histograms matched."""
    counted: Counter[str] = Counter()
    for name in ("match_histograms", "protect_histograms", "measure_tasks"):
        real = getattr(protection_trial, name)
        monkeypatch.setattr(protection_trial, name, partial(count, counted, name, real))
    return counted


def count(counted, name, do, *given, **named):
    counted[name] += 1
    return do(*given, **named)


def refuse(*_):
    raise InputError("It judges nothing.")


def start(sides, *judges):
    released, auxiliary = sides
    return TrialContext(released, auxiliary, (), TrialOptions(), None, 1, judges)


@pytest.mark.parametrize("step", [Microaggregate(k=2), CommonLocations(min_users=2)])
def test_only_further_families_are_asked_about_a_release_that_is_known(sides, done, step):
    context, judge = start(sides), Judge(name="slow", on_events=refuse)
    quick = context.measure((step,), {}, (), with_tasks=False)
    before = dict(done)
    full = context.measure((step,), {}, (judge,))
    assert done == before | {"measure_tasks": 1}
    assert (quick.tasks, quick.not_judged) == (None, ())
    assert full.tasks is not None
    assert [one.family for one in full.not_judged] == ["slow"]
    assert (full.loss, full.attacks, full.groups) == (quick.loss, quick.attacks, quick.groups)
    assert context.measure((step,), {}, (judge,)) == full
    assert done == before | {"measure_tasks": 1}


def test_a_release_that_is_known_is_what_it_would_be_if_made_again(sides):
    chain = (CommonLocations(min_users=2), Microaggregate(k=3))
    judge = Judge(name="slow", on_events=refuse)
    context = start(sides, judge)
    context.measure((), {}, ())
    context.measure(chain, {}, (), with_tasks=False)
    assert context.measure(chain, {}) == start(sides, judge).measure(chain, {})


def test_who_is_not_asked_now_is_not_heard(sides):
    judge = Judge(name="slow", on_events=refuse)
    context = start(sides, judge)
    assert context.measure((), {}).not_judged
    assert not context.measure((), {}, ()).not_judged


def test_more_draws_are_another_measurement(sides, done):
    context = start(sides)
    one, three = context.measure((), {}), context.measure((), {}, draws=3)
    assert len(three.attacks) == 3 * len(one.attacks)
