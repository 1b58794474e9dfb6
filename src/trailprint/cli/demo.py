"""``trailprint demo``: the main job on people who do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trailprint.cli.flags import RunFlags
from trailprint.cli.groups import takes
from trailprint.cli.present import print_json, print_table
from trailprint.errors import OutputError
from trailprint.events.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.events.summary import inspect
from trailprint.events.write import write_events, write_table
from trailprint.simulate.campus import CampusOptions, simulate_campus

NAME = "demo"
EXAMPLE = "trailprint demo"


@takes(RunFlags)
def run(
    running: RunFlags,
    out: Annotated[str, typer.Option("--out", help="The folder to write to.")] = "trailprint-demo",
) -> None:
    """Simulate a small campus, look at it and split it into two periods."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {out!r} could not be made: {error.strerror}.") from None
    engine = running.engine()
    campus = folder / "campus.parquet"
    write_table(simulate_campus(CampusOptions(seed=running.seed)), campus, engine)
    events = read(str(campus), engine=engine)
    summary = inspect(events)
    sides = split(events, SplitOptions(at="median", active_both=True))
    write_events(
        [
            (sides.released, folder / "released.parquet"),
            (sides.auxiliary, folder / "auxiliary.parquet"),
        ]
    )
    if running.json:
        print_json({"campus": summary.to_dict(), "split": sides.description, "out": str(folder)})
        return
    rows: list[tuple[str, object]] = [
        ("people (none of them exists)", summary.users),
        ("access points", summary.locations),
        ("visits", summary.events),
        ("first", summary.first),
        ("last", summary.last),
        ("released part, visits", sides.released.count()),
        ("auxiliary part, visits", sides.auxiliary.count()),
    ]
    next_step = f"trailprint match {folder}/released.parquet {folder}/auxiliary.parquet"
    notes = [f"Written to {folder}/", f"To see how many could be re-identified: {next_step}"]
    print_table("A simulated campus", rows, notes)
