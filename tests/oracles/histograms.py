"""Histograms by their definition: visits of (user, place, UTC start, seconds), one by one."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from zoneinfo import ZoneInfo

SLOTS = {
    "none": lambda here: "all",
    "weekday": lambda here: ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[here.weekday()],
    "weekend": lambda here: "weekend" if here.weekday() >= 5 else "weekday",
    "four-hour": lambda here: (
        "midnight", "dawn", "morning", "afternoon", "evening", "night",
    )[here.hour // 4],
}  # fmt: skip


def weigh_visits(rows, weight, slots, zone):
    """{(user, slot, place): amount} by a weight of visits and by slots of local time."""

    def local(moment):
        return moment.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone))

    amounts: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    if weight == "day-balanced":
        days: defaultdict[tuple[str, dt.date, str], Counter[str]] = defaultdict(Counter)
        for user, place, start, _ in rows:
            here = local(start)
            days[user, here.date(), SLOTS[slots](here)][place] += 1
        for (user, _, slot), counts in days.items():
            for place, n in counts.items():
                amounts[user, slot, place] += n / counts.total()
        return dict(amounts)
    for user, place, start, seconds in rows:
        amount = 1 if weight == "visits" else (seconds or 0) + 1
        amounts[user, SLOTS[slots](local(start)), place] += amount
    return dict(amounts)
