"""Sequences: each user's days as ordered visits with their neighbours (2011 paper, 5.1)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.ids import encode, encode_together
from trailprint.kernels.csr import list_ranges

#: No neighbour, at the beginning or end of a day: the paper's ``NA``.
NA = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sequences(Discreet):
    """
    Visits sorted by user, day and time; one row each, with stays over midnight split at midnight.

    Attributes
    ----------
    user, location : ndarray of int64
        Codes into ``users`` and ``locations``.
    day : ndarray of int64
        Local calendar day, counted from 1970-01-01.
    duration_s : ndarray of float64
        Seconds of the visit that lie in this day.
    weekday, slot : ndarray of int64
        0 is Monday; 0 to 5 are the four-hour slots from midnight.
    previous, next_to_previous, next : ndarray of int64
        Locations of the neighbouring visits of the same day, ``NA`` at its edges.
    users, locations : pyarrow.Array of string
        Ids of the codes, sorted.
    """

    user: NDArray[np.int64]
    location: NDArray[np.int64]
    day: NDArray[np.int64]
    duration_s: NDArray[np.float64]
    weekday: NDArray[np.int64]
    slot: NDArray[np.int64]
    previous: NDArray[np.int64]
    next_to_previous: NDArray[np.int64]
    next: NDArray[np.int64]
    users: pa.Array
    locations: pa.Array

    @property
    def n_visits(self) -> int:
        """Number of visits."""
        return len(self.user)

    def day_starts(self) -> NDArray[np.int64]:
        """Index of the first visit of each day of each user, and finally the number of visits."""
        if not self.n_visits:
            return np.zeros(1, dtype=np.int64)
        changes = np.flatnonzero((np.diff(self.user) != 0) | (np.diff(self.day) != 0)) + 1
        return np.concatenate(([0], changes, [self.n_visits])).astype(np.int64)

    def at_days(self, kept: NDArray[np.bool_]) -> Sequences:
        """
        Select some days; ``kept`` has one flag per visit. Users without a day left stay listed.

        A day must be kept whole or not at all, otherwise the neighbours would be wrong.
        """
        names = (f.name for f in fields(self) if f.name not in ("users", "locations"))
        return replace(self, **{name: getattr(self, name)[kept] for name in names})

    def select(self, rows: NDArray[np.int64]) -> Sequences:
        """Some of the users, in the order given, with all of their days."""
        # Visits are sorted by user, so each user's visits are contiguous.
        starts = np.searchsorted(self.user, np.arange(len(self.users) + 1))
        counts = np.diff(starts)[rows]
        visits = list_ranges(starts[rows], counts)
        names = (f.name for f in fields(self) if f.name not in ("user", "users", "locations"))
        return replace(
            self,
            user=np.repeat(np.arange(len(rows), dtype=np.int64), counts),
            users=self.users.take(pa.array(rows)),
            **{name: getattr(self, name)[visits] for name in names},
        )

    def without_idle_users(self) -> Sequences:
        """The same visits, without users who have none."""
        present = np.zeros(len(self.users), dtype=bool)
        present[self.user] = True
        number = np.cumsum(present) - 1
        return replace(self, user=number[self.user], users=self.users.filter(pa.array(present)))

    def nth_day(self) -> NDArray[np.int64]:
        """For each visit, the index of its day among its user's days with data, from 0."""
        starts = self.day_starts()[:-1]
        nth = np.arange(len(starts)) - np.searchsorted(self.user[starts], self.user[starts])
        return np.repeat(nth, np.diff(np.append(starts, self.n_visits)))

    def first_days(self, n_days: int) -> Sequences:
        """Only the first ``n_days`` days with data of each user."""
        return self.at_days(self.nth_day() < n_days)


def build_sequences(events: Events) -> Sequences:
    """The sequences of one dataset."""
    visits = _visits(events)
    codes, locations = encode(visits["location"])
    return _assemble(visits, codes, locations)


def build_sequence_pair(released: Events, auxiliary: Events) -> tuple[Sequences, Sequences]:
    """The sequences of both sides, over a shared list of locations."""
    first, second = _visits(released), _visits(auxiliary)
    codes, locations = encode_together([first["location"], second["location"]])
    return _assemble(first, codes[0], locations), _assemble(second, codes[1], locations)


def tabulate_sequences(sequences: Sequences) -> sparse.csr_array:
    """Matrix of users × visit number; rows are equal if all features of the visits are equal."""
    features = (sequences.day, sequences.slot, sequences.location, sequences.duration_s)
    kinds = np.unique(np.column_stack(features), axis=0, return_inverse=True)[1].reshape(-1)
    starts = np.searchsorted(sequences.user, np.arange(len(sequences.users) + 1))
    nth = np.arange(sequences.n_visits) - starts[sequences.user]
    shape = (len(sequences.users), int(nth.max(initial=-1)) + 1)
    return sparse.csr_array((kinds + 1.0, nth, starts), shape=shape)


def _visits(events: Events) -> pa.Table:
    """
    One row per visit and local day, with its start, seconds, weekday and slot of the day.

    If clocks are set back over midnight, midnight occurs twice; days are split at the later one.
    """
    events.require("start", "A sequence")
    events.require("location", "A sequence")
    end = 'greatest(coalesce("end", "start"), "start")' if "end" in events.columns else '"start"'
    # A stay that ends exactly at midnight does not reach into the next day.
    wall_end = events.to_local("(until - INTERVAL 1 MICROSECOND)")
    reach = f"datediff('day', here, greatest(here, {wall_end}))"
    midnight = events.to_utc("midnight")
    next_midnight = events.to_utc("(midnight + INTERVAL 1 DAY)")
    return events.engine.arrow(f"""
        WITH stays AS (
            SELECT "user", location, "start", {end} AS until, {events.local_start} AS here
            FROM ({events.query})
        ), pieces AS (
            SELECT *, date_trunc('day', here) + to_days(CAST(nth AS INTEGER)) AS midnight
            FROM (SELECT *, unnest(range({reach} + 1)) AS nth FROM stays)
        ), cut AS (
            SELECT "user", location, midnight, nth,
                   CASE WHEN nth = 0 THEN "start" ELSE {midnight} END AS begins,
                   least(until, {next_midnight}) AS ends FROM pieces
        )
        SELECT "user", location, datediff('day', DATE '1970-01-01', midnight::DATE) AS day,
               epoch_us(begins) AS begins, (epoch_us(ends) - epoch_us(begins)) / 1e6 AS duration_s,
               isodow(midnight) - 1 AS weekday,
               CASE WHEN nth > 0 THEN 0
                    ELSE hour({events.to_local("begins")}) // 4 END AS slot
        FROM cut WHERE nth = 0 OR begins < ends
    """)


def _assemble(visits: pa.Table, location: NDArray[np.int64], locations: pa.Array) -> Sequences:
    user, users = encode(visits["user"])
    day = visits["day"].to_numpy().astype(np.int64)
    duration = visits["duration_s"].to_numpy().astype(np.float64)
    order = np.lexsort((location, duration, visits["begins"].to_numpy(), day, user))
    user, day, location = user[order], day[order], location[order]
    same_day = (np.diff(user) == 0) & (np.diff(day) == 0)
    return Sequences(
        user=user,
        location=location,
        day=day,
        duration_s=duration[order],
        weekday=visits["weekday"].to_numpy().astype(np.int64)[order],
        slot=visits["slot"].to_numpy().astype(np.int64)[order],
        previous=_before(location, same_day, 1),
        next_to_previous=_before(location, same_day, 2),
        next=_after(location, same_day),
        users=users,
        locations=locations,
    )


def _before(
    location: NDArray[np.int64], same_day: NDArray[np.bool_], n_steps: int
) -> NDArray[np.int64]:
    """The location ``n_steps`` visits earlier on the same day."""
    earlier = np.full(len(location), NA, dtype=np.int64)
    joined = same_day
    for step in range(1, n_steps):
        joined = joined[1:] & same_day[:-step]
    places = np.flatnonzero(joined) + n_steps
    earlier[places] = location[places - n_steps]
    return earlier


def _after(location: NDArray[np.int64], same_day: NDArray[np.bool_]) -> NDArray[np.int64]:
    later = np.full(len(location), NA, dtype=np.int64)
    places = np.flatnonzero(same_day)
    later[places] = location[places + 1]
    return later
