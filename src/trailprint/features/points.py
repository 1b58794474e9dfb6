"""Points: single facts an adversary could know of a person — a place, a time, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from trailprint.arrays import Indices, Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.features.ids import BatchEncoder, encode
from trailprint.kernels.csr import list_ranges, row_starts

PointKind = Literal["place", "place-time", "time"]

#: A table of all places × times is used if it has at most this many entries per point.
_TABLE_PER_POINT = 4
_MOST = 2**31 - 1
#: Largest number of visits: larger whole numbers are not exact as floats.
_MOST_VISITS = 2**53
#: Most repetitions kept of a visit in a row: knowledge has at most ten visits.
MOST_REPEATED = 10
#: DuckDB's memory limit while points, which are held outside it, are counted.
_COUNTING_MEMORY = "3GB"
#: From Monday to Thursday, 1970-01-01, because weeks begin on Mondays.
_THREE_DAYS_S = 259_200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points(Discreet):
    """
    Users × keys, with the number of visits of each.

    Attributes
    ----------
    indptr, keys : ndarray
        User ``i`` has the keys ``keys[indptr[i]:indptr[i + 1]]``, ascending.
    counts : ndarray of int64
        Number of visits of each entry of ``keys``, at least one.
    key_place, key_time : ndarray
        Place and time of each key, as numbers; zero if the kind of point has none.
    users, locations : pyarrow.Array of string
        Ids of rows and of place numbers, sorted.
    first_time : int
        The time bin with number zero, needed so that coarser bins also begin at midnight.
    """

    indptr: Ints
    keys: Indices
    counts: Ints
    key_place: Indices
    key_time: Indices
    users: pa.Array
    locations: pa.Array
    first_time: int = 0

    def _shown(self) -> dict[str, object]:
        return {"users": self.n_users, "keys": self.n_keys, "points": len(self.keys)}

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.users)

    @property
    def n_keys(self) -> int:
        """Number of different keys."""
        return len(self.key_place)

    @property
    def lengths(self) -> Ints:
        """Number of different points of each user."""
        return np.diff(self.indptr)

    def select(self, rows: Ints) -> Points:
        """Some of the users, in the order given; keys keep their numbers."""
        lengths = self.lengths[rows]
        entry = list_ranges(self.indptr[rows], lengths)
        return Points(
            indptr=row_starts(lengths),
            keys=self.keys[entry],
            counts=self.counts[entry],
            key_place=self.key_place,
            key_time=self.key_time,
            users=self.users.take(pa.array(rows)),
            locations=self.locations,
            first_time=self.first_time,
        )

    def coarser_keys(self, place_of: Indices, time_factor: int) -> tuple[Indices, int]:
        """The coarser key of each key when places and times are merged, and the number of these."""
        times = (self.key_time + self.first_time % time_factor) // time_factor
        codes = place_of[self.key_place].astype(np.int64) * (int(times.max(initial=0)) + 1) + times
        found, numbers = np.unique(codes, return_inverse=True)
        return numbers.astype(np.int32), len(found)

    def merged(self, numbers: Indices, n_keys: int) -> tuple[Ints, Indices]:
        """Users × coarser keys as (indptr, keys), each key once per user."""
        shape = (self.n_users, n_keys)
        index = (np.ones(len(self.keys), np.int8), numbers[self.keys], self.indptr)
        matrix = sparse.csr_array(index, shape=shape).astype(bool)
        matrix.sum_duplicates()
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VisitOrder(Discreet):
    """
    The visits of all users in the order of their times.

    User ``i`` visits ``places[indptr[i]:indptr[i + 1]]``, numbers of ``locations``.
    """

    indptr: Ints
    places: Indices
    users: pa.Array
    locations: pa.Array


def build_points(events: Events, kind: PointKind, resolution_s: int = 3600) -> Points:
    """
    The points of a dataset.

    Parameters
    ----------
    events : Events
        The events; each counts at its start.
    kind : {"place", "place-time", "time"}
        What one point consists of.
    resolution_s : int
        Length of a time bin in seconds; bins start at midnight, local time, of the Monday before
        1970-01-01.
    """
    counted = _count(events, kind, resolution_s)
    first_time = int(counted.time.min()) if len(counted.time) else 0
    keys, key_place, key_time = _number_keys(counted.place, counted.time - first_time)
    shape = (len(counted.users), len(key_place))
    matrix = sparse.coo_array((counted.visits, (counted.user, keys)), shape=shape).tocsr()
    matrix.sort_indices()
    users, locations = counted.users, counted.locations
    # Free memory before the rest is built: there may be a hundred million points.
    del counted, keys
    return Points(
        indptr=matrix.indptr.astype(np.int64),
        keys=matrix.indices.astype(np.int32),
        counts=matrix.data.astype(np.int64),
        key_place=key_place,
        key_time=key_time,
        users=users,
        locations=locations,
        first_time=first_time,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted(Discreet):
    """Distinct points of all users: number of the user and of the place, time bin, visits."""

    user: Indices
    place: Indices
    time: Ints
    visits: NDArray[np.integer]
    users: pa.Array
    locations: pa.Array


def _count(events: Events, kind: PointKind, resolution_s: int) -> _Counted:
    """Count points with one GROUP BY in DuckDB, fetched batch by batch."""
    user, place = BatchEncoder(), BatchEncoder()
    times: list[Ints] = []
    visits: list[NDArray[np.integer]] = []
    with events.engine.keeping_to(_COUNTING_MEMORY):
        for batch in events.engine.batches(_count_sql(events, kind, resolution_s)):
            user.add(batch["user"])
            if kind != "time":
                place.add(batch["location"])
            if kind != "place":
                times.append(batch["bin"].to_numpy().copy())
            visits.append(_to_visits(batch["n"].to_numpy(zero_copy_only=False)))
    if not sum(map(len, visits)):
        raise InputError("Points need at least one event, but there is none.")
    users_coded, users = user.finish()
    nothing = np.zeros(len(users_coded), np.int32), pa.array([], pa.string())
    places_coded, locations = nothing if kind == "time" else place.finish()
    return _Counted(
        user=users_coded,
        place=places_coded,
        time=np.concatenate(times) if times else np.zeros(len(users_coded), np.int64),
        visits=np.concatenate(visits),
        users=users,
        locations=locations,
    )


def _to_visits(amount: NDArray[np.generic]) -> NDArray[np.integer]:
    """Whole numbers of visits, at least one; four bytes each unless there are very many."""
    visits = np.clip(np.floor(amount.astype(np.float64)), 1, _MOST_VISITS)
    if visits.max(initial=0) <= _MOST:
        return visits.astype(np.int32)
    return visits.astype(np.int64)


def _count_sql(events: Events, kind: PointKind, resolution_s: int) -> str:
    """SQL: user, (location,) (bin,) n."""
    keys = ['"user"']
    if kind != "time":
        events.require("location", f"--knowledge {kind}")
        keys.append("location")
    if kind != "place":
        events.require("start", f"--knowledge {kind}")
        seconds = f"(epoch_us({events.local_start}) / 1e6 + {_THREE_DAYS_S})"
        keys.append(f"CAST(floor({seconds} / {resolution_s}) AS BIGINT) AS bin")
    total = events.total_sql()
    return f"SELECT {', '.join(keys)}, {total} AS n FROM ({events.query}) GROUP BY ALL HAVING n > 0"


def _number_keys(place: Indices, time: Ints) -> tuple[Indices, Indices, Indices]:
    """Number the pairs of place and time that occur; return keys, and each key's place and time."""
    n_times = int(time.max()) + 1
    code = np.multiply(place, n_times, dtype=np.int64)
    code += time
    space = (int(place.max()) + 1) * n_times
    if space <= _TABLE_PER_POINT * len(code) + 2**20:
        occurs = np.zeros(space, dtype=bool)
        occurs[code] = True
        found = np.flatnonzero(occurs)
        number = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
        keys = number[code]
    else:
        found, keys = np.unique(code, return_inverse=True)
    return (
        keys.astype(np.int32, copy=False),
        (found // n_times).astype(np.int32),
        (found % n_times).astype(np.int32),
    )


def build_visit_order(events: Events) -> VisitOrder:
    """
    The visits of all users by start time; simultaneous ones by the name of the place.

    A row that counts several visits is repeated that often, at most `MOST_REPEATED` times.
    """
    events.require("location", "--knowledge sequence")
    events.require("start", "--knowledge sequence")
    visits = events.engine.arrow(_visits_sql(events))
    if not visits.num_rows:
        raise InputError("Points need at least one event, but there is none.")
    user, users = encode(visits["user"])
    place, locations = encode(visits["location"])
    order = np.lexsort((place, visits["begins"].to_numpy(), user))
    return VisitOrder(
        indptr=np.searchsorted(user[order], np.arange(len(users) + 1)).astype(np.int64),
        places=place[order].astype(np.int32),
        users=users,
        locations=locations,
    )


def _visits_sql(events: Events) -> str:
    """SQL: user, location and begins of every visit; rows with zero weight are left out."""
    columns = '"user", location, epoch_us("start") AS begins'
    if "weight" not in events.columns:
        return f"SELECT {columns} FROM ({events.query})"
    n = f"least(greatest(floor(weight), 1), {MOST_REPEATED})::BIGINT"
    return f"""
        SELECT {columns} FROM (
            SELECT "user", location, "start", unnest(range({n}))
            FROM ({events.query}) WHERE weight > 0
        )"""


def rank_places(points: Points, *, least: bool = False) -> Ints:
    """
    Rank of each point among its user's, from 0 for the most visited; ties by the place's name.

    With ``least``, from 0 for the least visited.
    """
    rows = np.repeat(np.arange(points.n_users), points.lengths)
    order = np.lexsort((points.keys, points.counts if least else -points.counts, rows))
    rank = np.empty(len(order), np.int64)
    rank[order] = list_ranges(np.zeros_like(points.lengths), points.lengths)
    return rank


def top_places(points: Points, n_places: int, rank: Ints) -> tuple[Ints, Indices]:
    """Each user's ``n_places`` first places by ``rank``, as (indptr, ascending keys)."""
    lengths = np.minimum(points.lengths, n_places)
    return row_starts(lengths), points.keys[rank < n_places]
