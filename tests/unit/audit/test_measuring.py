"""Protections measured after an audit: judged, kept and reported as the audit's own are."""

import json
from typing import Any

import pytest
from tests.presence import present

from trailprint.audit import AuditOptions, audit
from trailprint.audit.measuring import measure_more
from trailprint.audit.results.protections import ProtectionPoint
from trailprint.audit.run import Asked
from trailprint.audit.sections import protection_trials
from trailprint.errors import OptionError
from trailprint.events.reading.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.plain import to_plain
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore

QUICK: dict[str, Any] = {
    "attacks": ("histogram", "trail", "combined"),
    "time_limit_s": None,  # Compiling the kernels may take longer than any.
}


@pytest.fixture(scope="module")
def campus(engine):
    table = simulate_campus(CampusOptions(n_users=30, n_days=14, seed=2))
    return read(table, engine=engine).materialise()


def ask(*sides, **options):
    return Asked(sides=sides, truth=None, options=AuditOptions(**{**QUICK, **options}))


def find_point(result, written):
    points = present(result.findings.protections).points
    return next(point for point in points if point.written == written)


@pytest.fixture(scope="module")
def audited(campus):
    """An audit that tried one protection itself, and what it kept."""
    store = MemoryStore()
    asked = ("microaggregate:k=3",)
    options = AuditOptions(**QUICK, protections=asked)
    return audit(campus, options=options, store=store, n_threads=1), store


def test_it_is_the_point_that_the_audit_measured(audited, campus):
    result, store = audited
    found = measure_more(ask(campus), ["microaggregate:k=3"], store=store, n_threads=1)
    (own,) = (
        p for p in present(result.findings.protections).points if p.written == "microaggregate:k=3"
    )
    (point,) = found.points
    assert {one.attack for one in point.judged} | {one.attack for one in point.not_judged} == {
        *("histogram", "trail", "combined")
    }
    reported, wanted = (to_plain(one) | {"on_frontier": None} for one in (point, own))
    assert json.dumps(reported) == json.dumps(wanted)


def test_two_sides_that_were_given_are_those_that_are_used(campus):
    sides = split(campus, SplitOptions(at="median"))
    store, given = MemoryStore(), (sides.released, sides.auxiliary)
    options = AuditOptions(attacks=("trail",), protections=("top-locations:n=9",))
    result = audit(*given, options=options, store=store, n_threads=1)
    found = measure_more(ask(*given, attacks=("trail",)), ["top-locations:n=9"], store=store)
    (own,) = (
        p for p in present(result.findings.protections).points if p.written == "top-locations:n=9"
    )
    assert (found.points[0].accuracy, found.points[0].loss) == (own.accuracy, own.loss)


def test_what_was_measured_is_found_again(audited, campus, monkeypatch):
    _, store = audited
    chains = ["top-locations:n=8 then microaggregate:k=2", "top-locations:n=4"]
    reported: list[ProtectionPoint] = []
    first = measure_more(ask(campus), chains, store=store, n_threads=1, on_point=reported.append)
    assert reported == list(first.points)
    monkeypatch.setattr(protection_trials.Trials, "measure", None)
    assert measure_more(ask(campus), chains, store=store, n_threads=1) == first


def test_what_the_data_refuses_is_left_out(audited, campus):
    found = measure_more(ask(campus), ["microaggregate:k=900"], store=audited[1], n_threads=1)
    assert found.points == ()
    assert "k must be at most" in found.left_out[0].why


@pytest.mark.parametrize("change", [{"seed": 3}, {"weight": "duration"}])
def test_attacks_of_another_audit_are_not_used(audited, campus, change):
    with pytest.raises(OptionError, match="none of its attacks is kept"):
        measure_more(ask(campus, **change), ["top-locations:n=4"], store=audited[1])


def test_a_store_that_gives_back_anything_is_measured_again(audited, campus):
    _, store = audited
    first = measure_more(ask(campus), ["top-locations:n=5"], store=store, n_threads=1)
    for name in [name for name in store._kept if name.startswith("parts/measure-")]:
        store._kept[name] = b"damaged"
    assert measure_more(ask(campus), ["top-locations:n=5"], store=store, n_threads=1) == first
