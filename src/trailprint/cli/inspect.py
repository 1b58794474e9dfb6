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
    rows: list[tuple[str, object]] = [
        ("rows", summary.rows),
        ("events", summary.events),
        ("users", summary.users),
        ("locations", summary.locations),
        ("first day", summary.first),
        ("last day", summary.last),
        ("active days per user, median", summary.active_days_median),
        ("events per user, median", summary.events_per_user_median),
        ("locations per user, median", summary.locations_per_user_median),
        ("duplicate rows", summary.duplicates),
        ("unusable rows", sum(summary.bad_rows.values())),
    ]
    rows += [(f"  {reason}", n) for reason, n in summary.bad_rows.items()]
    rows += [(f"left out: {reason}", n) for reason, n in summary.left_out.items()]
    print_table("What is in the data", rows, (*summary.notes, *summary.advice))
