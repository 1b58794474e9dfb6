"""``trailprint simulate``: synthetic populations with known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import pyarrow as pa
import typer

from trailprint import simulate
from trailprint.cli.flags import RunFlags
from trailprint.cli.groups import argument, takes
from trailprint.cli.present import print_json, print_table
from trailprint.errors import OptionError
from trailprint.events.write import check_outputs, write_table

EXAMPLE = "trailprint simulate campus --users 300 --out campus.parquet"

_N_USERS = 300
_N_DAYS = 28
#: How many people there are unless a number is given, where it is the paper's.
_USUAL = {"gps": 154, "households": 147, "web": 121, "weekday-campus": 2174}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What was asked for; days and the paper's size go with a campus only."""

    users: int | None
    days: int | None
    paper: bool
    seed: int

    def __post_init__(self) -> None:
        for name, value in (("--users", self.users), ("--days", self.days)):
            if value is not None and value < 1:
                raise OptionError(f"{name} must be at least 1, got {value} instead.")
        if self.paper and (self.users is not None or self.days is not None):
            raise OptionError(
                "--paper says how many people and days: leave --users and --days out."
            )

    def n_users(self, kind: str) -> int:
        return self.users or _USUAL.get(kind, _N_USERS)


def _campus(wanted: _Wanted) -> pa.Table:
    if wanted.paper:
        return simulate.simulate_campus(simulate.CampusOptions.paper(seed=wanted.seed))
    days = wanted.days or _N_DAYS
    n_users = wanted.n_users("campus")
    options = simulate.CampusOptions(n_users=n_users, n_days=days, seed=wanted.seed)
    return simulate.simulate_campus(options)


def _calls(n_users: int, wanted: _Wanted) -> pa.Table:
    from trailprint.simulate.call_records import call_records

    return call_records(simulate.simulate_calls(n_users, seed=wanted.seed), seed=wanted.seed)


_KINDS: Mapping[str, Callable[[int, _Wanted], pa.Table]] = {
    "calls": _calls,
    "campus": lambda n, w: _campus(w),
    "gps": lambda n, w: simulate.simulate_gps(simulate.GpsOptions(n_users=n, seed=w.seed)),
    "households": lambda n, w: simulate.simulate_households(
        simulate.HouseholdOptions(n_users=n, seed=w.seed)
    ),
    "web": lambda n, w: simulate.simulate_web(simulate.WebOptions(n_users=n, seed=w.seed)),
    "weekday-campus": lambda n, w: simulate.simulate_weekday_campus(
        simulate.WeekdayCampusOptions(n_users=n, seed=w.seed)
    ),
}


@takes(RunFlags)
def run(
    kind: Annotated[
        str,
        argument("KIND", f"One of {', '.join(_KINDS)}."),
    ],
    out: Annotated[str, typer.Option("--out", help="Where it goes.", show_default=False)],
    running: RunFlags,
    users: Annotated[
        int | None,
        typer.Option(
            "--users",
            help="How many people; 300 unless given (gps 154, households 147, web 121, "
            "weekday-campus 2,174).",
            show_default=False,
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option("--days", help="campus: how many days; 28 unless given.", show_default=False),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="campus: the 2011 paper's size, 4,285 people and 62 days."),
    ] = False,
) -> None:
    """Make a synthetic population: nobody in it exists, and who is who is known."""
    if kind not in _KINDS:
        raise OptionError(f"KIND must be one of {', '.join(_KINDS)}, got {kind!r} instead.")
    wanted = _Wanted(users=users, days=days, paper=paper, seed=running.seed)
    if kind != "campus" and (paper or days is not None):
        raise OptionError(f"--days and --paper go with campus, not with {kind}.")
    check_outputs([out])
    engine = running.engine()
    table = _KINDS[kind](wanted.n_users(kind), wanted)
    write_table(table, out, engine)
    n_users = len(table["user"].unique()) if paper else wanted.n_users(kind)
    result = {
        "kind": kind,
        "users": n_users,
        "events": len(table),
        "seed": running.seed,
        "out": out,
    }
    if running.json:
        print_json(result)
    else:
        print_table("A simulated population", list(result.items()), is_prose=True)
