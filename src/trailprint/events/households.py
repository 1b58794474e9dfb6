"""Grouping of people into households: several people behind one pseudonym."""

from __future__ import annotations

import os

import pyarrow as pa

from trailprint.arguments import check_arguments
from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.events.reading.opening import Source, open_source
from trailprint.events.reading.side_files import PairSource, open_pairs, to_table

_COLUMNS = ("user", "household")


@check_arguments()
def to_households(events: Source, households: PairSource) -> tuple[Events, pa.Table]:
    """
    Replace users by their households, each of which shares one pseudonym.

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    households : path or table
        The household of each person, in columns ``user`` and ``household``. People who are not in
        it live alone.

    Returns
    -------
    Events, pyarrow.Table
        Events of households, and pairs of household (``released``) and person (``auxiliary``): the
        truth for `trailprint.trails`, whose algorithm ``multiple`` is made for this.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.workflows import to_households
    >>> visits = {"user": ["ann", "bob", "cem"], "location": ["shop", "cafe", "bank"]}
    >>> homes = {"user": ["ann", "bob"], "household": ["h1", "h1"]}
    >>> households, members = to_households(visits, homes)
    >>> tp.inspect(households).users
    2
    >>> options = tp.TrailOptions(algorithm="multiple")
    >>> tp.trails(households, visits, options, truth=members).risk.n_correct
    3
    """
    events = open_source(events)
    engine = events.engine
    if not isinstance(households, str | os.PathLike):
        households = to_table(households, "households", _COLUMNS)
    pairs = open_pairs(engine, households, _COLUMNS, "A list of households")
    table = engine.materialise(f"SELECT DISTINCT * FROM ({pairs})", "households")
    n_twice = engine.row(
        f'SELECT count(*) FROM (SELECT "user" FROM {table} GROUP BY "user" HAVING count(*) > 1)'
    )[0]
    if n_twice:
        raise InputError(
            f"A person must live in one household, but {n_twice:,} live in several. Keep one each."
        )
    who = 'CAST(e."user" AS VARCHAR)'
    home = f"coalesce(h.household, {who})"
    joined = f'({events.query}) e LEFT JOIN {table} h ON {who} = h."user"'
    kept = events.list_columns(without={"user"}, table="e.")
    members = engine.arrow(f"SELECT DISTINCT {home} AS released, {who} AS auxiliary FROM {joined}")
    grouped = events.derive(f'SELECT {home} AS "user", {kept} FROM {joined}', "Households.")
    return grouped, members
