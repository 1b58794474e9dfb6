"""Loss: against the definition, through renamed locations, and in a chain."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from trailprint.errors import OptionError
from trailprint.features.histograms import build_histograms
from trailprint.protections.chain import apply_protections
from trailprint.protections.coarsen import CoarsenGrid, CoarsenNames, CoarsenRegions
from trailprint.protections.loss import relative_loss
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.noise import Noise
from trailprint.protections.perturb import PerturbLocations
from trailprint.protections.protection import Protection
from trailprint.protections.suppress import TopLocations

UTC = dt.UTC
PLACES = ("n.1", "n.2", "s.1", "s.2", "s.3")
COUNTS = np.array([[3, 1, 0, 0, 0], [0, 2, 2, 0, 0], [0, 0, 1, 1, 2], [1, 0, 0, 0, 4]])


@pytest.fixture
def visits(make_events):
    rows, minute = [], 0
    for user, counts in enumerate(COUNTS):
        for place, n in zip(PLACES, counts, strict=True):
            for _ in range(n):
                minute += 1
                when = dt.datetime(2024, 1, 1, tzinfo=UTC) + dt.timedelta(minutes=minute)
                rows.append((f"u{user}", place, when))
    return make_events(rows, "user", "location", "start")


def test_coarse_locations_are_read_back_by_popularity(visits):
    shares = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    mean = shares.mean(axis=0)
    regions = np.array([0, 0, 1, 1, 1])
    coarse = np.column_stack([shares[:, regions == r].sum(axis=1) for r in (0, 1)])
    back = coarse[:, regions] * mean / np.bincount(regions, mean)[regions]
    expected = np.abs(shares - back).sum() / np.abs(shares - mean).sum()
    loss = apply_protections(visits, [CoarsenNames(levels=1)]).loss
    assert loss.information_loss == pytest.approx(expected)
    assert loss.popularity_error == pytest.approx(0, abs=1e-12)
    assert loss.locations_kept == pytest.approx(2 / 5)


def regions_of(names):
    return CoarsenRegions(mapping=pa.table({"location": PLACES, "region": names}))


def test_one_region_costs_as_much_as_one_group(visits):
    loss = apply_protections(visits, [regions_of(["all"] * 5)]).loss
    assert loss.information_loss == pytest.approx(1.0)


def test_new_names_alone_cost_nothing(visits):
    loss = apply_protections(visits, [regions_of(list("abcde"))]).loss
    assert loss.information_loss == 0
    assert loss.locations_kept == 1


def test_two_renamings_are_read_back_one_after_the_other(visits):
    shorter = CoarsenNames(levels=1)
    renamed = regions_of(["a.1", "a.2", "b.1", "b.2", "b.3"])
    once = apply_protections(visits, [shorter]).loss
    twice = apply_protections(visits, [renamed, shorter]).loss
    assert twice.information_loss == pytest.approx(once.information_loss)
    assert twice.popularity_error == pytest.approx(0, abs=1e-12)


def test_where_everybody_is_alike_rounding_is_not_divided_by():
    assert relative_loss(0.3, 2e-16) == 1.0
    assert relative_loss(0.3, 0.6) == 0.5
    assert relative_loss(1e-17, 2e-16) == 0.0


def test_users_left_out_count_as_replaced_by_the_mean(visits):
    shares = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    to_mean = np.abs(shares - shares.mean(axis=0)).sum(axis=1)
    loss = apply_protections(visits, [TopLocations(n=1)]).loss  # n.1, n.2, s.1 or s.3 with 2 users
    kept = {"n.1": [0, 3], "n.2": [0, 1], "s.1": [1, 2], "s.3": [2, 3]}["n.1"]
    moved = to_mean.copy()
    moved[kept] = np.minimum(2 * (1 - shares[kept, 0]), to_mean[kept])
    assert loss.information_loss == pytest.approx(moved.sum() / to_mean.sum())
    assert loss.users_left_out == 2


def test_positions_are_compared_to_ten_metres(make_events):
    rows = [
        (user, 46.0 + i / 1000, 7.0, dt.datetime(2024, 1, 1 + i, tzinfo=UTC))
        for user, shift in (("a", 0), ("b", 3))
        for i in range(shift, shift + 4)
    ]
    events = make_events(rows, "user", "lat", "lon", "start")
    fine = apply_protections(events, [CoarsenGrid(cell_m=1)]).loss
    coarse = apply_protections(events, [CoarsenGrid(cell_m=100_000)]).loss
    assert fine.information_loss == 0
    assert coarse.information_loss == pytest.approx(1.0)


def test_protections_are_applied_in_order_and_their_facts_kept(visits):
    chain: list[Protection] = [
        CoarsenNames(levels=1),
        Noise(epsilon=50, max_events=20),
        Microaggregate(k=2),
    ]
    found = apply_protections(visits, chain, seed=3)
    assert found.histograms is not None
    assert set(found.histograms.locations.to_pylist()) == {"n", "s"}
    assert {"epsilon", "groups"} <= found.facts.keys()
    rows = found.histograms.matrix.toarray()
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= 2


def test_the_order_matters_and_events_come_first(visits):
    with pytest.raises(OptionError, match="got coarsen-names after microaggregate"):
        apply_protections(visits, [Microaggregate(k=2), CoarsenNames()])
    with pytest.raises(OptionError, match="Noise needs counts"):
        apply_protections(visits, [Microaggregate(k=2), Noise()])


def test_a_repeated_step_draws_its_own_numbers(visits, rows_of):
    step = PerturbLocations(previous=0.5, next=0.0)
    once = apply_protections(visits, [step], seed=1)
    twice = apply_protections(visits, [step, step], seed=1)
    assert rows_of(once.events) != rows_of(twice.events)


def test_histograms_can_be_protected_without_events(visits):
    before = build_histograms(visits)
    found = apply_protections(before, [Microaggregate(k=2)])
    assert found.events is None
    assert found.loss == apply_protections(visits, [Microaggregate(k=2)]).loss
    with pytest.raises(OptionError, match="coarsen-names changes events, got histograms"):
        apply_protections(before, [CoarsenNames()])
