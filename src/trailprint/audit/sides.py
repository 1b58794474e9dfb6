"""The two sides of an audit: two datasets, or one cut so that one half plays the adversary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pyarrow as pa

from trailprint.audit.options import AuditOptions
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.truth import truth_from_pairs
from trailprint.events.engine import quote_text
from trailprint.events.events import Events, Tally
from trailprint.events.halving import (
    HALVINGS,
    count_people,
    people_on_both,
    suitable_halving,
)
from trailprint.events.knowledge import Knowledge, Known, restrict
from trailprint.events.meeting import in_one_engine
from trailprint.events.places.grid import GridOptions, extent, to_cells
from trailprint.events.split import split
from trailprint.events.summary import count_users
from trailprint.features.ids import encode
from trailprint.workflows.learning_cuts import cut_by_times
from trailprint.workflows.options import CUT_AGAIN

#: Prefix of auxiliary ids that have no counterpart; no id of a text file begins with it.
_STRANGER = "\x01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides(Discreet):
    """
    The data that is attacked, and the data it is attacked with.

    Attributes
    ----------
    released, auxiliary : Events
        Equal user ids mean the same person; both have locations.
    kind, description : str, optional
        How one dataset was cut, as a word and as a sentence; None if two were given.
    n_people : int
        People on both sides, after sampling.
    sampled_of : int, optional
        How many people they were drawn from.
    n_given : int
        People in the data before it was cut; for two datasets, in the first.
    truth : {"same-ids", "file"}
        Source of the ground truth.
    own_ids : pyarrow.Table, optional
        With a truth file: auxiliary ids as they are used here (``used``) and as they were given.
    known : Known
        How much is known of each person; the auxiliary side holds only that.
    whole : Events, optional
        The dataset before it was cut, with all people: what would be published. None if two were
        given.
    """

    released: Events
    auxiliary: Events
    kind: str | None
    description: str | None
    n_people: int
    sampled_of: int | None = None
    n_given: int = 0
    truth: Literal["same-ids", "file"] = "same-ids"
    own_ids: pa.Table | None = None
    known: Known = field(default_factory=Known)
    whole: Events | None = None

    @property
    def tallies(self) -> list[Tally]:
        """Counts of rows from reading, once for each dataset."""
        given = (self.released, self.auxiliary) if self.kind is None else (self.released,)
        return [side.tally for side in given]


def make_sides(given: Sequence[Events], truth: pa.Table | None, options: AuditOptions) -> Sides:
    """Place, cut, relabel and sample the data, materialised so that later steps are quick."""
    placed = _place(in_one_engine(given))
    if len(placed) == 1:
        placed = [placed[0].materialise()]
    kind = description = own_ids = None
    _check_number(len(placed), truth, options)
    if len(placed) == 2:
        released, auxiliary = placed
        if truth is not None:
            auxiliary, own_ids = _relabel(released, auxiliary, truth)
    else:
        released, auxiliary, kind, description = _cut(placed[0], options)
    released, auxiliary = released.materialise(), auxiliary.materialise()
    n_people = count_people(released, auxiliary)
    sides = Sides(
        released=released,
        auxiliary=auxiliary,
        kind=kind,
        description=description,
        n_people=n_people,
        n_given=count_users(placed[0]),
        truth="same-ids" if truth is None else "file",
        own_ids=own_ids,
        whole=placed[0] if len(placed) == 1 else None,
    )
    _check_people(sides)
    if options.users is not None:
        sides = draw_sides(sides, options.users, options.seed)
    # An audit runs hundreds of small queries, so data on Spark is collected locally.
    sides = replace(
        sides,
        released=sides.released.bring_here(),
        auxiliary=sides.auxiliary.bring_here(),
        whole=None if sides.whole is None else sides.whole.bring_here(),
    )
    known, facts = restrict(sides.auxiliary, Knowledge.parse(options.knows, options.seed))
    return replace(sides, auxiliary=known, known=facts)


def _check_number(n_datasets: int, truth: pa.Table | None, options: AuditOptions) -> None:
    """Raise an error for options that do not suit the number of datasets."""
    if n_datasets == 2 and options.split is not None:
        raise OptionError("A split cuts one dataset: give either two datasets or a split.")
    if n_datasets == 1 and truth is not None:
        raise OptionError(
            "--truth says who is who in two datasets, got one: leave it out.", option="truth"
        )


def _place(given: Sequence[Events]) -> list[Events]:
    """Place positions without a location on one grid with cells of the default size."""
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
        return sides.released, sides.auxiliary, options.split.method, sentence
    kind = suitable_halving(events)
    released, auxiliary, how = HALVINGS[kind](events, options.seed)
    sentence = f"{how} The first part stands for the release, the second for an adversary's data."
    return released, auxiliary, kind, sentence


def cut_again(events: Events, options: AuditOptions) -> tuple[Events, Events]:
    """Cut a release as its own audit with the same options would."""
    released, auxiliary, *_ = _cut(events, options)
    known, _ = restrict(auxiliary.materialise(), Knowledge.parse(options.knows, options.seed))
    return released.materialise(), known


def cut_like(sides: Sides, events: Events, seed: int) -> tuple[Events, Events]:
    """
    Cut other events as the audited data was cut, as an adversary would with their own data.

    Two given datasets stand for two periods, like a cut at a point in time.
    """
    if sides.kind in HALVINGS:
        return HALVINGS[sides.kind](events, seed)[:2]
    return cut_by_times(events, CUT_AGAIN.get(sides.kind or "", "median"), seed)


def _relabel(released: Events, auxiliary: Events, truth: pa.Table) -> tuple[Events, pa.Table]:
    """Give auxiliary people their released ids, so that equal ids mean the same person."""
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
    """Return auxiliary ids as they were given."""
    if sides.own_ids is None:
        return users
    used, given = (sides.own_ids[column].to_pylist() for column in ("used", "given"))
    names = dict(zip(used, given, strict=True))
    return pa.array([names.get(user, user.removeprefix(_STRANGER)) for user in users.to_pylist()])


def _check_people(sides: Sides) -> None:
    """Raise if fewer than two people are on both sides: too few to confuse, or no truth known."""
    if sides.n_people >= 2:
        return
    if sides.kind is None and not sides.n_people:
        raise InputError(
            "An audit needs to know who is who, but no user id is on both sides. Give --truth, "
            "or audit one dataset alone.",
            option="truth",
        )
    raise InputError(
        f"An audit needs at least two people on both sides, got {sides.n_people} instead. "
        "Give more data, or cut it elsewhere."
    )


def draw_sides(sides: Sides, n_wanted: int, seed: int) -> Sides:
    """Sample the people on both sides at random; all others are removed from both."""
    if n_wanted >= sides.n_people:
        return sides
    chosen = sides.released.engine.materialise(
        f"SELECT who FROM ({people_on_both(sides.released, sides.auxiliary)}) "
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
        whole=None if sides.whole is None else sides.whole.having(condition).materialise(),
    )
