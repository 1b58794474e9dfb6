"""What in a dataset is probably not what it seems, and what to do about it."""

from __future__ import annotations

from trailprint.events.events import Events

#: An id with this many times the usual number of events is hardly a person.
_FAR_TOO_MANY = 1000
#: Fixes come every few minutes or faster, and seldom twice from the same spot.
_FIX_GAP_S = 600
_FIX_SPOTS = 0.2
_FEWEST_FIXES = 50
_USERS_LOOKED_AT = 10


def describe_oddities(events: Events, *, fewest: int = 1) -> tuple[str, ...]:
    """
    A sentence for each oddity: how much of it there is and what to do, no value of the data.

    Fewer ids than ``fewest`` are not counted exactly.
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
    n_fixes, gap_us, n_spots = events.engine.row(
        f"""WITH fixes AS (SELECT lat, lon, epoch_us("start") - lag(epoch_us("start")) OVER (
                               PARTITION BY "user" ORDER BY "start") AS gap
                           FROM ({events.query}) SEMI JOIN {chosen} USING ("user"))
            SELECT count(*), median(gap), count(DISTINCT (lat, lon)) FROM fixes"""
    )
    events.engine.drop(chosen)
    is_dense = gap_us is not None and gap_us <= _FIX_GAP_S * 1e6
    if n_fixes < _FEWEST_FIXES or not is_dense or n_spots < _FIX_SPOTS * n_fixes:
        return ""
    return (
        "Positions come every few minutes or faster: these are fixes, not visits. "
        "--stays 200m,20min makes visits of them."
    )
