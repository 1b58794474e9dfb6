"""Perturbation: rates, order, seeds; nothing but what is meant changes."""

import datetime as dt
import itertools
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

from trailprint.errors import ColumnError, OptionError
from trailprint.protections.chain import apply_protections
from trailprint.protections.perturb import PerturbLocations, PerturbTimes

UTC = dt.UTC
BEGIN = dt.datetime(2024, 1, 1, tzinfo=UTC)
N_USERS, N_RECORDS = 40, 100


@pytest.fixture(scope="module")
def trips(make_events):
    """Every record at a place of its own, so that it shows where a location came from."""
    rows = [
        (
            f"u{user:02}",
            f"u{user:02}.{nth:03}",
            BEGIN + dt.timedelta(minutes=30 * nth),
            BEGIN + dt.timedelta(minutes=30 * nth + 20),
            46.0 + nth / 1000,
            7.0 + user / 1000,
        )
        for user in range(N_USERS)
        for nth in range(N_RECORDS)
    ]
    return make_events(rows, "user", "location", "start", "end", "lat", "lon")


def moves(rows_of, events):
    """For each record, how far its location's number is from its own."""
    found = []
    for user, start, place, lat in rows_of(events, "user", "start", "location", "lat"):
        nth = round((start - BEGIN.replace(tzinfo=None)).total_seconds() / 1800)
        owner, number = place.split(".")
        assert owner == user
        assert lat == pytest.approx(46.0 + int(number) / 1000)
        found.append((nth, int(number) - nth))
    return found


def within_binomial(n_seen, n_tried, chance):
    low, high = stats.binom.interval(1 - 1e-6, n_tried, chance)
    return low <= n_seen <= high


@pytest.mark.parametrize(("previous", "following"), [(0.15, 0.15), (0.5, 0.0), (0.1, 0.4)])
def test_rates_are_within_binomial_bounds(trips, rows_of, previous, following):
    step = PerturbLocations(previous=previous, next=following)
    found = moves(rows_of, step.rule(trips, None, (1, 0))(trips))
    n = N_USERS * (N_RECORDS - 1)
    assert {move for _, move in found} <= {-1, 0, 1}
    assert within_binomial(sum(move == -1 for _, move in found), n, previous)
    assert within_binomial(sum(move == 1 for _, move in found), n, following)


def test_a_first_record_has_no_previous_and_a_last_no_next(trips, rows_of):
    step = PerturbLocations(previous=1.0, next=0.0)
    found = dict.fromkeys(moves(rows_of, step.rule(trips, None, (1, 0))(trips)))
    assert (0, 0) in found
    assert all(move == -1 for nth, move in found if nth > 0)
    step = PerturbLocations(previous=0.0, next=1.0)
    found = dict.fromkeys(moves(rows_of, step.rule(trips, None, (1, 0))(trips)))
    assert all(move == (0 if nth == N_RECORDS - 1 else 1) for nth, move in found)


def test_the_share_of_changed_records_is_said(trips):
    found = apply_protections(trips, [PerturbLocations()])
    n = N_USERS * N_RECORDS
    assert within_binomial(round(found.facts["locations_changed"] * n), n, 0.3 * 0.99)
    assert found.loss.information_loss > 0
    assert found.loss.events_kept == found.loss.users_kept == 1.0


@pytest.mark.parametrize("step", [PerturbLocations(), PerturbTimes(), PerturbTimes(order="redraw")])
def test_one_seed_one_answer_and_another_seed_another(trips, rows_of, step):
    first, again, other, later = (
        rows_of(step.rule(trips, None, seed)(trips)) for seed in ((1, 0), (1, 0), (2, 0), (1, 1))
    )
    assert first == again
    assert first != other
    assert first != later


@pytest.mark.parametrize("order", ["clip", "redraw"])
def test_shifted_stays_keep_their_order_and_places(trips, rows_of, order):
    step = PerturbTimes(sigma_s=3600, order=order)
    shifted = step.rule(trips, None, (3, 0))(trips)
    by_user: dict[str, list[Any]] = {}
    for user, start, end, place in rows_of(shifted, "user", "start", "end", "location"):
        by_user.setdefault(user, []).append((start, end, place))
    for own in by_user.values():
        own.sort()
        assert [int(place.split(".")[1]) for _, _, place in own] == list(range(N_RECORDS))
        assert all(start <= end for start, end, _ in own)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(own))


def test_noise_that_meets_no_neighbour_is_gaussian(make_events, rows_of):
    day = dt.timedelta(days=1)
    rows = [("a", f"{nth:04}", BEGIN + nth * day) for nth in range(2000)]
    events = make_events(rows, "user", "location", "start")
    step = PerturbTimes(sigma_s=3600, order="redraw")
    shifted = step.rule(events, None, (4, 0))(events)
    origin = BEGIN.replace(tzinfo=None)
    noise = [
        (start - origin - int(nth) * day).total_seconds()
        for nth, start in rows_of(shifted, "location", "start")
    ]
    assert stats.kstest(noise, stats.norm(0, 3600).cdf).pvalue > 1e-3
    # Of 2,000 draws, the standard deviation is known to about 1.6 %.
    assert np.std(noise) == pytest.approx(3600, rel=0.05)
    assert step.facts(events, shifted)["time_error_s"] == pytest.approx(np.mean(np.abs(noise)))


def test_open_ends_stay_open(make_events, rows_of):
    rows = [
        ("a", "x", BEGIN, None),
        ("a", "y", BEGIN + dt.timedelta(hours=2), BEGIN + dt.timedelta(hours=3)),
    ]
    events = make_events(rows, "user", "location", "start", "end")
    shifted = rows_of(PerturbTimes().rule(events, None, (0, 0))(events), "location", "end")
    assert [end is None for _, end in shifted] == [True, False]


def test_both_are_private():
    assert not PerturbLocations.is_public
    assert not PerturbTimes.is_public


def test_times_are_needed(make_events):
    events = make_events([("a", "x")], "user", "location")
    for step in (PerturbLocations(), PerturbTimes()):
        with pytest.raises(ColumnError, match="needs a column 'start'"):
            step.rule(events, None, (0, 0))(events)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: PerturbLocations(previous=-0.1), "chances from 0 to 1"),
        (lambda: PerturbLocations(previous=0.7, next=0.7), "add up to at most 1"),
        (lambda: PerturbTimes(sigma_s=-1), "sigma_s must be a positive number"),
        (lambda: PerturbTimes(sigma_s=float("inf")), "sigma_s must be a positive number"),
        (lambda: PerturbTimes(order=cast(Any, "guess")), "order must be one of clip, redraw"),
    ],
)
def test_bad_parameters_get_one_sentence(wrong, message):
    with pytest.raises(OptionError, match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)
