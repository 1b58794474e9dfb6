"""A time limit holds inside long parts: they are stopped, left out, and that is said."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from trailprint import Engine
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.audit import AuditOptions, audit, run
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.estimates import sequence_seconds
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.pace import Pace
from trailprint.audit.planning.plan import Plan
from trailprint.audit.sides import make_sides
from trailprint.errors import OptionError
from trailprint.events.reading.read import read
from trailprint.features.sequences import build_sequence_pair
from trailprint.kernels.stopping import OutOfTimeError, time_limit
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore

LIMIT_S = 1.0


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=25, n_days=14, seed=2)), engine=engine)


@pytest.fixture(scope="module")
def context(campus):
    return AuditContext(make_sides([campus], None, AuditOptions()), AuditOptions(), 1)


def at_once(context, before, progress):
    return Outcome(data={})


def do_nothing(before, progress):
    return Outcome(data={})


def keeps_running(context, before, progress):
    for step in range(6_000):
        time.sleep(0.01)
        progress(step / 6_000)
    return Outcome(data={})


def waits_for_a_query(context, before, progress):
    context.events[0].engine.row(
        "SELECT sum(a.range * b.range) FROM range(9000000) a, range(9999) b"
    )
    return Outcome(data={})


def work_on(context, monkeypatch, parts, limit_s=LIMIT_S, store=None, began=None, reserved_s=0.0):
    """The parts of a test plan, as an audit would do them."""
    planned = tuple(
        Part(
            name=name,
            title=name,
            seconds=0.0,
            compute=partial(compute, context),
            needs=("why",) if name == "growth/users" else (),
            is_asked=name == "attack/histogram",
        )
        for name, compute in parts.items()
    )
    monkeypatch.setattr(run, "make_plan", lambda _: Plan(parts=planned, time_limit_s=limit_s))
    began = time.perf_counter() if began is None else began
    store = store or MemoryStore()
    return run._Work(context, store, lambda *_: None, began, reserved_s).run()


@pytest.mark.parametrize("compute", [keeps_running, waits_for_a_query])
def test_a_part_that_takes_too_long_is_stopped_and_what_comes_later_is_done(
    context, monkeypatch, compute
):
    parts = {"attack/histogram": at_once, "why": compute, "growth/users": at_once, "b": at_once}
    began = time.perf_counter()
    outcomes, left_out = work_on(context, monkeypatch, parts)
    assert time.perf_counter() - began < 1.2 * LIMIT_S + 1
    assert list(outcomes) == ["attack/histogram", "b"]
    assert [one.name for one in left_out] == ["why", "growth/users"]
    assert "It was stopped after" in left_out[0].why
    assert "longer than the time limit of 1 second allows" in left_out[0].why


def test_the_cheapest_attack_is_done_whatever_the_limit(context, monkeypatch):
    began = time.perf_counter() - 60
    parts = {"attack/histogram": at_once, "b": at_once}
    outcomes, left_out = work_on(context, monkeypatch, parts, began=began)
    assert list(outcomes) == ["attack/histogram"]
    assert "no time left" in left_out[0].why


def paced(seconds):
    def compute(context, before, progress):
        time.sleep(seconds)
        return Outcome(data={})

    return compute


def work_at_pace(context, monkeypatch, estimates, limit_s, **others):
    """Parts that take a tenth of a second, whatever is thought of them; what came of them."""
    parts = tuple(
        Part(name=name, title=name, seconds=seconds, compute=partial(paced(0.1), context))
        for name, seconds in estimates.items()
    )
    parts = tuple(replace(part, **others.get(part.name.replace("/", "_"), {})) for part in parts)
    plan = Plan(parts=parts, time_limit_s=limit_s, n_people=4_000)
    monkeypatch.setattr(run, "make_plan", lambda _: plan)
    monkeypatch.setattr(run, "calibrate", lambda *_: Pace())
    work = run._Work(context, MemoryStore(), lambda *_: None, time.perf_counter())
    return work.run()


def test_what_was_left_out_is_tried_again_when_others_took_less(context, monkeypatch):
    estimates = {"attack/a": 0.2, "protect/slow": 30.0, "protect/one": 3.0}
    outcomes, left_out = work_at_pace(context, monkeypatch, estimates, limit_s=6.0)
    assert list(outcomes) == ["attack/a", "protect/one", "protect/slow"]
    assert not left_out
    assert 1.5 < outcomes["protect/one"].estimated <= 3.0
    assert outcomes["protect/slow"].estimated < 6.0


def test_before_a_part_is_left_out_it_is_tried_on_fewer_people(context, monkeypatch):
    tried = []

    def on_fewer(n_people):
        tried.append(n_people)
        return Part(
            name="protect/slow",
            title="fewer",
            seconds=9.0 * n_people / 4_000,
            compute=partial(paced(0.0), context),
            depends_on={"people": n_people},
        )

    outcomes, left_out = work_at_pace(
        context,
        monkeypatch,
        {"attack/a": 0.1, "protect/slow": 9.0, "protect/none": 9.0},
        limit_s=2.0,
        protect_slow={"on_fewer": on_fewer},
    )
    assert tried == [2_000, 1_000, 500]
    assert list(outcomes) == ["attack/a", "protect/slow"]
    assert [one.name for one in left_out] == ["protect/none"]


@pytest.mark.parametrize(("least_share", "is_done"), [(0.1, True), (0.9, True), (1.0, False)])
def test_a_part_that_runs_as_long_as_it_may_gets_the_time_that_is_left(
    context, monkeypatch, least_share, is_done
):
    outcomes, left_out = work_at_pace(
        context,
        monkeypatch,
        {"attack/a": 0.1, "search": 4.0},
        limit_s=2.0,
        search={"least_share": least_share},
    )
    assert ("search" in outcomes) == is_done
    assert len(left_out) == (not is_done)


def test_what_would_have_too_little_time_to_be_of_use_is_left_out(context, monkeypatch):
    estimates, open_ended = {"attack/a": 0.1, "search": 40.0}, {"least_share": 0.5}
    _, left_out = work_at_pace(context, monkeypatch, estimates, limit_s=2.0, search=open_ended)
    assert [one.name for one in left_out] == ["search"]


def test_what_is_left_out_on_any_number_of_people_is_reported_for_everybody(context, monkeypatch):
    def on_fewer(n_people):
        return Part(
            name="protect/slow", title="fewer", seconds=7.0, compute=partial(paced(0.0), context)
        )

    estimates = {"attack/a": 0.1, "protect/slow": 36_000.0}
    fewer = {"on_fewer": on_fewer}
    _, (left,) = work_at_pace(context, monkeypatch, estimates, limit_s=2.0, protect_slow=fewer)
    assert "hours, and the time limit of 2 seconds leaves less" in left.why
    quick = Part(name="a", title="a", seconds=0.1, compute=do_nothing)
    why = Plan(parts=(), time_limit_s=60.0).too_long(quick).why
    assert why == "There was no time left within the limit of 60 seconds."


def test_what_is_reserved_for_the_report_is_left(context, monkeypatch):
    parts = {"attack/histogram": at_once, "why": keeps_running, "b": keeps_running}
    began = time.perf_counter()
    _, left_out = work_on(context, monkeypatch, parts, limit_s=3.0, reserved_s=2.0)
    assert time.perf_counter() - began < 2.0
    assert "longer than the time limit of 3 seconds allows" in left_out[0].why


def test_what_was_spent_before_the_first_part_is_not_announced_as_left():
    parts = tuple(Part(name=n, title=n, seconds=4.0, compute=do_nothing) for n in ("a", "b"))
    plan = Plan(parts=parts, time_limit_s=10.0)
    assert len(plan.expected()) == 2
    assert len(replace(plan, spent_s=3.0).expected()) == 1
    assert len(replace(plan, reserved_s=3.0).expected()) == 1
    everything = frozenset({"a", "b"})
    assert len(replace(plan, spent_s=3.0, reserved_s=2.0, kept=everything).expected()) == 2


def test_without_any_attack_there_is_no_result(context, monkeypatch):
    with pytest.raises(OptionError, match=r"At least one attack must fit .*Raise time_limit_s"):
        work_on(context, monkeypatch, {"attack/sequence": keeps_running}, limit_s=0.1)


def test_without_a_limit_nothing_is_stopped(context, monkeypatch):
    outcomes, left_out = work_on(context, monkeypatch, {"attack/histogram": at_once}, limit_s=None)
    assert list(outcomes) == ["attack/histogram"]
    assert not left_out


def test_the_same_audit_again_uses_what_was_kept_however_long_reading_took(context, monkeypatch):
    parts, store = {"attack/histogram": at_once, "b": at_once}, MemoryStore()
    monkeypatch.setattr(run, "fits_shape", lambda *_: True)
    work_on(context, monkeypatch, parts, store=store)
    again, left_out = work_on(
        context, monkeypatch, parts, store=store, began=time.perf_counter() - 60
    )
    assert list(again) == ["attack/histogram", "b"]
    assert not left_out


def test_sequences_alone_with_too_little_time_are_one_sentence(campus):
    with pytest.raises(OptionError, match="At least one attack must fit the time limit"):
        audit(campus, options=AuditOptions(attacks=("sequence",), time_limit_s=0.01), n_threads=1)


@pytest.fixture(scope="module")
def wanderers(make_events_of_module):
    """Two people who are hardly ever at the same place: their models take long."""
    random = np.random.default_rng(0)
    rows = [
        (user, f"p{random.integers(150)}", 86_400 * day + 600 * visit)
        for user in ("a", "b")
        for day in range(30)
        for visit in range(40)
    ]
    return make_events_of_module(rows)


@pytest.fixture(scope="module")
def make_events_of_module(engine):
    import pyarrow as pa

    def make(rows):
        columns = zip(*rows, strict=True)
        names = ("user", "location", "start")
        table = pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
        return read(table, engine=engine)

    return make


@pytest.mark.parametrize("n_threads", [1, 2])
def test_training_is_stopped_in_the_middle_of_a_model(wanderers, n_threads):
    sides = build_sequence_pair(wanderers, wanderers)
    began = time.perf_counter()
    with pytest.raises(OutOfTimeError), time_limit(0.5):
        correlate_sequences(*sides, n_threads=n_threads)
    assert time.perf_counter() - began < 10


def test_many_places_make_training_long(wanderers, context):
    sizes = AuditContext(
        make_sides([wanderers, wanderers], None, AuditOptions()), AuditOptions()
    ).sizes
    assert sizes.n_transitions == pytest.approx(2 * 1_200 * 150**2, rel=0.01)
    # 1.7 s of a processor were measured.
    assert 1.5 < sequence_seconds(sizes, 50) < 2
    assert sequence_seconds(context.sizes, 50) < 1
    plain = Sizes(
        n_released=2,
        n_auxiliary=2,
        n_people=2,
        n_locations=150,
        n_events=4_800,
        n_visited=300,
        n_pairs=9,
    )
    assert sequence_seconds(plain, 50) < 0.2


def test_the_first_of_the_cheap_attacks_is_always_done(campus):
    for attacks in (("histogram", "sequence"), ("sequence", "trail", "histogram"), ("sequence",)):
        options = AuditOptions(attacks=attacks)
        plan = make_plan(AuditContext(make_sides([campus], None, options), options))
        asked = [part.name for part in plan.parts if part.is_asked]
        assert asked == [f"attack/{name}" for name in attacks if name != "sequence"][:1]


@pytest.fixture(scope="module")
def tight():
    """The same people in an engine with little memory."""
    table = simulate_campus(CampusOptions(n_users=25, n_days=14, seed=2))
    engine = Engine(memory="300MB", threads=1)
    # DuckDB itself needs more than so few people do.
    engine.memory_bytes = 1_000_000
    return read(table, engine=engine)


def test_what_needs_more_memory_than_allowed_is_left_out_and_said(tight):
    plan = make_plan(AuditContext(make_sides([tight], None, AuditOptions()), AuditOptions()))
    assert not [part for part in plan.parts if "sequence" in part.name]
    (left_out,) = [one for one in plan.left_out if one.name == "attack/sequence"]
    assert "MB of memory, and --memory allows 1 MB" in left_out.why


def test_no_attack_at_all_is_one_sentence(tight):
    with pytest.raises(OptionError, match=r"At least one attack must be possible.*memory allows"):
        audit(tight, options=AuditOptions(attacks=("sequence",)), n_threads=1)


@pytest.mark.parametrize(
    ("memory", "expected"), [("64MB", 64_000_000), ("1.5 GiB", 3 * 2**29), (None, None)]
)
def test_memory_is_counted_in_bytes(memory, expected):
    assert Engine(memory=memory, threads=1).memory_bytes == expected
