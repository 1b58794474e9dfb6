"""Grouping of people into households: several people behind one pseudonym."""

from __future__ import annotations

import os

import pyarrow as pa

from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.events.reading.side_files import open_pairs


def to_households(events: Events, path: str | os.PathLike[str]) -> tuple[Events, pa.Table]:
    """
    Replace users by the households that a file assigns them to; also return the assignment.

    The file has columns ``user`` and ``household``. People who are not in it live alone.

    Returns
    -------
    Events, pyarrow.Table
        Events of households, and pairs of household (``released``) and person (``auxiliary``).
    """
    engine = events.engine
    pairs = open_pairs(engine, path, ("user", "household"), "A list of households")
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
