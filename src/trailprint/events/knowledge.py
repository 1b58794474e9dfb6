"""
What an adversary knows of each person: everything on the auxiliary side, or a part of it.

The auxiliary events are restricted to that knowledge; every attack then runs unchanged.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, cast, get_args

from trailprint.arguments import check_argument, check_fields
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.home_work import HOURS, NO_HOURS, presence_columns
from trailprint.events.person_draws import draw_order, draw_points, person_tables
from trailprint.values import KnowledgeKind

_COUNTED: tuple[KnowledgeKind, ...] = ("top", "points", "days")
_MOST = 2**31
#: Rows of counts are expanded to events for drawing: limits in total, and per row on average.
_MOST_DRAWN_FROM, _MOST_OF_A_ROW = 20_000_000, 10
_WRITTEN = re.compile(r"(everything|home-work)|(top|points|days):([0-9]{1,10})")
_RULE = "--knows must be everything, home-work, top:K, points:K or days:N with K and N from 1 on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """
    What an adversary knows of each person.

    Attributes
    ----------
    kind : {"everything", "home-work", "top", "points", "days"}
        All events; those at home and at work; those at the ``amount`` places visited most;
        ``amount`` events drawn at random; those of ``amount`` local days drawn at random.
    amount : int, optional
        Number of places, events or days, for the last three.
    seed : int
        Seed of random draws and of the choice among equally visited places.

    Examples
    --------
    >>> from trailprint.options import Knowledge
    >>> str(Knowledge(kind="points", amount=4))
    'points:4'
    >>> Knowledge.parse("top:2").amount
    2
    """

    kind: KnowledgeKind = "everything"
    amount: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        is_counted = self.kind in _COUNTED
        fits = self.amount is None if not is_counted else 1 <= (self.amount or 0) < _MOST
        if self.kind not in get_args(KnowledgeKind) or not fits:
            raise OptionError(f"{_RULE}, got {str(self)!r} instead. Try points:4.", option="knows")

    def __str__(self) -> str:
        return self.kind if self.amount is None else f"{self.kind}:{self.amount}"

    @property
    def phrase(self) -> str:
        """The knowledge as a phrase for use within a sentence."""
        return phrase_knowledge(self.kind, self.amount)

    @classmethod
    def parse(cls, text: str, seed: int = 0) -> Knowledge:
        """Read ``everything``, ``home-work``, ``top:K``, ``points:K`` or ``days:N``."""
        check_argument("text", text, str)
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise OptionError(f"{_RULE}, got {text!r} instead. Try points:4.", option="knows")
        kind = cast(KnowledgeKind, found[1] or found[2])
        return cls(kind=kind, amount=None if found[3] is None else int(found[3]), seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """
    What an adversary knows after restriction.

    ``people_with_less`` counts people who have less than was requested; all of theirs is known.
    ``mean_points`` is the average number of known events per person; None if everything is known.
    """

    kind: KnowledgeKind = "everything"
    amount: int | None = None
    people_with_less: int = 0
    mean_points: float | None = None
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return asdict(self)


def phrase_knowledge(kind: KnowledgeKind, amount: int | None) -> str:
    """Return what is known of each person, as a phrase."""
    n_places, n_days = ("place", "1 day") if amount == 1 else (f"{amount} places", f"{amount} days")
    return {
        "everything": "everything on the auxiliary side",
        "home-work": "their events at home and at work",
        "top": f"their events at their most visited {n_places}",
        "points": f"{amount} of their events, drawn at random",
        "days": f"their events of {n_days}, drawn at random",
    }[kind]


def open_knowledge(knows: Knowledge | str | None, seed: int = 0) -> Knowledge:
    """Return a `Knowledge` from any accepted form; ``seed`` applies to None and to text."""
    if isinstance(knows, Knowledge):
        return knows
    return Knowledge(seed=seed) if knows is None else Knowledge.parse(knows, seed)


def restrict(auxiliary: Events, knowledge: Knowledge) -> tuple[Events, Known]:
    """
    Return the auxiliary events that an adversary knows, and how much that is.

    Every person keeps at least one event. With ``everything``, the same object is returned.
    """
    if knowledge.kind == "everything":
        return auxiliary, Known()
    _check(auxiliary, knowledge.kind)
    whole = auxiliary.materialise()
    n_less = _count_less(whole, knowledge)
    _check_counts(whole, knowledge)
    known = whole.derive(_known_query(whole, knowledge)).materialise()
    note = HOURS if "start" in whole.columns else NO_HOURS
    return known, Known(
        kind=knowledge.kind,
        amount=knowledge.amount,
        people_with_less=n_less,
        mean_points=mean_points(known),
        note=note if knowledge.kind == "home-work" else None,
    )


def mean_points(events: Events) -> float:
    """Return the average number of events per person."""
    n_people, n_points = events.engine.row(
        f'SELECT count(DISTINCT "user"), coalesce({events.total_sql()}, 0) FROM ({events.query})'
    )
    return float(n_points) / max(int(n_people), 1)


def _check(events: Events, kind: KnowledgeKind) -> None:
    """Raise an error if the data lacks a column that the knowledge needs."""
    if kind == "days":
        events.require("start", "--knows days:N")
    elif kind != "points":
        events.require("location", f"--knows {kind}")


def _known_query(events: Events, knowledge: Knowledge) -> str:
    amount, seed = knowledge.amount or 0, knowledge.seed
    if knowledge.kind == "points":
        return f"SELECT * EXCLUDE nth_point FROM ({draw_points(events, amount, seed)})"
    if knowledge.kind == "days":
        return _only(events, f"CAST({events.local_start} AS DATE)", _days(events, amount, seed))
    places = _top(events, amount, seed) if knowledge.kind == "top" else _home_work(events, seed)
    return _only(events, "location", places)


def _only(events: Events, key: str, chosen: str) -> str:
    """SQL: the events whose pair of person and key was chosen."""
    columns = ", ".join(f'e."{name}"' for name in sorted(events.columns))
    return (
        f"SELECT {columns} FROM (SELECT *, {key} AS chosen_key FROM ({events.query})) e "
        f'SEMI JOIN ({chosen}) c ON e."user" = c."user" AND e.chosen_key = c.chosen_key'
    )


def _days(events: Events, amount: int, seed: int) -> str:
    rank = f'row_number() OVER (PARTITION BY "user" ORDER BY {draw_order("chosen_key", seed)})'
    return f"""
        WITH {person_tables(events)}, days AS (
            SELECT DISTINCT "user", CAST({events.local_start} AS DATE) AS chosen_key
            FROM distinct_events
        )
        SELECT "user", chosen_key FROM days JOIN people USING ("user") QUALIFY {rank} <= {amount}"""


def _places(events: Events) -> str:
    """SQL: a WITH clause of `person_tables` and of each person's places, visits and hours there."""
    return f"""
        WITH {person_tables(events)}, places AS (
            SELECT "user", location AS chosen_key, {events.total_sql()} AS n,
                   {presence_columns(events)}
            FROM ({events.query}) GROUP BY "user", location
        )"""


def _top(events: Events, amount: int, seed: int) -> str:
    """SQL: the places visited most; ties are broken at random."""
    draw = draw_order("CAST(chosen_key AS VARCHAR)", seed)
    rank = f'row_number() OVER (PARTITION BY "user" ORDER BY n DESC, {draw})'
    return f"""{_places(events)}
        SELECT "user", chosen_key FROM places JOIN people USING ("user")
        QUALIFY {rank} <= {amount}"""


def _home_work(events: Events, seed: int) -> str:
    """SQL: home, and work among the other places; ties are broken by visits, then at random."""
    draw = draw_order("CAST(chosen_key AS VARCHAR)", seed)
    home = f'row_number() OVER (PARTITION BY "user" ORDER BY night DESC, n DESC, {draw}) = 1'
    rank = 'row_number() OVER (PARTITION BY "user" ORDER BY is_home DESC, work DESC, n DESC, draw)'
    return f"""{_places(events)}, homes AS (
            SELECT *, {draw} AS draw, {home} AS is_home FROM places JOIN people USING ("user")
        )
        SELECT "user", chosen_key FROM homes QUALIFY {rank} <= 2"""


def _count_less(events: Events, knowledge: Knowledge) -> int:
    """
    Return how many people have less than was requested.

    For points and days, it is an error if no person has that many.
    """
    amount = 2 if knowledge.amount is None else knowledge.amount
    n_less, most = events.engine.row(
        f"SELECT count(*) FILTER (amount < {amount}), coalesce(max(amount), 0) "
        f"FROM ({_amounts(events, knowledge.kind)})"
    )
    if knowledge.kind in ("points", "days") and amount > most:
        raise OptionError(
            f"--knows {knowledge} must be at most the largest number of {knowledge.kind} of a "
            f"person, which is {int(most):,}. Ask for fewer.",
            option="knows",
        )
    return int(n_less)


def _check_counts(events: Events, knowledge: Knowledge) -> None:
    """Raise an error if drawing from rows that stand for many events would take too long."""
    if knowledge.kind != "points" or "weight" not in events.columns:
        return
    n_rows, n_events = events.engine.row(
        f"SELECT count(*), sum(least(ceil(weight), {knowledge.amount})) FROM ({events.query})"
    )
    allowed = max(_MOST_DRAWN_FROM, _MOST_OF_A_ROW * n_rows)
    if n_events > allowed:
        raise OptionError(
            f"--knows {knowledge} must draw from at most {allowed:,} events, but the counts of "
            f"the data stand for {int(n_events):,} to draw from. Ask for points:"
            f"{allowed // n_rows} or fewer, or for everything.",
            option="knows",
        )


def _amounts(events: Events, kind: KnowledgeKind) -> str:
    """SQL: the number of points, days or places of each person."""
    count = "count(DISTINCT location)"
    if kind == "days":
        count = f"count(DISTINCT CAST({events.local_start} AS DATE))"
    elif kind == "points":
        count = "sum(ceil(weight))" if "weight" in events.columns else "count(*)"
    return f'SELECT {count} AS amount FROM ({events.query}) GROUP BY "user"'
