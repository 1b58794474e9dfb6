"""Estimates follow what was measured: on a small piece first, then on every part."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning import calibration, clock
from trailprint.audit.planning.calibration import calibrate
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.pace import Pace
from trailprint.audit.planning.seconds import Seconds
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus

LONG = st.floats(5.0, 1e4)
FACTOR = st.floats(0.2, 5.0)


def part(name, seconds):
    return Part(name=name, title=name, seconds=seconds, compute=lambda *_: Outcome(data={}))


@given(LONG)
def test_what_nothing_is_known_of_takes_what_its_formula_says(seconds):
    assert Pace().seconds(part("protect/a", seconds)) == pytest.approx(seconds)
    made = Seconds({"match": seconds, "learning": 1.0})
    assert Pace().seconds(part("protect/a", made)) == pytest.approx(seconds + 1.0)


@given(LONG, LONG, FACTOR)
def test_a_slow_machine_is_slow_for_everything(first, second, factor):
    pace = Pace()
    pace.learn(part("attack/a", Seconds({"a": first})), first * factor)
    reported = pace.seconds(part("growth/b", Seconds({"b": second}))) / second
    assert min(1.0, factor) - 1e-9 <= reported <= max(1.0, factor) + 1e-9
    assert (reported - 1.0) * (factor - 1.0) >= -1e-9


@given(LONG, LONG, FACTOR)
def test_what_one_part_shows_of_an_operation_counts_for_every_other(first, second, factor):
    pace = Pace()
    for name in ("attack/a", "control/a"):
        pace.learn(part(name, Seconds({"a": first})), first * factor)
    reported = pace.seconds(part("growth/users", Seconds({"a": second}))) / second
    assert 1 / 1.5 < reported / factor < 1.5


@given(LONG, st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_operations_are_distinguished(seconds, first, second):
    """Two operations that differ from their formulas in different ways, seen mixed and alone."""
    pace = Pace()
    for number in range(3):
        pace.learn(part(f"protect/{number}", Seconds({"a": seconds})), seconds * first)
        both = Seconds({"a": seconds, "b": seconds})
        pace.learn(part(f"growth/{number}", both), seconds * (first + second))
    alone = Seconds({"b": seconds})
    assert 1 / 2.2 < pace.seconds(part("why", alone)) / (seconds * second) < 2.2


@given(LONG, FACTOR, FACTOR)
def test_the_part_itself_counts_for_more_than_its_piece(seconds, on_piece, whole):
    pace, own = Pace(), part("attack/a", Seconds({"a": seconds}))
    pace.learn(part("attack/a", Seconds({"a": seconds / 5})), on_piece * seconds / 5, on_piece=True)
    before = pace.seconds(own) / seconds
    assert 1 / 1.4 < before / on_piece < 1.4
    pace.learn(own, whole * seconds)
    after = pace.seconds(own) / seconds
    assert min(before, whole) / 1.1 <= after <= max(before, whole) * 1.1
    assert abs(after - whole) <= abs(before - whole) + 0.05 * whole


@given(st.floats(0.0, 0.01), LONG)
def test_what_takes_no_time_teaches_little(moment, seconds):
    pace = Pace()
    pace.learn(part("attack/a", Seconds({"a": 0.02})), moment)
    assert 0.7 < pace.seconds(part("growth/b", Seconds({"a": seconds}))) / seconds < 1.4


def test_what_has_no_end_teaches_nothing():
    pace, search = Pace(), replace(part("search", 10.0), least_share=0.5)
    pace.learn(search, 1000.0)
    assert pace.seconds(search) == pytest.approx(10.0)


def test_further_values_of_a_protection_take_as_long_as_the_first():
    pace = Pace()
    for _ in range(3):
        pace.learn(part("protect/grid", Seconds({"events": 10.0})), 40.0)
    further = part("protect/more", Seconds({"events": 10.0}))
    assert pace.seconds(further) < 38.0
    assert pace.seconds(replace(further, like="protect/grid")) == pytest.approx(40.0, rel=0.05)


def test_little_work_is_not_measured_beforehand(engine):
    events = read(simulate_campus(CampusOptions(n_users=20, n_days=14)), engine=engine)
    context = AuditContext(make_sides([events], None, AuditOptions()), AuditOptions(), 1)
    parts = make_plan(context).parts
    pace = calibrate(context, parts)
    assert [pace.seconds(own) for own in parts] == pytest.approx([own.seconds for own in parts])


def test_a_piece_is_measured_part_by_part(engine, monkeypatch):
    learnt = []
    monkeypatch.setattr(calibration, "_MOST_S", 600.0)  # Kernels may have to be compiled.
    monkeypatch.setattr(calibration, "_MOST_SHARE", 1.0)
    monkeypatch.setattr(Pace, "learn", lambda self, own, seconds, on_piece: learnt.append(own))
    events = read(simulate_campus(CampusOptions(n_users=130, n_days=14)), engine=engine)
    options = AuditOptions(attacks=("trail",), protections=("top-locations:n=5",))
    context = AuditContext(make_sides([events], None, options), options, 1)
    calibrate(context, [replace(own, seconds=100.0) for own in make_plan(context).parts])
    names = [own.name for own in learnt]
    assert {"attack/trail", "control/trail", "protect/none", "growth/users"} <= set(names)
    assert "search" not in names
    assert len(names) == len(set(names))


def test_measuring_a_piece_ends_when_its_time_is_up(engine, monkeypatch):
    monkeypatch.setattr(calibration, "_MOST_S", 0.0)
    events = read(simulate_campus(CampusOptions(n_users=130, n_days=14)), engine=engine)
    context = AuditContext(make_sides([events], None, AuditOptions()), AuditOptions(), 1)
    began = clock.now()
    calibrate(context, [replace(own, seconds=100.0) for own in make_plan(context).parts])
    assert clock.now() - began < 20
