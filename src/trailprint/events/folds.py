"""Folds: bins of equal length over each user's span of days; no day is in two bins."""

from __future__ import annotations

from trailprint.events.events import Events


def bin_days(events: Events, n: int) -> str:
    """
    SQL: the events with their ``fold``, one of n bins of equal length of a user's span of days.

    A stay that reaches into later bins is cut at the midnights between them, one piece per bin;
    if there are more bins than days, bins without a day get no events.
    """
    start_day = _day_number(events.local_start)
    spans = f"""
        SELECT *, {start_day} AS day, min({start_day}) OVER own AS first_day,
               max({start_day}) OVER own - min({start_day}) OVER own + 1 AS n_days
        FROM ({events.query}) WINDOW own AS (PARTITION BY "user")
    """
    bins = f"SELECT *, {_bin_of('day', n)} AS fold FROM ({spans})"
    if "end" not in events.columns:
        return f"SELECT * EXCLUDE (day, first_day, n_days) FROM ({bins})"
    # A stay that ends exactly at midnight does not reach into the next day.
    end_day = _day_number(events.to_local('("end" - INTERVAL 1 MICROSECOND)'))
    last = f"greatest(fold, coalesce({_bin_of(end_day, n)}, fold))"
    pieces = f"""
        SELECT *, unnest(range(first_bin, last_bin + 1)) AS fold
        FROM (SELECT * EXCLUDE fold, fold AS first_bin, {last} AS last_bin FROM ({bins}))
    """
    opens, closes = (_midnight_of_bin(events, which, n) for which in ("fold - 1", "fold"))
    return f"""
        SELECT {events.list_columns(without={"start", "end"})}, fold,
               CASE WHEN fold = first_bin THEN "start" ELSE {opens} END AS "start",
               CASE WHEN fold = last_bin THEN "end" ELSE {closes} END AS "end"
        FROM ({pieces})
        WHERE fold IN (first_bin, last_bin) OR {opens} < {closes}
    """


def _day_number(wall_clock: str) -> str:
    return f"datediff('day', DATE '1970-01-01', {wall_clock}::DATE)"


def _bin_of(day: str, n: int) -> str:
    """SQL: the bin of a day; days after a user's last start belong to the last bin."""
    share = f"floor(({day} - first_day) * {n}::DOUBLE / n_days)"
    return f"CAST(least({share}, {n - 1}) AS INTEGER) + 1"


def _midnight_of_bin(events: Events, n_before: str, n: int) -> str:
    """SQL: the start of the bin that has ``n_before`` bins before it."""
    day = f"first_day + ceil(({n_before}) * n_days / {n}::DOUBLE)"
    return events.to_utc(f"(DATE '1970-01-01' + CAST({day} AS INTEGER))::TIMESTAMP")
