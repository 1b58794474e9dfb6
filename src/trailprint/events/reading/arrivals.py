"""Stays rebuilt from records that only have arrival times (2013 paper, section IV-A)."""

from __future__ import annotations

from trailprint.events.engine import quote_text
from trailprint.events.options import Window


def stays_until_next(records: str, max_days: float) -> str:
    """
    SQL: stays that last from each record until the same user's next one.

    A user's last record has no end, nor has a record whose next comes more than ``max_days``
    later.

    ``records`` is a SELECT of user, location, start. Rows without a start do not affect the
    others and are kept to be counted later.
    """
    order = 'PARTITION BY "user", "start" IS NULL ORDER BY "start", location'
    following = f'lead("start") OVER ({order})'
    longest = round(max_days * 86_400_000_000)
    is_near = f'epoch_us({following}) - epoch_us("start") <= {longest}'
    return f'SELECT *, CASE WHEN {is_near} THEN {following} END AS "end" FROM ({records})'


def stays_in_window(records: str, window: Window, timezone: str, *, throughout: bool) -> str:
    """
    SQL: the stays of each local day inside ``window``.

    A stay that began earlier that day is clipped to the window's start, and the last stay ends
    with the window. With ``throughout``, only days count on which the user was present when the
    window opened; they are then present until it closes.
    """
    zone = quote_text(timezone)
    local = '"start"' if timezone == "UTC" else f"timezone({zone}, timezone('UTC', \"start\"))"
    present = "AND first <= opens" if throughout else ""

    def utc(wall_clock: str) -> str:
        if timezone == "UTC":
            return wall_clock
        return f"timezone('UTC', timezone({zone}, {wall_clock}))"

    return f"""
        WITH local_records AS (
            SELECT "user", location, "start", {local} AS here FROM ({records})
        ), days AS (
            SELECT *, lead(here) OVER day_order AS left_at, min(here) OVER day_order AS first,
                   date_trunc('day', here) + INTERVAL {window.start} MINUTE AS opens,
                   date_trunc('day', here) + INTERVAL {window.end} MINUTE AS closes
            FROM local_records
            WINDOW day_order AS (
                PARTITION BY "user", date_trunc('day', here) ORDER BY here, location
            )
        ), clipped AS (
            SELECT *, greatest(here, opens) AS begins,
                   least(coalesce(left_at, closes), closes) AS ends
            FROM days
        )
        SELECT "user", location, {utc("begins")} AS "start", {utc("ends")} AS "end"
        FROM clipped WHERE "start" IS NULL OR (begins < ends {present})
    """
