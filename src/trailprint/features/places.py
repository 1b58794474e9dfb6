"""Personal places: clusters of each user's positions, and the moves between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.features.ids import encode
from trailprint.kernels.distances.transport import EARTH_M

#: Positions are binned in cubes with this share of the radius as side before neighbour search.
_GRAIN = 0.2
#: Binned positions per neighbour search.
_POINTS_AT_A_TIME = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPlaceOptions:
    """
    Options of the clustering of positions into places.

    Attributes
    ----------
    radius_m : float
        Positions within this distance are neighbours.
    max_radius_m : float
        Positions farther than this from the centre of their place are removed from it.
    min_positions : int
        Minimum number of neighbours, itself included, of a position that founds a place.
    max_speed_m_s : float
        A position passed at a higher speed belongs to no place. Speed is computed from the
        positions before and after, if both are at most ``max_gap_s`` away.
    max_gap_s : float
        Longest gap between positions over which speed is computed.
    """

    radius_m: float = 100.0
    max_radius_m: float = 500.0
    min_positions: int = 5
    max_speed_m_s: float = 1.0
    max_gap_s: float = 300.0

    def __post_init__(self) -> None:
        for name in ("radius_m", "max_radius_m", "max_speed_m_s", "max_gap_s"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise OptionError(f"{name} must be a positive number, got {value!r} instead.")
        if self.min_positions < 1:
            raise OptionError(
                f"min_positions must be at least 1, got {self.min_positions} instead."
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MobilityChains(Discreet):
    """
    A mobility Markov chain for each user (Gambs et al. 2014): their places and moves.

    Attributes
    ----------
    first_place : ndarray of int64
        User ``i`` owns the places ``first_place[i]:first_place[i + 1]``, those with most positions
        first.
    centre_m : ndarray of float64, (n_places, 3)
        Centres of the places, in metres from the centre of the Earth.
    stationary : ndarray of float64
        Share of each place in its user's visits. Apart from the two ends of the log, this is the
        chain's stationary distribution.
    first_move : ndarray of int64
        User ``i`` owns the moves ``first_move[i]:first_move[i + 1]``.
    origin, target : ndarray of int64
        Places where each move starts and ends.
    transition : ndarray of float64
        Transition probabilities; they sum to one over an origin's moves.
    users : pyarrow.Array of string
        Users of the chains, sorted; some may have no place.
    """

    first_place: Ints
    centre_m: Floats
    stationary: Floats
    first_move: Ints
    origin: Ints
    target: Ints
    transition: Floats
    users: pa.Array

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.users)


def build_chains(events: Events, options: OwnPlaceOptions | None = None) -> MobilityChains:
    """The chain of each user: places found in their positions, and moves between them."""
    options = options or OwnPlaceOptions()
    for column in ("lat", "lon", "start"):
        events.require(column, "A mobility Markov chain")
    table = events.engine.arrow(
        f'SELECT "user", epoch_us("start") AS time, lat, lon FROM ({events.query})'
    )
    user, users = encode(table["user"])
    time, lat, lon = (table[name].to_numpy() for name in ("time", "lat", "lon"))
    order = np.lexsort((lon, lat, time, user))
    user, time_s = user[order], time[order].astype(np.float64) / 1e6
    point = _on_the_globe(lat[order].astype(np.float64), lon[order].astype(np.float64))
    resting = ~_moving(user, time_s, point, options)
    user, point = user[resting], point[resting]
    return _chain(user, point, _gather(user, point, options), users)


def build_chain_pair(
    released: Events, auxiliary: Events, options: OwnPlaceOptions | None = None
) -> tuple[MobilityChains, MobilityChains]:
    """The chains of both sides, each with its own places."""
    return build_chains(released, options), build_chains(auxiliary, options)


def _on_the_globe(lat: Floats, lon: Floats) -> Floats:
    """Degrees as points in metres from the centre of the Earth, so that no area is distorted."""
    phi, lam = np.radians(lat), np.radians(lon)
    unit = np.stack((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)), axis=1)
    return EARTH_M * unit


def _moving(
    user: Ints, time_s: Floats, point: Floats, options: OwnPlaceOptions
) -> NDArray[np.bool_]:
    """Whether each position was passed in transit: too fast between its two neighbours."""
    moving = np.zeros(len(user), dtype=bool)
    if len(user) < 3:
        return moving
    step_s = np.diff(time_s)
    near = (np.diff(user) == 0) & (step_s <= options.max_gap_s)
    apart = np.linalg.norm(point[2:] - point[:-2], axis=1)
    lasting = np.maximum(time_s[2:] - time_s[:-2], 1e-6)
    moving[1:-1] = near[1:] & near[:-1] & (apart > options.max_speed_m_s * lasting)
    return moving


def _gather(user: Ints, point: Floats, options: OwnPlaceOptions) -> Ints:
    """
    The place of each position, or -1: density-joinable clusters (Zhou et al.'s DJ-Cluster).

    A position with enough neighbours founds a place together with them, and places that share a
    position are merged. Positions in one small cube are treated as one with their number as weight.
    """
    cube = np.floor(point / (_GRAIN * options.radius_m)).astype(np.int64)
    key = np.column_stack((user, cube))
    _, member = np.unique(key, axis=0, return_inverse=True)
    member = member.reshape(-1)
    count = np.bincount(member)
    middle = np.stack([np.bincount(member, axis) for axis in point.T], axis=1) / count[:, None]
    owner = np.zeros(len(count), dtype=np.int64)
    owner[member] = user
    place = _join(owner, middle, count, options)[member]
    return _keep_near(point, place, options.max_radius_m)


def _join(owner: Ints, middle: Floats, count: Ints, options: OwnPlaceOptions) -> Ints:
    """The place of each binned position, computed for some users at a time."""
    place = np.full(len(owner), -1, dtype=np.int64)
    n_places = low = 0
    while low < len(owner):
        # At least one whole user: binned positions are sorted by their owner.
        last = owner[min(low + _POINTS_AT_A_TIME, len(owner)) - 1]
        high = int(np.searchsorted(owner, last, side="right"))
        found = _join_some(owner[low:high], middle[low:high], count[low:high], options)
        place[low:high] = np.where(found >= 0, found + n_places, -1)
        n_places += int(found.max(initial=-1)) + 1
        low = high
    return place


def _join_some(owner: Ints, middle: Floats, count: Ints, options: OwnPlaceOptions) -> Ints:
    from scipy.spatial import cKDTree

    # A fourth axis separates users, so that one tree serves all of them.
    apart = 4.0 * options.radius_m * (owner - owner[0]).astype(np.float64)
    tree = cKDTree(np.column_stack((middle, apart)))
    pairs = tree.query_pairs(options.radius_m, output_type="ndarray")
    left, right = pairs[:, 0], pairs[:, 1]
    n = len(owner)
    near = count + np.bincount(left, count[right], n) + np.bincount(right, count[left], n)
    founds = near >= options.min_positions
    joined = founds[left] | founds[right]
    graph = sparse.coo_array(
        (np.ones(int(joined.sum()), dtype=bool), (left[joined], right[joined])), shape=(n, n)
    )
    _, component = connected_components(graph, directed=False)
    in_place = founds.copy()
    in_place[left[joined]] = True
    in_place[right[joined]] = True
    place = np.full(n, -1, dtype=np.int64)
    place[in_place] = np.unique(component[in_place], return_inverse=True)[1]
    return place


def _keep_near(point: Floats, place: Ints, max_radius_m: float) -> Ints:
    """Remove positions that are far from the centre of their place."""
    inside = np.flatnonzero(place >= 0)
    centre = _means(point[inside], place[inside])
    far = np.linalg.norm(point[inside] - centre[place[inside]], axis=1) > max_radius_m
    kept = place.copy()
    kept[inside[far]] = -1
    return kept


def _means(point: Floats, group: Ints) -> Floats:
    n = int(group.max(initial=-1)) + 1
    total = np.stack([np.bincount(group, axis, n) for axis in point.T], axis=1)
    means: Floats = total / np.maximum(np.bincount(group, minlength=n), 1)[:, None]
    return means


def _chain(user: Ints, point: Floats, place: Ints, users: pa.Array) -> MobilityChains:
    """Number places by user and weight, and count visits and moves."""
    inside = place >= 0
    user, point, place = user[inside], point[inside], place[inside]
    _, place = np.unique(place, return_inverse=True)
    weight = np.bincount(place)
    owner = np.zeros(len(weight), dtype=np.int64)
    owner[place] = user
    order = np.lexsort((-weight, owner))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    place, owner = number[place], owner[order]
    # A stay is one visit, regardless of its number of positions.
    arrives = np.concatenate(([True], place[1:] != place[:-1]))[: len(place)]
    visit = place[arrives]
    visits = np.bincount(visit, minlength=len(order)).astype(np.float64)
    of_user = np.bincount(owner, visits, len(users))
    origin, target, transition = _moves(visit, owner, len(order))
    return MobilityChains(
        first_place=_firsts(owner, len(users)),
        centre_m=_means(point, place),
        stationary=visits / of_user[owner],
        first_move=_firsts(owner[origin], len(users)),
        origin=origin,
        target=target,
        transition=transition,
        users=users,
    )


def _moves(visit: Ints, owner: Ints, n_places: int) -> tuple[Ints, Ints, Floats]:
    """Moves between places that a user visits one after the other, and their probabilities."""
    origin, target = visit[:-1], visit[1:]
    own = owner[origin] == owner[target]
    moves, count = np.unique(origin[own] * n_places + target[own], return_counts=True)
    origin, target = moves // max(n_places, 1), moves % max(n_places, 1)
    left = np.bincount(origin, count, n_places)
    return origin, target, count / left[origin]


def _firsts(owner: Ints, n_users: int) -> Ints:
    return np.searchsorted(owner, np.arange(n_users + 1)).astype(np.int64)
