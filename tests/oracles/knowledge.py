"""What is known of a person: minute by minute, and event by event."""

from __future__ import annotations

import datetime as dt

import numpy as np


def minutes_at(start, end, is_within):
    """Minutes from ``start`` to ``end``, one by one, that lie within certain hours."""
    n_minutes = int((end - start).total_seconds() // 60)
    return sum(is_within(start + dt.timedelta(minutes=nth)) for nth in range(n_minutes))


def is_night(time):
    return time.hour >= 22 or time.hour < 7


def is_work(time):
    return time.isoweekday() <= 5 and 9 <= time.hour < 17


def home_and_work(visits):
    """
    Home and work of one person, from visits (place, start, end) of whole minutes.

    Home has most of the night, work most of the work hours of the other places; a second more for
    each visit that starts then. None where two places are alike.
    """
    places = sorted({place for place, *_ in visits})

    def presence(place, is_within):
        own = [visit for visit in visits if visit[0] == place]
        spent = sum(60 * minutes_at(start, end, is_within) for _, start, end in own)
        return spent + sum(is_within(start) for _, start, _ in own), len(own)

    def find(among, is_within):
        ranked = sorted(among, key=lambda place: presence(place, is_within), reverse=True)
        tied = len(ranked) > 1 and len({presence(place, is_within) for place in ranked[:2]}) == 1
        return None if tied else ranked[0]

    home = find(places, is_night)
    others = [place for place in places if place != home]
    return home, find(others, is_work) if others and home is not None else None


def draw_points(counts, amount, draw):
    """
    Events of one person by waiting times: ``counts`` by event, ``draw(event, copy)`` in (0, 1].

    Each event waits an exponential time; of n alike, the next comes at a rate of those left.
    """
    arrivals = []
    for event, n in counts.items():
        time = 0.0
        for copy in range(1, min(int(np.ceil(n)), amount) + 1):
            time += -np.log(draw(event, copy)) / (n - copy + 1)
            arrivals.append((time, event, min(1.0, n - copy + 1)))
    return sorted(arrivals)[:amount]
