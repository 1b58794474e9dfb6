"""``trailprint simulate``: synthetic populations with known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import pyarrow as pa

from trailprint import simulate
from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.present import print_json, print_table
from trailprint.cli.running import Running
from trailprint.errors import OptionError
from trailprint.events.write import check_outputs, write_table

EXAMPLE = "trailprint simulate campus --users 300 --out campus.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """Number of people who make calls, and the seed."""

    n_users: int = 300
    seed: int = 0


def _simulate_calls(options: CallOptions) -> pa.Table:
    from trailprint.simulate.call_records import call_records

    calls = simulate.simulate_calls(options.n_users, seed=options.seed)
    return call_records(calls, seed=options.seed)


class _Kind(NamedTuple):
    """Options with ``n_users`` and ``seed``, and the function that simulates a table from them."""

    options: Any
    simulate: Callable[[Any], pa.Table]


_KINDS: Mapping[str, _Kind] = {
    "calls": _Kind(CallOptions(), _simulate_calls),
    "campus": _Kind(simulate.CampusOptions(), simulate.simulate_campus),
    "gps": _Kind(simulate.GpsOptions(), simulate.simulate_gps),
    "households": _Kind(simulate.HouseholdOptions(), simulate.simulate_households),
    "web": _Kind(simulate.WebOptions(), simulate.simulate_web),
    "weekday-campus": _Kind(simulate.WeekdayCampusOptions(), simulate.simulate_weekday_campus),
}
_SIZES = ", ".join(f"{name} ({kind.options.n_users:,} people)" for name, kind in _KINDS.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationOptions:
    """
    Where a population is written and how large it is.

    Attributes
    ----------
    out : str
        Where it goes.
    users : int, optional
        How many people (default: as KIND says).
    days : int, optional
        campus: how many days (default: 28).
    paper : bool
        campus: the 2011 paper's size, 4,285 people and 62 days.
    """

    out: str
    users: int | None = None
    days: int | None = None
    paper: bool = False

    def __post_init__(self) -> None:
        for name, value in (("users", self.users), ("days", self.days)):
            if value is not None and value < 1:
                raise OptionError(f"--{name} must be at least 1, got {value} instead.", option=name)
        if self.paper and (self.users is not None or self.days is not None):
            raise OptionError(
                "--paper says how many people and days: leave --users and --days out.",
                option="paper",
            )

    def choose(self, kind: str, seed: int) -> Any:
        """The options of a kind of population, with the given sizes."""
        if self.paper:
            return simulate.CampusOptions.paper(seed=seed)
        given = {"n_users": self.users, "n_days": self.days}
        changes = {name: value for name, value in given.items() if value is not None}
        return replace(_KINDS[kind].options, seed=seed, **changes)


@takes_options
def run(
    kind: Annotated[str, argument("KIND", f"One of {_SIZES}.")],
    population: Annotated[PopulationOptions, Panel("Population")],
    running: Running,
) -> None:
    """Make a synthetic population: no real people, and the true matches are known."""
    if kind not in _KINDS:
        raise OptionError(f"KIND must be one of {', '.join(_KINDS)}, got {kind!r} instead.")
    if kind != "campus" and (population.paper or population.days is not None):
        raise OptionError(f"--days and --paper go with campus, not with {kind}.", option="days")
    options = population.choose(kind, running.seed)
    check_outputs([population.out])
    engine = running.engine()
    table = _KINDS[kind].simulate(options)
    write_table(table, population.out, engine)
    result = {
        "kind": kind,
        "users": len(table["user"].unique()) if population.paper else options.n_users,
        "events": len(table),
        "seed": running.seed,
        "out": population.out,
    }
    if running.json:
        print_json(result)
    else:
        print_table("A simulated population", list(result.items()), is_prose=True)
