"""``trailprint layouts``: which research layouts are known."""

from __future__ import annotations

from trailprint.cli.flags import RunFlags
from trailprint.cli.groups import takes
from trailprint.cli.present import print_json, print_table
from trailprint.events.layouts import LAYOUTS

EXAMPLE = "trailprint layouts"


@takes(RunFlags)
def run(running: RunFlags) -> None:
    """List the known research layouts, for --layout."""
    descriptions = {name: layout.description for name, layout in LAYOUTS.items()}
    if running.json:
        print_json(descriptions)
    else:
        print_table("Known layouts", list(descriptions.items()), is_prose=True)
