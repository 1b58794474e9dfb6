"""``trailprint split``: one dataset into a released and an auxiliary part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.inputs import SideInputs, open_events
from trailprint.cli.present import print_json, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import Running
from trailprint.events.split import describe_counts, split
from trailprint.events.write import check_outputs, write_events

EXAMPLE = (
    "trailprint split visits.csv --at median --active-both "
    "--released released.parquet --auxiliary auxiliary.parquet"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """
    Where the two parts are written.

    Attributes
    ----------
    released : str
        Where the released part goes.
    auxiliary : str
        Where the auxiliary part goes.
    """

    released: str
    auxiliary: str


@takes_options
def run(
    data: Annotated[str, argument("DATA", "A file, a glob or a folder.")],
    out: Annotated[OutputOptions, Panel("Output")],
    running: Running,
    cutting: SideInputs,
) -> None:
    """Cut one dataset in two: what would be released, and what an adversary might know."""
    check_outputs([out.released, out.auxiliary], sources=[data, cutting.shaping.regions])
    options = cutting.cut(running.seed)
    engine = running.engine()
    with showing(engine, "Splitting") as progress:
        events = open_events(data, cutting.reading, cutting.shaping, engine, two_sides=True)
        sides = split(events, options, progress=progress)
        write_events([(sides.released, out.released), (sides.auxiliary, out.auxiliary)])
        counts = sides.to_dict()
    if running.json:
        print_json(counts)
    else:
        print_table(f"Split: {sides.description}", describe_counts(counts))
