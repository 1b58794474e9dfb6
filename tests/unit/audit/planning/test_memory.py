"""Parts that should need more memory than allowed are left out, with the reason."""

import pytest

from trailprint import Engine
from trailprint.audit import AuditOptions
from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.attacks.repeating import repeat_bytes
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.memory import feature_bytes, find_too_large
from trailprint.audit.sides import make_sides
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus

#: A campus of 10,000 people that was measured: 37 MB for histograms, 116 MB for matching them.
MEASURED = Sizes(
    n_released=9_974,
    n_auxiliary=9_936,
    n_people=9_914,
    n_locations=3_496,
    n_events=556_010,
    n_visited=119_316,
    n_pairs=22_087_617,
)


def part(name, needed_bytes, *, is_asked=False):
    return Part(
        name=name,
        title=name,
        seconds=0,
        compute=lambda *_: Outcome(data={}),
        is_asked=is_asked,
        needed_bytes=needed_bytes,
    )


def needed(name):
    return find_attack(name).needed_bytes(MEASURED)


def test_estimates_are_those_measured_or_somewhat_more():
    assert 37e6 <= feature_bytes(MEASURED) <= 2 * 37e6
    assert 116e6 <= needed("histogram") <= 2 * 116e6
    assert needed("trail") < needed("histogram") < needed("combined")


def test_studies_need_what_the_attacks_need_that_they_run_again():
    for asked, needing in (
        (("histogram", "trail"), "histogram"),
        (("histogram", "combined"), "combined"),
        (("trail",), "histogram"),
    ):
        events = read(simulate_campus(CampusOptions(n_users=10, n_days=14)))
        options = AuditOptions(attacks=asked)
        context = AuditContext(make_sides([events], None, options), options, 1)
        assert repeat_bytes(context) == find_attack(needing).needed_bytes(context.sizes)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (None, set()),
        (10**9, set()),
        (180, {"protect/none"}),
        (100, {"protect/none", "growth/users"}),
        (1, {"protect/none", "growth/users", "attack/trail"}),
    ],
)
def test_what_exceeds_the_limit_is_found_but_the_first_attack_is_done(allowed, expected):
    parts = [
        part("attack/histogram", 150, is_asked=True),
        part("attack/trail", 50),
        part("attack/sequence", 0),
        part("protect/none", 190),
        part("growth/users", 150),
    ]
    assert set(find_too_large(parts, allowed)) == expected


def test_an_audit_says_what_it_left_out_for_memory():
    engine = Engine(memory="300MB", threads=1)
    events = read(simulate_campus(CampusOptions(n_users=25, n_days=14)), engine=engine)
    context = AuditContext(make_sides([events], None, AuditOptions()), AuditOptions(), 1)
    everything = len(make_plan(context).parts)
    engine.memory_bytes = 100_000
    plan = make_plan(context)
    assert [part.name for part in plan.parts] == ["attack/histogram"]
    assert len(plan.left_out) == everything - 1 - 1  # The control of sequences is not planned.
    assert all("and --memory allows 0 MB" in one.why for one in plan.left_out)
