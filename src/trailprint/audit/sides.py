"""The two sides of an audit: given, or one dataset cut so that a half plays the adversary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from trailprint.audit.options import AuditOptions
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.truth import truth_from_pairs
from trailprint.events.engine import quote_text
from trailprint.events.events import Events
from trailprint.events.grid import GridOptions, extent, to_cells
from trailprint.events.knowledge import Knowledge, Known, restrict
from trailprint.events.meeting import in_one_engine
from trailprint.events.split import SplitOptions, split
from trailprint.features.ids import encode

#: Stands before auxiliary ids that have no counterpart; no id of a text file begins with it.
_STRANGER = "\x01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides(Discreet):
    """
    What is attacked, and with what.

    Attributes
    ----------
    released, auxiliary : Events
        Equal user ids are equal people; both have locations.
    kind, description : str, optional
        How one dataset was cut, as a word and as a sentence; None where two were given.
    n_people : int
        People on both sides, after sampling.
    sampled_of : int, optional
        Of how many people they were drawn.
    truth : {"same-ids", "file"}
        Where it is known from who is who.
    own_ids : pyarrow.Table, optional
        With a truth file: auxiliary ids as they are used here (``used``) and as they were given.
    known : Known
        How much of the auxiliary side is known of each person: only that is left of it.
    """

    released: Events
    auxiliary: Events
    kind: str | None
    description: str | None
    n_people: int
    sampled_of: int | None = None
    truth: Literal["same-ids", "file"] = "same-ids"
    own_ids: pa.Table | None = None
    known: Known = field(default_factory=Known)


def make_sides(given: Sequence[Events], truth: pa.Table | None, options: AuditOptions) -> Sides:
    """Place, cut, relabel and sample what was given; run once, so that what follows is quick."""
    placed = _place(in_one_engine(given))
    kind = description = own_ids = None
    if len(placed) == 2:
        if options.split is not None:
            raise OptionError("A split cuts one dataset: give either two datasets or a split.")
        released, auxiliary = placed
        if truth is not None:
            auxiliary, own_ids = _relabel(released, auxiliary, truth)
    else:
        if truth is not None:
            raise OptionError("--truth says who is who in two datasets, got one: leave it out.")
        released, auxiliary, kind, description = _cut(placed[0], options)
    released, auxiliary = released.materialise(), auxiliary.materialise()
    n_people = count_people(released, auxiliary)
    sides = Sides(
        released=released,
        auxiliary=auxiliary,
        kind=kind,
        description=description,
        n_people=n_people,
        truth="same-ids" if truth is None else "file",
        own_ids=own_ids,
    )
    _check_people(sides)
    if options.users is not None:
        sides = _sample(sides, options.users, options.seed)
    known, facts = restrict(sides.auxiliary, Knowledge.parse(options.knows, options.seed))
    return replace(sides, auxiliary=known, known=facts)


def _place(given: Sequence[Events]) -> list[Events]:
    """Positions without a location go on one grid of the usual cells."""
    if all("location" in events.columns for events in given):
        return list(given)
    for events in given:
        events.require("lat", "An audit")
    frame = extent(given)
    return [to_cells(events, GridOptions(), frame=frame) for events in given]


def _cut(events: Events, options: AuditOptions) -> tuple[Events, Events, str, str]:
    if options.split is not None:
        sides = split(events, options.split)
        sentence = f"The data was cut in two as asked: {sides.description}."
        return sides.released, sides.auxiliary, _asked_kind(options.split), sentence
    events = events.materialise()
    kind = _suitable_cut(events)
    released, auxiliary, how = _CUTS[kind](events, options.seed)
    sentence = f"{how} The first part stands for the release, the second for an adversary's data."
    return released, auxiliary, kind, sentence


def _asked_kind(options: SplitOptions) -> str:
    names = ("at", "halves_of_weeks", "busiest_weeks", "ranges", "fold")
    return next(name for name in names if getattr(options, name)).replace("_", "-")


def cut_like(sides: Sides, events: Events, seed: int) -> tuple[Events, Events]:
    """
    Cut other events as the audited data was cut: an adversary tries on their own data.

    Two datasets that were given stand for two periods, as does a cut at a time.
    """
    if sides.kind in _CUTS:
        return _CUTS[sides.kind](events, seed)[:2]
    again = _CUT_AGAIN.get(sides.kind or "", SplitOptions(at="median"))
    if "start" not in events.columns:
        return _draw_events(events, seed)[:2]
    halves = split(events, again)
    return halves.released, halves.auxiliary


def cut_suitably(events: Events, seed: int) -> tuple[Events, Events]:
    """Cut in the first way that leaves most people on both sides."""
    return _CUTS[_suitable_cut(events)](events, seed)[:2]


def _suitable_cut(events: Events) -> str:
    """The first way that leaves most people on both sides; by chance where no time helps."""
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


_CUT_AGAIN = {
    "halves-of-weeks": SplitOptions(halves_of_weeks=True),
    "fold": SplitOptions(fold="1/2"),
}
"""Ways to cut that one side can be cut by again; others stand for a cut in the middle."""

_MIDDLE = 'make_timestamp((epoch_us(min("start")) + epoch_us(max("start"))) // 2)'


def _halve_weeks(events: Events, seed: int) -> tuple[Events, Events, str]:
    sides = split(events, SplitOptions(halves_of_weeks=True))
    return (
        sides.released,
        sides.auxiliary,
        "Each person's active weeks were cut in half, the earlier from the later; people with "
        "one active week are left out.",
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
        "Every other day was put apart, because too few people were active in both halves of "
        "the period.",
    )


def _draw_events(events: Events, seed: int) -> tuple[Events, Events, str]:
    """Each event to either side by lot; of a row that stands for several, some go to each."""
    if "weight" in events.columns and events.having("weight <> floor(weight)").count():
        raise InputError(
            "Without usable times an audit draws events by lot, which needs whole counts, but "
            "some are fractions. Give a second dataset."
        )
    draw = _draw_counts if "weight" in events.columns else _draw_rows
    return (
        *draw(events, seed),
        "Each event was put on either side by lot, because times do not tell two periods apart; "
        "the two sides are more alike than two periods would be, and the risk may be overstated.",
    )


def _draw_rows(events: Events, seed: int) -> tuple[Events, Events]:
    keys = ", ".join(f'"{column}"' for column in sorted(events.columns))
    text = " || '/' || ".join(f"coalesce(CAST({key} AS VARCHAR), '')" for key in keys.split(", "))
    nth = f"row_number() OVER (PARTITION BY {keys}) - 1"
    lot = f"md5({text} || '/' || nth || '/{seed}') < '8'"
    drawn = f"SELECT {keys}, {lot} AS first FROM (SELECT *, {nth} AS nth FROM ({events.query}))"
    stored = events.engine.materialise(drawn, "drawn")
    return (
        events.derive(f"SELECT * EXCLUDE first FROM {stored} WHERE first"),
        events.derive(f"SELECT * EXCLUDE first FROM {stored} WHERE NOT first"),
    )


def _draw_counts(events: Events, seed: int) -> tuple[Events, Events]:
    """For each row the number of heads in one coin toss per event; never event by event."""
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


_CUTS = {
    "weeks-halves": _halve_weeks,
    "span-halves": _halve_span,
    "odd-even-days": _take_turns,
    "random-events": _draw_events,
}


def _relabel(released: Events, auxiliary: Events, truth: pa.Table) -> tuple[Events, pa.Table]:
    """Give auxiliary people their released ids, so that equal ids are equal people."""
    users = [
        encode(side.engine.arrow(f'SELECT DISTINCT "user" FROM ({side.query})')["user"])[1]
        for side in (released, auxiliary)
    ]
    known = truth_from_pairs(truth, *users)
    names = pa.table(
        {
            "given": users[1].take(pa.array(known.auxiliary)),
            "used": users[0].take(pa.array(known.released)),
        }
    )
    engine = auxiliary.engine
    with engine.registered(names, "truth") as name:
        table = engine.materialise(f"FROM {name}", "who")
    others = ", ".join(f'e."{column}"' for column in sorted(auxiliary.columns - {"user"}))
    stranger = f'{quote_text(_STRANGER)} || CAST(e."user" AS VARCHAR)'
    renamed = auxiliary.derive(
        f'SELECT coalesce(w.used, {stranger}) AS "user", {others} FROM ({auxiliary.query}) e '
        f'LEFT JOIN {table} w ON CAST(e."user" AS VARCHAR) = w.given'
    )
    return renamed, names


def given_ids(sides: Sides, users: pa.Array) -> pa.Array:
    """Auxiliary ids as they were given."""
    if sides.own_ids is None:
        return users
    used, given = (sides.own_ids[column].to_pylist() for column in ("used", "given"))
    names = dict(zip(used, given, strict=True))
    return pa.array([names.get(user, user.removeprefix(_STRANGER)) for user in users.to_pylist()])


def _people(released: Events, auxiliary: Events) -> str:
    """SQL: ids on both sides."""
    return " INTERSECT ".join(
        f'SELECT CAST("user" AS VARCHAR) AS who FROM ({side.query})'
        for side in (released, auxiliary)
    )


def count_people(released: Events, auxiliary: Events) -> int:
    """How many people are on both sides."""
    query = f"SELECT count(*) FROM ({_people(released, auxiliary)})"
    return int(released.engine.row(query)[0])


def _check_people(sides: Sides) -> None:
    """Fewer than two people cannot be confused, and without truth nothing can be scored."""
    if sides.n_people >= 2:
        return
    if sides.kind is None and not sides.n_people:
        raise InputError(
            "An audit needs to know who is who, but no user id is on both sides. Give --truth, "
            "or audit one dataset alone."
        )
    raise InputError(
        f"An audit needs at least two people on both sides, but there are {sides.n_people}. "
        "Give more data, or cut it elsewhere."
    )


def _sample(sides: Sides, n_wanted: int, seed: int) -> Sides:
    """A random choice of the people on both sides; everybody else is left out of both."""
    if n_wanted >= sides.n_people:
        return sides
    chosen = sides.released.engine.materialise(
        f"SELECT who FROM ({_people(sides.released, sides.auxiliary)}) "
        f"ORDER BY md5(who || '/{seed}'), who LIMIT {n_wanted}",
        "chosen",
    )
    condition = f'CAST("user" AS VARCHAR) IN (FROM {chosen})'
    return replace(
        sides,
        released=sides.released.having(condition).materialise(),
        auxiliary=sides.auxiliary.having(condition).materialise(),
        n_people=n_wanted,
        sampled_of=sides.n_people,
    )
