"""``trailprint simulate``: synthetic populations with known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import pyarrow as pa
import typer

from trailprint.cli.flags import RunFlags
from trailprint.cli.groups import takes
from trailprint.cli.present import print_json, print_table
from trailprint.errors import OptionError
from trailprint.events.write import check_outputs, write_table
from trailprint.simulate.call_records import call_records
from trailprint.simulate.calls import simulate_calls
from trailprint.simulate.campus import CampusOptions, simulate_campus

NAME = "simulate"
EXAMPLE = "trailprint simulate campus --users 300 --out campus.parquet"

_KINDS: Mapping[str, Callable[[int, int], pa.Table]] = {
    "calls": lambda users, seed: call_records(simulate_calls(users, seed=seed), seed=seed),
    "campus": lambda users, seed: simulate_campus(CampusOptions(n_users=users, seed=seed)),
}


@takes(RunFlags)
def run(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="calls or campus.", show_default=False)
    ],
    out: Annotated[str, typer.Option("--out", help="Where it goes.", show_default=False)],
    running: RunFlags,
    users: Annotated[int, typer.Option("--users", help="How many people.")] = 300,
) -> None:
    """Make a synthetic population: nobody in it exists, and who is who is known."""
    if kind not in _KINDS:
        raise OptionError(f"KIND must be one of {', '.join(_KINDS)}, got {kind!r} instead.")
    if users < 1:
        raise OptionError(f"--users must be at least 1, got {users} instead.")
    check_outputs([out])
    table = _KINDS[kind](users, running.seed)
    write_table(table, out, running.engine())
    result = {"kind": kind, "users": users, "events": len(table), "seed": running.seed, "out": out}
    if running.json:
        print_json(result)
    else:
        print_table("A simulated population", list(result.items()), is_prose=True)
