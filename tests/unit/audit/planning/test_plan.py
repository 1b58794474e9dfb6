"""What is done when time is short, and in which order."""

import dataclasses

import pytest

from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.attacks.sequence import LEAST_MODELS, choose_models, count_models
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.plan import Plan, short_first
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=30, n_days=14)), engine=engine)


def make_context(events, **options):
    chosen = AuditOptions(**options)
    return AuditContext(make_sides([events], None, chosen), chosen)


def do_nothing(before, progress):
    return Outcome(data={})


def part(name, seconds, *, is_asked=False):
    return Part(
        name=name,
        title=name,
        seconds=seconds,
        compute=lambda *_: Outcome(data={}),
        is_asked=is_asked,
    )


def test_everything_without_a_limit(campus):
    plan = make_plan(make_context(campus))
    names = [part.name for part in plan.parts]
    families = ["histogram", "combined", "trail", "sequence"]
    assert names[:4] == [f"attack/{name}" for name in families]
    assert names[4:8] == [f"points/{step}" for step in ("unicity", "worst-2", "grid", "worst-4")]
    assert names[8:12] == [f"control/{name}" for name in families]
    assert names[12] == "protect/none"
    assert {"protect/microaggregate", "protect/coarsen-names"} <= set(names)
    studies = ("users", "time", "resolution", "knowledge", "amount-known")
    assert {*(f"growth/{study}" for study in studies), "why"} < set(names)
    assert len(set(names)) == len(names)
    assert plan.expected() == list(plan.parts)
    assert plan.left_out == ()


def test_only_what_was_asked_for(campus):
    asked = ("microaggregate:k=3", "coarsen-names:levels=2 then top-locations:n=5")
    plan = make_plan(make_context(campus, attacks=("trail",), protections=asked))
    names = [part.name for part in plan.parts]
    assert names[:2] == ["attack/trail", "control/trail"]
    assert [n for n in names if n.startswith("protect/")] == [
        "protect/none",
        *(f"protect/{text}" for text in asked),
    ]


def test_no_sequences_without_times(make_events):
    rows = [(f"u{i % 5}", f"p{i % 7}") for i in range(200)]
    plan = make_plan(make_context(make_events(rows, "user", "location")))
    assert [part.name for part in plan.parts][:2] == ["attack/histogram", "attack/trail"]
    combined, sequence = plan.left_out
    assert (combined.name, sequence.name) == ("attack/combined", "attack/sequence")
    assert "only how often they are where" in combined.why
    assert sequence.why == "It needs the time of each visit, and the data has none."


def test_the_first_attack_is_run_whatever_the_limit():
    plan = Plan(
        parts=(part("a", 10, is_asked=True), part("b", 5), part("c", 1), part("d", 20)),
        time_limit_s=12,
    )
    assert [p.name for p in plan.expected()] == ["a", "c"]
    assert plan.seconds == 11
    kept = dataclasses.replace(plan, kept=frozenset({"a"}))
    assert kept.seconds == 1


def test_why_a_part_does_not_fit():
    plan = Plan(parts=(), time_limit_s=600)
    why = plan.too_long(part("x", 7000)).why
    assert why == "It would take about 1.9 hours, and the time limit of 10 minutes leaves less."


def test_fewer_models_where_time_is_short(campus):
    assert count_models(make_context(campus)) == 2000
    context = make_context(campus, time_limit_s=0.005)
    assert count_models(context) == LEAST_MODELS


def test_chains_alone_where_the_fewest_random_fields_take_too_long(campus):
    both = ("crf", "markov")
    assert choose_models(make_context(campus)) == both
    assert choose_models(make_context(campus, time_limit_s=None)) == both
    short = make_context(campus, time_limit_s=0.1)
    assert choose_models(short) == ("markov",)
    family = find_attack("sequence")
    assert family.estimate(short) < family.estimate(make_context(campus)) / 10
    # A piece is there to learn how long everything takes.
    assert choose_models(short.drawn(4, short.options)) == both


def test_protections_are_thinned_where_time_is_short(campus):
    everything = make_plan(make_context(campus, time_limit_s=None))
    plan = make_plan(make_context(campus, time_limit_s=0.1))
    parts = {part.name: part for part in plan.parts}
    assert parts["protect/microaggregate"].depends_on["values"] == [5]
    assert list(parts)[-1].endswith("other values")
    further = parts["protect/microaggregate, other values"]
    assert further.depends_on["values"] == [2, 10]
    assert further.like == "protect/microaggregate"
    assert plan.left_out == ()
    whole = {part.name: part for part in everything.parts}
    assert whole["protect/microaggregate"].depends_on["values"] == [2, 5, 10]
    assert not [name for name in whole if name.endswith("other values")]


def test_a_chain_asked_for_is_not_thinned(campus):
    asked = ("microaggregate:k=3", "microaggregate:k=4")
    plan = make_plan(make_context(campus, time_limit_s=0.1, protections=asked))
    assert {f"protect/{text}" for text in asked} < {part.name for part in plan.parts}
    assert plan.left_out == ()


def test_an_unknown_protection_is_refused_before_any_work(campus):
    from trailprint.errors import OptionError

    with pytest.raises(OptionError, match="A protection must be one of"):
        make_plan(make_context(campus, protections=("magic:k=3",)))


def test_attacks_that_take_next_to_no_time_go_first():
    seconds = {"attack/a": 0.1, "attack/b": 9.0, "attack/c": 0.2, "points/d": 1.0, "control/e": 0.1}
    parts = [part(name, takes) for name, takes in seconds.items()]
    names = [one.name for one in short_first(parts, 20.0)]
    assert names == ["attack/a", "attack/c", "attack/b", "points/d", "control/e"]
    assert short_first(parts, None) == tuple(parts)
    assert short_first(parts, 600.0) == tuple(parts)
