"""Suspicious features of a dataset, with advice."""

from __future__ import annotations

import math

from trailprint.events.events import Events

#: An id with this many times the median number of events is hardly a person.
_FAR_TOO_MANY = 1000
#: Fixes come at short or regular intervals, and rarely twice from the same spot.
_FIX_GAP_S = 600
_CLOCK_GAP_S = 3600
_FIX_SPOTS = 0.2
#: Regular intervals: at least this share of gaps is within this relative distance of the median.
_REGULAR, _NEAR = 0.6, 0.2
_FEWEST_FIXES = 50
_USERS_LOOKED_AT = 10


def describe_oddities(events: Events, *, fewest: int = 1) -> tuple[str, ...]:
    """
    Return a sentence for each oddity: its extent and what to do, without values from the data.

    Counts of ids below ``fewest`` are not given exactly.
    """
    found = (_null_positions(events), _crowded_ids(events, fewest), _single_fixes(events))
    return tuple(sentence for sentence in found if sentence)


def _null_positions(events: Events) -> str:
    if "lat" not in events.columns:
        return ""
    n_rows, n_null = events.engine.row(
        f"SELECT count(*), count_if(lat = 0 AND lon = 0) FROM ({events.query})"
    )
    if not n_null:
        return ""
    return (
        f"{n_null:,} of {n_rows:,} positions are at latitude 0 and longitude 0, which usually "
        "means that there was none. Remove these rows, or give the area of your data with --box."
    )


def _crowded_ids(events: Events, fewest: int) -> str:
    n_crowded, limit = events.engine.row(
        f"""WITH people AS (SELECT sum({events.weight_sql}) AS n FROM ({events.query})
                            GROUP BY "user"),
                 usual AS (SELECT {_FAR_TOO_MANY} * greatest(median(n), 1) AS most FROM people)
            SELECT count_if(n >= most), ceil(any_value(most)) FROM people, usual"""
    )
    if not n_crowded:
        return ""
    number = f"{n_crowded:,}" if n_crowded >= fewest else f"Fewer than {fewest}"
    ids, are = ("id has", "is it") if number == "1" else ("ids have", "are they")
    who = "a person, or a machine," if number == "1" else "people, or machines,"
    return (
        f"{number} {ids} {_FAR_TOO_MANY:,} times the usual number of events or more: {are} "
        f"{who} or what stands for a missing id? "
        f"--max-events {int(limit) - 1} leaves such ids out."
    )


def _single_fixes(events: Events) -> str:
    needed = {"lat", "lon", "start"}
    if not needed <= events.columns or {"end", "weight"} & events.columns:
        return ""
    chosen = events.engine.materialise(
        f'SELECT "user" FROM (SELECT DISTINCT "user" FROM ({events.query})) '
        f'ORDER BY hash("user"), "user" LIMIT {_USERS_LOOKED_AT}',
        "chosen",
    )
    n_fixes, n_spots, gap_us, regular = events.engine.row(
        f"""WITH fixes AS (SELECT lat, lon, epoch_us("start") - lag(epoch_us("start")) OVER (
                               PARTITION BY "user" ORDER BY "start") AS gap
                           FROM ({events.query}) SEMI JOIN {chosen} USING ("user")),
                 usual AS (SELECT median(gap) AS us FROM fixes)
            SELECT count(*), count(DISTINCT (lat, lon)), any_value(us),
                   count_if(abs(gap - us) <= {_NEAR} * us) / greatest(count(gap), 1)
            FROM fixes, usual"""
    )
    events.engine.drop(chosen)
    if n_fixes < _FEWEST_FIXES or n_spots < _FIX_SPOTS * n_fixes:
        return ""
    return _propose_stays(gap_us / 1e6, regular >= _REGULAR)


def _propose_stays(gap_s: float, is_regular: bool) -> str:
    """
    Return a sentence that proposes ``--stays``; empty if the gaps are not those of fixes.

    A run lasts until the first fix outside it, so a single fix lasts as long as the gap: the
    minimum duration must be longer, or every fix on the way would be a stay.
    """
    if gap_s <= _FIX_GAP_S:
        often = "every few minutes or faster"
    elif is_regular and gap_s <= _CLOCK_GAP_S * (1 + _NEAR):
        often = f"about every {round(gap_s / 60)} minutes"
    else:
        return ""
    least = 20 if gap_s * (1 + _NEAR) < 20 * 60 else 10 * math.ceil(1.5 * gap_s / 600 - _NEAR)
    return (
        f"Positions come {often}: these are fixes, not visits. "
        f"--stays 200m,{least}min makes visits of them."
    )
