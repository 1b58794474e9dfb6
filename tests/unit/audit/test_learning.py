"""Weights in an audit come from the auxiliary side alone, cut and protected as the data was."""

import numpy as np
import pytest

import trailprint as tp
from trailprint.attacks.view_weights import LEAST_PEOPLE, ViewWeights
from trailprint.audit.attacks import combined
from trailprint.audit.attacks.combined import CombinedFamily
from trailprint.audit.attacks.learning import _cut_like_audit, prepare_views, swap_ids
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.results.kept import attack_of
from trailprint.audit.sides import cut_like, make_sides
from trailprint.errors import InputError
from trailprint.events.halving import count_people, halve_suitably
from trailprint.protections.registry import parse_protection
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.workflows.options import ViewOptions
from trailprint.workflows.views import build_views


def make_context(events, **options) -> AuditContext:
    chosen = AuditOptions(**options)
    return AuditContext(make_sides([events], None, chosen), chosen)


@pytest.fixture(scope="module")
def context() -> AuditContext:
    return make_context(tp.read(simulate_campus(CampusOptions(n_users=40, n_days=28))))


def rows_of(events):
    columns = ", ".join(f'"{name}"' for name in sorted(events.columns))
    return sorted(
        map(str, events.engine.arrow(f"SELECT {columns} FROM ({events.query})").to_pylist())
    )


def trails_of(events) -> dict[str, str]:
    """Everything about each person but their id."""
    columns = [*sorted(events.columns - {"user"})]
    lists = ", ".join(f'list("{name}" ORDER BY "start", location)::VARCHAR' for name in columns)
    query = f'SELECT "user", concat({lists}) AS trail FROM ({events.query}) GROUP BY 1'
    return {row["user"]: row["trail"] for row in events.engine.arrow(query).to_pylist()}


def test_swapped_ids_are_the_same_ids_and_nobody_keeps_theirs(context):
    before = trails_of(context.events[0])
    after, other = (trails_of(swap_ids(context.events[0], seed)) for seed in (0, 1))
    assert set(before) == set(after)
    assert sorted(before.values()) == sorted(after.values())
    assert not any(before[user] == after[user] for user in before)
    assert other != after


def test_ids_of_thousands_of_people_are_exchanged(make_events):
    events = make_events([(n, f"p{n % 7}") for n in range(5_000)], "user", "location")
    swapped = swap_ids(events, 0)
    assert swapped.engine.row(f'SELECT count(DISTINCT "user") FROM ({swapped.query})') == (5_000,)


def test_weights_do_not_know_the_released_side(context):
    released, auxiliary = context.events
    weights = prepare_views(context, released, auxiliary).weights
    assert weights.source == "learnt"
    few = released.having("\"user\" < 'user00005'").materialise()
    for other in (swap_ids(released, 3), few):
        assert prepare_views(context, other, auxiliary).weights == weights


def test_weights_are_learnt_from_halves_cut_as_the_data_was(context):
    released, auxiliary = context.events
    by_hand = build_views(
        released,
        auxiliary,
        ViewOptions(),
        cut=lambda events, seed: cut_like(context.sides, events, seed),
        seed=context.options.seed,
    )
    assert prepare_views(context, released, auxiliary).weights == by_hand[2]


def test_what_is_known_is_not_learnt_and_only_counted_views_are_built(context):
    known = ViewWeights(shares={"visits": 0.25, "moves": 0.75}, source="learnt")
    ready = prepare_views(context, *context.events, weights=known)
    assert ready.weights.shares == known.shares
    assert set(ready.released.names) == set(ready.auxiliary.names) == {"visits", "moves"}
    everything = prepare_views(context, *context.events, weights=known, contributions=True)
    assert everything.weights.shares == known.shares
    assert set(everything.released.names) > {"visits", "moves"}


def test_an_adversary_protects_half_of_their_own_data_before_they_learn(context):
    chain = [parse_protection("perturb-locations:previous=0.5,next=0.5")]
    auxiliary = context.events[1]
    plain, noisy = (_cut_like_audit(context, steps)(auxiliary, 0) for steps in ((), chain))
    assert rows_of(noisy[1]) == rows_of(plain[1])
    assert rows_of(noisy[0]) != rows_of(plain[0])
    assert noisy[0].count() == plain[0].count()
    public = [parse_protection("coarsen-names:levels=1")]
    assert rows_of(_cut_like_audit(context, public)(auxiliary, 0)[0]) == rows_of(plain[0])


def test_a_cut_that_leaves_too_few_people_gives_way_to_one_that_suits(context):
    auxiliary = context.events[1]
    day = f"date_trunc('day', {auxiliary.local_start})"
    first = f"(SELECT min({day}) FROM ({auxiliary.query}))"
    short = auxiliary.having(f"{day} <= {first} + INTERVAL 1 DAY").materialise()
    with pytest.raises(InputError):
        cut_like(context.sides, short, 0)
    found = _cut_like_audit(context, ())(short, 0)
    assert [rows_of(half) for half in found] == [rows_of(h) for h in halve_suitably(short, 0)]
    assert count_people(*found) >= LEAST_PEOPLE


def test_the_control_of_weights_fails_where_the_released_side_has_a_part(context, monkeypatch):
    family = CombinedFamily()
    kept = family.run(context, {}, lambda share: None)
    before = {"attack/combined": kept}

    def control() -> bool:
        found = family.control(context, before, lambda share: None).data["controls"]
        return {row["title"]: row["passed"] for row in found}["Weights without the released side"]

    assert attack_of(kept).chosen["weights"]["source"] == "learnt"
    assert control()

    def peeks(context, released, auxiliary, *rest, **named):
        if named.get("weights") is not None:
            return prepare_views(context, released, auxiliary, *rest, **named)
        return prepare_views(context, auxiliary, released, *rest, **named)

    monkeypatch.setattr(combined, "prepare_views", peeks)
    assert not control()


def test_each_person_has_the_view_that_decided_for_their_link(context):
    family = CombinedFamily()
    kept = family.run(context, {}, lambda share: None)
    (named,) = family.describe_people(kept).values()
    assert len(named) == context.sizes.n_people
    counted = set(attack_of(kept).chosen["weights"]["shares"])
    assert {name for name in named.to_pylist() if name is not None} <= counted
    assert np.array_equal(
        kept.arrays["decided"] < 0, named.is_null().to_numpy(zero_copy_only=False)
    )
