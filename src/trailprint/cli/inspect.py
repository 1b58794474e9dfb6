"""``trailprint inspect``: what is in a dataset."""

from __future__ import annotations

from typing import Annotated

from trailprint.cli.groups import argument, takes_options
from trailprint.cli.inputs import Reading, Shaping, open_events
from trailprint.cli.present import print_json, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import ReadingEngine, Running
from trailprint.events.summary import Summary, summarise

EXAMPLE = "trailprint inspect visits.csv --timezone Europe/Zurich"


@takes_options
def run(
    data: Annotated[str, argument("DATA", "A file, a glob or a folder.")],
    running: Running,
    reading: Reading,
    shaping: Shaping,
    where: ReadingEngine,
) -> None:
    """Say what is in a dataset: users, locations, events, span, and what could not be read."""
    engine = running.engine()
    with showing(engine) as progress:
        summary = summarise(open_events(data, reading, shaping, engine), progress)
    if running.json:
        print_json(summary.to_dict())
    else:
        _print(summary)


def _print(summary: Summary) -> None:
    print_table("What is in the data", summary.facts(), (*summary.notes, *summary.advice))
