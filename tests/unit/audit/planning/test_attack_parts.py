"""Attacks and their controls: which is done whatever the time, and what controls take."""

import pytest

from trailprint.audit.attacks import sequence
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.attack_parts import plan_attacks, plan_controls, plan_singling_out
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus(engine):
    return read(simulate_campus(CampusOptions(n_users=30, n_days=14)), engine=engine)


def make_context(events, **options):
    chosen = AuditOptions(**options)
    return AuditContext(make_sides([events], None, chosen), chosen, 1)


def test_the_first_quick_attack_is_done_whatever_the_time(campus):
    parts, refused = plan_attacks(make_context(campus, attacks=("sequence", "trail")))
    assert not refused
    asked = {part.name: part.is_asked for part in parts}
    assert asked == {"attack/sequence": False, "attack/trail": True}


def test_controls_of_a_cheap_model_take_less(campus, monkeypatch):
    monkeypatch.setattr(sequence, "choice_of", lambda outcome, kind: kind(**outcome.data))
    context = make_context(campus, attacks=("sequence",))
    (control,) = plan_controls(context, plan_attacks(context)[0])
    assert control.needs == ("attack/sequence",)
    taken = {
        model: control.timed({"attack/sequence": Outcome(data={"model": model})}).seconds
        for model in ("crf", "markov")
    }
    assert taken["markov"] < taken["crf"] == control.seconds


def test_singling_out_is_planned_only_where_it_was_asked_for(campus):
    assert not plan_singling_out(make_context(campus, attacks=("trail",)))
    names = [part.name for part in plan_singling_out(make_context(campus))]
    assert names[0] == "points/unicity"
