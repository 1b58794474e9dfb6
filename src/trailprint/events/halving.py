"""
Cut one dataset in two such that most people are on both sides.

The methods need no parameters: by weeks, by the whole period, by every other day, or at random. The
first suitable one cuts the dataset of an audit, and the data that an adversary learns from.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.events.split import SplitOptions, split

Halves = tuple[Events, Events]


_MIDDLE = 'make_timestamp((epoch_us(min("start")) + epoch_us(max("start"))) // 2)'


def halve_suitably(events: Events, seed: int) -> Halves:
    """Cut events by the first method that leaves most people on both sides."""
    return HALVINGS[suitable_halving(events)](events, seed)[:2]


def suitable_halving(events: Events) -> str:
    """Return the first method that leaves most people on both sides, or random-events if none."""
    if "start" not in events.columns:
        return "random-events"
    week, day = (f"date_trunc('{unit}', {events.local_start})" for unit in ("week", "day"))
    is_odd = f"datediff('day', DATE '1970-01-01', {day}::DATE) % 2 = 1"
    n_users, *n_both = events.engine.row(
        f"""WITH people AS (
                SELECT "user", count(DISTINCT {week}) AS weeks, min("start") AS first,
                       max("start") AS last, bool_or({is_odd}) AND bool_or(NOT {is_odd}) AS on_both
                FROM ({events.query}) GROUP BY "user"),
            span AS (SELECT {_MIDDLE} AS middle FROM ({events.query}))
        SELECT count(*), count(*) FILTER (weeks >= 2),
               count(*) FILTER (first < middle AND last >= middle), count(*) FILTER (on_both)
        FROM people, span"""
    )
    ways = dict(zip(("weeks-halves", "span-halves", "odd-even-days"), n_both, strict=True))
    for way, n_people in ways.items():
        if 2 * n_people >= n_users and n_people >= 2:
            return way
    best = max(ways, key=lambda way: ways[way])
    return best if ways[best] >= 2 else "random-events"


def _halve_weeks(events: Events, seed: int) -> tuple[Events, Events, str]:
    sides = split(events, SplitOptions(halves_of_weeks=True))
    return (
        sides.released,
        sides.auxiliary,
        "Each person's active weeks were split into an earlier and a later half; people with one "
        "active week are left out.",
    )


def _halve_span(events: Events, seed: int) -> tuple[Events, Events, str]:
    middle = f"(SELECT {_MIDDLE} FROM ({events.query}))"
    return (
        events.having(f'"start" < {middle}'),
        events.having(f'"start" >= {middle}'),
        "The whole period was cut in the middle, because too few people were active in two weeks.",
    )


def _take_turns(events: Events, seed: int) -> tuple[Events, Events, str]:
    day = f"datediff('day', DATE '1970-01-01', {events.local_start}::DATE)"
    return (
        events.having(f"{day} % 2 = 0"),
        events.having(f"{day} % 2 <> 0"),
        "Every other day was set apart, because too few people were active in both halves of "
        "the period.",
    )


def draw_events(events: Events, seed: int) -> tuple[Events, Events, str]:
    """Assign each event to a side at random; a row that stands for several events is divided."""
    if "weight" in events.columns and events.having("weight <> floor(weight)").count():
        raise InputError(
            "Data without a second dataset must have times, or whole counts that can be drawn at "
            "random, but shares and averages have neither. Give what an adversary may have as a "
            "second dataset, with --truth where ids differ; trailprint points reports what shares "
            "reveal alone.",
            option="truth",
        )
    draw = _draw_counts if "weight" in events.columns else _draw_rows
    return (
        *draw(events, seed),
        "Each event was put on either side at random, because times do not tell two periods apart; "
        "the two sides are more alike than two periods would be, and the risk may be overstated.",
    )


def _draw_rows(events: Events, seed: int) -> tuple[Events, Events]:
    keys = ", ".join(f'"{column}"' for column in sorted(events.columns))
    text = " || '/' || ".join(f"coalesce(CAST({key} AS VARCHAR), '')" for key in keys.split(", "))
    nth = f'row_number() OVER (PARTITION BY {keys} ORDER BY "user") - 1'
    lot = f"md5({text} || '/' || nth || '/{seed}') < '8'"
    drawn = f"SELECT {keys}, {lot} AS first FROM (SELECT *, {nth} AS nth FROM ({events.query}))"
    stored = events.engine.materialise(drawn, "drawn")
    return (
        events.derive(f"SELECT * EXCLUDE first FROM {stored} WHERE first"),
        events.derive(f"SELECT * EXCLUDE first FROM {stored} WHERE NOT first"),
    )


def _draw_counts(events: Events, seed: int) -> tuple[Events, Events]:
    """Split each row by one binomial draw, as if a fair coin were tossed for each of its events."""
    keys = ", ".join(f'"{column}"' for column in sorted(events.columns - {"weight"}))
    counted = events.engine.arrow(
        f"SELECT {keys}, CAST({events.total_sql()} AS BIGINT) AS n FROM ({events.query}) "
        f"GROUP BY ALL ORDER BY {keys}"
    )
    n_first = np.random.default_rng(seed).binomial(counted["n"].to_numpy(), 0.5)
    drawn = counted.append_column("first", pa.array(n_first))
    with events.engine.registered(drawn, "lots") as name:
        stored = events.engine.materialise(f"FROM {name}", "drawn")
    sides = [
        events.derive(f"SELECT {keys}, CAST({n} AS DOUBLE) AS weight FROM {stored} WHERE {n} > 0")
        for n in ("first", "(n - first)")
    ]
    return sides[0], sides[1]


HALVINGS = {
    "weeks-halves": _halve_weeks,
    "span-halves": _halve_span,
    "odd-even-days": _take_turns,
    "random-events": draw_events,
}
"""Methods by name; each returns both sides and a sentence for people."""


def people_on_both(released: Events, auxiliary: Events) -> str:
    """SQL: ids on both sides."""
    return " INTERSECT ".join(
        f'SELECT CAST("user" AS VARCHAR) AS who FROM ({side.query})'
        for side in (released, auxiliary)
    )


def count_people(released: Events, auxiliary: Events) -> int:
    """Return the number of people on both sides."""
    query = f"SELECT count(*) FROM ({people_on_both(released, auxiliary)})"
    return int(released.engine.row(query)[0])
