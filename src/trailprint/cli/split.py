"""``trailprint split``: one dataset into a released and an auxiliary part."""

from __future__ import annotations

from typing import Annotated

import typer

from trailprint.cli.flags import ReadFlags, RunFlags, ShapeFlags, SplitFlags, open_events
from trailprint.cli.groups import argument, takes
from trailprint.cli.present import print_json, print_table
from trailprint.cli.progress import showing
from trailprint.events.events import Events
from trailprint.events.split import split
from trailprint.events.write import check_outputs, write_events

EXAMPLE = (
    "trailprint split visits.csv --at median --active-both "
    "--released released.parquet --auxiliary auxiliary.parquet"
)


@takes(RunFlags, SplitFlags, ReadFlags, ShapeFlags)
def run(
    data: Annotated[str, argument("DATA", "A file, a glob or a folder.")],
    released: Annotated[
        str, typer.Option("--released", help="Where the released part goes.", show_default=False)
    ],
    auxiliary: Annotated[
        str, typer.Option("--auxiliary", help="Where the auxiliary part goes.", show_default=False)
    ],
    running: RunFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
) -> None:
    """Cut one dataset in two: what would be released, and what somebody might already know."""
    check_outputs([released, auxiliary], sources=[data, shaping.regions])
    options = splitting.options(min_events=shaping.min_events, seed=running.seed)
    engine = running.engine()
    with showing(engine, "Splitting"):
        events = open_events(data, reading, shaping, engine, two_sides=True)
        sides = split(events, options)
        write_events([(sides.released, released), (sides.auxiliary, auxiliary)])
        counts = {"released": _counts(sides.released), "auxiliary": _counts(sides.auxiliary)}
    if running.json:
        print_json({"split": sides.description, **counts})
        return
    rows: list[tuple[str, object]] = [
        (f"{name} {what}", n) for name, side in counts.items() for what, n in side.items()
    ]
    print_table(f"Split: {sides.description}", rows)


def _counts(side: Events) -> dict[str, int]:
    n_events, n_users = side.engine.row(
        f"SELECT coalesce(sum(n), 0), count(*) FROM (SELECT count(*) AS n FROM ({side.query}) "
        'GROUP BY "user")'
    )
    return {"events": int(n_events), "users": int(n_users)}
