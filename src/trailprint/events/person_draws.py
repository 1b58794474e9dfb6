"""
Random choices for each person, in SQL.

A draw depends on the seed and on the person's events, never on the order of rows, the number of
threads or people's ids. A larger draw contains every smaller one with the same seed.
"""

from __future__ import annotations

from trailprint.events.engine import quote_name
from trailprint.events.events import Events

#: Number of distinct values of DuckDB's ``hash``.
_N_HASHES = "18446744073709551616.0::DOUBLE"


def person_tables(events: Events) -> str:
    """
    SQL: definitions of two tables for a WITH clause.

    ``distinct_events`` has every distinct event with its number of occurrences, ``n``; ``people``
    has every ``user`` with a hash of all their events, ``person``.
    """
    columns = ", ".join(_content(events))
    return f"""
        distinct_events AS MATERIALIZED (
            SELECT "user", {columns}, ({events.total_sql()})::DOUBLE AS n
            FROM ({events.query}) GROUP BY ALL
        ), people AS (
            SELECT "user", hash(sum(hash({_hashed(events)}, n)::HUGEINT)) AS person
            FROM distinct_events GROUP BY "user"
        )"""


def draw_order(key: str, seed: int) -> str:
    """SQL: a random number to order a person's items by; ``key`` identifies the item."""
    return f"hash(xor(xor(hash({key}), person), hash({seed}::BIGINT)))"


def draw_points(events: Events, most: int, seed: int) -> str:
    """
    SQL: at most ``most`` events of each person, drawn without replacement, in order of the draw.

    Each event gets an exponential waiting time and the shortest come first; ``nth_point`` counts
    them from 1. A row that stands for n events is not fully expanded: the gap between the
    (i - 1)-th and the i-th shortest of n waiting times is an exponential time divided by n - i + 1.
    """
    columns = ", ".join(_content(events))
    weight = ", least(1.0, n - copy + 1)::DOUBLE AS weight" if "weight" in events.columns else ""
    wait = f"-ln((draw::DOUBLE + 1) / {_N_HASHES}) / (n - copy + 1)"
    return f"""
        WITH {person_tables(events)}, copies AS (
            SELECT *, hash({_hashed(events)}) AS event,
                   unnest(range(1, greatest(1, least(ceil(n), {most}))::BIGINT + 1)) AS copy
            FROM distinct_events JOIN people USING ("user")
        ), waits AS MATERIALIZED (
            SELECT *, CASE WHEN n > 0 THEN {wait} ELSE 'infinity'::DOUBLE END AS wait
            FROM (SELECT *, {draw_order("event, copy", seed)} AS draw FROM copies)
        ), arrivals AS (
            SELECT *, wait AS arrival FROM waits WHERE n <= 1 UNION ALL
            SELECT *, sum(wait) OVER (PARTITION BY "user", event ORDER BY copy) AS arrival
            FROM waits WHERE n > 1
        )
        SELECT "user", {columns}{weight},
               row_number() OVER (PARTITION BY "user" ORDER BY arrival, draw, copy) AS nth_point
        FROM arrivals QUALIFY nth_point <= {most}"""


def _content(events: Events) -> list[str]:
    """Return the columns of an event other than the user and the count."""
    return [quote_name(name) for name in sorted(events.columns - {"user", "weight"})]


def _hashed(events: Events) -> str:
    """SQL: the same columns for hashing; locations as text, whatever their type."""
    return ", ".join(
        "CAST(location AS VARCHAR)" if name == '"location"' else name for name in _content(events)
    )
