"""
How useful a release still is: three tasks, before and after a protection.

Next place: how often a first-order Markov predictor is correct. Occupancy: the error in the number
of visitors of each place and hour. Flows: the error in the matrix of moves between places. Coarse
places are read back as their old ones in proportion to their popularity, as in `loss`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.ids import encode
from trailprint.protections.loss import (
    Translation,
    expand_rows,
    read_names_back,
    with_locations,
)
from trailprint.values import OccupancyOf

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """
    Results of the tasks; None if a task cannot be done with the data.

    Attributes
    ----------
    next_place_before, next_place : float, optional
        Share of moves whose destination a first-order Markov predictor predicts, trained on the
        earlier half of the moves and tested on the later one; in the unprotected data, and in the
        release with its own places.
    occupancy_error : float
        Σ|before − after| / Σ(before + after) over the visitors of each place and hour: 0 if they
        are equal, 1 if none is left.
    occupancy_of : {"place and hour", "place"}
        What visitors are counted by; without times, and for histograms, by place.
    flow_error : float, optional
        Total variation distance between the shares of moves from place to place.
    """

    next_place_before: float | None
    next_place: float | None
    occupancy_error: float
    occupancy_of: OccupancyOf
    flow_error: float | None


@dataclass(frozen=True, slots=True)
class _Counts(Discreet):
    """Amounts by two keys: the first is a place, the second an hour or a place."""

    first: Ints
    second: Ints
    amount: Floats
    names: tuple[pa.Array, pa.Array]

    def matrix(self) -> sparse.csr_array:
        shape = (len(self.names[0]), len(self.names[1]))
        return sparse.csr_array((self.amount, (self.first, self.second)), shape=shape)

    def shares(self) -> _Counts:
        return replace(self, amount=self.amount / self.amount.sum())


class TaskBaseline:
    """The data before any protection, counted once for all comparisons."""

    def __init__(self, before: Events) -> None:
        self._before = with_locations(before)

    def measure(self, after: Events, translations: Sequence[Translation]) -> Tasks:
        """Do the tasks with the released events."""
        release = with_locations(after)
        has_times = "start" in release.columns and "start" in self._before.columns
        visitors = count_visitors(release, by_hour=has_times)
        own = self._visitors if has_times else self._visitors_by_place
        shared = _overlap(own, visitors, translations, is_flow=False)
        total = own.amount.sum() + visitors.amount.sum()
        return Tasks(
            next_place_before=self._next_place if has_times else None,
            next_place=predict_next_places(release) if has_times else None,
            occupancy_error=_without_rounding(float(1 - 2 * shared / total)),
            occupancy_of="place and hour" if has_times else "place",
            flow_error=self._compare_flows(release, translations) if has_times else None,
        )

    def without_events(self, popularity_error: float) -> Tasks:
        """Do the tasks with histograms, which only give the popularity of places."""
        return Tasks(
            next_place_before=self._next_place if "start" in self._before.columns else None,
            next_place=None,
            occupancy_error=_without_rounding(popularity_error),
            occupancy_of="place",
            flow_error=None,
        )

    def _compare_flows(self, after: Events, translations: Sequence[Translation]) -> float | None:
        own, released = self._flows, count_flows(after)
        if not own.amount.size:
            return None
        if not released.amount.size:
            return 1.0
        shared = _overlap(own.shares(), released.shares(), translations, is_flow=True)
        return _without_rounding(1 - shared)

    @cached_property
    def _next_place(self) -> float | None:
        return predict_next_places(self._before)

    @cached_property
    def _visitors(self) -> _Counts:
        return count_visitors(self._before, by_hour=True)

    @cached_property
    def _visitors_by_place(self) -> _Counts:
        return count_visitors(self._before, by_hour=False)

    @cached_property
    def _flows(self) -> _Counts:
        return count_flows(self._before)


def _without_rounding(error: float) -> float:
    return error if error > _ROUNDING else 0.0


def count_visitors(events: Events, *, by_hour: bool) -> _Counts:
    """Number of visitors of each place, in each calendar hour or in total."""
    hour = "epoch_us(date_trunc('hour', \"start\")) // 3600000000" if by_hour else "0"
    return _count(
        events,
        f'SELECT location AS first, {hour} AS second, count(DISTINCT "user") AS n '
        f"FROM ({events.query}) WHERE location IS NOT NULL AND {events.weight_sql} > 0 "
        "GROUP BY ALL",
    )


def count_flows(events: Events) -> _Counts:
    """Number of moves from each place to each other one."""
    return _count(
        events,
        f"SELECT origin AS first, target AS second, count(*) AS n FROM ({_moves(events)}) "
        "GROUP BY ALL",
    )


def _count(events: Events, query: str) -> _Counts:
    table = events.engine.arrow(query)
    (first, firsts), (second, seconds) = encode(table["first"]), encode(table["second"])
    # Sorted, because the last digit of a sum would otherwise depend on the threads.
    order = np.lexsort((second, first))
    amount = table["n"].to_numpy().astype(np.float64)
    return _Counts(first[order], second[order], amount[order], (firsts, seconds))


def _moves(events: Events) -> str:
    """SQL: user, origin, target and start of each change of place."""
    place = "CAST(location AS VARCHAR)"
    last = f'lag({place}) OVER (PARTITION BY "user" ORDER BY "start", {place})'
    return (
        f'SELECT * FROM (SELECT "user", {last} AS origin, {place} AS target, "start" '
        f"FROM ({events.query}) WHERE location IS NOT NULL AND {events.weight_sql} > 0) "
        "WHERE origin <> target"
    )


def predict_next_places(events: Events) -> float | None:
    """
    Share of the later half of moves whose destination is predicted; None without such moves.

    The prediction is the person's most frequent destination from that place in the earlier half;
    for ties and people who never left that place, the most frequent one of all people from there;
    otherwise the most frequent destination overall.
    """
    found = events.engine.row(
        f"WITH moves AS MATERIALIZED ({_moves(events)}), "
        'cut AS (SELECT quantile_disc("start", 0.5) AS middle FROM moves), '
        'known AS (SELECT "user", origin, target, count(*) AS n FROM moves, cut '
        'WHERE "start" <= middle GROUP BY ALL), '
        "together AS (SELECT origin, target, sum(n) AS n FROM known GROUP BY ALL), "
        "anywhere AS (SELECT target, sum(n) AS n FROM known GROUP BY ALL), "
        'own AS (SELECT "user", origin, target FROM known JOIN together t USING (origin, target) '
        'QUALIFY row_number() OVER (PARTITION BY "user", origin '
        "ORDER BY known.n DESC, t.n DESC, target) = 1), "
        "common AS (SELECT origin, target FROM together "
        "QUALIFY row_number() OVER (PARTITION BY origin ORDER BY n DESC, target) = 1), "
        "most AS (SELECT target FROM anywhere ORDER BY n DESC, target LIMIT 1) "
        "SELECT avg(CAST(m.target = coalesce(own.target, common.target, most.target) AS INTEGER)) "
        'FROM moves m JOIN cut ON m."start" > middle CROSS JOIN most '
        'LEFT JOIN own ON own."user" = m."user" AND own.origin = m.origin '
        "LEFT JOIN common ON common.origin = m.origin"
    )[0]
    return None if found is None else float(found)


def _overlap(
    before: _Counts, after: _Counts, translations: Sequence[Translation], *, is_flow: bool
) -> float:
    """Sum over keys of the smaller of both amounts, with the release read back."""
    back = read_names_back(after.names[0], translations, before.names[0]).T.tocsr()
    seconds = after.names[1], before.names[1]
    other = read_names_back(seconds[0], translations if is_flow else (), seconds[1]).T.tocsr()
    entry, first, share = expand_rows(back, before.first)
    inner, second, other_share = expand_rows(other, before.second[entry])
    amount = after.matrix()[first[inner], second]
    there = np.bincount(
        entry[inner],
        np.asarray(amount).reshape(-1) * share[inner] * other_share,
        len(before.amount),
    )
    return float(np.minimum(there, before.amount).sum())
