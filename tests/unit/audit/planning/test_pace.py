"""Estimates follow what was measured: on a small piece first, then on every part."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning import calibration
from trailprint.audit.planning.calibration import calibrate
from trailprint.audit.planning.pace import Pace, compare
from trailprint.audit.planning.plan import make_plan
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus

SECONDS = st.floats(0.5, 1e4)


def part(name, seconds):
    return Part(name=name, title=name, seconds=seconds, compute=lambda *_: Outcome(data={}))


@given(SECONDS, SECONDS, SECONDS)
def test_a_part_like_one_that_is_done_takes_as_much_longer(first, second, took):
    pace = Pace()
    assert pace.seconds(part("protect/a", first)) == first
    pace.learn(part("protect/a", first), took)
    expected = second * compare(took, first)
    # Others of its kind; and what nothing is known of, because the machine is as fast for them.
    for name in ("protect/b", "growth/users"):
        assert abs(pace.seconds(part(name, second)) / expected - 1) < 1e-9


@given(SECONDS, st.floats(0.01, 100), st.floats(0.01, 100))
def test_what_was_measured_counts_until_the_part_itself_says_more(seconds, measured, drift):
    pace = Pace({"attack/trail": measured})
    for name in ("attack/trail", "control/trail"):
        assert pace.seconds(part(name, seconds)) == seconds * measured
    guess = pace.seconds(part("attack/trail", seconds))
    pace.learn(part("attack/trail", seconds), guess * drift)
    after = pace.seconds(part("control/trail", seconds))
    low, high = sorted((guess, guess * drift))
    assert low * (1 - 1e-9) <= after <= high * (1 + 1e-9)


@given(st.lists(SECONDS, min_size=1, max_size=6), st.floats(0.1, 10))
def test_a_steady_pace_is_found(estimates, factor):
    """Times that all differ by one factor are foretold after the first of them."""
    pace = Pace()
    for number, estimate in enumerate(estimates):
        pace.learn(part(f"protect/{number}", estimate), estimate * factor)
    told = pace.seconds(part("protect/next", 100.0))
    assert 0.5 < told / (100.0 * factor) < 2 or min(estimates) < 3


def test_what_takes_no_time_teaches_little():
    assert 0.5 < compare(0.001, 0.1) < 1
    assert compare(10.0, 1.0) > 8


def test_little_work_is_not_measured_beforehand(engine):
    events = read(simulate_campus(CampusOptions(n_users=20, n_days=14)), engine=engine)
    context = AuditContext(make_sides([events], None, AuditOptions()), AuditOptions(), 1)
    assert calibrate(context, make_plan(context).parts) == {}


def test_a_piece_is_measured_part_by_part(engine, monkeypatch):
    monkeypatch.setattr(calibration, "_MOST_S", 600.0)  # Kernels may have to be compiled.
    monkeypatch.setattr(calibration, "_MOST_SHARE", 1.0)
    events = read(simulate_campus(CampusOptions(n_users=130, n_days=14)), engine=engine)
    options = AuditOptions(attacks=("trail",), protections=("top-locations:n=5",))
    context = AuditContext(make_sides([events], None, options), options, 1)
    parts = [replace(own, seconds=100.0) for own in make_plan(context).parts]
    measured = calibrate(context, parts)
    assert {"attack/trail", "protect/none", "growth/users"} <= set(measured)
    assert not [name for name in measured if name.startswith(("control/", "search"))]
    assert all(ratio > 0 for ratio in measured.values())
