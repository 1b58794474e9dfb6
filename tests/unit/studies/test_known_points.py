"""Coarser places and times: which there are, and that they reveal no more."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from trailprint.attacks.points.drawn import draw_candidates
from trailprint.evaluation.unicity import measure_unicity
from trailprint.features.points import build_points
from trailprint.studies.known_points import TIME_FACTORS, find_levels, measure_grid

START = dt.datetime(2024, 3, 4, 8, tzinfo=dt.UTC)


def rows_at(names, n_users=30, n_days=6):
    random = np.random.default_rng(2)
    return [
        (f"u{user:02}", str(random.choice(names)), START + dt.timedelta(hours=7 * day + user % 3))
        for user in range(n_users)
        for day in range(n_days)
    ]


def levels_of(events):
    points = build_points(events, "place", 3600)
    return points, find_levels(points, events)


def test_names_are_cut_part_by_part(make_events):
    names = [f"{a}.{b}.{c}" for a in "pq" for b in "rs" for c in "tuv"]
    _, levels = levels_of(make_events(rows_at(names), "user", "location", "start"))
    assert [level.name for level in levels] == [
        "as released",
        "first 2 parts of names",
        "first part of names",
    ]
    assert [len(np.unique(level.place_of)) for level in levels] == [12, 4, 2]
    # Who shares a place shares the coarser one it lies in.
    for fine, coarse in pairwise(levels):
        held = {(f, c) for f, c in zip(fine.place_of, coarse.place_of, strict=True)}
        assert len(held) == len(np.unique(fine.place_of))


def test_cells_are_gathered_two_by_two(make_events):
    names = [f"x{x}_y{y}" for x in range(-2, 4) for y in range(4)]
    events = replace(make_events(rows_at(names), "user", "location", "start"), cell_m=500.0)
    _, levels = levels_of(events)
    assert [level.name for level in levels] == ["500 m", "1,000 m", "2,000 m", "4,000 m"]
    assert [len(np.unique(level.place_of)) for level in levels] == [24, 6, 2, 2]


def test_plain_names_have_no_coarser_ones(make_events):
    _, levels = levels_of(make_events(rows_at(["home", "work"]), "user", "location", "start"))
    assert [level.name for level in levels] == ["as released"]


@pytest.mark.parametrize("n_points", [1, 3])
def test_coarser_releases_reveal_no_more(make_events, n_points):
    names = [f"{a}.{b}" for a in "pqr" for b in "stuv"]
    events = make_events(rows_at(names), "user", "location", "start")
    points = build_points(events, "place-time", 3600)
    found = measure_grid(
        points,
        find_levels(points, events),
        n_points=n_points,
        n_draws=2,
        resolution_s=3600,
        seed=5,
        n_threads=1,
    )
    shares = np.array([one.share for one in found]).reshape(2, len(TIME_FACTORS))
    assert np.all(np.diff(shares, axis=0) <= 0)
    assert np.all(np.diff(shares, axis=1) <= 0)
    assert shares[0, 0] > shares[-1, -1]
    assert [one.time_s for one in found[:4]] == [3600, 7200, 14400, 86400]


def test_points_without_times_have_one_column(make_events):
    events = make_events(rows_at(["home", "work"]), "user", "location", "start")
    points = build_points(events, "place", 3600)
    found = measure_grid(
        points, find_levels(points, events), n_points=1, n_draws=1, resolution_s=None
    )
    assert [(one.place, one.time_s) for one in found] == [("as released", None)]


def test_the_cell_of_the_points_as_they_are_has_the_share_of_all_draws(make_events):
    names = [f"{a}.{b}" for a in "pqr" for b in "stuv"]
    events = make_events(rows_at(names), "user", "location", "start")
    points = build_points(events, "place-time", 3600)
    counts = draw_candidates(points, (1, 2), n_draws=10, seed=3)
    (first, *_) = measure_grid(
        points, find_levels(points, events), n_points=2, n_draws=10, resolution_s=3600, seed=3
    )
    assert first.share == measure_unicity(counts)[1].share
