"""Trail matching in an audit, with likely counterparts where they are asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks.trail_facts import TrailVariant
from trailprint.audit import AuditOptions, audit
from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.parts import Outcome
from trailprint.events.reading.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.features.histograms import build_histogram_pair
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore

PROTECTION = "top-locations:n=9"


@pytest.fixture(scope="module")
def sides(engine):
    """Two weeks each of a campus: neither side's trails lie within the other's."""
    table = simulate_campus(CampusOptions(n_users=80, seed=2))
    halves = split(read(table, engine=engine), SplitOptions(at="median", active_both=True))
    return halves.released.materialise(), halves.auxiliary.materialise()


@pytest.fixture(scope="module")
def audits(sides) -> dict[bool, Any]:
    """Without likely counterparts and with them; the second finds what the first kept."""
    store = MemoryStore()
    quick: dict[str, Any] = {"attacks": ("trail",), "protections": (PROTECTION,)}
    return {
        likely: audit(
            sides[0],
            sides[1],
            options=AuditOptions(**quick, likely_trails=likely, time_limit_s=None),
            store=store,
            n_threads=1,
        )
        for likely in (False, True)
    }


def trail_of(result):
    return next(attack for attack in result.findings.attacks if attack.name == "trail")


def test_likely_counterparts_are_those_of_the_command(sides, audits):
    found = trail_of(audits[True])
    alone = tp.trails(sides[0], sides[1], tp.TrailOptions(algorithm="likely"))
    assert found.variant == "The most likely counterparts, with visits missing on either side"
    assert found.correct == present(alone.risk).n_correct
    assert found.matched == alone.linkage.n_links


def test_they_link_more_than_reidit_and_are_tried_only_when_asked(audits):
    without, with_likely = trail_of(audits[False]), trail_of(audits[True])
    assert without.variant.startswith("REIDIT")
    assert with_likely.correct > without.correct
    assert "most likely counterparts" in " ".join(with_likely.notes)
    assert "likely" not in " ".join(without.notes)


@pytest.mark.parametrize("likely", [False, True])
def test_protected_releases_are_attacked_in_the_same_ways(sides, likely):
    context: Any = SimpleNamespace(options=AuditOptions(likely_trails=likely), n_threads=1)
    judge = present(find_attack("trail").judge(context, Outcome(data={})))
    ways = present(judge.on_histograms)(*build_histogram_pair(*sides))
    tried = [way.run().facts["algorithm"] for way in ways]
    assert tried == ["complete", "incomplete", "incomplete", *(["likely"] if likely else [])]


def test_controls_are_of_the_method_that_was_chosen(audits):
    controls = [one for one in present(audits[True].findings.controls) if "trail" in str(one)]
    assert controls


def test_leaving_locations_out_is_not_measured_for_likely_counterparts(audits):
    def changes(result):
        return [row.leave_one_out for row in present(result.findings.why).locations]

    assert all(change is None for change in changes(audits[True]))
    assert all(change is not None for change in changes(audits[False]))


def test_what_it_may_choose_is_what_trail_options_take():
    assert find_attack("trail").choice is TrailVariant
    for name in ("algorithm", "reserved"):
        allowed = get_args(get_type_hints(tp.TrailOptions)[name])
        assert {*get_args(get_type_hints(TrailVariant)[name]), "auto"} == {*allowed}
