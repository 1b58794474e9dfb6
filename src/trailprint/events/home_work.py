"""A person's home and work, found by the hours the person spends at each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from trailprint.events.events import Events

#: Maps SQL for a time to SQL for the amount of certain hours that has passed by that time.
Until: TypeAlias = Callable[[str], str]

HOURS = (
    "Home is where a person is most from 22:00 to 07:00, work where else they are most from 09:00 "
    "to 17:00 on Monday to Friday; where no event is at these hours, the most visited place counts."
)
NO_HOURS = "The data has no times: home and work are the two most visited places."

_HOUR, _DAY = 3_600_000_000, 86_400_000_000
#: Monday, 1 January of the year 1: weeks are counted from it, and no usable time is before it.
_FIRST_MONDAY = 62_135_596_800_000_000


def presence_columns(events: Events) -> str:
    """
    SQL: how much of a group of events is at night (``night``) and in work hours (``work``).

    Time spent counts, plus one second for each event that starts in these hours: events without
    a duration count as well. Without times, both are 0.
    """
    if "start" not in events.columns:
        return "0 AS night, 0 AS work"
    here = events.local_start
    at_night = f"(hour({here}) >= 22 OR hour({here}) < 7)"
    at_work = f"(isodow({here}) <= 5 AND hour({here}) >= 9 AND hour({here}) < 17)"
    night = _total(events, f"{_spent(events, _night_until)} + {_second(at_night)}")
    work = _total(events, f"{_spent(events, _work_until)} + {_second(at_work)}")
    return f"{night} AS night, {work} AS work"


def _second(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1000000 ELSE 0 END"


def _total(events: Events, amount: str) -> str:
    """SQL: a sum that does not depend on the order of rows: of integers, or of sorted values."""
    if "weight" not in events.columns:
        return f"sum({amount})"
    counted = f"({amount}) * weight"
    return f"sum({counted} ORDER BY {counted})"


def _spent(events: Events, until: Until) -> str:
    """SQL: microseconds between start and end that lie within certain hours."""
    if "end" not in events.columns:
        return "0"
    last = events.to_local('coalesce("end", "start")')
    first, last = (f"(epoch_us({t}) + {_FIRST_MONDAY})" for t in (events.local_start, last))
    return f"greatest(0, {until(last)} - {until(first)})"


def _night_until(time: str) -> str:
    """SQL: microseconds of night (22:00 to 07:00) from the first Monday up to a time."""
    of_day = f"least(greatest({time} % {_DAY} - {7 * _HOUR}, 0), {15 * _HOUR})"
    return f"({time} - ({time} // {_DAY}) * {15 * _HOUR} - {of_day})"


def _work_until(time: str) -> str:
    """SQL: the same for work hours (Monday to Friday, 09:00 to 17:00)."""
    weeks, day = f"({time} // {7 * _DAY})", f"(({time} % {7 * _DAY}) // {_DAY})"
    of_day = f"least(greatest({time} % {_DAY} - {9 * _HOUR}, 0), {8 * _HOUR})"
    today = f"CASE WHEN {day} < 5 THEN {of_day} ELSE 0 END"
    return f"({weeks} * {40 * _HOUR} + least({day}, 5) * {8 * _HOUR} + {today})"
