"""Stays of position fixes and of arrivals, by their definitions."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np


def haversine_m(a, b):
    """Great-circle distance of two (lat, lon) in degrees, on a sphere of 6,371 km."""
    (lat, lon), (other_lat, other_lon) = np.radians(a), np.radians(b)
    chord = np.sin((other_lat - lat) / 2) ** 2
    chord += np.cos(lat) * np.cos(other_lat) * np.sin((other_lon - lon) / 2) ** 2
    return 2 * 6_371_000.0 * np.arcsin(min(1.0, np.sqrt(chord)))


def stays_of_one(fixes, radius_m, least, gap, longest=float("inf")):
    """
    Stays of one person's fixes (time, lat, lon), sorted: (start, end, lat, lon), by definition.

    Runs are cut first, then judged: a run is as many fixes as are within the radius of its first
    one without a silence between them; it ends at the first fix after it if that is not after a
    silence.
    """
    stays, i = [], 0
    while i < len(fixes):
        n_in = 1
        while i + n_in < len(fixes):
            before, fix = fixes[i + n_in - 1], fixes[i + n_in]
            is_near = haversine_m(fixes[i][1:], fix[1:]) <= radius_m
            if not is_near or fix[0] - before[0] > gap or fix[0] - fixes[i][0] > longest:
                break
            n_in += 1
        run, after = fixes[i : i + n_in], fixes[i + n_in : i + n_in + 1]
        end = run[-1][0]
        if after and after[0][0] - end <= gap and after[0][0] - run[0][0] <= longest:
            end = after[0][0]
        if end - run[0][0] >= least:
            east = [(fix[2] - run[0][2] + 180) % 360 - 180 for fix in run]
            lon = (run[0][2] + np.mean(east) + 180) % 360 - 180
            stays.append((run[0][0], end, np.mean([fix[1] for fix in run]), lon))
        i += n_in
    return stays


def stays_of_arrivals(records, limits, *, throughout):
    """
    Stays within a daily window, of arrivals (user, place, time or None).

    One lasts until the next arrival of the day or the end of the window; ``limits`` are in minutes
    after midnight. With ``throughout``, only days with an arrival before the window count.
    """
    stays = []
    timed = [(user, when, place) for user, place, when in records if when]
    for user, day in {(user, when.date()) for user, when, _ in timed}:
        own = sorted(
            (when, place) for name, when, place in timed if name == user and when.date() == day
        )
        midnight = datetime(day.year, day.month, day.day)
        opens, closes = (midnight + timedelta(minutes=minutes) for minutes in limits)
        if throughout and own[0][0] > opens:
            continue
        for (when, place), (left, _) in pairwise([*own, (closes, "")]):
            begins, ends = max(when, opens), min(left, closes)
            if begins < ends:
                stays.append((user, place, begins, ends))
    return sorted(stays, key=str)
